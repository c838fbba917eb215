package store

import (
	"context"
	"database/sql"
	"slices"
)

// Gone returns those of some documents whose every text was erased: forgotten,
// redacted, faded or purged. An id that this store never knew is not among
// them, so that a store which lost its rows takes nothing away from what was
// said with them (page 4.2).
func (s *Store) Gone(ctx context.Context, documents []string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := map[string]bool{}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		gone[id] = true
		return err
	}, "SELECT document_id FROM documents WHERE repository_id = ? AND forgotten = 1")
	if err != nil {
		return nil, err
	}
	marks := map[string]bool{}
	err = s.each(ctx, func(rows *sql.Rows) error {
		var mark []byte
		err := rows.Scan(&mark)
		marks[string(mark)] = true
		return err
	}, "SELECT mac FROM purges WHERE repository_id = ?")
	if err != nil {
		return nil, err
	}
	purged := func(id string) bool {
		return slices.ContainsFunc(s.secrets, func(k secretKey) bool { return marks[string(purgeMark(k.key, id))] })
	}
	return slices.DeleteFunc(slices.Clone(documents), func(id string) bool { return !gone[id] && !purged(id) }), nil
}
