package store

import (
	"context"
	"database/sql"
)

// AuditOf returns the rows about one document, the first one first. A document
// that was purged has them too, until they pass the horizon.
func (s *Store) AuditOf(ctx context.Context, document string) ([]AuditRow, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, err := s.c.conn.QueryContext(ctx, `SELECT at, op, reason, target, actor_id, actor_login, detail FROM audit
 WHERE repository_id = ? AND (target = ? OR target >= ? AND target < ?) ORDER BY at, id LIMIT ?`,
		s.id.RepositoryID, document, document+"@", document+"A", defaultLimit)
	if err != nil {
		return nil, s.failed(err)
	}
	defer rows.Close()
	var out []AuditRow
	for rows.Next() {
		var r AuditRow
		var at int64
		if err := rows.Scan(&at, &r.Op, &r.Reason, &r.Target, &r.Actor.ID, &r.Actor.Login, &r.Detail); err != nil {
			return nil, s.failed(err)
		}
		r.At = fromMillis(at)
		out = append(out, r)
	}
	return out, s.failed(rows.Err())
}

// UseDays returns how often lessons shaped findings on each day.
func (s *Store) UseDays(ctx context.Context) (map[string]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]int{}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var day string
		var n int
		err := rows.Scan(&day, &n)
		out[day] = n
		return err
	}, "SELECT day, count(*) FROM uses WHERE repository_id = ? GROUP BY day")
	return out, err
}
