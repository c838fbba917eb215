package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Register is one small value that the last writer sets, such as whether a
// thread is paused (page 4.4).
type Register struct {
	Name  string // "paused/12", ...; 1 to 100 characters
	Value string // at most 4000 characters; never a lesson's text
	At    time.Time
	Cause string // digest of what set it
}

// SetRegister sets a register unless a later (time, cause) has set it.
func (s *Store) SetRegister(ctx context.Context, r Register) error {
	if err := checkDigest("a register", r.Cause); err != nil {
		return err
	}
	if r.Name == "" || clip(r.Name, 100) != r.Name || clip(r.Value, 4000) != r.Value || !datable(r.At) {
		return fmt.Errorf("register %q: the name takes 1 to 100 characters, the value 4000, and it needs a time", clip(r.Name, 100))
	}
	return s.record(ctx, func(w *recording) error {
		return w.exec(`INSERT INTO registers VALUES (?, ?, ?, ?, ?) ON CONFLICT (repository_id, name) DO UPDATE
 SET value = excluded.value, at = excluded.at, cause = excluded.cause WHERE (excluded.at, excluded.cause) > (registers.at, registers.cause)`,
			s.id.RepositoryID, r.Name, r.Value, millis(r.At), digest(r.Cause))
	})
}

// Register returns a register; ok is false if nobody ever set it.
func (s *Store) Register(ctx context.Context, name string) (r Register, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Name = name
	var at int64
	err = s.c.conn.QueryRowContext(ctx, "SELECT value, at, cause FROM registers WHERE repository_id = ? AND name = ?", s.id.RepositoryID, name).
		Scan(&r.Value, &at, (*digest)(&r.Cause))
	if errors.Is(err, sql.ErrNoRows) {
		return Register{}, false, nil
	}
	if err != nil {
		return Register{}, false, s.failed(err)
	}
	r.At = fromMillis(at)
	return r, true, nil
}

// Cause is one command, label or run that was dealt with.
type Cause struct {
	ID     string
	Op     string
	Reason memory.Reason // "" if applied
	Target string
	Number int // pull request or issue; 0: none
	At     time.Time
}

// Cause returns the row of a cause; ok is false if it was never dealt with.
func (s *Store) Cause(ctx context.Context, id string) (c Cause, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.each(ctx, func(rows *sql.Rows) error {
		var at int64
		err := rows.Scan((*digest)(&c.ID), &c.Op, &c.Reason, &c.Target, &c.Number, &at)
		c.At, ok = fromMillis(at), true
		return err
	}, "SELECT id, op, reason, target, number, at FROM causes WHERE repository_id = ? AND id = ?", digest(id))
	return c, ok && err == nil, err
}
