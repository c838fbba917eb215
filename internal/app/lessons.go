package app

import (
	"context"
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
)

// ListRequest asks which lessons there are.
type ListRequest struct {
	Stores  Stores
	Pending bool
	Query   string // words, or a path; "" for all
	All     bool   // also what is no longer used
}

// List returns lessons, the latest first. A store that does not exist yet
// has none.
func List(ctx context.Context, r ListRequest) ([]memory.Version, error) {
	states := []memory.State{memory.Active, memory.ReviewRequired}
	switch {
	case r.Pending:
		states = []memory.State{memory.ReviewRequired}
	case r.All:
		states = nil
	}
	var out []memory.Version
	err := r.Stores.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		var err error
		out, err = st.List(ctx, store.Filter{States: states, Query: r.Query})
		if err != nil || len(out) > 0 || r.Query == "" {
			return err
		}
		// No word of any lesson: the query may be a path that globs match.
		out, err = st.List(ctx, store.Filter{States: states, Path: r.Query})
		return err
	})
	return out, err
}

// Show returns all versions of the lesson that an id names, the first one
// first, or the refusal with the candidates.
func Show(ctx context.Context, stores Memory, id string) ([]memory.Version, *memory.Refusal, error) {
	var versions []memory.Version
	var refusal *memory.Refusal
	err := stores.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			refusal = nothingTaught("show", id)
			return nil
		}
		var err error
		versions, refusal, err = st.Get(ctx, id)
		return err
	})
	return versions, refusal, err
}

func nothingTaught(op, id string) *memory.Refusal {
	return &memory.Refusal{Op: op, Target: id, Reason: memory.ReasonUnknownID, Detail: "Nothing was taught here yet, so there is no lesson of that id."}
}

// DecideRequest is a forget, approve or reject of lessons by id.
type DecideRequest struct {
	Stores   Stores
	Intent   intent.Intent
	Operator memory.Principal
	Now      time.Time
	DryRun   bool
}

// Decided is what became of one id.
type Decided struct {
	ID       string
	Version  memory.Version
	Already  bool
	Replaced []string // ids of versions that an approval superseded
	Refused  *memory.Refusal
}

// operations maps the verbs of this use case to transitions.
var operations = map[intent.Verb]memory.Op{
	intent.VerbForget:  memory.OpForget,
	intent.VerbApprove: memory.OpApprove,
	intent.VerbReject:  memory.OpReject,
}

// Decide forgets, approves or rejects lessons: each id has its own answer. A
// refusal is one of them and no error.
func Decide(ctx context.Context, r DecideRequest) ([]Decided, error) {
	op, ok := operations[r.Intent.Verb]
	if !ok {
		return nil, fmt.Errorf("%s is not something that the command line does yet", r.Intent.Verb)
	}
	ids, shown, err := targets(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []Decided
	for i, id := range ids {
		versions, refusal := shown[i].versions, shown[i].refusal
		if refusal == nil && len(versions) == 0 {
			refusal = nothingTaught(string(op), id)
		}
		if refusal == nil {
			// The operator of a file is an admin of it (decision 0002);
			// whose lesson it is, is asked all the same.
			refusal = memory.MayTouch(op, r.Operator, memory.StandingAdmin, versions)
		}
		if refusal != nil {
			out = append(out, Decided{ID: id, Refused: refusal})
			continue
		}
		last := versions[len(versions)-1]
		task := &TransitionTask{Transition: memory.Transition{
			Op: op, At: r.Now, Actor: r.Operator, Standing: memory.StandingAdmin, Target: id, Through: memory.Through{Kind: "local_command"},
			Cause: localCause(r.Operator, r.Now, string(op)+" "+id), Digest: memory.TextDigest(last.Text),
		}}
		applied, err := applyOne(ctx, r.Stores, task, string(op)+" "+id, r.DryRun)
		if err != nil {
			return out, err
		}
		if r.DryRun {
			applied.Version = last
		}
		out = append(out, Decided{ID: id, Version: applied.Version, Already: applied.Already, Replaced: applied.Replaced, Refused: applied.Refused})
	}
	return out, nil
}

// found is what the store has under one id.
type found struct {
	versions []memory.Version
	refusal  *memory.Refusal
}

// targets resolves the ids of an intent; "all" means everything pending.
func targets(ctx context.Context, r DecideRequest) ([]string, []found, error) {
	ids := r.Intent.IDs
	var shown []found
	err := r.Stores.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			shown = make([]found, len(ids))
			return nil
		}
		if r.Intent.All {
			pending, err := st.List(ctx, store.Filter{States: []memory.State{memory.ReviewRequired}})
			if err != nil {
				return err
			}
			for _, v := range pending {
				ids = append(ids, v.ID())
			}
		}
		for _, id := range ids {
			versions, refusal, err := st.Get(ctx, id)
			if err != nil {
				return err
			}
			shown = append(shown, found{versions, refusal})
		}
		return nil
	})
	return ids, shown, err
}
