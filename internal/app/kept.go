package app

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/runtime/rules"
)

// This file keeps the last review of a reviewer that cannot simply be asked
// again: one that costs, or one of the team's own (page 7.5). It lies in the
// MACed state of the status comment, so that a command is answered beside the
// review as it was, and a push has only its changed files looked at. What the
// rules find is never kept: they look at the whole change each time, which
// costs nothing, and know nothing of half a change.

// byPublish is the reviewer of a result that publish took.
const byPublish runtime.Kind = "publish"

// keptReview is a review as its reviewer left it, after the evidence check.
type keptReview struct {
	By       string        `json:"by"` // runtime.Kind, or "publish"
	Base     string        `json:"base"`
	Head     string        `json:"head"`
	Frame    string        `json:"frame,omitempty"` // digest of all that it depended on but the change
	Findings []keptFinding `json:"findings,omitempty"`
	Reviewed []string      `json:"reviewed,omitempty"` // files that were reviewed whole
	Summary  string        `json:"summary,omitempty"`
}

// keptFinding is one of its findings. Of the lessons that shaped it only the
// ids are kept.
type keptFinding struct {
	Rule           string            `json:"rule,omitempty"`
	Severity       contract.Severity `json:"severity"`
	Path           string            `json:"path"`
	Line           int               `json:"line,omitempty"`
	Title          string            `json:"title"`
	Body           string            `json:"body,omitempty"`
	Recommendation string            `json:"recommendation,omitempty"`
	Evidence       string            `json:"evidence,omitempty"`
	Replacement    *string           `json:"replacement,omitempty"`
	Because        []string          `json:"because,omitempty"`
}

// keptLimits bound what is decoded, keptRoom what is kept: a review that needs
// more is made again.
var keptLimits = contract.Limits{MaxBytes: 256 << 10, MaxDepth: 5, MaxItems: 4096, MaxString: 64 << 10}

const keptRoom = 12 << 10

// keep is a review as it is to be kept, "" for one that is not.
func keep(by runtime.Kind, frame string, s render.Status, base string, reviewed []string) string {
	if by == runtime.Rules || by == "" || s.Outcome != review.Reviewed && s.Outcome != review.PartlyReviewed {
		return ""
	}
	k := keptReview{By: string(by), Base: base, Head: s.Head, Frame: frame, Reviewed: reviewed, Summary: s.Summary}
	for _, f := range s.Findings {
		line := f.Line
		if line == 0 {
			line = f.Reported
		}
		k.Findings = append(k.Findings, keptFinding{
			Rule: f.Rule, Severity: f.Severity, Path: f.Path, Line: line, Title: f.Title, Body: f.Body, Recommendation: f.Recommendation,
			Evidence: f.Evidence, Replacement: f.Replacement, Because: documents(f.Because),
		})
	}
	return k.encode()
}

func (k keptReview) encode() string {
	data, err := json.Marshal(k)
	if err != nil || len(data) > keptLimits.MaxBytes {
		return ""
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return ""
	}
	if _, err := w.Write(data); err != nil || w.Close() != nil {
		return ""
	}
	if out := base64.RawStdEncoding.EncodeToString(b.Bytes()); len(out) <= keptRoom {
		return out
	}
	return ""
}

// decodeKept reads what was kept in a state that verified. ok is false where
// nothing was.
func decodeKept(s string) (k keptReview, ok bool) {
	packed, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil || s == "" || len(s) > keptRoom {
		return k, false
	}
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), int64(keptLimits.MaxBytes)+1))
	if err != nil || len(data) > keptLimits.MaxBytes || contract.StrictJSON(data, &k, keptLimits) != nil {
		return keptReview{}, false
	}
	return k, true
}

// keptOn is the last review that is kept on a pull request. The state verifies
// by itself, so whoever edited the words of the comment took nothing from it;
// an older state of the same comment is the review of an older head.
func (o own) keptOn() (keptReview, bool) { return decodeKept(o.state.Kept) }

// of says whether it is the review of exactly this change.
func (k keptReview) of(g pullFacts) bool {
	return k.Head == g.pull.Head.SHA && k.Base == g.pull.Base.SHA
}

// candidates are its findings in some files, without those that a lesson
// shaped which is not in use any more.
func (k keptReview) candidates(lives func(document string) bool, in func(path string) bool) []review.Candidate {
	var out []review.Candidate
	for _, f := range k.Findings {
		because := slices.DeleteFunc(slices.Clone(f.Because), func(id string) bool { return !lives(id) })
		if !in(f.Path) || len(because) == 0 && len(f.Because) > 0 {
			continue
		}
		out = append(out, review.Candidate{
			Rule: f.Rule, Severity: f.Severity, Path: f.Path, Line: f.Line, Title: f.Title, Body: f.Body,
			Recommendation: f.Recommendation, Evidence: f.Evidence, Replacement: f.Replacement, Because: because,
		})
	}
	return out
}

