package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/home/hometest"
)

func TestConformance(t *testing.T) {
	hometest.Run(t, func(t *testing.T) home.Home { return New(filepath.Join(t.TempDir(), "state", "memory.db")) })
}

func TestA97TwentyProcessesAtOnceLoseNothing(t *testing.T) {
	h := New(filepath.Join(t.TempDir(), "memory.db"))
	var children []*exec.Cmd
	for i := range 20 {
		children = append(children, start(t, "remember", h.Path(), fmt.Sprint(i)))
	}
	for i, c := range children {
		if err := c.Wait(); err != nil {
			t.Fatalf("process %d: %v: %v", i, err, c.Stderr)
		}
	}
	got := lessons(t, h)
	if len(got) != 20 {
		t.Fatalf("%d lessons are there, want 20: %v", len(got), got)
	}
	for i := range 20 {
		if !slices.Contains(got, fmt.Sprintf("Lesson number %d", i)) {
			t.Errorf("lesson %d is lost", i)
		}
	}
	onlyTheFile(t, h)
}

func TestA97TwentyGoroutinesAtOnceLoseNothing(t *testing.T) {
	h := New(filepath.Join(t.TempDir(), "memory.db"))
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range 20 {
		wg.Go(func() { errs[i] = remember(t.Context(), h, fmt.Sprint(i)) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := lessons(t, h); len(got) != 20 {
		t.Errorf("%d lessons are there, want 20: %v", len(got), got)
	}
}

// onlyTheFile checks that sessions left nothing but file and lock, with their
// modes.
func onlyTheFile(t *testing.T, h *Home) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(h.path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if want := []string{filepath.Base(h.path), filepath.Base(h.path) + ".lock"}; !slices.Equal(names, want) {
		t.Errorf("the folder holds %v, want %v", names, want)
	}
}

func TestAKilledProcessLeavesTheFileAsItWas(t *testing.T) {
	for _, step := range []string{"after the copy", "after opening", "after teaching", "before the rename"} {
		t.Run(step, func(t *testing.T) {
			h := New(filepath.Join(t.TempDir(), "memory.db"))
			if err := remember(t.Context(), h, "1"); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(h.path)
			if err != nil {
				t.Fatal(err)
			}
			c := start(t, "hang", h.Path(), step)
			await(t, h.path)
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			c.Wait()
			if after, err := os.ReadFile(h.path); err != nil || !bytes.Equal(after, before) {
				t.Fatalf("the file changed (%v)", err)
			}
			if got := lessons(t, h); !slices.Equal(got, []string{"Lesson number 1"}) {
				t.Errorf("lessons %v", got)
			}
			// The lock went with the process, and the next session clears up.
			if err := remember(t.Context(), h, "2"); err != nil {
				t.Fatal(err)
			}
			if got := lessons(t, h); len(got) != 2 {
				t.Errorf("lessons %v", got)
			}
			onlyTheFile(t, h)
		})
	}
}

func TestALockThatIsHeldIsSaidClearly(t *testing.T) {
	h := New(filepath.Join(t.TempDir(), "memory.db"))
	c := start(t, "hold", h.Path())
	await(t, h.path)
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	err := remember(t.Context(), h.WithWait(50*time.Millisecond), "1")
	if home.KindOf(err) != home.Locked || !strings.Contains(err.Error(), h.path) || !strings.Contains(err.Error(), "another process") || !strings.Contains(err.Error(), "Wait for it to end") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := remember(ctx, h, "1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ended gave %v", err)
	}
	// Reading needs no lock.
	if got := lessons(t, h); len(got) != 0 {
		t.Errorf("lessons %v", got)
	}
}

func TestAFullDiskKeepsTheOldFile(t *testing.T) {
	h := New(filepath.Join(t.TempDir(), "memory.db"))
	if _, err := h.Save(t.Context(), []byte("old")); err != nil {
		t.Fatal(err)
	}
	c := start(t, "small disk", h.Path(), "65536")
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %v", err, c.Stderr)
	}
	if said := fmt.Sprint(c.Stderr); !strings.Contains(said, h.path) || !strings.Contains(said, "Free some space") {
		t.Errorf("it said %q", said)
	}
	if data, err := os.ReadFile(h.path); err != nil || string(data) != "old" {
		t.Errorf("the file is %q, %v", data, err)
	}
	onlyTheFile(t, h)
}

func TestPathsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target.db")
	if err := os.WriteFile(target, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	link, folder, pipe := filepath.Join(dir, "link.db"), filepath.Join(dir, "folder.db"), filepath.Join(dir, "pipe.db")
	for _, err := range []error{os.Symlink(target, link), os.Mkdir(folder, 0o700), syscall.Mkfifo(pipe, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	dangling := filepath.Join(dir, "dangling.db")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), dangling); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, folder, pipe, dangling} {
		h := New(path)
		_, listed := h.List(t.Context())
		_, saved := h.Save(t.Context(), []byte("ours"))
		worked := h.Session(t.Context(), func(context.Context, string, string) (string, error) {
			t.Errorf("%s: the session ran", path)
			return "", nil
		})
		for name, err := range map[string]error{"List": listed, "Save": saved, "Session": worked} {
			if home.KindOf(err) != home.NotRegular || !strings.Contains(err.Error(), path) {
				t.Errorf("%s of %s: %v", name, path, err)
			}
		}
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "theirs" {
		t.Errorf("what the link points to is %q, %v", data, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("a dangling link was followed")
	}
	if err := os.Symlink(target, filepath.Join(dir, "m.db.lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := New(filepath.Join(dir, "m.db")).Save(t.Context(), nil); home.KindOf(err) != home.NotRegular || !strings.Contains(err.Error(), "m.db.lock") {
		t.Errorf("a lock that is a link: %v", err)
	}
}

func TestAFolderThatCannotBeWritten(t *testing.T) {
	blocker := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := New(filepath.Join(blocker, "below", "memory.db"))
	_, err := h.Save(t.Context(), []byte("x"))
	if home.KindOf(err) != home.Unwritable || !strings.Contains(err.Error(), h.path) || !strings.Contains(err.Error(), filepath.Dir(h.path)) || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("%v", err)
	}
}

func TestAFileAboveTheCapIsNotRead(t *testing.T) {
	h := New(filepath.Join(t.TempDir(), "memory.db"))
	if err := os.WriteFile(h.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(h.path, home.MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := h.List(t.Context()); home.KindOf(err) != home.TooLarge {
		t.Errorf("List: %v", err)
	}
	err := h.Session(t.Context(), func(context.Context, string, string) (string, error) { return "", nil })
	if home.KindOf(err) != home.TooLarge {
		t.Errorf("Session: %v", err)
	}
}

func TestSession(t *testing.T) {
	h := New(filepath.Join(t.TempDir(), "new", "folder", "memory.db"))
	save := func(data string) error {
		return h.Session(t.Context(), func(_ context.Context, dir, current string) (string, error) {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("the private folder has mode %v, %v", info.Mode(), err)
			}
			path := filepath.Join(dir, "out")
			return path, os.WriteFile(path, []byte(data), 0o644)
		})
	}
	read := func() string { data, _ := os.ReadFile(h.path); return string(data) }
	if err := save("one"); err != nil || read() != "one" {
		t.Fatalf("%q, %v", read(), err)
	}
	if info, err := os.Stat(filepath.Dir(h.path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the new folder has mode %v, %v", info.Mode(), err)
	}
	onlyTheFile(t, h)
	failed := errors.New("no")
	for name, work := range map[string]func(context.Context, string, string) (string, error){
		"work that fails": func(_ context.Context, dir, current string) (string, error) { return current, failed },
		"work that wants no save": func(_ context.Context, dir, current string) (string, error) {
			return "", os.WriteFile(current, []byte("scribble"), 0o600)
		},
		"a file that is not there":  func(_ context.Context, dir, _ string) (string, error) { return filepath.Join(dir, "none"), nil },
		"a file outside the folder": func(_ context.Context, _, _ string) (string, error) { return "/etc/hostname", nil },
		"a link in a saved file's place": func(_ context.Context, dir, _ string) (string, error) {
			path := filepath.Join(dir, "link")
			return path, os.Symlink("/etc/hostname", path)
		},
	} {
		err := h.Session(t.Context(), work)
		if name == "work that fails" && !errors.Is(err, failed) || name != "work that fails" && name != "work that wants no save" && home.KindOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if read() != "one" {
			t.Errorf("%s: the file is %q", name, read())
		}
		onlyTheFile(t, h)
	}
}

func TestSweepingTakesOnlyItsOwn(t *testing.T) {
	dir := t.TempDir()
	h := New(filepath.Join(dir, "memory.db"))
	stale := filepath.Join(dir, staging+"memory.db-123")
	others := []string{filepath.Join(dir, staging+"memory.db-other-456"), filepath.Join(dir, staging+"other.db-789"), filepath.Join(dir, "notes")}
	for _, p := range append(others, stale) {
		if err := os.Mkdir(p, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Save(t.Context(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("what a dead process left is still there")
	}
	for _, p := range others {
		if _, err := os.Stat(p); err != nil {
			t.Errorf("%s is gone", p)
		}
	}
}

func TestViewLeavesNothingAndChangesNothing(t *testing.T) {
	h := New(filepath.Join(t.TempDir(), "memory.db"))
	if _, err := h.Save(t.Context(), []byte("one")); err != nil {
		t.Fatal(err)
	}
	var seen string
	err := h.View(t.Context(), func(_ context.Context, dir, current string) error {
		seen = dir
		return os.WriteFile(current, []byte("scribble"), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(h.path); string(data) != "one" {
		t.Errorf("the file is %q", data)
	}
	if _, err := os.Stat(seen); err == nil {
		t.Error("the private copy is still there")
	}
	none := New(filepath.Join(t.TempDir(), "none", "memory.db"))
	if err := none.View(t.Context(), func(_ context.Context, _, current string) error {
		if current != "" {
			t.Errorf("a copy of nothing: %q", current)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(none.path)); err == nil {
		t.Error("a view made a folder")
	}
}
