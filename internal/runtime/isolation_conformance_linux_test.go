package runtime

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// markerCase is one line of the areas about the marker of a run.
type markerCase struct {
	Name  string
	Input map[string]any
	Want  struct {
		Says, Marker, Memory, Result string
		Cleared                      bool
		Verbs                        []string
	}
}

func eachMarkerCase(t *testing.T, area string, least int, run func(*testing.T, markerCase)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "conformance", area+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(data) {
		var c markerCase
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

// damages are what can happen to a marker on the disk.
var damages = map[string]func(path, text string) error{
	"directory": func(path, _ string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.Mkdir(path, 0o700)
	},
	"symlink": func(path, _ string) error {
		if err := os.Rename(path, path+".real"); err != nil {
			return err
		}
		return os.Symlink(path+".real", path)
	},
	"mode 0640":         func(path, _ string) error { return os.Chmod(path, 0o640) },
	"too large":         func(path, _ string) error { return os.WriteFile(path, make([]byte, 32769), 0o600) },
	"upper case digest": rewritten("b2b2", "B2B2"),
	"unknown field":     rewritten("{", `{"reason":"stream_not_joined",`),
	"no repository":     rewritten(`"repository_id":501`, `"repository_id":"lumen"`),
	"run is text":       rewritten(`"run_id":9001`, `"run_id":"a/b"`),
	"schema 2":          rewritten(`"schema_version":1`, `"schema_version":2`),
	"schema true":       rewritten(`"schema_version":1`, `"schema_version":true`),
	"leader below zero": rewritten(`"leader":0`, `"leader":-1`),
	"short digest":      rewritten("c3c3", ""),
}

func rewritten(old, new string) func(path, text string) error {
	return func(path, text string) error {
		return os.WriteFile(path, []byte(strings.Replace(text, old, new, 1)), 0o600)
	}
}

func TestConformanceQuarantine(t *testing.T) {
	eachMarkerCase(t, "quarantine", 21, func(t *testing.T, c markerCase) {
		dir := stateDir(t)
		path := filepath.Join(dir, markerFile)
		switch what := c.Input["damage"]; {
		case c.Input["list"] == true:
			wantVerbs(t, c.Want.Verbs)
			return
		case what == "folder writable by others":
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			_, err := Isolate(dir, aRun())
			wantSays(t, err, c.Want.Says)
			wantMarker(t, dir, false)
			return
		}
		i := isolate(t, dir)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if field, ok := c.Input["differs"].(string); ok {
			other := aRun()
			map[string]func(){
				"repository": func() { other.RepositoryID++ }, "run": func() { other.RunID++ }, "attempt": func() { other.Attempt++ },
				"head": func() { other.Head = strings.Repeat("0", 40) }, "snapshot": func() { other.Snapshot = strings.Repeat("0", 64) },
				"policy": func() { other.Policy = strings.Repeat("0", 64) },
			}[field]()
			wantSays(t, i.Accept(other), c.Want.Says)
			wantSays(t, i.Clear(other), c.Want.Says)
			wantMarker(t, dir, c.Want.Marker == "kept")
			return
		}
		if c.Input["damage"] == "existing" {
			_, err := Isolate(dir, aRun())
			wantSays(t, err, c.Want.Says)
		} else {
			do, ok := damages[c.Input["damage"].(string)]
			if !ok {
				t.Fatal("nobody runs this case")
			}
			if err := do(path, string(text)); err != nil {
				t.Fatal(err)
			}
			_, _, err := FindMarker(dir)
			wantSays(t, err, c.Want.Says)
			text = nil
		}
		if now, _ := os.ReadFile(path); text != nil && string(now) != string(text) {
			t.Error("what was there was touched")
		}
	})
}

func wantSays(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("%v, want %q", err, words)
	}
}

// wantVerbs: these are all that can be done with a marker.
func wantVerbs(t *testing.T, verbs []string) {
	t.Helper()
	for _, f := range []any{Isolate, (*Isolation).Accept, (*Isolation).Clear, FindMarker, ClearMarker} {
		name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		name = name[strings.LastIndexByte(name, '.')+1:]
		if len(verbs) == 0 || verbs[0] != name {
			t.Fatalf("verb %s, want %v", name, verbs)
		}
		verbs = verbs[1:]
	}
}

func TestConformanceQuarantineLifecycle(t *testing.T) {
	eachMarkerCase(t, "quarantine-lifecycle", 3, func(t *testing.T, c markerCase) {
		dir := stateDir(t)
		i := isolate(t, dir)
		switch {
		case c.Input["clear"] == "fails":
			if err := os.Chmod(filepath.Join(dir, markerFile), 0o640); err != nil {
				t.Fatal(err)
			}
		case c.Input["end"] == "the reviewer is still there":
			if err := i.Started(sleeping(t).Process.Pid); err != nil {
				t.Fatal(err)
			}
		}
		err := i.Clear(aRun())
		kept := c.Want.Marker == "kept"
		if (err != nil) != kept {
			t.Errorf("cleared with %v, want it %s", err, c.Want.Marker)
		}
		wantMarker(t, dir, kept)
		if _, there, err := FindMarker(dir); there != kept || c.Want.Memory != "" && err == nil {
			t.Errorf("the next run finds it: %v, %v", there, err)
		}
	})
}

func TestConformanceQuarantineRecovery(t *testing.T) {
	eachMarkerCase(t, "quarantine-recovery", 6, func(t *testing.T, c markerCase) {
		dir := stateDir(t)
		if c.Input["marker"] != "none" {
			i := isolate(t, dir)
			if c.Input["reviewer"] == "still there" {
				if err := i.Started(sleeping(t).Process.Pid); err != nil {
					t.Fatal(err)
				}
			}
			rewrite(t, dir, func(m *Marker) {
				if c.Input["run"] != "still there" {
					m.Start = "1"
				}
				if c.Input["boot"] == "not known" {
					m.Boot = ""
				}
			})
		}
		if c.Input["marker"] == "damaged" {
			if err := os.WriteFile(filepath.Join(dir, markerFile), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		said, err := ClearMarker(dir)
		if err != nil {
			said = err.Error()
		}
		_, there, _ := FindMarker(dir)
		if cleared := err == nil && !there && c.Input["marker"] != "none"; cleared != c.Want.Cleared || !strings.Contains(said, c.Want.Says) || c.Want.Says == "" && said != "" {
			t.Errorf("cleared %v, said %q; want %v, %q", cleared, said, c.Want.Cleared, c.Want.Says)
		}
	})
}
