package store

import "context"

// Raise lifts the generation to at least this one. A container's generation
// is above that of everything it was merged from, which the store alone does
// not know.
func (s *Store) Raise(ctx context.Context, generation int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.c.conn.ExecContext(ctx, "UPDATE store SET generation = ? WHERE repository_id = ? AND generation < ?", generation, s.id.RepositoryID, generation)
	return s.failed(err)
}

// Saved says that what the store holds now lies in its home: Changed is false
// until something else is stored, and that is a generation of its own.
func (s *Store) Saved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = false
}
