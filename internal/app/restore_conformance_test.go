package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// restoreCase is one line of the areas snapshot, restore and memory-admin.
type restoreCase struct {
	Name  string
	Input map[string]string
	Want  map[string]string
}

func eachRestoreCase(t *testing.T, area string, least int, run func(*testing.T, restoreCase)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "conformance", area+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(data) {
		var c restoreCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(c.Name, func(t *testing.T) { run(t, c) })
	}
	if n < least {
		t.Errorf("%d cases of %s, want %d", n, area, least)
	}
}

func TestConformanceSnapshotAndMemoryAdmin(t *testing.T) {
	run := func(t *testing.T, c restoreCase) {
		w := newCloud()
		v := w.run(t)
		does(t, v, teach("kept", w.now))
		dir := t.TempDir()
		path := filepath.Join(dir, "there")
		if err := os.WriteFile(path, []byte("another's"), 0o600); err != nil {
			t.Fatal(err)
		}
		to := path
		if c.Input["destination"] == "a link" {
			to = filepath.Join(dir, "link")
			if err := os.Symlink(path, to); err != nil {
				t.Fatal(err)
			}
		}
		_, err := SnapshotTo(t.Context(), SnapshotRequest{Memory: v, Identity: shop, Keys: v.Keys, Path: to, Dir: t.TempDir(), Now: w.now, Tool: "test"})
		if err == nil || !strings.Contains(err.Error(), c.Want["says"]) {
			t.Errorf("%v, want %q", err, c.Want["says"])
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "another's" {
			t.Errorf("the file holds %q, %v", data, err)
		}
	}
	eachRestoreCase(t, "snapshot", 1, run)
	eachRestoreCase(t, "memory-admin", 1, run)
}

func TestConformanceRestore(t *testing.T) {
	eachRestoreCase(t, "restore", 4, func(t *testing.T, c restoreCase) {
		w := newCloud()
		v := w.run(t)
		does(t, v, teach("kept", w.now))
		path := snapshotOf(t, w, v)
		m := w.run(t)
		switch {
		case c.Input["snapshot"] == "of another store":
			other := newCloud()
			o := other.run(t)
			does(t, o, teach("elsewhere", w.now))
			path = snapshotOf(t, other, o)
		case c.Input["save"] == "fails":
			m = w.run(t, failing(onCall("save", 1, errDown)))
		case c.Input["source"] != "":
			// The first thing that happens after the reading is a listing.
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m = w.run(t, failing(func(string) error { return os.WriteFile(path, bytes.Repeat([]byte("x"), len(good)), 0o600) }))
		case c.Input["path"] == "" && c.Want["restored"] == "":
			path = ""
		}
		_, err := RestoreFrom(t.Context(), restoring(w, t, m, path))
		if want := c.Want["says"]; want != "" && (err == nil || !strings.Contains(err.Error(), want)) || want == "" && err != nil {
			t.Errorf("%v, want %q", err, want)
		}
		after := w.run(t)
		wantTexts(t, after, "kept")
		if c.Want["restored"] == "" && len(w.kept) != 1 {
			t.Errorf("%d containers, want the one of before", len(w.kept))
		}
	})
}
