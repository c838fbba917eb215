package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// RunFacts say which run is at work: they go into the manifest of what it
// seals (page 5.1).
type RunFacts struct {
	WorkflowPath string
	Event        string
	ID           int64
	Attempt      int
}

// Vaulted is a repository's store in sealed containers (page 5). One value
// is for one run: it opens the newest good container once, works on a
// private copy, and seals a new one when something changed.
//
// It serves one writer at a time: the newest container that opens is the
// store. Merging several heads comes with the next part of page 5.
type Vaulted struct {
	Home     home.Home
	Keys     vault.Keys
	Identity store.Identity
	Dir      string // a private folder for the working copy
	Now      time.Time
	Run      RunFacts
	Tool     string // version of this program

	opened     bool
	err        error // why there is no memory in this run
	st         *store.Store
	base       *vault.Manifest // of the container that was opened; nil: none yet
	parent     string          // its digest
	seen       []int64
	Quarantine []Quarantined
	Saved      *home.Entry // the container that this run saved
}

// Quarantined is a container that was not used: ignored and named, never
// deleted by itself (page 5.3).
type Quarantined struct {
	ID     string
	Reason string
}

// Coordinates are the owning coordinates of keys in this store.
func (v *Vaulted) Coordinates() memory.Coordinates { return v.Identity.Coordinates() }

// View opens the store once and asks questions of it.
func (v *Vaulted) View(ctx context.Context, work func(ctx context.Context, st *store.Store) error) error {
	if err := v.open(ctx); err != nil {
		return err
	}
	return work(ctx, v.st)
}

// open finds the store, or learns for the whole run that there is none to
// use. A listing that fails is never "no memory yet" (attack A8).
func (v *Vaulted) open(ctx context.Context) error {
	if !v.opened {
		v.opened = true
		v.err = v.find(ctx)
	}
	return v.err
}

