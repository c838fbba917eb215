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
	s.mu.Lock()
	defer s.mu.Unlock()
	tx, err := s.c.conn.BeginTx(ctx, nil)
	if err != nil {
		return s.failed(err)
	}
	defer tx.Rollback()
	added := int64(0)
	for i, r := range refusals {
		result, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", s.id.RepositoryID,
			memory.NewCause("refusal", cause, fmt.Sprint(i), r.Op, string(r.Reason)), millis(at), clip(r.Op, 40), clip(string(r.Reason), 40), "",
			max(actor.ID, 0), clip(actor.Login, 100), "refused in a runtime's report")
		if err != nil {
			return s.failed(err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			return s.failed(err)
		}
		added += n
	}
	if added == 0 {
		return nil
	}
	if err := s.touch(ctx, tx); err != nil {
		return s.failed(err)
	}
	if err := tx.Commit(); err != nil {
		return s.failed(err)
	}
	s.changed = true
	return nil
}
