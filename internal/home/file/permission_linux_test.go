package file

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/familiarhq/familiar/internal/home"
)

// asSomebody runs f without root's right to write anywhere, where the tests
// run as root: on this thread alone, file access counts as somebody else's.
func asSomebody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer syscall.Setfsuid(0)
	}
	f()
}

// openTemp is a temporary folder that anybody may pass through, whatever the
// umask of the tests.
func openTemp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAFolderWithoutPermission(t *testing.T) {
	dir := filepath.Join(openTemp(t), "readonly")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h := New(filepath.Join(dir, "memory.db"))
	if err := os.WriteFile(h.path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{h.path: 0o644, dir: 0o555} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	asSomebody(t, func() {
		_, err := h.Save(t.Context(), []byte("new"))
		if home.KindOf(err) != home.Unwritable || !strings.Contains(err.Error(), h.path) || !strings.Contains(err.Error(), "Check who owns the folder "+dir) {
			t.Errorf("Save: %v", err)
		}
		if entries, err := h.List(t.Context()); err != nil || len(entries) != 1 {
			t.Errorf("reading needs no permission to write, List: %v, %v", entries, err)
		}
	})
	if data, err := os.ReadFile(h.path); err != nil || string(data) != "old" {
		t.Errorf("the file is %q, %v", data, err)
	}
}

func TestAFileWithoutPermission(t *testing.T) {
	h := New(filepath.Join(openTemp(t), "memory.db"))
	if _, err := h.Save(t.Context(), []byte("private")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(h.path, 0); err != nil {
		t.Fatal(err)
	}
	asSomebody(t, func() {
		if _, err := h.List(t.Context()); home.KindOf(err) != home.Unreadable || !strings.Contains(err.Error(), "Check who owns it") {
			t.Errorf("List: %v", err)
		}
	})
}
