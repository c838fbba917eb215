package store

import (
	"context"
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Act is something that was done to the store as a whole, not to a lesson.
type Act struct {
	Op     string // one of the constants below
	Cause  string // digest of what caused it; done once
	At     time.Time
	Actor  memory.Principal
	Detail string // numbers and our own words, never a lesson's text; at most 1000 characters
}

// The acts.
const (
	ActRestore = "restore" // a snapshot was merged (page 5.6)
	ActRecover = "recover" // containers were accepted by name (page 5.3)
)

// RecordAct leaves a cause and an audit row of an act. done is false if this
// very act is recorded already.
func (s *Store) RecordAct(ctx context.Context, a Act) (done bool, err error) {
	if err := checkDigest("an act", a.Cause); err != nil {
		return false, err
	}
	if a.Op != ActRestore && a.Op != ActRecover || !datable(a.At) || clip(a.Detail, 1000) != a.Detail {
		return false, fmt.Errorf("act %q: it is none of ours, or lacks a time, or its detail is too long", clip(a.Op, 40))
	}
	err = s.record(ctx, func(w *recording) error {
		err := w.exec(`INSERT INTO causes VALUES (?, ?, ?, '', '', 0, ?, '', '') ON CONFLICT DO NOTHING`, s.id.RepositoryID, digest(a.Cause), a.Op, millis(a.At))
		if err != nil || w.moved == 0 {
			return err
		}
		done = true
		return w.exec(`INSERT INTO audit VALUES (?, ?, ?, ?, '', '', ?, ?, ?) ON CONFLICT DO NOTHING`,
			s.id.RepositoryID, digest(memory.NewCause("audit", a.Cause)), millis(a.At), a.Op, a.Actor.ID, clip(a.Actor.Login, 100), a.Detail)
	})
	return done, err
}
