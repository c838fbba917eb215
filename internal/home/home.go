package home

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// MaxBytes bounds a container, whatever home it comes from (page 5.2): that
// of the largest store, since a file home keeps it unsealed.
const MaxBytes = 128 << 20

// Entry is one container of a home.
type Entry struct {
	ID        string // names it in its home
	Digest    string // hex SHA-256 of its bytes, "" where the home does not tell
	Size      int64
	CreatedAt time.Time
	ExpiresAt time.Time // zero where it stays until it is deleted
}

// Home keeps containers. Nothing above may assume more than this (page 5.7):
// no locking, no compare-and-swap, no number of containers that stay.
type Home interface {
	// List returns the containers that are there, the newest first. No
	// container at all is an empty list and no error.
	List(ctx context.Context) ([]Entry, error)
	// Load returns the bytes of a listed container. One that went away
	// meanwhile, or has other bytes than its digest says, is an *Error.
	Load(ctx context.Context, e Entry) ([]byte, error)
	// Save keeps the bytes; once it returned, they are listed, first. If it
	// fails, what was there before is there still.
	Save(ctx context.Context, data []byte) (Entry, error)
}

// Digest is the digest of an entry with these bytes.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
