package app

import (
	"context"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// whyByComment says what a lesson did here, or which lessons shaped a finding
// and what became of it.
func whyByComment(ctx context.Context, r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	if in.Finding != "" {
		return whyFinding(ctx, r, f, s, in.Finding)
	}
	id := in.IDs[0]
	versions, refusal, err := Show(ctx, r.Memory, id)
	switch {
	case err != nil:
		return cannotRead(err)
	case refusal != nil:
		return refusedBecause(refusal.Detail)
	}
	trace, err := TraceOf(ctx, r.Memory, id, r.gitHubNow())
	if err != nil {
		return cannotRead(err)
	}
	o := render.TerminalOptions{}
	return shownBlock(render.Folded("Why "+id, render.LessonTrace(trace, o)+"\n"+render.LessonDetail(versions, o)))
}

func whyFinding(ctx context.Context, r ActionRequest, f commandFacts, s spoken, id string) decision {
	ref, no := findingOf(ctx, r, f, s, id)
	if no != nil {
		return *no
	}
	facts := render.WhyFinding{ID: id, Path: ref.Path, Line: ref.Line, Number: f.number, Head: ref.Head, Now: r.gitHubNow()}
	if entry, ok := decodeShown(f.own.state.Shown).find(id); ok {
		facts.Gone = entry.gone
	}
	err := r.Memory.View(ctx, func(ctx context.Context, st *store.Store) (err error) {
		if st == nil {
			facts.Missing = ref.Because
			return nil
		}
		facts, err = findingTrace(ctx, st, ref, facts)
		return err
	})
	if err != nil {
		return cannotRead(err)
	}
	return shownBlock(render.Folded("Why "+id, render.FindingTrace(facts, render.TerminalOptions{})))
}
