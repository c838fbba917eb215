package plan

import (
	"context"
	"fmt"
)

// Kind is the closed set of things that this product ever does to the world.
type Kind string

// The closed set of action kinds of the local loop. GitHub's join it.
const (
	// Transition changes the store: one memory transition.
	Transition Kind = "transition"
	// MarkUsed notes the day on which lessons shaped a review.
	MarkUsed Kind = "mark_used"
	// RecordUses notes which lessons shaped which findings.
	RecordUses Kind = "record_uses"
	// RecordRefusals leaves audit rows of what a report was refused.
	RecordRefusals Kind = "record_refusals"
	// RecordSpending notes the tokens that a review took.
	RecordSpending Kind = "record_spending"
	// SetRegister sets one small value that later runs heed, such as that a
	// thread is paused.
	SetRegister Kind = "set_register"
	// RecordDisplay notes which proposals a status comment shows since when.
	RecordDisplay Kind = "record_display"
	// Restore merges a snapshot into the store.
	Restore Kind = "restore"
	// RecordAct leaves an audit row of what was done to the store as a whole.
	RecordAct Kind = "record_act"
	// KeepRecord stores review.json of a review as an artifact.
	KeepRecord Kind = "keep_record"
	// Prune deletes containers that a newer one contains.
	Prune Kind = "prune"
	// Save writes the store to its home.
	Save Kind = "save"
)

// Action is one planned act: plain data that can be printed, compared and
// performed once. Key is a digest of what caused it, never of the run
// (page 2, "Every write is idempotent").
type Action struct {
	Kind    Kind   `json:"kind"`
	Key     string `json:"key"`
	Summary string `json:"summary"` // one line for people, already safe to print
	// Needs are keys of actions that must have been done before this one.
	Needs   []string `json:"needs,omitempty"`
	Payload any      `json:"-"`
}

// Outcome says how one action ended: done, skipped with a reason, or failed.
type Outcome struct {
	Action  Action
	Done    bool
	Skipped string // why nothing was done: "dry run", "already applied", a failed need
	Err     error
}

// Executor performs actions. It is the only thing that dry-run replaces.
type Executor interface {
	Execute(ctx context.Context, actions []Action) []Outcome
}

// Skip is returned by a handler that had nothing to do; its text becomes
// Outcome.Skipped.
type Skip string

// Error makes Skip an error for the way back from a handler only.
func (s Skip) Error() string { return string(s) }

// Handler performs one kind of action.
type Handler func(ctx context.Context, a Action) error

// Doer is the executor that acts. An action of a kind without a handler
// fails: nothing is skipped silently.
type Doer struct {
	Handlers map[Kind]Handler
	Report   func(Outcome) // called for each action as it ends; may be nil
}

// Execute performs the actions in order. An action whose need was not done
// is not tried; the others go on, since each was planned for itself.
func (d Doer) Execute(ctx context.Context, actions []Action) []Outcome {
	missing := map[string]bool{}
	var out []Outcome
	for _, a := range actions {
		o := d.one(ctx, a, missing)
		if o.Err != nil || (!o.Done && !satisfied(o)) {
			missing[a.Key] = true
		}
		if d.Report != nil {
			d.Report(o)
		}
		out = append(out, o)
	}
	return out
}

// satisfied tells a skip that leaves the world as wanted (it was done
// before) from one that does not.
func satisfied(o Outcome) bool { return o.Skipped == AlreadyApplied }

// AlreadyApplied is the skip of an action that an earlier run performed.
const AlreadyApplied = "already applied"

func (d Doer) one(ctx context.Context, a Action, missing map[string]bool) Outcome {
	for _, n := range a.Needs {
		if missing[n] {
			return Outcome{Action: a, Skipped: "not tried: an action before it was not done"}
		}
	}
	if err := ctx.Err(); err != nil {
		return Outcome{Action: a, Err: err}
	}
	h, ok := d.Handlers[a.Kind]
	if !ok {
		return Outcome{Action: a, Err: fmt.Errorf("no handler for an action of kind %q", a.Kind)}
	}
	switch err := h(ctx, a).(type) {
	case nil:
		return Outcome{Action: a, Done: true}
	case Skip:
		return Outcome{Action: a, Skipped: string(err)}
	default:
		return Outcome{Action: a, Err: err}
	}
}

// DryRun is the executor that only reports.
type DryRun struct{ Report func(Outcome) }

// Execute reports every action as skipped and performs none.
func (d DryRun) Execute(_ context.Context, actions []Action) []Outcome {
	var out []Outcome
	for _, a := range actions {
		o := Outcome{Action: a, Skipped: "dry run"}
		if d.Report != nil {
			d.Report(o)
		}
		out = append(out, o)
	}
	return out
}

// Failed returns the outcomes that ended with an error.
func Failed(outcomes []Outcome) []Outcome {
	var out []Outcome
	for _, o := range outcomes {
		if o.Err != nil {
			out = append(out, o)
		}
	}
	return out
}
