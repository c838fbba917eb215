package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// Inspection is what a store holds, as somebody sees it who looks at all of
// it: values only, of every state.
type Inspection struct {
	Exists   bool // false: nothing was taught yet
	Info     store.Info
	Versions []memory.Version // the latest first
	Denied   []string
	Audit    []store.AuditRow // the latest first
	Uses     map[string]int   // how often a document shaped a finding
	Days     map[string]int   // how often lessons shaped findings on a day
}

// Inspect reads everything that a person may look at.
func Inspect(ctx context.Context, m Memory) (Inspection, error) {
	var out Inspection
	err := m.View(ctx, func(ctx context.Context, st *store.Store) (err error) {
		if st == nil {
			return nil
		}
		out.Exists = true
		if out.Info, err = st.Info(ctx); err != nil {
			return err
		}
		if out.Versions, err = st.List(ctx, store.Filter{States: memory.States(), Limit: everything}); err != nil {
			return err
		}
		if out.Denied, err = st.Denied(ctx); err != nil {
			return err
		}
		if out.Audit, err = st.Audit(ctx, everything); err != nil {
			return err
		}
		if out.Uses, err = st.UseCounts(ctx); err != nil {
			return err
		}
		out.Days, err = st.UseDays(ctx)
		return err
	})
	return out, err
}

// Generation is the part of an inspection that is compared.
func (i Inspection) Generation() memory.Generation {
	return memory.Generation{Number: i.Info.Generation, Versions: i.Versions, Denied: i.Denied}
}

// History is what happened to one document, the first first.
type History struct {
	Versions []memory.Version
	Audit    []store.AuditRow
	Uses     []store.Use
}

// ShowHistory returns the lesson that an id names with everything that
// happened to it, or the refusal with the candidates.
func ShowHistory(ctx context.Context, m Memory, id string) (History, *memory.Refusal, error) {
	var out History
	var refusal *memory.Refusal
	err := m.View(ctx, func(ctx context.Context, st *store.Store) (err error) {
		if st == nil {
			refusal = nothingTaught("show", id)
			return nil
		}
		if out.Versions, refusal, err = st.Get(ctx, id); err != nil || refusal != nil {
			return err
		}
		document := out.Versions[0].DocumentID
		if out.Audit, err = st.AuditOf(ctx, document); err != nil {
			return err
		}
		out.Uses, err = st.Uses(ctx, document)
		return err
	})
	return out, refusal, err
}

// InspectGeneration inspects one container of a memory that is kept in
// several: the one of that generation, else of that number in its home.
func InspectGeneration(ctx context.Context, m Memory, number int64) (Inspection, error) {
	v, ok := m.(*Vaulted)
	if !ok {
		return Inspection{}, fmt.Errorf("this memory keeps one generation only, so there is no %d beside it", number)
	}
	one, err := v.single(ctx, number)
	if err != nil {
		return Inspection{}, err
	}
	out, err := Inspect(ctx, one)
	return out, errors.Join(err, one.Close())
}

// single is the memory as one container alone holds it.
func (v *Vaulted) single(ctx context.Context, number int64) (*Vaulted, error) {
	entries, err := v.Home.List(ctx)
	if err != nil {
		return nil, err
	}
	var there []string
	for _, e := range entries {
		zip, err := v.Home.Load(ctx, e)
		if err != nil {
			continue // not one of ours, or gone
		}
		m, err := vault.ReadManifest(zip)
		if err != nil {
			continue
		}
		if m.Generation == number || e.ID == strconv.FormatInt(number, 10) {
			return &Vaulted{Home: oneOf{v.Home, e}, Keys: v.Keys, Identity: v.Identity, Dir: v.Dir, Now: v.Now, Tool: v.Tool}, nil
		}
		there = append(there, fmt.Sprintf("%d (artifact %s)", m.Generation, e.ID))
	}
	return nil, fmt.Errorf("no container of generation or number %d is there; there are: %s", number, strings.Join(there, ", "))
}

// oneOf is a home of which one container is looked at.
type oneOf struct {
	home.Home
	entry home.Entry
}

// List returns that one.
func (o oneOf) List(context.Context) ([]home.Entry, error) { return []home.Entry{o.entry}, nil }