// again is the review as it was, held once more against the change and
// against what holds now: nobody is asked anything.
func (k keptReview) again(f facts) reviewed {
	b := briefed{verdict: computePolicy(f)}
	b.status = baseStatus(f, b.verdict)
	if !f.trust.Review {
		b.status.Outcome = review.NothingToDo
		return reviewed{status: b.status}
	}
	b.cited = f.cited(k)
	out := runtime.Output{
		Outcome: runtime.Finished, Candidates: k.candidates(f.lives(), anywhere), Reviewed: k.Reviewed,
	}
	done := judged(f, b, out)
	done.status.Summary = redact.Scrub(k.Summary)
	return done
}

func anywhere(string) bool { return true }

// lives says which lessons are in use now; without a memory none is.
func (f facts) lives() func(document string) bool {
	if f.memory == nil {
		return func(string) bool { return false }
	}
	return living(f.memory.existing, f.memory.denied, f.now)
}

// cited are the lessons that a kept review cites and that are still in use.
func (f facts) cited(k keptReview) []memory.Version {
	var out []memory.Version
	if f.memory == nil {
		return nil
	}
	lives := f.lives()
	for _, v := range f.memory.existing {
		cites := slices.ContainsFunc(k.Findings, func(f keptFinding) bool { return slices.Contains(f.Because, v.DocumentID) })
		if v.State == memory.Active && cites && lives(v.DocumentID) {
			out = append(out, v)
		}
	}
	return out
}

// increment is what of a change has to be looked at again since a kept review.
type increment struct {
	kept  keptReview
	stays map[string]bool // files that are as they were, and were reviewed whole
}

// since finds what is new since the last kept review by the same reviewer in
// the same frame: the files that differ between its head, if that is an
// ancestor of the head now, and this. ok is false where all is to be reviewed:
// after a force-push or a rebase, on another base, or where GitHub does not
// list all files.
func since(ctx context.Context, r ActionRequest, g pullFacts, f facts, who reviewer) (inc increment, ok bool) {
	k, ok := g.own.keptOn()
	if !ok || who.kind == runtime.Rules || k.By != string(who.kind) || k.Base != g.pull.Base.SHA || k.Head == g.pull.Head.SHA || k.Frame == "" || k.Frame != frameDigest(f, who) {
		return increment{}, false
	}
	c, err := r.Client.Compare(ctx, k.Head, g.pull.Head.SHA)
	if err != nil || c.Status != "ahead" || !c.AllFiles {
		return increment{}, false // whole: that is right whatever happened
	}
	inc = increment{kept: k, stays: map[string]bool{}}
	for _, file := range f.change.Files {
		if slices.Contains(k.Reviewed, file.Path) && !slices.Contains(c.Files, file.Path) {
			inc.stays[file.Path] = true
		}
	}
	return inc, len(inc.stays) > 0
}

// narrowed is the change without the files that are as they were.
func (inc increment) narrowed(f facts) facts {
	f.change.Files = slices.Clone(f.change.Files)
	kept := f.change.Files[:0:0]
	for _, file := range f.change.Files {
		if !inc.stays[file.Path] {
			kept = append(kept, file)
		}
	}
	f.change.Files = kept
	return f
}

// whole adds to what a reviewer said of the new part what was found before in
// the rest.
func (inc increment) whole(f facts, out runtime.Output) runtime.Output {
	stays := func(path string) bool { return inc.stays[path] }
	out.Candidates = append(slices.Clip(out.Candidates), inc.kept.candidates(f.lives(), stays)...)
	for _, file := range f.change.Files {
		if stays(file.Path) {
			out.Reviewed = append(out.Reviewed, file.Path)
		}
	}
	return out
}

// lookAt has a change reviewed: what is new since the last review where that
// can be told, else the whole.
func lookAt(ctx context.Context, r ActionRequest, p pullRun, g pullFacts, f facts, who reviewer) (reviewed, error) {
	if !p.full {
		if inc, ok := since(ctx, r, g, f, who); ok {
			return reviewSince(ctx, f, who, inc)
		}
	}
	return reviewChange(ctx, f, who)
}

// reviewSince has only the new part of a change looked at, and is a review of
// the whole.
func reviewSince(ctx context.Context, f facts, who reviewer, inc increment) (reviewed, error) {
	part := inc.narrowed(f)
	b, err := briefFor(ctx, part, who.kind)
	if err != nil || !f.trust.Review {
		return reviewed{status: b.status}, err
	}
	b.cited = f.cited(inc.kept)
	out := runtime.Output{Outcome: runtime.Finished}
	if len(part.change.Files) > 0 {
		out, err = isolated(ctx, part, who, b, runtime.Job{
			Brief: b.brief, Change: part.change, Snapshot: b.snapshot, Contents: f.contents, Attributes: b.attributes,
			Rules: rules.Assemble(f.settings.Review.DisableRules, f.settings.rules, b.snapshot),
		})
		if err != nil {
			return reviewed{}, err
		}
	}
	return judged(f, b, inc.whole(f, out)), nil
}

// frameDigest is a digest of all that a review depends on but the change.
func frameDigest(f facts, who reviewer) string {
	f.change.Base, f.change.Head, f.change.Title = "", "", ""
	return inputsDigest(f, who)
}
