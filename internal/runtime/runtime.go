package runtime

import (
	"context"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

// Kind is the closed set of reviewers (page 7.2).
type Kind string

// The closed set of reviewer kinds.
const (
	Rules  Kind = "rules"
	Models Kind = "models"
	Exec   Kind = "exec"
)

// Job is one review to do. It holds everything the reviewer may see; nothing
// in it is a token, and lessons in it are approved and granted.
type Job struct {
	Brief    contract.Brief
	Change   diff.Change
	Snapshot memory.Snapshot
	// Rules are the checkable rules of the rules runtime, in order: built in,
	// rules file, remembered.
	Rules []Rule
	// Attributes tell which files are generated; those are looked at last.
	Attributes diff.Attributes
	// Contents reads a file at the head, for rules that need more than the
	// hunks. ok is false where it does not exist or is too large.
	Contents func(ctx context.Context, path string) (text []byte, ok bool)
}

// Rule is one checkable rule and where it comes from.
type Rule struct {
	ID     string // "builtin/conflict-marker", "rules.toml/no-sleep", or a lesson's short id
	Origin Origin
	Check  memory.Check
	Lesson string // short id of the lesson, for remembered rules
}

// Origin is one of the three sources of rules (page 7.2).
type Origin string

// The closed set of origins.
const (
	BuiltIn    Origin = "built_in"
	RulesFile  Origin = "rules_file"
	Remembered Origin = "remembered"
)

// Output is what a reviewer said, before anything of it is believed.
type Output struct {
	Candidates []review.Candidate
	Reviewed   []string // files the reviewer says it looked at
	Summary    string
	MemoryUsed *contract.MemoryUsed
	Reminders  []memory.Version // recalled lessons without a check, at most five
	// Skipped names rules that could not be used, with the reason.
	Skipped []Skipped
	// Left lists the files, or parts of files, that the reviewer was not
	// shown, with the reason: they count as omissions of the change.
	Left []diff.Omission
	// Usage is what the reviewer spent, also where it did not finish.
	Usage Usage
	// Outcome says how the reviewer ended; anything but Finished means that
	// nothing of it may be stored or published as a review.
	Outcome Outcome
	Detail  string // one sentence for people where Outcome is not Finished, or its question
}

// Skipped is one rule that was not applied, or not to one file.
type Skipped struct{ Rule, Path, Reason string }

// Usage counts tokens of a model. Where the endpoint did not tell, they are
// estimated from the bytes, and never too low.
type Usage struct {
	Model         string // "" for a reviewer without a model
	Input, Output int
	Turns         int  // requests that were sent
	Estimated     bool // at least a part is our own estimate
}

// Total is what counts against a limit.
func (u Usage) Total() int { return u.Input + u.Output }

// Outcome is the closed set of ways a reviewer ends (page 7.1). The zero
// value is unusable.
type Outcome string

// The closed set of outcomes.
const (
	Finished   Outcome = "finished"
	GaveUp     Outcome = "gave_up"
	Infra      Outcome = "infra"
	NeedsInput Outcome = "needs_input"
	// Limited: a limit of the run, of the day or of the endpoint is reached.
	Limited Outcome = "limited"
)

// Reviewer is a runtime. It gets a job and nothing else: no store, no
// network of ours, no capability but to propose (page 4.3).
type Reviewer interface {
	Review(ctx context.Context, job Job) (Output, error)
}
