package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/familiarhq/familiar/internal/home/file"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/store"
)

// Stores is a repository's store in its home. Whoever changes it does so in
// one session, with everybody else kept out.
type Stores struct {
	Home     *file.Home
	Identity store.Identity
	Now      time.Time // genesis of a store that is made
	Named    bool      // somebody named the file, so it has to be there to be read
	Unknown  string    // of its Clone: then nothing is written
	Live     []string  // credentials of this process, which no lesson may hold
}

// Coordinates are the owning coordinates of keys in this store.
func (s Stores) Coordinates() memory.Coordinates { return s.Identity.Coordinates() }

// View opens the store for questions only. Where there is none yet, st is
// nil; one that was named is there or it is an error. The file itself is not
// touched.
func (s Stores) View(ctx context.Context, work func(ctx context.Context, st *store.Store) error) error {
	return s.Home.View(ctx, func(ctx context.Context, _, current string) error {
		if current == "" && s.Named {
			return fmt.Errorf("%s is not there; check the path", s.Home.Path())
		}
		if current == "" {
			return work(ctx, nil)
		}
		st, err := s.open(ctx, current)
		if err != nil {
			return err
		}
		return closeAfter(st, work(ctx, st))
	})
}

// Execute performs planned actions on the store in one session: either all
// of what they did is in the file afterwards, or nothing is and the save is
// the action that failed.
func (s Stores) Execute(ctx context.Context, actions []plan.Action, report func(plan.Outcome)) []plan.Outcome {
	if len(actions) == 0 {
		return nil
	}
	if s.Unknown != "" {
		return unsaved(actions, nil, errors.New(s.Unknown))
	}
	var outcomes []plan.Outcome
	err := s.Home.Session(ctx, func(ctx context.Context, dir, current string) (string, error) {
		if path, ok := restores(actions); ok && current == "" {
			current = path // the snapshot's store goes on
		}
		st, err := s.openOrCreate(ctx, dir, current)
		if err != nil {
			return "", err
		}
		saved := ""
		doer := plan.Doer{Report: report, Handlers: handlers(st, filepath.Join(dir, "saved.db"), &saved)}
		outcomes = doer.Execute(ctx, actions)
		return saved, closeAfter(st, nil)
	})
	if err == nil {
		return outcomes
	}
	return unsaved(actions, outcomes, err)
}

// handlers perform what the local loop plans. saved is set to the packed
// file once there is one.
func handlers(st *store.Store, path string, saved *string) map[plan.Kind]plan.Handler {
	h := storeHandlers(st)
	h[plan.Save] = func(ctx context.Context, _ plan.Action) error {
		if !st.Changed() {
			return plan.Skip("nothing changed")
		}
		if err := st.SaveTo(ctx, path); err != nil {
			return err
		}
		*saved = path
		return nil
	}
	return h
}

