package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"
)

// SealInput is what a container is made of.
type SealInput struct {
	Keys   Keys
	SQLite []byte // the whole database file
	// Manifest holds the facts about the store and the run. Seal fills in
	// SchemaVersion, KeyID, Sealed, Database and MAC, sorts Parents and Seen,
	// and cuts CreatedAt to whole seconds of UTC.
	Manifest Manifest
}

// Seal makes a container, sealed to the current identity, and returns it with
// its manifest as written (page 5.1). Two calls differ in what age draws at
// random and what depends on that, in nothing else. Errors are *Error of kind
// NoKey, TooLarge or BadInput; the last names the field that cannot be
// written.
func Seal(in SealInput) ([]byte, Manifest, error) {
	if in.Keys.Len() == 0 {
		return nil, Manifest{}, fail(NoKey, nil, "there is no key to seal the memory with")
	}
	if len(in.SQLite) > MaxDatabase {
		return nil, Manifest{}, fail(TooLarge, nil, "the database is %d bytes, at most %d are sealed", len(in.SQLite), MaxDatabase)
	}
	current := in.Keys.ids()[0]
	m := in.Manifest.prepared(current.keyID, in.SQLite)
	if field, want := m.check(); field != "" {
		return nil, Manifest{}, fail(BadInput, nil, "no manifest can be written: %s must be %s", field, want)
	}
	out := &capped{most: MaxZip - MaxManifest - 4*centralSize - endSize}
	out.data = append(out.data, member{name: sealedName}.local()...) // written again once the size is known
	start := len(out.data)
	if err := sealTo(out, in.SQLite, current.recipient); err != nil {
		return nil, Manifest{}, sealError(err)
	}
	sealed := newMember(sealedName, 0, out.data[start:])
	m.Sealed = blob(sealed.data)
	text, err := m.signed(current)
	if err != nil {
		return nil, Manifest{}, err
	}
	copy(out.data, sealed.local())
	manifest := newMember(manifestName, sealed.end(), text)
	zip := append(append(out.data, manifest.local()...), text...)
	zip = append(zip, tail(sealed, manifest)...)
	written, err := decodeManifest(text)
	if err != nil {
		return nil, Manifest{}, err
	}
	return zip, written, nil
}

// prepared is m with everything but what is known after sealing; placeholders
// stand for the rest.
func (m Manifest) prepared(keyID string, database []byte) Manifest {
	m.SchemaVersion = SchemaVersion
	m.KeyID = keyID
	m.Parents = sortedSet(m.Parents)
	m.Seen = sortedSet(m.Seen)
	m.CreatedAt = m.CreatedAt.UTC().Truncate(time.Second)
	m.Database = blob(database)
	m.Sealed = Blob{Digest: m.Database.Digest, Size: 1}
	m.MAC = m.Database.Digest
	return m
}

// signed sets the MAC and returns the canonical bytes.
func (m *Manifest) signed(id *identity) ([]byte, error) {
	unsigned, err := m.encode(false)
	if err != nil {
		return nil, fail(BadInput, err, "no manifest can be written")
	}
	m.MAC = hex.EncodeToString(id.manifestMAC(m.RepositoryID, m.StoreID, unsigned))
	text, err := m.encode(true)
	if err != nil {
		return nil, fail(BadInput, err, "no manifest can be written")
	}
	if len(text) > MaxManifest {
		return nil, fail(TooLarge, nil, "the manifest is %d bytes, at most %d may be written", len(text), MaxManifest).
			with("Leave ids of artifacts that are gone out of what was seen.")
	}
	return text, nil
}

func sealError(err error) error {
	if errors.Is(err, errFull) {
		return fail(TooLarge, nil, "what was sealed grows beyond %d bytes", MaxZip)
	}
	return fail(BadInput, err, "age or zstd could not seal it")
}

func blob(data []byte) Blob {
	sum := sha256.Sum256(data)
	return Blob{Digest: hex.EncodeToString(sum[:]), Size: int64(len(data))}
}

func sortedSet[T string | int64](list []T) []T {
	out := append([]T{}, list...)
	slices.Sort(out)
	return slices.Compact(out)
}
