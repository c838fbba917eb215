package app

import (
	"context"
	"time"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// DisposeRequest is a word on a finding of the last local review: accept,
// dismiss or correct.
type DisposeRequest struct {
	Stores   Stores
	Intent   intent.Intent
	Operator memory.Principal
	Now      time.Time
	DryRun   bool
}

// Dispose notes it, with the lesson that comes with it. A refusal changes
// nothing and is no error.
func Dispose(ctx context.Context, r DisposeRequest) (render.Disposed, *memory.Refusal, error) {
	op := feedbackOps[r.Intent.Verb]
	ref, refusal, err := findLast(r.Stores, r.Intent.Finding)
	if err != nil || refusal != nil {
		return render.Disposed{}, refusal.For(string(op), r.Intent.Finding), err
	}
	task := &TransitionTask{Transition: memory.Transition{
		Op: op, At: r.Now, Actor: r.Operator, Standing: memory.StandingAdmin, Through: memory.Through{Kind: "local_command"},
		Cause: localCause(r.Operator, r.Now, r.Intent.Raw), Finding: ref.Fingerprint,
	}}
	if r.Intent.Text != "" {
		lesson, refusal := feedbackLesson(r.Intent, ref, literalGlob(ref.Path), r.Stores.Coordinates(), 0)
		if refusal != nil {
			return render.Disposed{}, refusal, nil
		}
		task.Transition.Lesson = &lesson
	}
	away, err := keptAway(ctx, r.Stores, ref, r.Now)
	if err != nil {
		return render.Disposed{}, nil, err
	}
	applied, err := applyOne(ctx, r.Stores, task, string(op)+" "+r.Intent.Finding, r.DryRun)
	if err != nil || applied.Refused != nil {
		return render.Disposed{}, applied.Refused, err
	}
	out := disposed(*task, r.Intent.Finding, false, "")
	out.Undone = undone(op, away)
	if r.DryRun {
		out.Lesson, out.Known = "", false
	}
	return out, nil, nil
}

// keptAway is the lesson that keeps a finding away, "" where none does.
func keptAway(ctx context.Context, m Memory, ref findingRef, now time.Time) (string, error) {
	f := render.WhyFinding{Now: now}
	err := m.View(ctx, func(ctx context.Context, st *store.Store) (err error) {
		if st != nil {
			f, err = findingTrace(ctx, st, ref, f)
		}
		return err
	})
	return f.Away, err
}

// undone is the lesson that a word on a finding ends the dismissal of.
func undone(op memory.Op, away string) string {
	if op == memory.OpDismiss {
		return ""
	}
	return away
}

// WhyLocal says why a finding of the last local review was raised, and what
// became of it.
func WhyLocal(ctx context.Context, s Stores, id string, now time.Time) (render.WhyFinding, *memory.Refusal, error) {
	ref, refusal, err := findLast(s, id)
	if err != nil || refusal != nil {
		return render.WhyFinding{}, refusal.For("why", id), err
	}
	f := render.WhyFinding{ID: id, Path: ref.Path, Line: ref.Line, Head: ref.Head, Now: now}
	err = s.View(ctx, func(ctx context.Context, st *store.Store) (err error) {
		if st == nil {
			f.Missing = ref.Because
			return nil
		}
		f, err = findingTrace(ctx, st, ref, f)
		return err
	})
	return f, nil, err
}
