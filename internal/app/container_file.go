package app

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/home/file"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// containerFile is a home of one container in a file, such as a snapshot: it
// is opened, checked, changed and sealed again as one of a repository's
// artifacts is, by the same code.
type containerFile struct {
	*file.Home
	now time.Time
}

// OpenContainerFile returns the memory that lies sealed in a file. Whose it is
// says its manifest, of which nothing is believed before the key vouched for
// it. dir is a private folder for the working copy.
func OpenContainerFile(ctx context.Context, path string, keys vault.Keys, dir string, now time.Time, tool string) (*Vaulted, vault.Manifest, error) {
	h := containerFile{Home: file.New(path), now: now}
	entries, err := h.List(ctx)
	if err != nil {
		return nil, vault.Manifest{}, err
	}
	if len(entries) == 0 {
		return nil, vault.Manifest{}, fmt.Errorf("%s is not there; check the path", path)
	}
	zip, err := h.Load(ctx, entries[0])
	if err != nil {
		return nil, vault.Manifest{}, err
	}
	m, err := vault.ReadManifest(zip)
	if err != nil {
		return nil, m, fmt.Errorf("%s: %w", path, err)
	}
	opened, err := vault.OpenTo(io.Discard, zip, keys, vault.Expect{RepositoryID: m.RepositoryID, AnyStore: true, ListedAt: entries[0].CreatedAt})
	if err != nil {
		return nil, m, fmt.Errorf("%s: %w", path, err)
	}
	return &Vaulted{Home: h, Keys: keys, Identity: IdentityIn(opened.Manifest), Dir: dir, Now: now, Tool: tool}, opened.Manifest, nil
}

// IdentityIn is whose store a verified manifest says it holds.
func IdentityIn(m vault.Manifest) store.Identity {
	owner, name, _ := strings.Cut(m.Repository, "/")
	return store.Identity{RepositoryID: m.RepositoryID, Owner: owner, Name: name, InstallationID: m.InstallationID}
}

// List returns the container under a number that is made from its digest,
// since manifests name containers by number. It counts as listed now: a person
// named it, and the date of a file is nobody's word.
func (h containerFile) List(ctx context.Context) ([]home.Entry, error) {
	entries, err := h.Home.List(ctx)
	for i := range entries {
		entries[i] = h.numbered(entries[i])
	}
	return entries, err
}

// Load returns its bytes.
func (h containerFile) Load(ctx context.Context, e home.Entry) ([]byte, error) {
	e.ID = e.Digest
	return h.Home.Load(ctx, e)
}

// Save replaces it.
func (h containerFile) Save(ctx context.Context, data []byte) (home.Entry, error) {
	e, err := h.Home.Save(ctx, data)
	if err != nil {
		return e, err
	}
	return h.numbered(e), nil
}

func (h containerFile) numbered(e home.Entry) home.Entry {
	sum, err := hex.DecodeString(e.Digest)
	if err != nil || len(sum) != sha256.Size {
		return e
	}
	e.ID = strconv.FormatInt(int64(binary.BigEndian.Uint64(sum[:8])>>12)|1, 10)
	e.CreatedAt = h.now
	return e
}
