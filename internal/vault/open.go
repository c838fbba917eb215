package vault

import (
	"crypto/hmac"
	"encoding/hex"
	"io"
	"strings"
	"time"
)

// This file is the one door through which a container is opened. Nothing of
// it is decrypted, decompressed or handed on before a known key vouched for
// it.

// Expect is what a run knows about the container it asks for, from GitHub and
// from itself. The zero value lets nothing open.
type Expect struct {
	RepositoryID int64  // the run's own
	StoreID      string // the repository's own store, once it has one
	// AnyStore lets the first container that a repository meets fix the store
	// id. It has no effect beside a StoreID.
	AnyStore bool

	// Digest is the SHA-256 of the zip as GitHub lists it, in hex, with or
	// without "sha256:" before it. "" if it lists none: that is noted.
	Digest string
	// Loaded is the SHA-256 of the zip in hex, where whoever loaded it digested
	// these very bytes, as a home does. "" if nobody did: they are digested here.
	Loaded string
	// ListedAt is GitHub's date of the container. Without one, no retired
	// identity opens it.
	ListedAt time.Time
	// CurrentSince is GitHub's date of the first container under the current
	// identity; zero if the repository has none yet.
	CurrentSince time.Time
}

// Note is something about an opened container that people are told.
type Note string

// The closed set of notes.
const (
	NoDigest        Note = "no_digest"        // GitHub listed no digest, so none was compared
	RetiredIdentity Note = "retired_identity" // sealed before the key was rotated
)

// Opened is the content of a container. The bytes are those that were sealed;
// whether they are a sound store is for the store to say.
type Opened struct {
	SQLite   []byte // nil where it was written elsewhere
	Digest   string // hex SHA-256 of the container
	Manifest Manifest
	Notes    []Note
}

// rotationGrace is how long after the first container under the current
// identity one under a retired identity may still appear (page 5.1): a run
// that started before the rotation.
const rotationGrace = time.Hour

// ReadManifest returns what a container says of itself. No key is needed and
// no MAC checked: anybody may have written it. Errors are *Error of kind
// TooLarge, BadZip, ForeignMember, BadManifest or NewerSchema.
func ReadManifest(zip []byte) (Manifest, error) {
	_, manifest, err := readZip(zip)
	if err != nil {
		return Manifest{}, err
	}
	return decodeManifest(manifest)
}

// Open verifies and opens a container, and returns the database. It is OpenTo
// for what is small, or wanted in memory.
func Open(zip []byte, keys Keys, want Expect) (Opened, error) {
	var database pile
	opened, err := OpenTo(&database, zip, keys, want)
	if err != nil {
		return Opened{}, err
	}
	opened.SQLite = database.data
	return opened, nil
}

// OpenTo verifies a container and writes its database. The checks, first
// failure wins: size, listed digest, layout of the zip, form of the manifest,
// key known, MAC, repository, store, rotation, digest of the sealed member;
// then age and zstd, and the digest of the database. The database is written
// as it is decrypted: only if no error is returned is it the one that was
// sealed, until then nobody may use it. Errors are *Error whose kind says which
// check failed, or that of database.
func OpenTo(database io.Writer, zip []byte, keys Keys, want Expect) (Opened, error) {
	if keys.Len() == 0 {
		return Opened{}, fail(NoKey, nil, "there is no key to open the memory with")
	}
	if len(zip) > MaxZip {
		return Opened{}, tooLarge(zip)
	}
	whole := make(chan string, 1)
	go func() { // beside the digest of the sealed member
		digest := want.Loaded
		if !isHex(digest, hexDigest) {
			digest = blob(zip).Digest
		}
		whole <- digest
	}()
	c, readable := contentsOf(zip)
	digest := <-whole
	notes, err := checkListed(digest, want.Digest)
	if err == nil {
		err = readable
	}
	if err != nil {
		return Opened{}, err
	}
	m := c.manifest
	id, err := vouchedBy(m, keys)
	if err != nil {
		return Opened{}, err
	}
	if err := want.admits(m, id.keyID == keys.CurrentID()); err != nil {
		return Opened{}, err
	}
	if id.keyID != keys.CurrentID() {
		notes = append(notes, RetiredIdentity)
	}
	if c.sealedAs != m.Sealed {
		return Opened{}, fail(DigestMismatch, nil, "memory.sealed holds other bytes than the manifest says")
	}
	out := newCounting(database, MaxDatabase)
	if err := unseal(out, c.sealed, id.age); err != nil {
		return Opened{}, err
	}
	if out.blob() != m.Database {
		return Opened{}, fail(DigestMismatch, nil, "the database holds other bytes than the manifest says")
	}
	return Opened{Digest: digest, Manifest: m, Notes: notes}, nil
}

