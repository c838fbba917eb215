package plan

import "context"

// Kind is the closed set of things that this product ever does to the world.
type Kind string

// The closed set of action kinds of the local loop. GitHub's join it.
const (
	// Transition changes the store: one memory transition.
	Transition Kind = "transition"
	// Save writes the store to its home.
	Save Kind = "save"
	// Print shows a rendered text to the person at the terminal.
	Print Kind = "print"
)

// Action is one planned act: plain data that can be printed, compared and
// performed once. Key is a digest of what caused it, never of the run
// (page 2, "Every write is idempotent").
type Action struct {
	Kind    Kind
	Key     string
	Summary string // one line for people, already safe to print
	Payload any
}

// Outcome says how one action ended.
type Outcome struct {
	Action  Action
	Done    bool
	Skipped string // why nothing was done, e.g. "already applied" or "dry run"
	Err     error
}

// Executor performs actions. It is the only thing that dry-run replaces.
type Executor interface {
	Execute(ctx context.Context, actions []Action) []Outcome
}
