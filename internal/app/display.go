package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// This file binds an approval to what was shown (page 6.2): the last display
// before it, by GitHub's times, if nobody but us had a hand in the comment and
// there was time to read it. Everything else is approved by id.

// readingTime is how long a display must have stood before a word covers it.
const readingTime = 15 * time.Second

// shownSet is the digest of a set of proposals with every text, in the order
// in which they are shown; "" for none.
func shownSet(shown []memory.Version) string {
	if len(shown) == 0 {
		return ""
	}
	h := sha256.New()
	for _, v := range shown {
		for _, part := range []string{v.ID(), string(v.Key), memory.TextDigest(v.Text)} {
			fmt.Fprintf(h, "%d\x00%s", len(part), part)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// displayOf is what a composed comment shows of the pending lessons.
func displayOf(s render.Status) (d Display, shown []memory.Version) {
	c := render.ComposeStatus(s)
	for _, v := range s.Proposals {
		if slices.Contains(c.Displayed, v.DocumentID) {
			shown = append(shown, v)
		}
	}
	if len(s.Proposals) == 0 {
		return Display{}, nil
	}
	return Display{Digest: or(shownSet(shown), shownSet(s.Proposals)), Cut: !c.Whole || len(shown) < len(s.Proposals)}, shown
}

// coveredBy finds the display that a word covers which was spoken at a time: a
// label, or `approve all`. why says why it covers none, as a sentence.
func coveredBy(o own, displays []store.Display, at time.Time) (d store.Display, why string) {
	now, why := stoodAt(o, displays, at)
	switch {
	case why != "":
		return d, why
	case now.At.After(at.Add(-readingTime)):
		return d, fmt.Sprintf("The comment that shows the lessons was changed less than %d seconds before that, so it is not certain which words were read.", int(readingTime.Seconds()))
	case now.Cut:
		return d, "Not every lesson was shown whole, so nobody can have read what this would approve."
	}
	return now, ""
}

// stoodAt finds the display that stood at a time, if nobody but us had a hand
// in the comment. why says why there is none, as a sentence.
func stoodAt(o own, displays []store.Display, at time.Time) (d store.Display, why string) {
	of := slices.DeleteFunc(slices.Clone(displays), func(d store.Display) bool { return d.CommentID != o.ID })
	latest := func(until time.Time) (store.Display, bool) {
		var last store.Display
		for _, d := range of {
			if !d.At.After(until) && d.At.After(last.At) {
				last = d
			}
		}
		return last, !last.At.IsZero()
	}
	now, known := latest(o.UpdatedAt)
	switch {
	case o.ID == 0 || len(of) == 0:
		return d, "No lesson is shown here that could be meant."
	case !o.intact:
		return d, "Somebody edited the comment that shows the lessons, so it is not certain what was read."
	case !known || !now.At.Equal(o.UpdatedAt) || now.SetDigest != o.state.Display.Digest:
		if o.state.Display.Digest == "" {
			return d, "No lesson is shown here any more."
		}
		return d, "The comment that shows the lessons was edited after I last wrote it, so it is not certain what was read."
	}
	if o.UpdatedAt.After(at) {
		// Rewritten since: what stood before covers, if it stood untouched.
		if now, known = latest(at); !known {
			return d, "The lessons were shown only after that."
		}
		if now.SetDigest != o.state.Before.Digest || !now.At.Equal(o.state.Before.At) {
			return d, "The comment that shows the lessons was rewritten since, and it is not certain what was read."
		}
	}
	return now, ""
}

// lastDisplay is the last display in a thread before a time.
func lastDisplay(displays []store.Display, at time.Time) (last store.Display, why string) {
	for _, d := range displays {
		if !d.At.After(at) && d.At.After(last.At) {
			last = d
		}
	}
	if last.At.IsZero() {
		return last, "No lesson is shown here that could be meant."
	}
	return last, ""
}

// lastShown is the last showing of one lesson in a thread before a time, in
// whichever comment of ours: what an approval by its id is bound to (A49). ok
// is false if it was never shown in a status comment.
func lastShown(displays []store.Display, document string, at time.Time) (item store.DisplayItem, ok bool) {
	var last time.Time
	for _, d := range displays {
		if d.At.After(at) || !d.At.After(last) {
			continue
		}
		for _, i := range d.Items {
			if id, _, known := memory.ParseID(i.ID); known && id == document {
				item, ok, last = i, true, d.At
			}
		}
	}
	return item, ok
}

// recordDisplay notes in the store what a status comment shows since its last
// edit, with GitHub's time of that.
type recordDisplay struct{ display store.Display }

func displayActions(d store.Display, shown []memory.Version) []plan.Action {
	for _, v := range shown {
		d.Items = append(d.Items, store.DisplayItem{ID: v.ID(), Digest: memory.TextDigest(v.Text)})
	}
	return thenSave([]plan.Action{{
		Kind: plan.RecordDisplay, Key: memory.NewCause("shown", fmt.Sprint(d.Number), fmt.Sprint(d.CommentID), d.SetDigest, d.At.UTC().Format(time.RFC3339)),
		Summary: fmt.Sprintf("note which lessons #%d shows", d.Number), Payload: recordDisplay{d},
	}})
}

// pendingOn are the lessons that wait for approval on a pull request, the
// oldest first.
func pendingOn(existing []memory.Version, number int) []memory.Version {
	out := slices.DeleteFunc(slices.Clone(existing), func(v memory.Version) bool {
		return v.State != memory.ReviewRequired || v.Provenance.PullRequest != number
	})
	slices.SortFunc(out, func(a, b memory.Version) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Key, b.Key), cmp.Compare(a.ID(), b.ID()))
	})
	return out
}

// waitingHere are the lessons that a status comment is to show as waiting for
// approval. Where the memory is off for a review, nothing of it is shown.
func waitingHere(ctx context.Context, r ActionRequest, g pullFacts, s render.Status) []memory.Version {
	if r.Memory == nil || g.storeProblem != "" || !s.Policy.Enabled {
		return s.Proposals
	}
	var out []memory.Version
	err := r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		all, err := st.List(ctx, store.Filter{States: []memory.State{memory.ReviewRequired}, Limit: everything})
		out = pendingOn(all, g.pull.Number)
		return err
	})
	if err != nil {
		return s.Proposals // what can be said without the store, which said so above
	}
	return out
}

// proposed are the lessons that a run is about to propose.
func proposed(actions []plan.Action) []memory.Version {
	var out []memory.Version
	for _, a := range actions {
		if t, ok := a.Payload.(*TransitionTask); ok && t.Transition.Op == memory.OpPropose && t.Transition.Lesson != nil {
			out = append(out, memory.Version{Key: t.Transition.Lesson.Key, Text: t.Transition.Lesson.Text})
		}
	}
	return out
}

// displaysOf reads what the status comments of a thread showed.
func displaysOf(ctx context.Context, m Memory, number int) (out []store.Display, err error) {
	err = m.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		out, err = st.Displays(ctx, number)
		return err
	})
	return out, err
}
