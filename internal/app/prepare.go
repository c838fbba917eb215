package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/runtime/handover"
	"github.com/familiarhq/familiar/internal/vault"
)

// prepare writes what a reviewer of the user's own is given, and the sealed
// note of what that was (page 7.2). It publishes nothing.
func prepare(ctx context.Context, r ActionRequest) (ActionReport, error) {
	verb, rest := verbOf(r.Arguments, verbOpen, verbClear)
	switch {
	case verb == verbOpen:
		return openHandover(ctx, r, rest)
	case len(rest) > 0:
		return ActionReport{}, wrongArgument(r.Operation, rest[0], "nothing", "clear", "or open and a file")
	}
	to, err := r.carriedTo(verb == verbClear)
	if err != nil {
		return ActionReport{}, err
	}
	p, why, err := onePull(ctx, r)
	if err != nil || why != "" {
		return nothing(why), err
	}
	g, err := gatherPull(ctx, r, p)
	if err != nil {
		return ActionReport{}, err
	}
	report := ActionReport{Trust: g.trust.Scope}
	if p.head != "" && p.head != g.pull.Head.SHA {
		report.Outcome, report.Detail = review.Superseded, "the head moved on since; the run for the new head reviews it"
		return report, nil
	}
	if why := skipped(g); why != "" {
		report.Outcome, report.Detail = review.NothingToDo, why
		return report, nil
	}
	err = withMemory(ctx, pullMemory(r, g), or(g.storeProblem, r.MemoryOff), func(ctx context.Context, m *memoryFacts, problem string) error {
		return briefReviewer(ctx, r, g, g.facts(r, m, problem), to, &report)
	})
	return report, err
}

// carrying says how a hand-over leaves this job; the zero value stays in it.
type carrying struct {
	away      bool
	recipient string // whom it is sealed to; "": nobody, which memory forbids
	key       vault.Keys
}

// carriedTo reads from the inputs how the hand-over travels.
func (r ActionRequest) carriedTo(clear bool) (carrying, error) {
	keys, recipient, err := r.handoverKeys()
	if err != nil {
		return carrying{}, err
	}
	c := carrying{away: clear || recipient != "", recipient: recipient}
	if clear {
		c.recipient = ""
	}
	if c.away && r.Keys.Len() == 0 && keys.Len() == 0 {
		return carrying{}, errors.New("nothing could vouch for the note in the job that publishes: give this job and that one the memory-key, or the same identity as handover-key")
	}
	c.key, err = r.noteKey(keys)
	if err == nil && c.key.Len() == 0 {
		err = errors.New("nothing can vouch for the note: there is no memory-key, no handover-key and no token of the job")
	}
	return c, err
}

// briefReviewer decides whether a reviewer outside may see this change here,
// and writes the hand-over.
func briefReviewer(ctx context.Context, r ActionRequest, g pullFacts, f facts, to carrying, report *ActionReport) error {
	if why := notHere(ctx, r, g, f, to); why != "" {
		report.Outcome, report.Detail = review.Failed, why
		return nil
	}
	b, err := briefChange(ctx, f)
	if err != nil {
		return err
	}
	report.Status = b.status
	if !f.trust.Review {
		report.Outcome, report.Detail = review.NothingToDo, "this change is not reviewed: "+f.trust.Reasons[0].Text
		return nil
	}
	if to.away && to.recipient == "" && b.verdict.Policy.Enabled {
		report.Outcome, report.Detail = review.Failed, "memory is on, so the hand-over does not travel in the clear; give a handover-key in place of `clear`"
		return nil
	}
	b.brief.Workspace.Root = "." // wherever the reviewer's own checkout is
	write, shown, err := r.handOver(f, b, to)
	if err != nil {
		return err
	}
	report.BriefPath, report.ResultPath = shown, r.resultFile()
	report.perform(ctx, r, deed{plan.Action{
		Kind: plan.HandOver, Key: memory.NewCause("hand over", fmt.Sprint(f.repo.RepoID), fmt.Sprint(f.pull), f.change.Head, policyDigest(b.verdict)),
		Summary: "write the brief, " + render.Count(len(b.snapshot.Lessons), "lesson") + " and the change for a reviewer",
	}, func(context.Context, plan.Action) error { return write() }})
	report.Detail = "the brief is at " + shown
	for _, o := range plan.Failed(report.Outcomes) {
		report.Outcome, report.Detail = review.Failed, o.Err.Error()
	}
	if r.DryRun {
		report.Outcome, report.Detail = review.NothingToDo, "a dry run writes no brief"
	}
	if report.Outcome != "" {
		report.BriefPath, report.ResultPath = "", ""
	}
	return nil
}

// notHere says why a reviewer must not meet this change in this job, or "". A
// reviewer in this job holds the job's secrets as far as it likes, so it is
// not let near what a stranger wrote; in a job of its own it has none, and
// only review.external decides.
func notHere(ctx context.Context, r ActionRequest, g pullFacts, f facts, to carrying) string {
	switch {
	case trustedChange(f):
		return ""
	case !to.away:
		return fmt.Sprintf("the change is of trust %s (%s), and a reviewer in this job could be led by it to this job's secrets; use three jobs with a handover-key, as examples/reviewers/three-jobs.yml does",
			f.trust.Scope, f.trust.Reasons[0].Text)
	case !meetsReviewer(f.settings.Config.External, labelledForReview(ctx, r, g)):
		return fmt.Sprintf("the change is of trust %s, and review.external is %q: a maintainer's label %s asks for this review",
			f.trust.Scope, f.settings.Config.External, f.settings.Familiar.Labels.Review)
	}
	return ""
}