// contents are the members of a container that nobody vouched for yet.
type contents struct {
	sealed   []byte
	sealedAs Blob // of these bytes
	manifest Manifest
}

func contentsOf(zip []byte) (contents, error) {
	sealed, text, err := readZip(zip)
	if err != nil {
		return contents{}, err
	}
	m, err := decodeManifest(text)
	if err != nil {
		return contents{}, err
	}
	return contents{sealed: sealed, sealedAs: blob(sealed), manifest: m}, nil
}

// checkListed compares the container's digest with the one that GitHub lists,
// if any.
func checkListed(digest, listed string) ([]Note, error) {
	if listed == "" {
		return []Note{NoDigest}, nil
	}
	listed = strings.TrimPrefix(listed, "sha256:")
	if !isHex(listed, hexDigest) {
		return nil, fail(DigestMismatch, nil, "the listed digest is no SHA-256")
	}
	if digest != listed {
		return nil, fail(DigestMismatch, nil, "the container holds other bytes than its listed digest says")
	}
	return nil, nil
}

// vouchedBy returns the identity whose MAC the manifest carries.
func vouchedBy(m Manifest, keys Keys) (*identity, error) {
	id := keys.byID(m.KeyID)
	if id == nil {
		return nil, fail(UnknownKey, nil, "it was sealed under key %s, which is none of the keys given", m.KeyID)
	}
	unsigned, err := m.encode(false)
	if err != nil {
		return nil, fail(BadManifest, err, "the manifest cannot be read back")
	}
	given, err := hex.DecodeString(m.MAC)
	if err != nil || !hmac.Equal(given, id.manifestMAC(m.RepositoryID, m.StoreID, unsigned)) {
		return nil, fail(BadMAC, nil, "the manifest was changed, or made by somebody without the key")
	}
	return id, nil
}

// admits compares a verified manifest with what the run knows.
func (w Expect) admits(m Manifest, current bool) error {
	switch {
	case w.RepositoryID <= 0 || m.RepositoryID != w.RepositoryID:
		return fail(WrongRepository, nil, "it belongs to repository %d, not to %d", m.RepositoryID, w.RepositoryID)
	case w.StoreID == "" && !w.AnyStore:
		return fail(WrongStore, nil, "it belongs to store %s, and this run knows no store of its own", m.StoreID)
	case w.StoreID != "" && m.StoreID != w.StoreID:
		return fail(WrongStore, nil, "it belongs to store %s, not to %s", m.StoreID, w.StoreID)
	case current:
		return nil
	case w.ListedAt.IsZero():
		return fail(RetiredKey, nil, "it was sealed under retired key %s, and no date of GitHub's says that this was before the rotation", m.KeyID)
	case !w.CurrentSince.IsZero() && !w.ListedAt.Before(w.CurrentSince.Add(rotationGrace)):
		return fail(RetiredKey, nil, "it was sealed under retired key %s and listed at %s, but the current key took over at %s",
			m.KeyID, stamp(w.ListedAt), stamp(w.CurrentSince))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
