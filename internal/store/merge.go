package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"
)

// MergeRules say what is known about the store that is merged in, from
// outside its own rows.
type MergeRules struct {
	// SealedAt is when GitHub says the other store's container was made.
	// Rows that claim a later event (five minutes are allowed) are refused
	// (page 4.4). The zero time refuses the whole merge.
	SealedAt time.Time
	// AnyStore lets stores of two ids become one: two first runs that both
	// made a store. The earlier genesis gives the id.
	AnyStore bool
}

// MergeReport says what a merge did to the store.
type MergeReport struct {
	Added   int // rows that are new
	Changed int // rows that moved on: a state, a register, a redaction
	Removed int // rows that a purge or the audit horizon took
	Refused int // new rows of the other store that claim a time after its sealing
}

// Merge brings everything that other knows into s, which it does not change
// (page 4.4): merging any stores of one repository in any order, any number of
// times, gives the same contents. Two immutable rows with one id and
// different bytes are corruption: an *Error of kind Corrupted, and s is as it
// was. Only rows that are new or moved on are written.
func (s *Store) Merge(ctx context.Context, other *Store, rules MergeRules) (MergeReport, error) {
	if rules.SealedAt.IsZero() {
		return MergeReport{}, fail(Unusable, other.path, nil, "it is not known when its container was made, so its rows cannot be believed")
	}
	// Two stores may be merged into each other at once, so nobody else may
	// hold one of two while it waits for the other.
	merging.Lock()
	defer merging.Unlock()
	if s == other {
		return MergeReport{}, nil
	}
	other.mu.Lock()
	defer other.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if other.id.RepositoryID != s.id.RepositoryID {
		return MergeReport{}, fail(WrongRepository, other.path, nil, "it holds the lessons of repository id %d, not of %d", other.id.RepositoryID, s.id.RepositoryID)
	}
	ours, err := s.load()
	if err != nil {
		return MergeReport{}, err
	}
	theirs, err := other.read(ours)
	if err != nil {
		return MergeReport{}, err
	}
	report := MergeReport{}
	if report.Refused, err = theirs.dropLate(rules.SealedAt); err != nil {
		return MergeReport{}, fail(Corrupted, other.path, err, "its rows cannot be read (%v)", err)
	}
	if ours.storeID != theirs.storeID && !rules.AnyStore {
		return MergeReport{}, fail(OtherStore, other.path, nil, "its store id is %.32s, and this store's is %s", theirs.storeID, ours.storeID)
	}
	if err := ours.merge(theirs); err != nil {
		return MergeReport{}, fail(Corrupted, other.path, err, "it cannot be merged (%v)", err)
	}
	written, err := s.write(ctx, ours)
	written.Refused = report.Refused
	return written, err
}

// merging is held by the one merge that may lock two stores.
var merging sync.Mutex

// Digest is the hex SHA-256 of what the store holds, the same for two stores
// of the same contents: it does not depend on the order of rows, on row ids,
// on the generation, or on what is derived (the index).
func (s *Store) Digest(context.Context) (string, error) {
	c, err := s.contents()
	if err != nil {
		return "", err
	}
	digest, err := c.digest()
	if err != nil {
		return "", fail(Corrupted, s.path, err, "its rows cannot be read (%v)", err)
	}
	return digest, nil
}

// DropLater removes the rows of a store that claim an event after its own
// sealing (five minutes are allowed), as Merge refuses them, and returns how
// many. A run does this once to the container that it starts from.
func (s *Store) DropLater(ctx context.Context, sealedAt time.Time) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit, day := lateFrom(sealedAt); !s.changed && s.dates != nil && s.dates.at <= limit && s.dates.day <= day {
		return 0, nil
	}
	c, err := s.load()
	if err != nil {
		return 0, err
	}
	dropped, err := c.dropLate(sealedAt)
	if err != nil {
		return 0, fail(Corrupted, s.path, err, "its rows cannot be read (%v)", err)
	}
	if dropped == 0 {
		s.kept = c
		return 0, nil
	}
	_, err = s.write(ctx, c)
	return dropped, err
}

// contents reads all rows of the store from its file.
func (s *Store) contents() (*contents, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read(nil)
}

// load returns all rows of the store: those that the last merge left, if the
// file did not change since, else those in the file. Whoever changes them puts
// them back once the file has the same.
func (s *Store) load() (*contents, error) {
	kept := s.kept
	s.kept = nil
	if kept == nil {
		return s.read(nil)
	}
	counter, err := s.fileCounter()
	if err != nil || counter != kept.counter {
		return s.read(nil)
	}
	return kept, nil
}

// fileCounter is the change counter of the file between two transactions.
func (s *Store) fileCounter() (string, error) {
	im, f, err := openImage(s.path)
	if err != nil {
		return "", err
	}
	return changeCounter(im.header), f.Close()
}

// read reads the rows of the file as it is between two changes, all or those
// that known has not.
func (s *Store) read(known *contents) (*contents, error) {
	im, f, err := openImage(s.path)
	if err == nil {
		defer f.Close()
		var c *contents
		if c, err = loadContents(im, known); err == nil {
			return c, nil
		}
	}
	var unreadable *fs.PathError
	if errors.As(err, &unreadable) {
		return nil, fail(Unreadable, s.path, err, "it cannot be read (%v)", err)
	}
	return nil, fail(Corrupted, s.path, err, "its rows cannot be read (%v)", err)
}

// merge unites the rows and settles what the denials among them mean.
func (c *contents) merge(other *contents) error {
	if other.genesis < c.genesis || other.genesis == c.genesis && other.storeID < c.storeID {
		c.genesis, c.storeID = other.genesis, other.storeID
	}
	c.horizon = max(c.horizon, other.horizon)
	for _, t := range tables {
		for id, theirs := range other.rows[t.name] {
			ours, known := c.rows[t.name][id]
			if !known {
				c.set(t.name, id, rowOf{raw: theirs.raw, fields: theirs.fields})
				continue
			}
			if err := c.unite(t, id, ours, theirs); err != nil {
				return err
			}
		}
	}
	return c.settle()
}

func (c *contents) unite(t table, id string, ours, theirs rowOf) error {
	if same, err := ours.same(theirs); same || err != nil {
		return err
	}
	a, err := ours.columns()
	if err != nil {
		return err
	}
	b, err := theirs.columns()
	if width := len(columnsOf(t.name)); err != nil || len(a) != width || len(b) != width {
		return errImage
	}
	if i := conflict(t, a, b); i >= 0 {
		return fmt.Errorf("two rows of %s have the id %.64q and differ in column %d", t.name, id, i)
	}
	if joined := t.join(a, b); !slices.Equal(joined, a) {
		c.set(t.name, id, rowOf{fields: joined, rowid: ours.rowid})
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
