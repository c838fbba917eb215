package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
)

// SealInput is what a container is made of.
type SealInput struct {
	Keys   Keys
	SQLite []byte // the whole database file, unless there is a Reader
	// Reader gives the database file, to its end, and Size is about how many
	// bytes that are: a hint of how much room the container takes.
	Reader io.Reader
	Size   int64
	// Manifest holds the facts about the store and the run. Seal fills in
	// SchemaVersion, KeyID, Sealed, Database and MAC, sorts Parents and Seen,
	// and cuts CreatedAt to whole seconds of UTC.
	Manifest Manifest
}

// Seal makes a container, sealed to the current identity, and returns it with
// its manifest as written (page 5.1). Two calls differ in what age draws at
// random and what depends on that, in nothing else. Errors are *Error of kind
// NoKey, TooLarge or BadInput, the last of which names the field that cannot be
// written, or that of Reader.
func Seal(in SealInput) (zip []byte, written Manifest, err error) {
	if in.Keys.Len() == 0 {
		return nil, Manifest{}, fail(NoKey, nil, "there is no key to seal the memory with")
	}
	if in.Reader == nil {
		in.Reader, in.Size = bytes.NewReader(in.SQLite), int64(len(in.SQLite))
	}
	if in.Size > MaxDatabase {
		return nil, Manifest{}, databaseTooLarge(in.Size)
	}
	current := in.Keys.ids()[0]
	m := in.Manifest.prepared(current.keyID)
	if err := m.writable(); err != nil {
		return nil, Manifest{}, err
	}
	header := member{name: sealedName}.local() // written again once the size is known
	out := pile{append(make([]byte, 0, roomFor(in.Size)), header...)}
	database := &source{r: in.Reader, sum: sha256.New()}
	if m.Sealed, err = sealMember(&out, database, current.recipient); err != nil {
		return nil, Manifest{}, err
	}
	if m.Database = database.blob(); m.Database.Size == 0 {
		return nil, Manifest{}, m.writable()
	}
	sealed := newMember(sealedName, 0, out.data[len(header):])
	text, err := m.signed(current)
	if err != nil {
		return nil, Manifest{}, err
	}
	copy(out.data, sealed.local())
	manifest := newMember(manifestName, sealed.end(), text)
	if written, err = decodeManifest(text); err != nil {
		return nil, Manifest{}, err
	}
	zip = append(append(out.data, manifest.local()...), text...)
	return append(zip, tail(sealed, manifest)...), written, nil
}

// roomFor is how much room a container takes that holds so many bytes of a
// store, which the fastest level of zstd makes two fifths of. Where that is too
// little, the room grows.
func roomFor(size int64) int64 {
	return min(max(size, 0), MaxDatabase)/9*4 + 4096
}

// sealMember writes the sealed member behind what out has, and says what it is.
func sealMember(out *pile, database *source, to age.Recipient) (Blob, error) {
	sealed := newCounting(out, MaxZip-MaxManifest-4*centralSize-endSize-int64(len(out.data)))
	err := sealTo(sealed, database, to)
	switch {
	case database.err != nil:
		return Blob{}, database.err
	case database.size > MaxDatabase:
		return Blob{}, databaseTooLarge(database.size)
	case err != nil:
		return Blob{}, sealError(err)
	}
	return sealed.blob(), nil
}

func databaseTooLarge(size int64) error {
	return fail(TooLarge, nil, "the database is %d bytes, at most %d are sealed", size, MaxDatabase)
}

// source digests what is read through it, and gives no more than one byte
// beyond MaxDatabase.
type source struct {
	r    io.Reader
	size int64
	sum  hash.Hash
	err  error // of r
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p[:min(int64(len(p)), MaxDatabase+1-s.size)])
	s.size += int64(n)
	s.sum.Write(p[:n])
	switch {
	case s.size > MaxDatabase:
		return n, io.EOF
	case err != nil && err != io.EOF:
		s.err = err
	}
	return n, err
}

func (s *source) blob() Blob { return Blob{Digest: hex.EncodeToString(s.sum.Sum(nil)), Size: s.size} }

// writable refuses what would not be read again.
func (m Manifest) writable() error {
	if field, want := m.check(); field != "" {
		return fail(BadInput, nil, "no manifest can be written: %s must be %s", field, want)
	}
	return nil
}

// prepared is m with everything but what is known after sealing; placeholders
// stand for the rest.
func (m Manifest) prepared(keyID string) Manifest {
	m.SchemaVersion = SchemaVersion
	m.KeyID = keyID
	m.Parents = sortedSet(m.Parents)
	m.Seen = sortedSet(m.Seen)
	m.CreatedAt = m.CreatedAt.UTC().Truncate(time.Second)
	m.MAC = strings.Repeat("0", hexDigest)
	m.Database = Blob{Digest: m.MAC, Size: 1}
	m.Sealed = m.Database
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
