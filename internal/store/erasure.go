package store

import (
	"context"
	"database/sql"
	"time"
)

// LastErasure is the time of the last event that took a text away: a forget,
// redact, purge, uninstall, or the end of an aged lesson. Containers from before it may
// still hold that text. The zero time if there never was one.
func (s *Store) LastErasure(ctx context.Context) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var at sql.NullInt64
	err := s.c.conn.QueryRowContext(ctx,
		"SELECT max(at) FROM causes WHERE repository_id = ? AND reason = '' AND op IN ('forget', 'redact', 'purge', 'fade', 'uninstall')", s.id.RepositoryID).Scan(&at)
	if err != nil || !at.Valid {
		return time.Time{}, s.failed(err)
	}
	return fromMillis(at.Int64), nil
}
