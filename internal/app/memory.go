package app

import (
	"context"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/store"
)

// Memory is a repository's store as use cases see it, wherever it lives: in
// a file, or sealed in an artifact.
type Memory interface {
	// View asks questions of the store; st is nil where there is none yet.
	View(ctx context.Context, work func(ctx context.Context, st *store.Store) error) error
	// Execute performs planned actions and saves: all of it or nothing.
	Execute(ctx context.Context, actions []plan.Action, report func(plan.Outcome)) []plan.Outcome
	// Coordinates are the owning coordinates of its keys.
	Coordinates() memory.Coordinates
}

// withMemory reads what the store knows. A store that cannot be used is said
// and left as it is; the review goes on without memory.
func withMemory(ctx context.Context, m Memory, off string, work func(ctx context.Context, m *memoryFacts, problem string) error) error {
	if m == nil {
		return work(ctx, nil, off)
	}
	began := false
	err := m.View(ctx, func(ctx context.Context, st *store.Store) error {
		facts, err := readMemory(ctx, st, m.Coordinates())
		if err != nil {
			return err
		}
		began = true
		return work(ctx, facts, "")
	})
	if err != nil && !began {
		return work(ctx, nil, err.Error())
	}
	return err
}

// readMemory gathers the facts of the store; a store that does not exist yet
// is an empty one.
func readMemory(ctx context.Context, st *store.Store, c memory.Coordinates) (*memoryFacts, error) {
	m := &memoryFacts{
		coordinates: c,
		recall:      func(context.Context, memory.RecallQuery) (memory.Snapshot, error) { return memory.Snapshot{}, nil },
		suppressed:  func(string) bool { return false },
	}
	if st == nil {
		return m, nil
	}
	var err error
	if m.denied, err = st.Denied(ctx); err != nil {
		return nil, err
	}
	if m.counts, err = st.Counts(ctx); err != nil {
		return nil, err
	}
	if m.existing, err = st.List(ctx, store.Filter{States: []memory.State{memory.Active, memory.ReviewRequired}}); err != nil {
		return nil, err
	}
	if m.dispositions, err = st.Dispositions(ctx, ""); err != nil {
		return nil, err
	}
	info, err := st.Info(ctx)
	if err != nil {
		return nil, err
	}
	m.generation = info.Generation
	m.recall, m.spent = st.Recall, st.Spent
	m.suppressed = func(text string) bool {
		forgotten, err := st.Suppressed(ctx, text)
		return forgotten || err != nil // cannot tell: deny
	}
	return m, nil
}
