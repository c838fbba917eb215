package app

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
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
}

// OpenClone opens the clone that dir lies in. The repository id is derived
// from its first commit, so that it is the same in every clone; one whose
// history is cut cannot tell it and uses its name instead.
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
	root, err := repo.RootCommit(ctx)
	if err != nil && gitrepo.KindOf(err) != gitrepo.NoCommits {
		return nil, err
	}
	branch, err := repo.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	seed := "root:" + root
	if root == "" {
		seed = "name:" + strings.ToLower(id.Host+"/"+id.Owner+"/"+id.Name)
	}
	return &Clone{
		Repo:          repo,
		CloneURL:      repo.CloneURL(id),
		DefaultBranch: branch,
		Identity: store.Identity{
			RepositoryID:   derivedID(seed),
			Owner:          id.Owner,
			Name:           id.Name,
			InstallationID: derivedID("owner:" + strings.ToLower(id.Owner)),
		},
	}, nil
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

// StoreFile is the file name of a repository's store within the state
// folder.
func (c *Clone) StoreFile() string {
	safe := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, c.Identity.Owner+"-"+c.Identity.Name)
	return fmt.Sprintf("%s-%x.db", strings.TrimLeft(safe, ".-"), c.Identity.RepositoryID)
}
