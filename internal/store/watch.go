package store

import (
	"slices"

	"github.com/familiarhq/familiar/internal/redact"
)

// watching is what a store knows of the live credentials of the run.
type watching struct {
	live   func() []string
	values []string
	made   redact.Finder // of values
}

// Watch has the store refuse lessons that hold one of the run's live
// credentials. It asks for them at each lesson, since a token may be made while
// the run goes on.
func (s *Store) Watch(live func() []string) { s.watch.live = live }

// finder finds what no lesson may hold.
func (s *Store) finder() redact.Finder {
	w := &s.watch
	if w.live == nil {
		return redact.Finder{}
	}
	if now := w.live(); !slices.Equal(now, w.values) {
		w.values, w.made = slices.Clone(now), redact.NewFinder(now...)
	}
	return w.made
}
