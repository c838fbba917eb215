package app

import (
	"context"

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
// as it was listed, does not know. Who may not give it makes nobody look.
func (d *dealing) namesUnknown(ctx context.Context) (unknown bool) {
	var ids []string
	for _, s := range d.said {
		for _, in := range s.intents {
			if in.Problem == "" && mayNot(s, in.Verb) == nil {
				ids = append(ids, in.IDs...)
			}
		}
	}
	if len(ids) == 0 {
		return false
	}
	_ = d.r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		unknown = st == nil
		for i := 0; i < len(ids) && !unknown; i++ {
			_, refusal, err := st.Get(ctx, ids[i])
			if err != nil {
				return err
			}
			unknown = refusal != nil && refusal.Reason == memory.ReasonUnknownID
		}
		return nil
	}) // a store that cannot be asked says so to each command
	return unknown
}
