package app

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// save lists again, merges what appeared meanwhile, seals and uploads. It is
// saved when the home says so, which reads the listing back and compares the
// digest (page 5.4). Two runs that do this at the same moment both stay: the
// next one merges them.
func (v *Vaulted) save(ctx context.Context) error {
	if err := v.absorb(ctx); err != nil {
		return v.notSaved(err)
	}
	if err := v.standing(ctx); err != nil {
		return v.notSaved(err)
	}
	zip, manifest, err := v.seal(ctx)
	if err != nil {
		return v.notSaved(err)
	}
	if h, ok := v.Home.(renaming); ok {
		h.Superseded(v.supersededEntries()...)
	}
	entry, err := v.Home.Save(ctx, zip)
	if err != nil {
		return v.notSaved(err)
	}
	id, err := strconv.ParseInt(entry.ID, 10, 64)
	if err != nil {
		return v.notSaved(err)
	}
	v.Saved = &entry
	digest := entry.Digest
	if digest == "" {
		digest = home.Digest(zip)
	}
	v.heads.Add(vault.Head{ID: id, Digest: digest, ListedAt: entry.CreatedAt, Manifest: manifest})
	v.st.Saved()
	return nil
}

// renaming is a home that uses a name again once what lies there is in the
// seen set of a newer container (page 5.1).
type renaming interface{ Superseded(entries ...home.Entry) }

func (v *Vaulted) notSaved(err error) error {
	if WhyUnavailable(err) != "" {
		return err
	}
	var refused *store.Error
	if errors.As(err, &refused) && refused.Kind == store.Unsound {
		return unavailable(Unsaved, err, "the memory was not saved: %s", refused.Detail).with(refused.Fix)
	}
	return unavailable(Unsaved, err, "the memory was not saved: %v", err).with("Run the job again: what was saved all the same is not done twice.")
}

// seal packs the private copy into a container.
func (v *Vaulted) seal(ctx context.Context) ([]byte, vault.Manifest, error) {
	if err := v.dateKey(ctx); err != nil {
		return nil, vault.Manifest{}, err
	}
	generation := max(v.heads.Newest().Manifest.Generation, v.raised) + 1
	if err := v.st.Raise(ctx, generation); err != nil {
		return nil, vault.Manifest{}, err
	}
	info, err := v.st.Info(ctx)
	if err != nil {
		return nil, vault.Manifest{}, err
	}
	packed := v.file()
	defer removed(packed)
	var container []byte
	var written vault.Manifest
	err = v.st.SaveBeside(ctx, packed, func() (err error) {
		container, written, err = sealFrom(packed, v.Keys, v.manifest(info))
		return err
	})
	if err != nil {
		return nil, vault.Manifest{}, err
	}
	return container, written, nil
}

// dateKey notes when a key begins to seal.
func (v *Vaulted) dateKey(ctx context.Context) error {
	name := keyRegister(v.Keys.CurrentID())
	_, ok, err := v.st.Register(ctx, name)
	if err != nil || ok {
		return err
	}
	since, err := v.currentSince(ctx)
	if err != nil {
		return err
	}
	if since.IsZero() {
		since = v.now()
	}
	return v.st.SetRegister(ctx, store.Register{Name: name, Value: since.UTC().Format(time.RFC3339), At: since, Cause: memory.NewCause(name)})
}

func (v *Vaulted) manifest(info store.Info) vault.Manifest {
	return vault.Manifest{
		RepositoryID: v.Identity.RepositoryID, Repository: v.Identity.Owner + "/" + v.Identity.Name,
		StoreID: info.StoreID, InstallationID: v.Identity.InstallationID, Generation: info.Generation, ToolVersion: v.Tool,
		Parents: v.heads.Parents(), Seen: v.heads.Seen(v.listedIDs()), CreatedAt: v.now(),
		WorkflowPath: v.Run.WorkflowPath, Event: v.Run.Event, RunID: v.Run.ID, RunAttempt: v.Run.Attempt,
		Lessons: vault.LessonCounts{Total: info.Counts.Documents, Active: info.Counts.Active, Pending: info.Counts.Pending},
	}
}

// listedIDs are the ids of the last listing, and of what this run saved: a
// listing may be late.
func (v *Vaulted) listedIDs() []int64 {
	var out []int64
	add := func(e home.Entry) {
		if id, err := strconv.ParseInt(e.ID, 10, 64); err == nil {
			out = append(out, id)
		}
	}
	for _, e := range v.listed {
		add(e)
	}
	if v.Saved != nil {
		add(*v.Saved)
	}
	return out
}

// supersededEntries are the listed containers that an opened one has in its
// seen set.
func (v *Vaulted) supersededEntries() []home.Entry {
	var out []home.Entry
	for _, e := range v.listed {
		if id, err := strconv.ParseInt(e.ID, 10, 64); err == nil && v.heads.Superseded(id) {
			out = append(out, e)
		}
	}
	return out
}
