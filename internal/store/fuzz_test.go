package store

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

// FuzzOpen overwrites parts of a good file. Whatever comes of it, nothing
// panics, an error has a kind, and a file that was refused keeps its bytes.
func FuzzOpen(f *testing.F) {
	good, err := os.ReadFile(keptV1)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), []byte("SQLite format 4"))
	f.Add(uint32(18), []byte{2, 2})
	f.Add(uint32(28), binary.BigEndian.AppendUint32(nil, 1<<31))
	f.Add(uint32(100), []byte{0x0d, 0xff, 0xff, 0xff, 0xff})
	f.Add(uint32(4096), bytes.Repeat([]byte{0}, 4096))
	f.Add(uint32(4096*2+8), []byte{0xff, 0xff})
	for page := range len(good) / 4096 {
		f.Add(uint32(page*4096+4000), bytes.Repeat([]byte{0xa5}, 90)) // the end of a page holds its newest cells
	}
	f.Fuzz(func(t *testing.T, offset uint32, patch []byte) {
		data := bytes.Clone(good)
		copy(data[int(offset)%len(data):], patch)
		path := filepath.Join(t.TempDir(), "fuzz.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, ledger)
		if err != nil {
			if KindOf(err) == "" {
				t.Fatalf("an error without a kind: %v", err)
			}
			if after, readErr := os.ReadFile(path); readErr != nil || !bytes.Equal(after, data) {
				t.Fatalf("a refused file changed (%v): %v", readErr, err)
			}
			return
		}
		defer s.Close()
		use(t, s)
	})
}

// use does what a run does with a store; errors must have a kind.
func use(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	_, recalled := s.Recall(ctx, query("money rounded currency times utc", "services/billing/x.go"))
	_, listed := s.List(ctx, Filter{})
	_, counted := s.Counts(ctx)
	_, _, got := s.Get(ctx, "m-00000000")
	_, denied := s.Denied(ctx)
	fx := &fixture{Store: s, t: t, events: 5000}
	_, applied := s.Apply(ctx, fx.remember(ada, lesson("Dates are ISO 8601")))
	_, replaced := s.Apply(ctx, fx.remember(ada, keyed("money/rounding", "Money is an integer")))
	rows, _ := s.List(ctx, Filter{States: []memory.State{memory.Active}})
	for _, v := range rows {
		if _, err := s.Apply(ctx, fx.on(memory.OpForget, v.Creator, v.DocumentID)); err != nil && KindOf(err) == "" {
			t.Errorf("forget: %v", err)
		}
	}
	saved := s.SaveTo(ctx, s.path+".saved")
	for name, err := range map[string]error{"Recall": recalled, "List": listed, "Counts": counted, "Get": got, "Denied": denied, "Apply": applied, "Apply again": replaced, "SaveTo": saved} {
		if err != nil && KindOf(err) == "" {
			t.Errorf("%s gave an error without a kind: %v", name, err)
		}
	}
}

func TestABrokenFullTextIndexIsNoCrash(t *testing.T) {
	for _, statement := range []string{
		"UPDATE recall_data SET block = zeroblob(12)", "UPDATE recall_data SET block = x'ff00ff00ff' WHERE id > 10", "DELETE FROM recall_idx",
		"DELETE FROM recall_docsize", "UPDATE recall_config SET v = 99", "DELETE FROM recall_data", "UPDATE versions SET text = 'other words altogether'",
	} {
		t.Run(statement, func(t *testing.T) {
			path := savedFile(t)
			tamper(statement)(t, path)
			s, err := Open(t.Context(), path, ledger)
			if err != nil {
				if KindOf(err) != Corrupted {
					t.Errorf("refused as %q: %v", KindOf(err), err)
				}
				return
			}
			defer s.Close()
			use(t, s)
		})
	}
}
