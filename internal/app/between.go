package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/trust"
	"github.com/familiarhq/familiar/internal/vault"
)

// What prepare and publish have in common: which pull request they are about,
// whose key vouches for the note, and where the files lie (page 7.2).

// The files beside those of a hand-over.
const (
	noteFile    = "sealed-note.json"
	replyToFile = "reply-to.txt"
	sealedFile  = "familiar-handover.sealed"
	clearFile   = "familiar-handover.json"
)

// The first lines of the input arguments, beside the forms of a result.
const (
	verbOpen   = "open"   // prepare, in the reviewer's job: open a hand-over
	verbClear  = "clear"  // prepare, with memory off: not sealed, for job outputs
	verbSeal   = "seal"   // publish, in the reviewer's job: seal the result
	verbAnswer = "answer" // publish: the result comes from the reviewer's job
)

// errNoPull is returned for an event that is about no single pull request.
var errNoPull = errors.New("prepare and publish work on one pull request: run them on pull_request_target, pull_request, workflow_run or a comment on a pull request")

// onePull says which pull request a run is about. Where a workflow_run leads
// to none, or to several, why says so.
func onePull(ctx context.Context, r ActionRequest) (p pullRun, why string, err error) {
	t := r.Trigger
	p.facts = trust.FromTrigger(t, r.Actor, r.TriggeringActor)
	switch {
	case (t.Kind == event.PullRequest || t.Kind == event.PullRequestTarget) && t.Pull != nil:
		p.number, p.head = t.Pull.Number, ""
		return p, "", nil
	case t.Kind == event.IssueComment && t.Issue != nil && t.Issue.IsPull:
		p.number = t.Issue.Number
		return p, "", nil
	case t.Kind == event.WorkflowRun && t.WorkflowRun != nil:
		run := t.WorkflowRun
		pulls, resolution, err := r.Client.PullsForCommit(ctx, run.HeadSHA, run.HeadRepoID)
		if err != nil {
			return p, "", err
		}
		if p.facts.Resolution = resolution; resolution != trust.ResolutionOne {
			return p, trust.Explain(trust.Derive(p.facts)), nil
		}
		p.number, p.head = pulls[0].Number, run.HeadSHA
		return p, "", nil
	}
	return p, "", errNoPull
}

// noteKey is who vouches for the note: the memory's key, else the identity of
// the hand-over, else, where both steps are in one job, a key made of that
// job's own token. A reviewer in the same job is trusted with the job's
// secrets, that one too (docs/reviewers.md).
func (r ActionRequest) noteKey(handover vault.Keys) (vault.Keys, error) {
	switch {
	case r.Keys.Len() > 0:
		return r.Keys, nil
	case handover.Len() > 0:
		return handover, nil
	}
	return vault.JobKeys(r.JobSecret, "sealed note")
}

// handoverKeys reads the input handover-key; nothing where there is none.
func (r ActionRequest) handoverKeys() (vault.Keys, string, error) {
	if r.HandoverKey == "" {
		return vault.Keys{}, "", nil
	}
	keys, recipient, err := vault.ParseHandoverKey(r.HandoverKey)
	if err != nil {
		return vault.Keys{}, "", fmt.Errorf("the input handover-key: %w", err)
	}
	return keys, recipient, nil
}

// briefFolder and resultFile are where prepare and publish keep theirs, as the
// runner's host names them.
func (r ActionRequest) briefFolder() string {
	return or(r.BriefPath, filepath.Join(r.TempDir, "familiar", "brief"))
}

func (r ActionRequest) resultFile() string {
	return or(r.ResultPath, filepath.Join(r.TempDir, "familiar", "result", runtime.ResultFile))
}

// here is where a path of the host is seen from this process.
func (r ActionRequest) here(path string) (string, error) {
	if r.Locate == nil {
		return filepath.Clean(path), nil
	}
	return r.Locate(path)
}

// makeFolder makes a folder that other users' steps can look into, and write
// into where they are to leave something there.
func makeFolder(path string, shared bool) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", path, err)
	}
	mode := os.FileMode(0o755) // the umask may have taken bits
	if shared {
		mode = 0o777
	}
	return os.Chmod(path, mode)
}

// policyDigest is a digest of everything that was decided about memory.
func policyDigest(v policy.Verdict) string {
	data, err := json.Marshal(struct {
		Mode   string
		Policy any
	}{string(v.Mode), v.Policy})
	if err != nil {
		return "" // strings, numbers and lists of them: cannot be; agrees with no note
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// verbOf takes the verb off the arguments, where the first line is one.
func verbOf(arguments []string, verbs ...string) (verb string, rest []string) {
	if len(arguments) > 0 && slices.Contains(verbs, arguments[0]) {
		return arguments[0], arguments[1:]
	}
	return "", arguments
}

// wrongArgument is the error about an argument that nothing takes.
func wrongArgument(op Operation, got string, takes ...string) error {
	return fmt.Errorf("the operation %s takes in arguments %s, but got %q", op, strings.Join(takes, ", "), got)
}
