package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// SnapshotRequest asks for a container of the store in a file of its own.
type SnapshotRequest struct {
	Memory   Memory
	Identity store.Identity
	Keys     vault.Keys
	Path     string // where nothing may lie yet
	Dir      string // a private folder
	Now      time.Time
	Tool     string
	Run      RunFacts
}

// SnapshotTo writes the store as a sealed container, the same that lies in an
// artifact (page 5.6), to a new file of mode 0600. A file that is there
// already is left alone, and half a file is never left behind.
func SnapshotTo(ctx context.Context, r SnapshotRequest) (vault.Manifest, error) {
	if _, err := os.Lstat(r.Path); err == nil {
		return vault.Manifest{}, fmt.Errorf("%s is there already, and a snapshot never overwrites; name another file", r.Path)
	}
	var zip []byte
	var manifest vault.Manifest
	err := r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return errors.New("there is no store yet, so there is nothing to take a snapshot of")
		}
		var err error
		zip, manifest, err = r.seal(ctx, st)
		return err
	})
	if err != nil {
		return vault.Manifest{}, err
	}
	return manifest, writeNew(r.Path, zip)
}

func (r SnapshotRequest) seal(ctx context.Context, st *store.Store) ([]byte, vault.Manifest, error) {
	info, err := st.Info(ctx)
	if err != nil {
		return nil, vault.Manifest{}, err
	}
	packed := filepath.Join(r.Dir, "snapshot.db")
	defer removed(packed)
	if err := st.SaveTo(ctx, packed); err != nil {
		return nil, vault.Manifest{}, err
	}
	return sealFrom(packed, r.Keys, vault.Manifest{
		RepositoryID: r.Identity.RepositoryID, Repository: r.Identity.Owner + "/" + r.Identity.Name, StoreID: info.StoreID,
		InstallationID: r.Identity.InstallationID, Generation: max(info.Generation, 1), ToolVersion: r.Tool, CreatedAt: r.Now,
		WorkflowPath: r.Run.WorkflowPath, Event: r.Run.Event, RunID: r.Run.ID, RunAttempt: r.Run.Attempt,
		Lessons: vault.LessonCounts{Total: info.Counts.Documents, Active: info.Counts.Active, Pending: info.Counts.Pending},
	})
}

// writeNew writes beside the path and links it there: the file is whole or
// not there, and never takes another's place.
func writeNew(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".familiar-")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	defer removed(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close())
	if err == nil {
		err = os.Link(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and a snapshot never overwrites; name another file", path)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}

// RestoreRequest asks to bring a snapshot back into the store.
type RestoreRequest struct {
	Memory   Memory
	Identity store.Identity
	Keys     vault.Keys
	Path     string
	Dir      string // a private folder, where it is staged
	// Who asked, by which event, and when by GitHub's clock: it is audited.
	Actor memory.Principal
	Cause string // digest of what caused it
	At    time.Time
	Now   time.Time
}

// RestoreReport says what a restore did.
type RestoreReport struct {
	Manifest vault.Manifest
	Merged   store.MergeReport
	Already  bool // this very restore was done before
}

// RestoreFrom merges a snapshot into the store (page 5.6): the container is
// validated whole before anything is touched, a snapshot of another
// repository or store is refused, and since it merges, it never undoes a
// denial, a forget or a purge. The store is changed on a private copy and
// swapped in by its home: on any failure it is as it was.
func RestoreFrom(ctx context.Context, r RestoreRequest) (RestoreReport, error) {
	zip, err := readBounded(r.Path, vault.MaxZip)
	if err != nil {
		return RestoreReport{}, err
	}
	want := vault.Expect{RepositoryID: r.Identity.RepositoryID, AnyStore: true, ListedAt: r.Now}
	switch m := r.Memory.(type) { // a lost store is what a restore is for
	case *Vaulted:
		m.restoring()
	case Stores:
		m.Named = false
		r.Memory = m
	}
	err = r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		info, err := st.Info(ctx)
		want.StoreID = info.StoreID
		return err
	})
	if err != nil {
		return RestoreReport{}, err
	}
	staged := filepath.Join(r.Dir, "restored.db")
	defer removed(staged)
	opened, err := openInto(staged, zip, r.Keys, want)
	switch {
	case vault.KindOf(err) != "":
		return RestoreReport{}, fmt.Errorf("the snapshot is refused and nothing was changed: %w", err)
	case err != nil:
		return RestoreReport{}, err
	}
	return r.merge(ctx, staged, opened.Manifest)
}

