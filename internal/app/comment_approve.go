package app

import (
	"context"
	"slices"
	"time"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// approveByComment approves what waits, bound to the words that were shown
// before the comment was written (page 6.2, attack A49).
func approveByComment(ctx context.Context, r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	displays, err := displaysOf(ctx, r.Memory, f.number)
	if err != nil {
		return cannotRead(err)
	}
	op := memory.OpApprove
	d := decision{said: func(t TransitionTask) string { return render.Touched(op, t.Transition.Target, t.Applied) }}
	if in.All {
		shown, why := coveredBy(f.own, displays, s.CreatedAt)
		if why != "" {
			return refusedBecause(render.ApproveByID(why))
		}
		for _, item := range shown.Items {
			t := transition(f, s, in, op, item.ID)
			t.Digest = item.Digest
			d.tasks = append(d.tasks, &TransitionTask{Transition: t})
		}
		return d
	}
	words, refusal := otherWords(DecideRequest{Stores: r.Memory, Intent: in})
	if refusal != nil {
		return refusedBecause(refusal.Detail)
	}
	for _, id := range in.IDs {
		t := transition(f, s, in, op, id)
		t.Lesson = words
		if t.Digest, err = approvedText(ctx, r.Memory, displays, id, s.CreatedAt); err != nil {
			return cannotRead(err)
		}
		d.tasks = append(d.tasks, &TransitionTask{Transition: t})
	}
	return d
}

// approvedText is the digest of the words that an approval by id means: those
// last shown in this thread before it; where the lesson was never shown here,
// its words as they stood then. "" approves nothing.
func approvedText(ctx context.Context, m Memory, displays []store.Display, id string, at time.Time) (string, error) {
	document, number, _ := memory.ParseID(id)
	if item, ok := lastShown(displays, document, at); ok {
		if _, shown, _ := memory.ParseID(item.ID); number == 0 || number == shown {
			return item.Digest, nil
		}
	}
	versions, refusal, err := Show(ctx, m, id)
	if err != nil || refusal != nil {
		return "", err
	}
	for _, v := range slices.Backward(versions) {
		if v.State.Pending() && !v.CreatedAt.After(at) {
			return memory.TextDigest(v.Text), nil
		}
	}
	return "", nil
}

// rejectByComment rejects what waits: the lessons that are named, or all that
// wait on this pull request. Nobody is harmed by a proposal too many, so what
// was shown is not asked.
func rejectByComment(ctx context.Context, r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	ids := in.IDs
	if in.All {
		waiting, err := waitingOn(ctx, r.Memory, f.number, s.CreatedAt)
		switch {
		case err != nil:
			return cannotRead(err)
		case len(waiting) == 0:
			return refusedBecause(render.NothingWaits())
		}
		ids = waiting
	}
	op := memory.OpReject
	d := decision{said: func(t TransitionTask) string { return render.Touched(op, t.Transition.Target, t.Applied) }}
	for _, id := range ids {
		d.tasks = append(d.tasks, &TransitionTask{Transition: transition(f, s, in, op, id)})
	}
	return d
}

// waitingOn are the ids of what waited on a pull request at a time.
func waitingOn(ctx context.Context, m Memory, number int, at time.Time) (ids []string, err error) {
	err = m.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		waiting, err := st.PendingFor(ctx, number)
		for _, v := range waiting {
			if !v.CreatedAt.After(at) {
				ids = append(ids, v.ID())
			}
		}
		return err
	})
	return ids, err
}

// cannotRead answers a command whose store cannot be asked now: it failed,
// and was not refused.
func cannotRead(err error) decision {
	return decision{text: "The memory cannot be read now: " + err.Error(), broken: true}
}
