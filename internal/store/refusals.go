package store

import (
	"context"
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// RecordRefusals leaves an audit row for each entry of a runtime's report
// that was refused before it came to a transition (page 3.5). cause names the
// work that it happened in, so that the same work, done again, records
// nothing new. A row has the operation and the reason, never a text or a key.
func (s *Store) RecordRefusals(ctx context.Context, cause string, at time.Time, actor memory.Principal, refusals []memory.Refusal) error {
	if !datable(at) {
		return fmt.Errorf("refusals need the time of their run")
	}
	return s.record(ctx, func(w *recording) error {
		for i, r := range refusals {
			err := w.exec("INSERT OR IGNORE INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", s.id.RepositoryID,
				digest(memory.NewCause("refusal", cause, fmt.Sprint(i), r.Op, string(r.Reason))), millis(at), clip(r.Op, 40), clip(string(r.Reason), 40), "",
				max(actor.ID, 0), clip(actor.Login, 100), "refused in a runtime's report")
			if err != nil {
				return err
			}
		}
		return nil
	})
}
