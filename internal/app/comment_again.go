package app

import (
	"context"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// lookAgain lists the containers once more before a command is refused because
// the store does not know the lesson that it names. GitHub may list late what a
// run on another thread saved a moment ago, and a refusal is final. On a pull
// request the dashboard is asked too, whose floor other threads raise: a
// memory that is behind it is not used, and a later run takes the command.
func (d *dealing) lookAgain(ctx context.Context) {
	m := d.r.Memory
	if m == nil || d.f.problem != "" || !d.namesUnknown(ctx) {
		return
	}
	if d.f.pull != nil {
		if labelled, err := d.r.Client.LabelledIssues(ctx, dashboardLabel); err == nil { // else the thread's own floor has to do
			floor := findDashboard(labelled, d.r.Keys, d.f.author, d.f.repository).floor
			m.Heed(vault.Floor{Generation: floor.Generation, Digest: floor.Digest})
		}
	}
	m.Again(ctx)
}

// namesUnknown says whether a command about lessons names one that the store,
// as it was listed, does not know.
func (d *dealing) namesUnknown(ctx context.Context) (unknown bool) {
	for _, s := range d.said {
		for _, in := range s.intents {
			if in.Problem != "" || s.standing.Rank() < memory.StandingMaintainer.Rank() && in.Verb != intent.VerbShow && in.Verb != intent.VerbWhy {
				continue
			}
			for _, id := range in.IDs {
				_ = d.r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
					if unknown = unknown || st == nil; unknown {
						return nil
					}
					_, refusal, err := st.Get(ctx, id)
					unknown = refusal != nil && refusal.Reason == memory.ReasonUnknownID
					return err
				}) // a store that cannot be asked says so to each command
			}
		}
	}
	return unknown
}
