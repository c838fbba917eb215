package event

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzDecode holds that any bytes under any name give a kind of the closed
// set, never Local, and a *DecodeError exactly where the kind was known and
// nothing came of it.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(eventsDir, "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		f.Add(name, payload)
	}
	for _, k := range kinds {
		f.Add(string(k), []byte(`{}`))
		f.Add(string(k), []byte(`{"action":"x","action":"y"}`))
		f.Add(string(k), []byte(`{"repository":{"id":1e9,"owner":null}}`))
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		got, err := Decode(name, payload)
		kind, known := ParseKind(name)
		switch {
		case !got.Kind.Known() || got.Kind == Local:
			t.Fatalf("kind %q is outside what Decode may give", got.Kind)
		case got.Name != name:
			t.Fatalf("name %q became %q", name, got.Name)
		case err == nil && known && kind != Local && got.Kind != kind:
			t.Fatalf("%q gave %q without an error", kind, got.Kind)
		case err != nil && (!known || kind == Unknown || kind == Local):
			t.Fatalf("an error for an event nobody decodes: %v", err)
		}
		var broken *DecodeError
		if err != nil && (!errors.As(err, &broken) || broken.Field == "" || broken.Reason == "") {
			t.Fatalf("error %v does not name a field and a reason", err)
		}
		if err == nil && got.Pull != nil && (got.Pull.Number < 1 || got.Pull.Base.RepoID != got.Repository.ID) {
			t.Fatalf("a pull request that cannot be: %+v in %+v", got.Pull, got.Repository)
		}
	})
}
