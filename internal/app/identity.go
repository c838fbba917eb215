package app

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/gitrepo"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/store"
)

// Clone is what a local clone says of itself, in the terms of the contract
// (decision 0002).
type Clone struct {
	Repo          *gitrepo.Repo
	Identity      store.Identity
	CloneURL      string
	DefaultBranch string

	// Unknown says why nothing tells which repository this is, "" where
	// something does. Then the id is that of the folder, which nothing may be
	// bound to: it would be lost as soon as the repository is known.
	Unknown string

	byName int64 // the id that it has, or had, while its history is cut
}

// OpenClone opens the clone that dir lies in. The repository id is derived
// from its first commit, so that it is the same in every clone; one whose
// history is cut cannot tell it and uses its name on its host instead. Where
// there is neither, the clone says so in Unknown.
func OpenClone(ctx context.Context, dir string) (*Clone, error) {
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	c, err := readClone(ctx, repo)
	if err != nil {
		_ = repo.Close() // the first error is the one to tell
		return nil, err
	}
	return c, nil
}

func readClone(ctx context.Context, repo *gitrepo.Repo) (*Clone, error) {
	id, err := repo.Identity(ctx)
	if err != nil {
		return nil, err
	}
	seed, unknown, err := seedOf(ctx, repo, id)
	if err != nil {
		return nil, err
	}
	branch, err := repo.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	return &Clone{
		Repo:          repo,
		CloneURL:      repo.CloneURL(id),
		DefaultBranch: branch,
		Unknown:       unknown,
		byName:        derivedID(nameSeed(id)),
		Identity: store.Identity{
			RepositoryID:   derivedID(seed),
			Owner:          id.Owner,
			Name:           id.Name,
			InstallationID: derivedID("owner:" + strings.ToLower(id.Owner)),
		},
	}, nil
}

// seedOf is what the repository id is derived from, and why it may bind
// nothing.
func seedOf(ctx context.Context, repo *gitrepo.Repo, id gitrepo.Identity) (seed, unknown string, err error) {
	root, err := repo.RootCommit(ctx)
	if err != nil && gitrepo.KindOf(err) != gitrepo.NoCommits {
		return "", "", err
	}
	if root != "" {
		return "root:" + root, "", nil
	}
	const nothing = ", so nothing says which repository it is; "
	switch _, err := repo.Head(ctx); {
	case gitrepo.KindOf(err) == gitrepo.NoCommits, gitrepo.KindOf(err) == gitrepo.UnknownRevision: // an unborn branch
		return "folder:" + repo.Root(), "this clone has no commit yet" + nothing + "commit once, then teach", nil
	case err != nil:
		return "", "", err
	case id.Host == "":
		return "folder:" + repo.Root(), "the history of this clone is cut and its origin is on no host" + nothing + "run git fetch --unshallow, then teach", nil
	}
	return nameSeed(id), "", nil
}

func nameSeed(id gitrepo.Identity) string {
	return "name:" + strings.ToLower(id.Host+"/"+id.Owner+"/"+id.Name)
}

// derivedID is a positive number that stands for what has no number of its
// own: 52 bits, so that every JSON reader keeps it whole.
func derivedID(seed string) int64 {
	sum := sha256.Sum256([]byte("familiar local id\x00" + seed))
	return int64(binary.BigEndian.Uint64(sum[:8])>>12) | 1
}

// Name is "owner/name".
func (c *Clone) Name() string { return c.Identity.Owner + "/" + c.Identity.Name }

// Close ends the git processes that were kept.
func (c *Clone) Close() error { return c.Repo.Close() }

// tenant is the stand-in of page 3.3: the owner, since no installation is
// known on a clone.
func (c *Clone) tenant() *contract.TenantScope {
	t, _ := policy.ResolveTenant(policy.TenantFacts{AccountID: c.Identity.InstallationID, AccountLogin: c.Identity.Owner})
	return t
}

func (c *Clone) repoScope() *contract.RepoScope {
	return &contract.RepoScope{
		RepoID: c.Identity.RepositoryID, Owner: c.Identity.Owner, Name: c.Identity.Name,
		// A clone does not know; "private" is what a person's own disk is.
		Visibility: "private", DefaultBranch: c.DefaultBranch,
	}
}

// Operator is the person at the keyboard: the id is their user id on this
// machine plus one, so that root is somebody too.
func Operator(uid int, login string) memory.Principal {
	if uid < 0 {
		return memory.Principal{Login: login} // no number: nobody, owns nothing
	}
	return memory.Principal{ID: int64(uid) + 1, Login: login}
}

// StoreFile is the file name of a repository's store within the state folder,
// of whose stores names are the latest first. The id at its end decides: a
// store keeps the name that the repository had when it was made.
func (c *Clone) StoreFile(names []string) string {
	safe := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, c.Identity.Owner+"-"+c.Identity.Name)
	end := storeEnd(c.Identity.RepositoryID)
	own := strings.TrimLeft(safe, ".-") + end
	if slices.Contains(names, own) {
		return own
	}
	for _, name := range names {
		if strings.HasSuffix(name, end) {
			return name
		}
	}
	return own
}

func storeEnd(id int64) string { return fmt.Sprintf("-%x.db", id) }

// CutStore is the store that was made while the history of this clone was
// cut, "" if there is none: it is bound to a name, which is no id of a clone
// that has its history.
func (c *Clone) CutStore(names []string) string {
	i := slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, storeEnd(c.byName)) })
	if i < 0 || c.byName == c.Identity.RepositoryID {
		return ""
	}
	return names[i]
}
