package app

import (
	"context"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
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
		out.Uses, err = st.UseCounts(ctx)
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
