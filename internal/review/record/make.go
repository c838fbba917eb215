package record

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/review"
)

// Input is what is known when a review was judged. Run, Profile and the three
// digests are taken as they are.
type Input struct {
	Run                       Run
	Profile                   Profile
	Policy, Snapshot, Context string
	Lessons                   []memory.Version // handed out
	Outcome                   review.Outcome
	Checked                   review.Checked // with the numbers that people see
	Report                    policy.Report
	Paths                     []string // of the change
	// Keyed is a digest, 64 hex digits, that nobody without the key can try
	// guesses against.
	Keyed func(string) string
}

// Make writes down what came of a review.
func Make(in Input) Record {
	r := Record{
		Schema: Schema, Run: in.Run, Profile: in.Profile, Policy: in.Policy, Snapshot: in.Snapshot, Context: in.Context,
		Lessons: versionIDs(in.Lessons), Outcome: string(in.Outcome), Refused: in.Checked.Refused,
		Coverage: Coverage{Files: in.Checked.Coverage.Files, Reviewed: in.Checked.Coverage.Reviewed, Outside: in.Checked.Coverage.Outside, Changed: []string{}},
	}
	for _, p := range in.Paths[:min(len(in.Paths), MaxChanged)] {
		r.Coverage.Changed = append(r.Coverage.Changed, Digest(p))
	}
	slices.Sort(r.Coverage.Changed)
	r.Coverage.Changed = slices.Compact(r.Coverage.Changed)
	r.Limits = limitations(in.Checked.Coverage.Unreviewed)
	r.Candidates, r.More = candidates(in.Checked)
	r.Memory = claims(in)
	return r
}

// Digest is the SHA-256 of s in hex.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func versionIDs(list []memory.Version) []string {
	out := []string{}
	for _, v := range list {
		if id := v.ID(); !slices.Contains(out, id) && len(out) < MaxLessons {
			out = append(out, id)
		}
	}
	return out
}

// limitations are the reasons for which files were not reviewed, each once.
// They are our own words.
func limitations(gaps []review.Gap) []string {
	out := []string{}
	for _, g := range gaps {
		reason := strings.Join(strings.Fields(g.Reason), " ")
		if utf8.RuneCountInString(reason) > maxReason {
			reason = string([]rune(reason)[:maxReason])
		}
		if reason != "" && !slices.Contains(out, reason) && len(out) < maxLimits {
			out = append(out, reason)
		}
	}
	slices.Sort(out)
	return out
}

// candidates lists what was reported, the published ones first. What was
// reported twice, word for word, is one entry that counts.
func candidates(c review.Checked) (out []Candidate, more int) {
	out = []Candidate{}
	at := map[string]int{}
	add := func(x Candidate) {
		if i, ok := at[x.ID]; ok {
			out[i].Times++
			return
		}
		if len(out) == MaxCandidates {
			more++
			return
		}
		at[x.ID] = len(out)
		out = append(out, x)
	}
	for _, f := range c.Findings {
		x := candidate(f.Candidate)
		x.Verdict, x.Finding, x.Fingerprint = Published, f.ID, f.Fingerprint
		add(x)
	}
	for _, d := range c.Dropped {
		x := candidate(d.Candidate)
		x.Verdict, x.Reason, x.Fingerprint = Dropped, d.Reason, d.Fingerprint
		add(x)
	}
	return out, more
}

func candidate(c review.Candidate) Candidate {
	x := Candidate{
		ID: review.CandidateID(c), Times: 1, Path: Digest(c.Path), Line: max(c.Line, 0),
		Evidence: review.EvidenceDigest(c.Path, c.Line), Because: []string{},
	}
	if c.Severity.Known() {
		x.Severity = string(c.Severity)
	}
	if c.Rule != "" {
		x.Rule = Digest(c.Rule)
	}
	for _, id := range c.Because {
		if doc, _, ok := memory.ParseID(id); ok && !slices.Contains(x.Because, doc) {
			x.Because = append(x.Because, doc)
		}
	}
	return x
}

// claims are the verdicts on what the reviewer said of memory.
func claims(in Input) Memory {
	m := Memory{Reads: []Claim{}, Writes: []Claim{}, Declined: len(in.Report.Declined) + in.Report.DeclinedMore}
	keyed := func(s string) string {
		if s == "" || in.Keyed == nil {
			return ""
		}
		return in.Keyed(s)
	}
	for _, v := range in.Report.Reads[:min(len(in.Report.Reads), MaxClaims)] {
		m.Reads = append(m.Reads, Claim{Position: v.Position, Reason: string(v.Refused), Key: keyed(string(v.Key)), Lessons: versionIDs(v.Lessons)})
	}
	for _, v := range in.Report.Writes[:min(len(in.Report.Writes), MaxClaims)] {
		m.Writes = append(m.Writes, Claim{Position: v.Position, Reason: string(v.Refused), Key: keyed(string(v.Lesson.Key)), Text: keyed(v.Lesson.Text), Lessons: []string{}})
	}
	return m
}
