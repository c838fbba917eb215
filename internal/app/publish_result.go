package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/runtime/adapt"
	"github.com/familiarhq/familiar/internal/runtime/handover"
	"github.com/familiarhq/familiar/internal/vault"
)

// publishResult reads what a reviewer of the user's own left, holds it against
// the note of what was handed out and against everything as it is now, and
// publishes it as a review of ours (page 7.2). Trust and policy are derived
// again, live; nothing of them is read back.
func publishResult(ctx context.Context, r ActionRequest) (ActionReport, error) {
	verb, rest := verbOf(r.Arguments, verbSeal, verbAnswer)
	form, covers, err := formOf(r.Operation, rest)
	if err != nil {
		return ActionReport{}, err
	}
	if verb == verbSeal {
		return sealAnswer(ctx, r, form)
	}
	p, why, err := onePull(ctx, r)
	if err != nil || why != "" {
		return nothing(why), err
	}
	left, problem := r.collect(verb == verbAnswer, form)
	g, err := gatherPull(ctx, r, p)
	if err != nil {
		return ActionReport{}, err
	}
	report := ActionReport{Trust: g.trust.Scope}
	r.Author = g.author
	settled, err := settleLabels(ctx, r, g)
	if err != nil {
		return report, err
	}
	p.answers = append(slices.Clip(p.answers), settled.answers...)
	if why := skipped(g); why != "" && len(p.answers) == 0 {
		report.Outcome, report.Detail = review.NothingToDo, why
		return report, nil
	}
	err = withMemory(ctx, pullMemory(r, g), or(g.storeProblem, r.MemoryOff), func(ctx context.Context, m *memoryFacts, memoryProblem string) error {
		out, superseded := r.judgeLeft(g.facts(r, m, memoryProblem), left, problem, covers)
		if superseded != "" {
			report.Outcome, report.Detail = review.Superseded, superseded
			return nil
		}
		finish(&out.status, r, g, p, "")
		out.by, out.kept = byPublish, keep(byPublish, "", out.status, g.pull.Base.SHA, out.looked)
		report, err = publish(ctx, r, g, "", out)
		return err
	})
	if err != nil {
		return report, err
	}
	return settled.concluded(ctx, r, g, report), nil
}

// pullMemory is the memory of a gathered pull request, nil where it is not to
// be used.
func pullMemory(r ActionRequest, g pullFacts) Memory {
	if r.Memory == nil || g.storeProblem != "" {
		return nil
	}
	return r.Memory
}

// formOf reads the form of the result and the globs that it covers.
func formOf(op Operation, arguments []string) (adapt.Form, []string, error) {
	if len(arguments) == 0 {
		return "", nil, nil
	}
	form, ok := adapt.ParseForm(arguments[0])
	if !ok {
		return "", nil, wrongArgument(op, arguments[0], "the form of the result ("+strings.Join(adapt.Forms(), ", ")+") and globs of the files it covers", "after seal or answer where there are several jobs")
	}
	return form, arguments[1:], nil
}

// left is what a reviewer left, not believed yet.
type left struct {
	note   handover.Note
	form   adapt.Form
	result []byte
}

// collect reads note and result. What is wrong with them is a problem, in
// words, that is published in place of a review.
func (r ActionRequest) collect(answer bool, form adapt.Form) (left, string) {
	keys, _, err := r.handoverKeys()
	if err != nil {
		return left{}, err.Error()
	}
	vouches, err := r.noteKey(keys)
	if err != nil {
		return left{}, err.Error()
	}
	var l left
	if answer {
		l, err = r.fromAnswer(form, keys, vouches)
	} else {
		l, err = r.fromFolder(form, vouches)
	}
	if err != nil {
		return left{}, err.Error()
	}
	return l, ""
}

