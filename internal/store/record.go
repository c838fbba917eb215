package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/text"
)

// recording is one transaction of rows that no transition is needed for: they
// add to what is known and change no lesson.
type recording struct {
	*Store
	ctx   context.Context
	tx    *sql.Tx
	moved int64 // rows added or changed
}

// record runs f in one transaction. If no row was added or changed, nothing
// happened: the generation stays, and the store needs no save.
func (s *Store) record(ctx context.Context, f func(*recording) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	tx, err := s.c.conn.BeginTx(ctx, nil)
	if err != nil {
		return s.failed(err)
	}
	defer tx.Rollback()
	r := &recording{Store: s, ctx: ctx, tx: tx}
	if err := f(r); err != nil {
		var wrong misuse
		if errors.As(err, &wrong) {
			return wrong
		}
		return s.failed(err)
	}
	if r.moved == 0 {
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

// misuse is an argument that cannot be recorded, found among the rows.
type misuse string

func (m misuse) Error() string { return string(m) }

// exec runs a statement and counts the rows that it moved.
func (r *recording) exec(query string, args ...any) error {
	result, err := r.tx.ExecContext(r.ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	r.moved += n
	return err
}

// each reads the rows of a query whose first argument is the repository.
func (s *Store) each(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := s.c.conn.QueryContext(ctx, query, append([]any{s.id.RepositoryID}, args...)...)
	if err != nil {
		return s.failed(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return s.failed(err)
		}
	}
	return s.failed(rows.Err())
}

var (
	dayForm    = text.Lazy(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	digestForm = text.Lazy(`^[0-9a-f]{64}$`)
)

func checkDay(day string) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil || !dayForm.MatchString(day) {
		return fmt.Errorf("%q is not a day like 2026-11-30", clip(day, 20))
	}
	return nil
}

func checkDigest(what, digest string) error {
	if !digestForm.MatchString(digest) {
		return fmt.Errorf("%s needs a digest of 64 hex digits", what)
	}
	return nil
}
