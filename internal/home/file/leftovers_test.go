package file

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCopiesOfKilledProcessesAreSwept: a private copy outlives its process
// only until the store is used again.
func TestCopiesOfKilledProcessesAreSwept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	h := New(filepath.Join(t.TempDir(), "store.db"))
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(os.TempDir(), fmt.Sprintf("%s%d-1", h.viewPrefix(), gone.Process.Pid))
	alive := filepath.Join(os.TempDir(), fmt.Sprintf("%s%d-1", h.viewPrefix(), os.Getpid()))
	other := filepath.Join(os.TempDir(), fmt.Sprintf("%s%d-1", New("/another/store.db").viewPrefix(), gone.Process.Pid))
	for _, use := range []func() error{
		func() error { return h.View(t.Context(), func(context.Context, string, string) error { return nil }) },
		func() error {
			return h.Session(t.Context(), func(context.Context, string, string) (string, error) { return "", nil })
		},
	} {
		for _, dir := range []string{dead, alive, other} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "current.db"), []byte("a lesson"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := use(); err != nil {
			t.Fatal(err)
		}
		for dir, want := range map[string]bool{dead: false, alive: true, other: true} {
			if _, err := os.Stat(dir); (err == nil) != want {
				t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
			}
		}
	}
}
