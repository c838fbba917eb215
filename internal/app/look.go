package app

import (
	"context"
	"fmt"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// lookByComment answers list and show in a reply of their own, folded.
func lookByComment(ctx context.Context, r ActionRequest, in intent.Intent, handle string) decision {
	if in.Verb == intent.VerbShow {
		if len(in.IDs) != 1 {
			return refusedBecause("`show` takes one id, such as `m-7f3k2q8a`.")
		}
		versions, refusal, err := Show(ctx, r.Memory, in.IDs[0])
		switch {
		case err != nil:
			return refusedBecause("The store cannot be read: " + err.Error())
		case refusal != nil:
			return refusedBecause(refusal.Detail)
		}
		return decision{reply: folded(in.IDs[0], render.LessonDetail(versions, render.TerminalOptions{}))}
	}
	states := []memory.State{memory.Active, memory.ReviewRequired}
	if in.Pending {
		states = states[1:]
	}
	var lessons []memory.Version
	err := r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		var err error
		lessons, err = st.List(ctx, store.Filter{States: states, Query: in.Text})
		return err
	})
	if err != nil {
		return refusedBecause("The store cannot be read: " + err.Error())
	}
	title := fmt.Sprintf("%d lessons", len(lessons))
	if len(lessons) == 1 {
		title = "1 lesson"
	}
	return decision{reply: folded(title, render.LessonList(lessons, render.TerminalOptions{Handle: handle}))}
}

// folded puts a plain text into a fold and a fence that it cannot leave.
func folded(title, body string) string {
	return "<details><summary>" + render.Text(title) + "</summary>\n\n" + render.Fence(body, "") + "\n\n</details>\n"
}
