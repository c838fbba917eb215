package review

import (
	"errors"
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
)

// BriefInput is everything that a brief is made of.
type BriefInput struct {
	Repo     contract.BriefRepo
	PR       int // 0 where the change is of a local clone
	Change   diff.Change
	Familiar contract.BriefFamiliar
	Root     string // the workspace of the runtime
	// Instruction is the audit instruction of the profile, "" for none.
	Instruction string
	// Policy is the computed memory policy; nil leaves it out of the brief.
	Policy *contract.MemoryPolicy
	// LiveTokens are the secrets that this process holds. None of them may
	// occur in the brief; they are compared and never kept.
	LiveTokens []string
}

// taskSentence is all that a runtime is told to do. No word of the pull request
// is in it: its title and text are the change's, and untrusted.
const taskSentence = "Review the changed files listed in review_context. Report findings that cite a file and a line of this change. Change nothing, push nothing."

// BuildBrief assembles the brief of a review (page 7.1): contract version 2,
// trigger pr_review_comment, task address_review_comment, and the changed files
// as review_context. It is refused where a live token or a URL with credentials
// occurs in any of its text; the error names the field and never the secret.
func BuildBrief(in BriefInput) (contract.Brief, error) {
	b := contract.Brief{
		ContractVersion: contract.Version,
		Trigger:         contract.TriggerPRReviewComment,
		Repo:            in.Repo,
		Task: contract.Task{
			Kind:        contract.TaskAddressReviewComment,
			PRNumber:    in.PR,
			CommentBody: taskSentence,
		},
		Familiar:      in.Familiar,
		Workspace:     contract.Workspace{Root: in.Root},
		ReviewContext: &contract.ReviewContext{Kind: contract.ContextPullRequest, Files: contextFiles(in.Change)},
		MemoryPolicy:  in.Policy,
	}
	if b.Familiar.Skills == nil {
		b.Familiar.Skills = []string{}
	}
	if in.Instruction != "" {
		text := in.Instruction
		b.AuditInstruction = &text
	}
	if in.PR < 0 {
		return contract.Brief{}, errors.New("brief not written: the number of the pull request is negative")
	}
	if leak := findLeak(b, in.LiveTokens); leak != nil {
		return contract.Brief{}, leak
	}
	return b, nil
}

// contextFiles names every changed file, also those that could not be read: the
// runtime may look at them in its workspace.
func contextFiles(c diff.Change) []contract.ContextFile {
	out := []contract.ContextFile{}
	seen := map[string]bool{}
	add := func(p string) {
		p = strings.ToValidUTF8(p, "\uFFFD")
		if p != "" && !seen[p] {
			seen[p] = true
			out = append(out, contract.ContextFile{Filename: p})
		}
	}
	for _, f := range c.Files {
		add(f.Path)
	}
	for _, o := range c.Omitted {
		add(o.Path)
	}
	return out
}

// Leak is the refusal to write a brief that would hand out a secret. It names
// the place and never the secret.
type Leak struct {
	Field string // in the brief's words, such as "audit_instruction"
	What  string // "a live token" or "a URL with credentials"
}

// Error says what was found where, and what to do.
func (l *Leak) Error() string {
	return fmt.Sprintf("brief not written: %s holds %s; take it out there and run again", l.Field, l.What)
}