// fromFolder reads what lies in this job: the note beside the brief, which
// must be as it was handed out, and the result.
func (r ActionRequest) fromFolder(form adapt.Form, vouches vault.Keys) (left, error) {
	folder, err := r.here(r.briefFolder())
	if err != nil {
		return left{}, err
	}
	data, err := runtime.ReadCarried(filepath.Join(folder, noteFile), handover.MaxNote)
	if err != nil {
		return left{}, fmt.Errorf("there is no sealed note in %s, so nobody knows what the reviewer was given; run prepare first, with the same brief: %w", r.briefFolder(), err)
	}
	l := left{form: form}
	if l.note, err = handover.Open(data, vouches); err != nil {
		return left{}, err
	}
	for name, want := range map[string]string{
		runtime.BriefFile: l.note.Brief, runtime.MemoryFile: l.note.Snapshot, runtime.MemoryTextFile: l.note.Text, runtime.DiffFile: l.note.Diff,
	} {
		data, err := runtime.ReadCarried(filepath.Join(folder, name), handover.MaxBundle)
		if err != nil || digestOfFile(data) != want {
			return left{}, fmt.Errorf("%s is not as it was handed out, so the result is not used", name)
		}
	}
	file, err := r.here(r.resultFile())
	if err != nil {
		return left{}, err
	}
	if l.form == "" {
		l.form = adapt.FormOf(file)
	}
	l.result, err = runtime.ReadResult(file, contract.MaxResultBytes)
	return l, err
}

// fromAnswer reads what came back from the reviewer's job in one file.
func (r ActionRequest) fromAnswer(form adapt.Form, keys, vouches vault.Keys) (left, error) {
	opens := r.Keys
	if opens.Len() == 0 {
		opens = keys
	}
	data, err := r.readCarried(r.resultFile(), opens, handover.MaxAnswer)
	if err != nil {
		return left{}, err
	}
	a, err := handover.DecodeAnswer(data)
	if err != nil {
		return left{}, err
	}
	l := left{form: form, result: a.Result}
	if l.form == "" {
		var ok bool
		if l.form, ok = adapt.ParseForm(a.Form); !ok {
			return left{}, errors.New("the answer of the reviewer's job names no form of results that is known")
		}
	}
	l.note, err = handover.Open(a.Note, vouches)
	return l, err
}

// ageMagic is how a file that is sealed with age starts.
const ageMagic = "age-encryption.org/"

// readCarried reads a file that came from another job, and opens it where it
// is sealed.
func (r ActionRequest) readCarried(path string, keys vault.Keys, most int) ([]byte, error) {
	file, err := r.here(path)
	if err != nil {
		return nil, err
	}
	data, err := runtime.ReadCarried(file, int64(most))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s", path)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	case !strings.HasPrefix(string(data[:min(len(data), len(ageMagic))]), ageMagic):
		return data, nil
	case keys.Len() == 0:
		return nil, fmt.Errorf("%s is sealed, and this job has no identity that opens it", path)
	}
	return keys.OpenBytes(data, most)
}

// judgeLeft holds what was left against everything as it is now. superseded
// is said where only the head moved, which happens to honest reviewers.
func (r ActionRequest) judgeLeft(f facts, l left, problem string, covers []string) (out reviewed, superseded string) {
	b := briefed{verdict: computePolicy(f)}
	b.status = baseStatus(f, b.verdict)
	if !f.trust.Review {
		b.status.Outcome = review.NothingToDo
		return reviewed{status: b.status}, ""
	}
	if problem == "" {
		reason, why := handover.Accept(l.note, handover.Facts{
			RepositoryID: f.repo.RepoID, RunID: r.RunID, Attempt: r.Attempt, Number: f.pull, Head: f.change.Head,
			Policy: policyDigest(b.verdict), Now: r.gitHubNow(),
		})
		if reason == handover.HeadMoved {
			return reviewed{}, why
		}
		problem = why
	}
	said := runtime.Output{Outcome: runtime.Infra, Detail: problem}
	if problem == "" {
		b.snapshot = supplied(f, b.verdict, l.note)
		b.given(l.note)
		var err error
		if said, err = adapt.Read(sourceOf(f, l, covers)); err != nil {
			said = runtime.Output{Outcome: runtime.Infra, Detail: err.Error()}
		}
	}
	return judged(f, b, said), ""
}

