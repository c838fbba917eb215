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

// This file says on an issue what earlier commands there did: its one status
// comment tells of the last run, and what stood there before would be gone
// (page 6.3). Nothing is kept for it: the thread says what was asked, and the
// store what it became.

// maxEarlier bounds the commands that are told, maxEarlierSought the comments
// that are looked at for them.
const (
	maxEarlier       = 5
	maxEarlierSought = 50
)

// earlierHere are the commands of this thread that earlier runs did, the
// latest first, and whether there are more of them. One that says the words of
// a lesson whose text is gone is left out.
func (d *dealing) earlierHere(ctx context.Context) (out []render.Answer, more bool) {
	if d.r.Memory == nil || d.f.problem != "" {
		return nil, false
	}
	err := d.r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		for _, s := range d.earlierComments() {
			for _, in := range slices.Backward(s.intents) {
				answer, ok, err := earlierAnswer(ctx, st, d.f, s, in)
				if err != nil {
					return err
				}
				if ok && len(out) == maxEarlier {
					more = true
					return nil
				}
				if ok {
					out = append(out, answer)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, false // the answers of this run stand all the same
	}
	return out, more
}

// earlierComments are those of people in this thread that may command and that
// this run does not deal with, the latest first.
func (d *dealing) earlierComments() (out []spoken) {
	handles := besideDefault(d.f.handle, d.f.settings.Familiar.Handle, strings.TrimSuffix(d.f.author, "[bot]"))
	for _, c := range slices.Backward(d.f.comments) {
		dealtNow := slices.ContainsFunc(d.said, func(s spoken) bool { return s.ID == c.ID && !s.inline })
		if dealtNow || !takesWord(c.Comment) || byUs(c.Author, d.f.author) {
			continue
		}
		if in := intent.Parse(c.Body, intent.Options{Handles: handles}); len(in) > 0 {
			out = append(out, spoken{Comment: c.Comment, late: true, intents: in})
		}
		if len(out) == maxEarlierSought {
			break
		}
	}
	return out
}

// earlierAnswer is what a command became, as the store has it; ok is false for
// one that did nothing, or that says what was erased since.
func earlierAnswer(ctx context.Context, st *store.Store, f commandFacts, s spoken, in intent.Intent) (a render.Answer, ok bool, err error) {
	if in.Problem != "" {
		return a, false, nil
	}
	item := dealt{in: in, recorded: true}
	if item.tasks, err = recordedTasks(ctx, st, f, s, in); err != nil || len(item.tasks) == 0 {
		return a, false, err
	}
	item.saidOf = func(all []TransitionTask) string { return saidOfRecorded(in, all) }
	item.settle(nil, false)
	if item.verdict != wasDone || repeatsErased(in, item.tasks) {
		return a, false, nil
	}
	a = item.answer(s)
	a.From, a.On = s.Author.Login, s.CreatedAt
	return a, true, nil
}

// repeatsErased says whether a command holds words of a lesson whose text is
// gone or whose key is denied: what was forgotten is not to be said again.
func repeatsErased(in intent.Intent, tasks []*TransitionTask) bool {
	if !stores(in) || in.Text == "" && in.Check == nil {
		return false
	}
	return slices.ContainsFunc(tasks, func(t *TransitionTask) bool {
		v := t.Applied.Version
		return v.DocumentID == "" || v.State.Erased() || v.Text == memory.Redacted || v.Denied != ""
	})
}
