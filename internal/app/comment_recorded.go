package app

import (
	"context"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// asRecorded is what became of a command whose run stored it and ended before
// it could answer: the store says it, and nothing is done again. ok is false
// for one that an earlier run did not deal with, and for that of the comment
// that woke this run, whose repetition asks the store by itself.
func (d *dealing) asRecorded(ctx context.Context, s spoken, in intent.Intent) (out decision, ok bool) {
	if !s.late || d.r.Memory == nil {
		return out, false
	}
	err := d.r.Memory.View(ctx, func(ctx context.Context, st *store.Store) (err error) {
		if st != nil {
			out.tasks, err = recordedTasks(ctx, st, d.f, s, in)
		}
		ok = len(out.tasks) > 0
		return err
	})
	if err != nil {
		return cannotRead(err), true
	}
	out.erases = erasedBy(in)
	out.saidOf = func(all []TransitionTask) string { return saidOfRecorded(in, all) }
	return out, ok
}

// recordedTasks are the transitions of a command, each with what became of it;
// none where it leaves no cause, or where not every one is there.
func recordedTasks(ctx context.Context, st *store.Store, f commandFacts, s spoken, in intent.Intent) (out []*TransitionTask, err error) {
	causes, _ := causesOf(f, s, in)
	targets := in.IDs
	if len(targets) == 0 {
		targets = []string{in.Finding}
	}
	for i, id := range causes {
		c, there, err := st.Cause(ctx, id)
		if err != nil || !there {
			return nil, err
		}
		t := &TransitionTask{Transition: transition(f, s, in, operationOf(in), targets[i])}
		if t.Applied, err = appliedBy(ctx, st, c); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// operationOf is the transition that a verb means.
func operationOf(in intent.Intent) memory.Op {
	if op := operations[in.Verb]; op != "" {
		return op
	}
	if op := feedbackOps[in.Verb]; op != "" {
		return op
	}
	return memory.OpRemember
}

// appliedBy is what a cause did, as far as the store keeps it.
func appliedBy(ctx context.Context, st *store.Store, c store.Cause) (a memory.Applied, err error) {
	if c.Reason != "" {
		a.Refused = &memory.Refusal{Op: c.Op, Target: c.Target, Reason: c.Reason, Detail: render.RefusedBefore(c.Reason)}
		return a, nil
	}
	document, number, ok := memory.ParseID(c.Target)
	if !ok {
		return a, nil // about no lesson
	}
	versions, refusal, err := st.Get(ctx, document)
	if err != nil || refusal != nil {
		return a, err // purged: nothing of it is kept
	}
	for _, v := range slices.Backward(versions) { // the last one first
		if number == 0 || v.Number == number {
			a.Version = v
			break
		}
	}
	a.Already = a.Version.State.Erased() // a lesson that was forgotten since is not said again
	return a, nil
}

// saidOfRecorded words it as its own run would have.
func saidOfRecorded(in intent.Intent, all []TransitionTask) string {
	t := all[0] // the only one, but for what names lessons by their ids
	op := t.Transition.Op
	switch in.Verb {
	case intent.VerbRemember, intent.VerbNever, intent.VerbPrefer, intent.VerbWith:
		if t.Applied.Version.DocumentID == "" {
			return "Remembered, and purged since."
		}
		return render.RememberedProse(render.Taught{Version: t.Applied.Version, Already: t.Applied.Already})
	case intent.VerbAccept, intent.VerbDismiss, intent.VerbCorrect:
		x := disposed(t, in.Finding, false, "")
		if x.Already = false; x.Lesson == "" && in.Text != "" {
			return "Noted, and the lesson that came with it was purged since."
		}
		return render.DisposedProse(x)
	case intent.VerbRevoke, intent.VerbUnrevoke:
		return render.Denied(render.Denial{Op: op, Named: or(strings.Join(in.IDs, ", "), in.Target)})
	}
	for i := range all {
		all[i].Applied.Already = false
	}
	return touched(op)(all)
}
