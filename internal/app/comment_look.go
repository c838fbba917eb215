package app

import (
	"context"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// listByComment answers list, folded.
func listByComment(ctx context.Context, r ActionRequest, in intent.Intent, handle string) decision {
	lessons, err := List(ctx, ListRequest{Stores: r.Memory, Pending: in.Pending, Query: in.Text})
	if err != nil {
		return cannotRead(err)
	}
	asked := redact.Scrub(in.Text)
	switch {
	case len(lessons) > 0:
	case in.Pending:
		return shownBlock(render.Words("No lesson waits for approval.\n"))
	case asked != "":
		return shownBlock(render.Sentences("No lesson is about " + asked + "; `list` shows all."))
	}
	title := render.Count(len(lessons), "lesson")
	body := render.LessonList(lessons, render.TerminalOptions{Handle: handle})
	switch {
	case in.Pending:
		title += " waiting for approval"
	case asked != "":
		title, body = title+" about what you asked for", "About "+asked+":\n\n"+body
	}
	return shownBlock(render.Folded(title, body))
}

// showByComment answers show, one fold for each lesson.
func showByComment(ctx context.Context, r ActionRequest, in intent.Intent) decision {
	block := render.Markup{}
	refused := ""
	for _, id := range in.IDs {
		versions, refusal, err := Show(ctx, r.Memory, id)
		switch {
		case err != nil:
			return cannotRead(err)
		case refusal != nil:
			refused = refusal.Detail
			block = block.Then(render.Sentences(refusal.Detail))
		default:
			trace, err := TraceOf(ctx, r.Memory, id, r.gitHubNow())
			if err != nil {
				return cannotRead(err)
			}
			block = block.Then(render.Folded(id, render.LessonDetail(versions, render.TerminalOptions{})+render.LessonTrace(trace, render.TerminalOptions{})))
		}
	}
	if refused != "" && len(in.IDs) == 1 {
		return refusedBecause(refused)
	}
	return shownBlock(block)
}

// howThingsStand gathers what status tells: how things stand here, without a
// review.
func howThingsStand(ctx context.Context, r ActionRequest, f commandFacts, s spoken) render.StandingFacts {
	out := render.StandingFacts{Number: f.number, Pull: f.pull != nil, Who: s.Author.Login, Standing: string(s.standing), MemoryOff: r.MemoryOff}
	if f.pull != nil {
		out.Head, out.Reviewed = f.pull.pull.Head.SHA, f.own.state.Head
		out.Skipped = skipped(*f.pull)
		out.MemoryOff = or(out.MemoryOff, f.pull.storeProblem)
	}
	if r.Memory == nil {
		return out
	}
	err := r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			out.Empty = true
			return nil
		}
		counts, err := st.Counts(ctx)
		if err != nil {
			return err
		}
		info, err := st.Info(ctx)
		if err != nil {
			return err
		}
		reg, _, err := st.Register(ctx, pausedName(f.number))
		out.Active, out.Pending, out.PendingHere = counts.Active, counts.Pending, counts.PendingByPull[f.number]
		if err == nil {
			err = deniedNow(ctx, st, &out)
		}
		out.Generation, out.Expiry, out.Paused = info.Generation, r.Memory.Expiry(), reg.Value
		return err
	})
	if err != nil {
		out.MemoryOff = err.Error()
	}
	return out
}

// memoryOf is the memory that a run about a pull request may use; nil: none.
func memoryOf(r ActionRequest, g pullFacts) Memory {
	if r.Memory == nil || g.storeProblem != "" {
		return nil
	}
	return r.Memory
}