// supplied are the lessons that were handed out and still are what they were:
// one that was forgotten, replaced or has ended meanwhile is cited by nobody.
func supplied(f facts, v policy.Verdict, n handover.Note) memory.Snapshot {
	var s memory.Snapshot
	if !v.Policy.Enabled || f.memory == nil {
		return s
	}
	for _, version := range f.memory.existing {
		if version.State == memory.Active && slices.Contains(n.Lessons, version.ID()) && slices.Contains(v.Policy.ReadScopes, version.Scope) {
			s.Lessons = append(s.Lessons, version)
		}
	}
	return s
}

func sourceOf(f facts, l left, covers []string) adapt.Source {
	s := adapt.Source{Form: l.form, Data: l.result, Repo: f.repo.Name, Covers: covers}
	for _, file := range f.change.Files {
		s.Paths = append(s.Paths, file.Path)
	}
	s.Line = func(path string, line int) (string, bool) { return lineOf(f.change, path, line) }
	return s
}

// lineOf is a line of the new side of a change, where the change shows it.
func lineOf(c diff.Change, path string, number int) (string, bool) {
	for _, file := range c.Files {
		if file.Path != path {
			continue
		}
		for _, h := range file.Hunks {
			for _, line := range h.Lines {
				if line.New == number {
					return line.Text, true
				}
			}
		}
	}
	return "", false
}

// sealAnswer packs the result in the job of the reviewer, for the job that
// publishes. It asks GitHub for nothing.
func sealAnswer(ctx context.Context, r ActionRequest, form adapt.Form) (ActionReport, error) {
	_, recipient, err := r.handoverKeys()
	if err != nil {
		return ActionReport{}, err
	}
	folder, err := r.here(r.briefFolder())
	if err != nil {
		return ActionReport{}, err
	}
	note, err := runtime.ReadCarried(filepath.Join(folder, noteFile), handover.MaxNote)
	if err != nil {
		return ActionReport{}, fmt.Errorf("there is no hand-over in %s; open it first with the operation prepare: %w", r.briefFolder(), err)
	}
	replyTo, err := runtime.ReadCarried(filepath.Join(folder, replyToFile), handover.MaxNote)
	if err != nil {
		return ActionReport{}, fmt.Errorf("there is no hand-over in %s; open it first with the operation prepare: %w", r.briefFolder(), err)
	}
	if s := strings.TrimSpace(string(replyTo)); s != "" && recipient != "" {
		recipient = s
	}
	file, err := r.here(r.resultFile())
	if err != nil {
		return ActionReport{}, err
	}
	result, err := runtime.ReadResult(file, contract.MaxResultBytes)
	if err != nil {
		return ActionReport{}, err
	}
	if form == "" {
		form = adapt.FormOf(file)
	}
	data, err := handover.EncodeAnswer(handover.Answer{Note: note, Form: string(form), Result: result})
	if err != nil {
		return ActionReport{}, err
	}
	suffix := ".answer.json"
	if recipient != "" {
		suffix = ".sealed"
		if data, err = vault.SealBytes(data, recipient); err != nil {
			return ActionReport{}, err
		}
	}
	report := ActionReport{ResultPath: r.resultFile() + suffix}
	report.perform(ctx, r, deed{plan.Action{
		Kind: plan.HandOver, Key: memory.NewCause("answer", digestOfFile(result)), Summary: "pack the result for the job that publishes",
	}, func(context.Context, plan.Action) error { return os.WriteFile(file+suffix, data, 0o644) }})
	for _, o := range plan.Failed(report.Outcomes) {
		return report, o.Err
	}
	report.Detail = "the answer is at " + report.ResultPath
	return report, nil
}

func digestOfFile(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