// storeHandlers perform what changes an open store.
func storeHandlers(st *store.Store) map[plan.Kind]plan.Handler {
	return map[plan.Kind]plan.Handler{
		plan.Transition: func(ctx context.Context, a plan.Action) error {
			t, ok := a.Payload.(*TransitionTask)
			if !ok {
				return fmt.Errorf("action %s carries no transition", a.Key)
			}
			applied, err := st.Apply(ctx, t.Transition)
			if err != nil {
				return err
			}
			t.Applied = applied
			switch {
			case applied.Refused != nil:
				return plan.Skip("refused: " + string(applied.Refused.Reason))
			case applied.Already:
				return plan.Skip(plan.AlreadyApplied)
			}
			return nil
		},
		plan.Restore: func(ctx context.Context, a plan.Action) error {
			t, ok := a.Payload.(*RestoreTask)
			if !ok {
				return fmt.Errorf("action %s carries no snapshot", a.Key)
			}
			return t.restore(ctx, st)
		},
		plan.RecordAct: func(ctx context.Context, a plan.Action) error {
			t, ok := a.Payload.(*actTask)
			if !ok {
				return fmt.Errorf("action %s carries no act", a.Key)
			}
			if done, err := st.RecordAct(ctx, t.act); err != nil || done {
				return err
			}
			return plan.Skip(plan.AlreadyApplied)
		},
		plan.MarkUsed: func(ctx context.Context, a plan.Action) error {
			u, ok := a.Payload.(usedOn)
			if !ok {
				return fmt.Errorf("action %s carries no lessons", a.Key)
			}
			return st.MarkUsed(ctx, u.ids, u.day)
		},
		plan.RecordUses: func(ctx context.Context, a plan.Action) error {
			u, ok := a.Payload.(usesOf)
			if !ok {
				return fmt.Errorf("action %s carries no uses", a.Key)
			}
			return st.RecordUses(ctx, u.uses)
		},
		plan.SetRegister: func(ctx context.Context, a plan.Action) error {
			r, ok := a.Payload.(store.Register)
			if !ok {
				return fmt.Errorf("action %s carries no register", a.Key)
			}
			return st.SetRegister(ctx, r)
		},
		plan.RecordDisplay: func(ctx context.Context, a plan.Action) error {
			d, ok := a.Payload.(recordDisplay)
			if !ok {
				return fmt.Errorf("action %s carries no display", a.Key)
			}
			return st.RecordDisplay(ctx, d.display)
		},
		plan.RecordRefusals: func(ctx context.Context, a plan.Action) error {
			r, ok := a.Payload.(refusedIn)
			if !ok {
				return fmt.Errorf("action %s carries no refusals", a.Key)
			}
			return st.RecordRefusals(ctx, a.Key, r.at, r.by, r.refusals)
		},
		plan.RecordSpending: func(ctx context.Context, a plan.Action) error {
			s, ok := a.Payload.(spentOn)
			if !ok {
				return fmt.Errorf("action %s carries no spending", a.Key)
			}
			return st.RecordSpending(ctx, a.Key, s.day, s.tokens)
		},
	}
}

// TransitionTask is the payload of a planned transition. Applied is filled
// in by the executor.
type TransitionTask struct {
	Transition memory.Transition
	Applied    memory.Applied
}

// usedOn is the payload of plan.MarkUsed.
type usedOn struct {
	ids []string
	day string
}

// refusedIn is the payload of plan.RecordRefusals.
type refusedIn struct {
	at       time.Time
	by       memory.Principal
	refusals []memory.Refusal
}

// unsaved turns the failure of a session into outcomes: nothing that was
// done before it is in the file, so nothing counts as done.
func unsaved(actions []plan.Action, outcomes []plan.Outcome, err error) []plan.Outcome {
	if len(outcomes) == 0 {
		for _, a := range actions {
			outcomes = append(outcomes, plan.Outcome{Action: a, Err: err})
		}
		return outcomes
	}
	for i := range outcomes {
		if outcomes[i].Done {
			outcomes[i].Done = false
			outcomes[i].Err = err
		}
	}
	return outcomes
}

func (s Stores) open(ctx context.Context, path string) (*store.Store, error) {
	st, err := store.Open(ctx, path, s.Identity)
	return s.watched(st, s.named(err))
}

func (s Stores) openOrCreate(ctx context.Context, dir, current string) (*store.Store, error) {
	if current != "" {
		return s.open(ctx, current)
	}
	return s.watched(store.Create(ctx, filepath.Join(dir, "new.db"), s.Identity, s.Now))
}

func (s Stores) watched(st *store.Store, err error) (*store.Store, error) {
	if err == nil {
		st.Watch(func() []string { return s.Live })
	}
	return st, err
}

// named puts the path that a person knows in place of the private copy's.
func (s Stores) named(err error) error {
	if e, ok := err.(*store.Error); ok {
		e.Path = s.Home.Path()
	}
	return err
}

func closeAfter(st *store.Store, err error) error {
	if cerr := st.Close(); err == nil && cerr != nil {
		return cerr
	}
	return err
}
