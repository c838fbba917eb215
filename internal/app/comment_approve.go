package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// approveByComment approves what waits, bound to the words that were shown
// before the comment was written (page 6.2, attack A49). What no comment of
// ours showed whole is not approved by its id either: the answer shows it, and
// the next approval means that (attack A74, decision 0018).
func approveByComment(ctx context.Context, r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	displays, err := displaysOf(ctx, r.Memory, f.number)
	if err != nil {
		return cannotRead(err)
	}
	op := memory.OpApprove
	d := decision{saidOf: touched(op)}
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
	var unread []memory.Version
	why := ""
	for _, id := range in.IDs {
		t := transition(f, s, in, op, id)
		t.Lesson = words
		if t.Digest, err = approvedText(ctx, r.Memory, displays, id, s.CreatedAt); err != nil {
			return cannotRead(err)
		}
		if words == nil {
			v, because, err := unreadHere(ctx, r, f, displays, id, s.CreatedAt)
			if err != nil {
				return cannotRead(err)
			}
			if because != "" {
				unread, why = append(unread, v), because
			}
		}
		d.tasks = append(d.tasks, &TransitionTask{Transition: t})
	}
	if len(unread) > 0 {
		return decision{block: render.Unread(redact.Scrub(in.Raw), why, unread, or(f.handle, intent.DefaultHandle))}
	}
	return d
}

// unreadHere finds the waiting version that an id means and that no comment of
// ours in this thread showed whole before a time, and says why as a sentence;
// "" where it was shown, or where nothing waits under the id.
func unreadHere(ctx context.Context, r ActionRequest, f commandFacts, displays []store.Display, id string, at time.Time) (v memory.Version, why string, err error) {
	v, waits, err := waitingVersion(ctx, r.Memory, id, at)
	if err != nil || !waits {
		return v, "", err
	}
	shown, why := stoodAt(f.own, displays, at)
	if why == "" && slices.ContainsFunc(shown.Items, func(i store.DisplayItem) bool {
		return i.ID == v.ID() && i.Digest == memory.TextDigest(v.Text)
	}) {
		return v, "", nil
	}
	if shownInReply(r, f, v, at) {
		return v, "", nil
	}
	if _, ever := lastShown(displays, v.DocumentID, at); !ever || why == "" {
		why = "No comment here shows this lesson whole."
	}
	return v, why, nil
}

// shownInReply says whether an answer of ours in this thread showed a waiting
// lesson whole before a time, and nobody edited it since. With nothing edited,
// by GitHub's own times, its words are what we wrote.
func shownInReply(r ActionRequest, f commandFacts, v memory.Version, at time.Time) bool {
	want := strings.TrimSpace(render.Whole(v).String())
	return slices.ContainsFunc(f.comments, func(c github.Comment) bool {
		return ourReply(r, f, c) != "" && !c.CreatedAt.After(at) && c.UpdatedAt.Equal(c.CreatedAt) && strings.Contains(bodyOf(c), want)
	})
}

// waitingVersion is the version that an approval by id means, as it waited at
// a time.
func waitingVersion(ctx context.Context, m Memory, id string, at time.Time) (memory.Version, bool, error) {
	versions, refusal, err := Show(ctx, m, id)
	if err != nil || refusal != nil {
		return memory.Version{}, false, err
	}
	for _, v := range slices.Backward(versions) {
		if v.State.Pending() && !v.CreatedAt.After(at) {
			return v, true, nil
		}
	}
	return memory.Version{}, false, nil
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
	v, waits, err := waitingVersion(ctx, m, id, at)
	if err != nil || !waits {
		return "", err
	}
	return memory.TextDigest(v.Text), nil
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
	d := decision{saidOf: touched(op)}
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