// handOver puts the files together. What it returns writes them.
func (r ActionRequest) handOver(f facts, b briefed, to carrying) (write func() error, shown string, err error) {
	files, err := handedOut(f, b)
	if err != nil {
		return nil, "", err
	}
	folder, err := r.here(r.briefFolder())
	if err != nil {
		return nil, "", err
	}
	result, err := r.here(r.resultFile())
	if err != nil {
		return nil, "", err
	}
	note, err := r.sealNote(f, b, files, to.key)
	if err != nil {
		return nil, "", err
	}
	if to.away {
		name := sealedFile
		if to.recipient == "" {
			name = clearFile
		}
		return func() error { return r.carry(folder, name, files, note, to.recipient) }, filepath.Join(r.briefFolder(), name), nil
	}
	return func() error {
		if _, err := os.Lstat(result); err == nil {
			return fmt.Errorf("there is a result at %s before a reviewer ran; remove it, or name another file", r.resultFile())
		}
		if err := makeFolder(filepath.Dir(result), true); err != nil {
			return err
		}
		return lay(folder, files, note)
	}, filepath.Join(r.briefFolder(), runtime.BriefFile), nil
}

// handedOut are the bytes that a reviewer is given.
func handedOut(f facts, b briefed) (handover.Bundle, error) {
	var out handover.Bundle
	var err error
	if out.Brief, err = contract.EncodeBrief(b.brief, f.settings.Runtime.PolicyShape); err != nil {
		return out, fmt.Errorf("the brief is not written: %w", err)
	}
	if out.Memory, err = runtime.EncodeSnapshot(b.snapshot); err != nil {
		return out, err
	}
	out.MemoryText = runtime.SnapshotText(b.snapshot)
	var patch bytes.Buffer
	err = diff.Format(&patch, f.change.Files)
	out.Diff = patch.Bytes()
	return out, err
}

// sealNote makes the note of what is handed out.
func (r ActionRequest) sealNote(f facts, b briefed, files handover.Bundle, key vault.Keys) ([]byte, error) {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	n := handover.Note{
		RunID: r.RunID, Attempt: r.Attempt, RepositoryID: f.repo.RepoID, Number: f.pull, Head: f.change.Head,
		Policy: policyDigest(b.verdict), Brief: digestOfFile(files.Brief), Snapshot: digestOfFile(files.Memory),
		Text: digestOfFile(files.MemoryText), Diff: digestOfFile(files.Diff), Nonce: hex.EncodeToString(nonce),
		IssuedAt: r.gitHubNow().UTC().Truncate(time.Second).Format(time.RFC3339),
	}
	for _, v := range b.snapshot.Lessons {
		n.Lessons = append(n.Lessons, v.ID())
	}
	return handover.Seal(n, key)
}

// lay writes the files of a hand-over where a reviewer reads them, and the
// note beside them.
func lay(folder string, files handover.Bundle, note []byte) error {
	if err := makeFolder(folder, false); err != nil {
		return err
	}
	return runtime.LayHandover(folder, map[string][]byte{
		runtime.BriefFile: files.Brief, runtime.MemoryFile: files.Memory, runtime.MemoryTextFile: files.MemoryText,
		runtime.DiffFile: files.Diff, noteFile: note,
	})
}

// carry writes the whole hand-over as one file, sealed unless memory is off
// and it was asked for in the clear.
func (r ActionRequest) carry(folder, name string, files handover.Bundle, note []byte, recipient string) error {
	files.Note, files.ReplyTo = note, r.Keys.Recipient()
	data, err := handover.EncodeBundle(files)
	if err != nil {
		return err
	}
	if recipient != "" {
		if data, err = vault.SealBytes(data, recipient); err != nil {
			return err
		}
	}
	if err := makeFolder(folder, false); err != nil {
		return err
	}
	return runtime.LayHandover(folder, map[string][]byte{name: data})
}

// openHandover opens a hand-over in the job of the reviewer, whose only secret
// is the handover-key. It asks GitHub for nothing.
func openHandover(ctx context.Context, r ActionRequest, rest []string) (ActionReport, error) {
	if len(rest) != 1 {
		return ActionReport{}, errors.New("the operation prepare takes after `open` one line: the path of the file to open")
	}
	keys, _, err := r.handoverKeys()
	if err != nil {
		return ActionReport{}, err
	}
	data, err := r.readCarried(rest[0], keys, handover.MaxBundle)
	if err != nil {
		return ActionReport{}, err
	}
	files, err := handover.DecodeBundle(data)
	if err != nil {
		return ActionReport{}, err
	}
	folder, err := r.here(r.briefFolder())
	if err != nil {
		return ActionReport{}, err
	}
	result, err := r.here(r.resultFile())
	if err != nil {
		return ActionReport{}, err
	}
	report := ActionReport{BriefPath: filepath.Join(r.briefFolder(), runtime.BriefFile), ResultPath: r.resultFile()}
	report.perform(ctx, r, deed{plan.Action{
		Kind: plan.HandOver, Key: memory.NewCause("open", digestOfFile(data)), Summary: "open the hand-over for the reviewer of this job",
	}, func(context.Context, plan.Action) error {
		if err := makeFolder(filepath.Dir(result), true); err != nil {
			return err
		}
		if err := lay(folder, files, files.Note); err != nil {
			return err
		}
		return runtime.LayFile(folder, replyToFile, []byte(files.ReplyTo))
	}})
	for _, o := range plan.Failed(report.Outcomes) {
		return report, o.Err
	}
	report.Detail = "the brief is at " + report.BriefPath
	return report, nil
}
