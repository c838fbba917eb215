package app

import (
	"context"
	"slices"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// TraceOf gathers what a lesson did: the findings that it shaped, and those
// of which a maintainer said something with it. A document that is not there
// did nothing.
func TraceOf(ctx context.Context, m Memory, document string, now time.Time) (render.Trace, error) {
	var t render.Trace
	document, _, ok := memory.ParseID(document)
	if !ok {
		return t, nil
	}
	err := m.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		uses, err := st.Uses(ctx, document)
		if err != nil {
			return err
		}
		for _, u := range uses {
			t.Uses = append(t.Uses, render.Use{Finding: u.Finding, Day: u.Day, Number: u.PullRequest, Head: u.Head})
		}
		all, err := st.Dispositions(ctx, "")
		if err != nil {
			return err
		}
		existing, denied, err := standingLessons(ctx, st)
		if err != nil {
			return err
		}
		away := dismissals(all, living(existing, denied, now))
		for _, d := range all {
			if d.Document == document {
				t.Dispositions = append(t.Dispositions, disposition(d, away))
			}
		}
		return nil
	})
	return t, err
}

// disposition is one in the words of render. away are the findings that stay
// away now.
func disposition(d store.Disposition, away map[string]string) render.Disposition {
	return render.Disposition{
		Kind: d.Kind, Finding: d.Finding, Lesson: d.Document, Number: d.PullRequest, By: d.By.Login, At: d.At,
		Holds: d.Kind == memory.OpDismiss && away[d.Finding] != "" && away[d.Finding] == d.Document,
	}
}

// standingLessons are the lessons that are in use, and what is denied.
func standingLessons(ctx context.Context, st *store.Store) (active []memory.Version, denied []string, err error) {
	if denied, err = st.Denied(ctx); err != nil {
		return nil, nil, err
	}
	active, err = st.List(ctx, store.Filter{States: []memory.State{memory.Active}, Limit: everything})
	return active, denied, err
}

// findingTrace is what is known of one finding, as whoever asks why sees it.
func findingTrace(ctx context.Context, st *store.Store, ref findingRef, f render.WhyFinding) (render.WhyFinding, error) {
	all, err := st.Dispositions(ctx, ref.Fingerprint)
	if err != nil {
		return f, err
	}
	active, denied, err := standingLessons(ctx, st)
	if err != nil {
		return f, err
	}
	away := dismissals(all, living(active, denied, f.Now))
	for _, d := range all {
		f.Dispositions = append(f.Dispositions, disposition(d, away))
	}
	f.Away = away[ref.Fingerprint]
	for _, id := range withAway(ref.Because, f.Away) {
		versions, refusal, err := st.Get(ctx, id)
		if err != nil {
			return f, err
		}
		if refusal != nil {
			f.Missing = append(f.Missing, id)
			continue
		}
		f.Lessons = append(f.Lessons, versions[len(versions)-1])
	}
	return f, nil
}

// withAway adds the lesson that keeps a finding away to those that shaped it.
func withAway(because []string, away string) []string {
	if away == "" || slices.Contains(because, away) {
		return because
	}
	return append(slices.Clone(because), away)
}
