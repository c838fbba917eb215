package store

import (
	"context"
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
	Refused int // rows of the other store that claim a time after its sealing
}

// Merge brings everything that other knows into s, which it does not change
// (page 4.4): merging any stores of one repository in any order, any number of
// times, gives the same contents. Two immutable rows with one id and
// different bytes are corruption: an *Error of kind Corrupted, and s is as it
// was.
func (s *Store) Merge(ctx context.Context, other *Store, rules MergeRules) (MergeReport, error) {
	return MergeReport{}, fail(Unusable, other.path, nil, "merging stores is not built yet")
}

// Digest is the hex SHA-256 of what the store holds, the same for two stores
// of the same contents: it does not depend on the order of rows, on row ids,
// on the generation, or on what is derived (the index).
func (s *Store) Digest(ctx context.Context) (string, error) {
	return "", fail(Unusable, s.path, nil, "the digest of a store is not built yet")
}

// DropLater removes the rows of a store that claim an event after its own
// sealing (five minutes are allowed), as Merge refuses them, and returns how
// many. A run does this once to the container that it starts from.
func (s *Store) DropLater(ctx context.Context, sealedAt time.Time) (int, error) {
	return 0, fail(Unusable, s.path, nil, "dropping later rows is not built yet")
}
