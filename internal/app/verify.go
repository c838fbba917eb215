package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// Verdict is one thing that was verified of a memory.
type Verdict struct {
	Name   string // seal, identity, schema, rows, manifest, merge
	OK     bool
	Detail string // what was found, one clause
}

// maxBreaches bounds how many rows a verdict names.
const maxBreaches = 10

// Verify opens a memory as every use does and then holds it against its own
// laws (pages 4 and 5): the seal and the identity of each container, the
// schema and every row of the database, that no version stands as no operation
// leaves one, that the manifest counts what is there, and that merging it with
// itself changes nothing. dir is a private folder. A memory that does not open
// is a verdict, not an error; the rest is then not looked at.
func Verify(ctx context.Context, m Memory, dir string, now time.Time) ([]Verdict, error) {
	var out []Verdict
	v, sealed := m.(*Vaulted)
	err := m.View(ctx, func(ctx context.Context, st *store.Store) error {
		if sealed {
			out = append(out, sealVerdicts(v)...)
		}
		if st == nil {
			out = append(out, Verdict{Name: "store", OK: true, Detail: "there is none yet"})
			return nil
		}
		return verifyOpen(ctx, st, m.Coordinates(), v, dir, now, &out)
	})
	var bad *store.Error
	var off *VaultError
	switch {
	case errors.As(err, &bad):
		return append(out, Verdict{Name: "schema", Detail: bad.Detail}), nil
	case errors.As(err, &off):
		return append(append(sealVerdicts(v), out...), Verdict{Name: "store", Detail: off.Error()}), nil
	}
	return out, err
}

// sealVerdicts says which containers opened and which did not.
func sealVerdicts(v *Vaulted) []Verdict {
	var out []Verdict
	for _, h := range v.heads.List() {
		out = append(out, Verdict{Name: "seal", OK: true,
			Detail: fmt.Sprintf("container %d, generation %d, sealed under key %s: seal, digests and identity are right", h.ID, h.Manifest.Generation, h.Manifest.KeyID)})
	}
	for _, q := range v.Quarantine {
		out = append(out, Verdict{Name: "seal", Detail: fmt.Sprintf("container %s does not open: %s", q.ID, q.Reason)})
	}
	return out
}

func verifyOpen(ctx context.Context, st *store.Store, c memory.Coordinates, v *Vaulted, dir string, now time.Time, out *[]Verdict) error {
	info, err := st.Info(ctx)
	if err != nil {
		return err
	}
	*out = append(*out,
		Verdict{Name: "schema", OK: true, Detail: fmt.Sprintf("format %d, %d bytes, every page, row and constraint is right", info.Format, info.Bytes)},
		Verdict{Name: "identity", OK: true, Detail: fmt.Sprintf("store %s of repository %d, generation %d", info.StoreID, info.RepositoryID, info.Generation)})
	all, err := st.List(ctx, store.Filter{States: memory.States(), Limit: everything})
	if err != nil {
		return err
	}
	*out = append(*out, rowVerdict(memory.Laws(all, c), len(all)))
	if v != nil {
		*out = append(*out, manifestVerdicts(v, info)...)
	}
	verdict, err := mergeVerdict(ctx, st, c, dir, now)
	*out = append(*out, verdict)
	return err
}

func rowVerdict(breaches []memory.Breach, all int) Verdict {
	if len(breaches) == 0 {
		return Verdict{Name: "rows", OK: true, Detail: render.Count(all, "version") + ", each as an operation leaves one"}
	}
	out := Verdict{Name: "rows", Detail: fmt.Sprintf("%d of %d versions stand as no operation leaves one:", len(breaches), all)}
	for i, b := range breaches {
		if i == maxBreaches {
			out.Detail += fmt.Sprintf(" and %d more", len(breaches)-i)
			break
		}
		out.Detail += fmt.Sprintf(" %s (%s)", b.ID, b.Detail)
		if i < len(breaches)-1 {
			out.Detail += ";"
		}
	}
	return out
}

// manifestVerdicts hold what a single container says of its contents against
// them. Of several, the contents are those of all.
func manifestVerdicts(v *Vaulted, info store.Info) []Verdict {
	heads := v.heads.List()
	if len(heads) != 1 {
		return nil
	}
	m := heads[0].Manifest
	counted, said := info.Counts, m.Lessons
	switch {
	case m.Generation != info.Generation:
		return []Verdict{{Name: "manifest", Detail: fmt.Sprintf("it says generation %d, the store says %d", m.Generation, info.Generation)}}
	case said.Total != counted.Documents || said.Active != counted.Active || said.Pending != counted.Pending:
		return []Verdict{{Name: "manifest", Detail: fmt.Sprintf("it counts %s, %d in use, %d waiting; the store has %d, %d and %d",
			render.Count(said.Total, "lesson"), said.Active, said.Pending, counted.Documents, counted.Active, counted.Pending)}}
	}
	return []Verdict{{Name: "manifest", OK: true, Detail: "its counts are those of the store"}}
}

// mergeVerdict merges a copy of the store into it, on the private copy that is
// looked at: nothing may change (page 4.4).
func mergeVerdict(ctx context.Context, st *store.Store, c memory.Coordinates, dir string, now time.Time) (Verdict, error) {
	identity := store.Identity{RepositoryID: c.RepositoryID, Owner: c.Owner, Name: c.Name, InstallationID: c.InstallationID}
	path := filepath.Join(dir, "verify.db")
	defer removed(path)
	if err := st.SaveTo(ctx, path); err != nil {
		return Verdict{Name: "merge", Detail: err.Error()}, nil
	}
	other, err := store.Open(ctx, path, identity)
	if err != nil {
		return Verdict{Name: "merge", Detail: "a copy of it does not open: " + err.Error()}, nil
	}
	report, err := st.Merge(ctx, other, store.MergeRules{SealedAt: now})
	if err = errors.Join(err, other.Close()); err != nil {
		return Verdict{Name: "merge", Detail: "it does not merge with a copy of itself: " + err.Error()}, nil
	}
	if report.Added+report.Changed+report.Removed+report.Refused > 0 {
		return Verdict{Name: "merge", Detail: fmt.Sprintf("merged with a copy of itself, it changes: %s added, %d moved on, %d refused", render.Count(report.Added, "row"), report.Changed, report.Refused)}, nil
	}
	return Verdict{Name: "merge", OK: true, Detail: "merged with a copy of itself, nothing changes"}, nil
}