// merge checks the snapshot's staged store as any file from outside, and merges
// it in one save.
func (r RestoreRequest) merge(ctx context.Context, staged string, m vault.Manifest) (RestoreReport, error) {
	report := RestoreReport{Manifest: m}
	st, err := store.Open(ctx, staged, r.Identity)
	if err != nil {
		return report, fmt.Errorf("the snapshot opens, but its store is refused and nothing was changed: %w", err)
	}
	if err := st.Close(); err != nil {
		return report, err
	}
	task := &RestoreTask{Path: staged, SealedAt: m.CreatedAt, Identity: r.Identity, Actor: r.Actor, Cause: r.Cause, At: r.At}
	outcomes := r.Memory.Execute(ctx, []plan.Action{
		{Kind: plan.Restore, Key: r.Cause, Payload: task, Summary: fmt.Sprintf("merge the snapshot of generation %d", m.Generation)},
		{Kind: plan.Save, Key: memory.NewCause("save", r.Cause), Summary: "save the store", Needs: []string{r.Cause}},
	}, nil)
	report.Merged, report.Already = task.Merged, task.Already
	for _, o := range plan.Failed(outcomes) {
		return report, fmt.Errorf("nothing was restored, the store is as it was: %w", o.Err)
	}
	return report, nil
}

// RestoreTask is the payload of a planned restore. Merged and Already are
// filled in by the executor.
type RestoreTask struct {
	Path     string // a staged store, checked
	SealedAt time.Time
	Identity store.Identity
	Actor    memory.Principal
	Cause    string
	At       time.Time
	Merged   store.MergeReport
	Already  bool
}

// restore is the handler of plan.Restore.
func (t *RestoreTask) restore(ctx context.Context, st *store.Store) error {
	other, err := store.Open(ctx, t.Path, t.Identity)
	if err != nil {
		return err
	}
	if t.Merged, err = st.Merge(ctx, other, store.MergeRules{SealedAt: t.SealedAt}); err != nil {
		return closeAfter(other, err)
	}
	if err := other.Close(); err != nil {
		return err
	}
	done, err := st.RecordAct(ctx, store.Act{Op: store.ActRestore, Cause: t.Cause, At: t.At, Actor: t.Actor,
		Detail: fmt.Sprintf("%s added, %d moved on, %d refused", render.Count(t.Merged.Added, "row"), t.Merged.Changed, t.Merged.Refused)})
	t.Already = !done
	return err
}

// restores tells a plan that restores, and from which file.
func restores(actions []plan.Action) (path string, ok bool) {
	for _, a := range actions {
		if t, is := a.Payload.(*RestoreTask); is {
			return t.Path, true
		}
	}
	return "", false
}

// restoring lets a lost store be restored: an older or missing store is no
// reason to stop, and the generation goes on above what was seen. Where an
// earlier look failed, it looks again.
func (v *Vaulted) restoring() {
	v.waived = true
	if why := WhyUnavailable(v.err); v.st == nil && (why == NoneOpens || why == Lost) || why == Rollback {
		v.err = nil
	}
}

// startFrom makes a copy of a staged store the private copy, where the
// repository has none: the snapshot's store goes on.
func (v *Vaulted) startFrom(ctx context.Context, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	copied := v.file()
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		return err
	}
	st, err := store.Open(ctx, copied, v.Identity)
	if err != nil {
		return err
	}
	v.adopt(st)
	return nil
}

// readBounded reads a regular file of at most the given size, without
// following a link, once: what was validated is what is used.
func readBounded(path string, most int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; name the snapshot itself", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, errors.Join(fmt.Errorf("%s was replaced while it was opened; try again", path), err)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, &home.Error{Kind: home.TooLarge, Where: path, Detail: fmt.Sprintf("it has more than %d bytes", most), Fix: "Nothing was changed."}
	}
	if after, err := f.Stat(); err != nil || after.Size() != int64(len(data)) || !after.ModTime().Equal(info.ModTime()) {
		return nil, errors.Join(fmt.Errorf("%s was changed while it was read; try again", path), err)
	}
	return data, nil
}