func (v *Vaulted) find(ctx context.Context) error {
	entries, err := v.Home.List(ctx)
	if err != nil {
		return fmt.Errorf("the containers cannot be listed, so nothing is read or saved: %w", err)
	}
	for _, e := range entries {
		if id, err := strconv.ParseInt(e.ID, 10, 64); err == nil {
			v.seen = append(v.seen, id)
		}
	}
	for _, e := range entries {
		opened, err := v.load(ctx, e)
		if err == nil {
			return v.use(ctx, e, opened)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if home.KindOf(err) == home.Unreadable {
			// Not this container's fault: a newer one that cannot be
			// fetched now must not be replaced by an older one.
			return fmt.Errorf("container %s cannot be downloaded, so nothing is read or saved: %w", e.ID, err)
		}
		v.Quarantine = append(v.Quarantine, Quarantined{ID: e.ID, Reason: reasonOf(err)})
	}
	if len(v.Quarantine) > 0 {
		return fmt.Errorf("none of the %d containers opens (the newest: %s), so nothing is read or saved; check that memory-key is the key that sealed them", len(v.Quarantine), v.Quarantine[0].Reason)
	}
	return nil // a repository that has none yet
}

// reasonOf is the word under which a container is quarantined.
func reasonOf(err error) string {
	if k := vault.KindOf(err); k != "" {
		return string(k)
	}
	return err.Error()
}

func (v *Vaulted) load(ctx context.Context, e home.Entry) (vault.Opened, error) {
	zip, err := v.Home.Load(ctx, e)
	if err != nil {
		return vault.Opened{}, err
	}
	return vault.Open(zip, v.Keys, vault.Expect{
		RepositoryID: v.Identity.RepositoryID, AnyStore: true, Digest: e.Digest, ListedAt: e.CreatedAt,
	})
}

// use opens the store file of a container in the private folder.
func (v *Vaulted) use(ctx context.Context, e home.Entry, opened vault.Opened) error {
	path := filepath.Join(v.Dir, "store.db")
	if err := os.WriteFile(path, opened.SQLite, 0o600); err != nil {
		return err
	}
	st, err := store.Open(ctx, path, v.Identity)
	if err != nil {
		return fmt.Errorf("container %s opens, but its store does not: %w", e.ID, err)
	}
	v.st, v.base, v.parent = st, &opened.Manifest, e.Digest
	if h, ok := v.Home.(verifying); ok {
		h.Verified(e)
	}
	return nil
}

// verifying is a home that bounds what it downloads unverified.
type verifying interface{ Verified(e home.Entry) }

// Execute performs planned actions on the private copy; the save seals and
// uploads it.
func (v *Vaulted) Execute(ctx context.Context, actions []plan.Action, report func(plan.Outcome)) []plan.Outcome {
	if len(actions) == 0 {
		return nil
	}
	if err := v.ready(ctx); err != nil {
		return unsaved(actions, nil, err)
	}
	saved := false
	h := storeHandlers(v.st)
	h[plan.Save] = func(ctx context.Context, _ plan.Action) error {
		if !v.st.Changed() {
			return plan.Skip("nothing changed")
		}
		saved = true
		return v.save(ctx)
	}
	outcomes := plan.Doer{Handlers: h, Report: report}.Execute(ctx, actions)
	if failed := plan.Failed(outcomes); saved && len(failed) > 0 && failed[len(failed)-1].Action.Kind == plan.Save {
		return unsaved(actions, outcomes, failed[len(failed)-1].Err)
	}
	return outcomes
}

// ready opens the store, or makes the first one.
func (v *Vaulted) ready(ctx context.Context) error {
	if err := v.open(ctx); err != nil || v.st != nil {
		return err
	}
	st, err := store.Create(ctx, filepath.Join(v.Dir, "store.db"), v.Identity, v.Now)
	v.st = st
	return err
}

// save seals the store and uploads it. It is saved when the home says so,
// which reads the listing back.
func (v *Vaulted) save(ctx context.Context) error {
	packed := filepath.Join(v.Dir, fmt.Sprintf("packed-%d.db", len(v.seen)))
	if err := v.st.SaveTo(ctx, packed); err != nil {
		return err
	}
	defer func() { _ = os.Remove(packed) }() // a private copy that is not needed again
	data, err := os.ReadFile(packed)
	if err != nil {
		return err
	}
	info, err := v.st.Info(ctx)
	if err != nil {
		return err
	}
	zip, _, err := vault.Seal(vault.SealInput{Keys: v.Keys, SQLite: data, Manifest: v.manifest(info)})
	if err != nil {
		return err
	}
	entry, err := v.Home.Save(ctx, zip)
	if err != nil {
		return err
	}
	v.Saved, v.parent = &entry, entry.Digest
	if id, err := strconv.ParseInt(entry.ID, 10, 64); err == nil {
		v.seen = append(v.seen, id)
	}
	return nil
}

func (v *Vaulted) manifest(info store.Info) vault.Manifest {
	m := vault.Manifest{
		RepositoryID: v.Identity.RepositoryID, Repository: v.Identity.Owner + "/" + v.Identity.Name,
		StoreID: info.StoreID, InstallationID: v.Identity.InstallationID, Generation: 1, ToolVersion: v.Tool,
		Seen: v.seen, CreatedAt: v.Now,
		WorkflowPath: v.Run.WorkflowPath, Event: v.Run.Event, RunID: v.Run.ID, RunAttempt: v.Run.Attempt,
		Lessons: vault.LessonCounts{Total: info.Counts.Documents, Active: info.Counts.Active, Pending: info.Counts.Pending},
	}
	if v.base != nil {
		m.Generation = v.base.Generation + 1
	}
	if v.parent != "" {
		m.Parents = []string{v.parent}
	}
	return m
}

// Close ends the use of the private copy.
func (v *Vaulted) Close() error {
	if v.st == nil {
		return nil
	}
	return v.st.Close()
}
