package app

import (
	"context"
	"fmt"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
)

// statusWriter writes the one status comment of a thread (page 6.3): creates
// it where there is none, and gives it its words, its tag and its state.
type statusWriter struct {
	r            ActionRequest
	own          own
	repositoryID int64
	number       int
	strict       bool // somebody waits for the answer: not being allowed to give it is a failure
}

// create makes the comment, where there is none yet. The tag is over the
// comment's own id, so it comes by an edit when all is done.
func (w *statusWriter) create(s render.Status) []deed {
	if w.own.ID != 0 {
		return nil
	}
	text := render.StatusComment(s)
	return []deed{{w.action("open the status comment", text), func(ctx context.Context, _ plan.Action) error {
		written, err := w.r.Client.CreateComment(ctx, w.number, text)
		if err != nil {
			return w.allowed(err)
		}
		w.own.Comment = written
		w.own.body, _ = parted(written.Body)
		w.own.intact = w.r.Keys.Len() == 0
		return nil
	}}}
}

// finish brings the comment to what is to be said and remembered. What it
// says already is not written again; a second one that was made in a race
// goes.
func (w *statusWriter) finish(s render.Status, state State) []deed {
	text := render.StatusComment(s)
	wanted, _ := parted(text)
	if w.r.Keys.Len() == 0 {
		state = State{}
	}
	out := []deed{{w.action("say how things stand", text), func(ctx context.Context, _ plan.Action) error {
		if w.own.ID == 0 {
			return plan.Skip("the status comment could not be opened")
		}
		if w.own.says(wanted, state) {
			return plan.Skip("it says so already")
		}
		written, err := w.r.Client.EditComment(ctx, w.own.ID, wanted.sealed(w.r.Keys, w.repositoryID, w.own.ID, state))
		if err == nil {
			w.own.Comment = written
		}
		return w.allowed(err)
	}}}
	for _, id := range w.own.spare {
		out = append(out, deed{w.action("remove the second status comment", fmt.Sprint(id)), func(ctx context.Context, _ plan.Action) error {
			return degraded(w.r.Client.DeleteComment(ctx, id))
		}})
	}
	return out
}

func (w *statusWriter) allowed(err error) error {
	if w.strict {
		return err
	}
	return degraded(err)
}

func (w *statusWriter) action(what, text string) plan.Action {
	return plan.Action{
		Kind: plan.StatusComment, Key: memory.NewCause("status", fmt.Sprint(w.repositoryID), fmt.Sprint(w.number), what, text),
		Summary: fmt.Sprintf("%s on #%d", what, w.number),
	}
}
