package hometest

import (
	"bytes"
	"context"
	"testing"

	"github.com/familiarhq/familiar/internal/home"
)

// Run holds a home against what home.Home promises. open returns a fresh,
// empty home for each case.
func Run(t *testing.T, open func(t *testing.T) home.Home) {
	t.Run("an empty home lists nothing and that is no error", func(t *testing.T) {
		entries, err := open(t).List(t.Context())
		if err != nil || len(entries) != 0 {
			t.Fatalf("List = %v, %v; want nothing", entries, err)
		}
	})
	t.Run("what was saved is listed first and loads as the same bytes", func(t *testing.T) {
		h := open(t)
		for _, data := range [][]byte{[]byte("first"), {}, {0, 255, 0}, bytes.Repeat([]byte("large "), 1<<18)} {
			saved := mustSave(t, h, data)
			entries, err := h.List(t.Context())
			if err != nil || len(entries) == 0 || entries[0].ID != saved.ID {
				t.Fatalf("after saving %d bytes as %q, List = %v, %v", len(data), saved.ID, entries, err)
			}
			if entries[0].Size != int64(len(data)) || entries[0].CreatedAt.IsZero() {
				t.Errorf("entry %+v does not tell its size of %d and its time", entries[0], len(data))
			}
			if d := entries[0].Digest; d != "" && d != home.Digest(data) {
				t.Errorf("digest %s is not that of the bytes", d)
			}
			got, err := h.Load(t.Context(), entries[0])
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("Load = %d bytes, %v; want the %d that were saved", len(got), err, len(data))
			}
		}
	})
	t.Run("an entry never loads as other bytes than its own", func(t *testing.T) {
		h := open(t)
		old := mustSave(t, h, []byte("old"))
		mustSave(t, h, []byte("new"))
		if got, err := h.Load(t.Context(), old); err == nil && string(got) != "old" {
			t.Errorf("the old entry loads as %q", got)
		} else if err != nil && home.KindOf(err) != home.Gone {
			t.Errorf("kind %q of %v, want gone", home.KindOf(err), err)
		}
	})
	t.Run("an entry that never was is gone", func(t *testing.T) {
		_, err := open(t).Load(t.Context(), home.Entry{ID: "0"})
		if home.KindOf(err) != home.Gone {
			t.Errorf("kind %q of %v, want gone", home.KindOf(err), err)
		}
	})
	t.Run("saving the same bytes twice is no fault", func(t *testing.T) {
		h := open(t)
		mustSave(t, h, []byte("same"))
		again := mustSave(t, h, []byte("same"))
		if got, err := h.Load(t.Context(), again); err != nil || string(got) != "same" {
			t.Errorf("Load = %q, %v", got, err)
		}
	})
	t.Run("a cancelled context saves nothing", func(t *testing.T) {
		h := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.List(ctx); err == nil {
			t.Error("List succeeded; a listing that did not happen is never an empty home")
		}
		if _, err := h.Save(ctx, []byte("late")); err == nil {
			t.Error("Save succeeded")
		}
		if entries, err := h.List(t.Context()); err != nil || len(entries) != 0 {
			t.Errorf("List = %v, %v; want nothing", entries, err)
		}
	})
}

func mustSave(t *testing.T, h home.Home, data []byte) home.Entry {
	t.Helper()
	e, err := h.Save(t.Context(), data)
	if err != nil {
		t.Fatalf("Save of %d bytes: %v", len(data), err)
	}
	return e
}
