package gitrepo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
)

// clone is a real repository for a test. Its own git commands run without any
// configuration of the machine.
type clone struct {
	testing.TB
	dir string
	env []string
}

func newClone(t testing.TB) *clone {
	t.Helper()
	c := &clone{TB: t, dir: t.TempDir()}
	c.git("init", "-q", "-b", "main", ".")
	return c
}

func (c *clone) git(args ...string) string {
	c.Helper()
	cmd := exec.Command("git", append([]string{"-C", c.dir, "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=mara", "GIT_AUTHOR_EMAIL=mara@example.com",
		"GIT_COMMITTER_NAME=mara", "GIT_COMMITTER_EMAIL=mara@example.com",
		"GIT_AUTHOR_DATE=2026-11-30T06:00:00Z", "GIT_COMMITTER_DATE=2026-11-30T06:00:00Z",
	}, c.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *clone) path(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }

func (c *clone) write(name, content string) {
	c.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), []byte(content), 0o644); err != nil {
		c.Fatal(err)
	}
}

func (c *clone) remove(name string) {
	c.Helper()
	if err := os.RemoveAll(c.path(name)); err != nil {
		c.Fatal(err)
	}
}

func (c *clone) link(target, name string) {
	c.Helper()
	if err := os.Symlink(target, c.path(name)); err != nil {
		c.Fatal(err)
	}
}

// commit commits everything there is and returns the commit.
func (c *clone) commit(message string) string {
	c.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", message)
	return c.git("rev-parse", "HEAD")
}

func (c *clone) open() *Repo {
	c.Helper()
	r, err := Open(context.Background(), c.dir)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { r.Close() })
	return r
}

// last is the change of the newest commit.
func (c *clone) last() diff.Change {
	c.Helper()
	r := c.open()
	h, err := r.Last(context.Background(), 1)
	if err != nil || len(h.Commits) != 1 {
		c.Fatalf("Last(1): %v, %v", h, err)
	}
	change, err := r.Change(context.Background(), h.Commits[0].Base(), h.Commits[0].SHA)
	if err != nil {
		c.Fatal(err)
	}
	return change
}

func (c *clone) worktree() diff.Change {
	c.Helper()
	change, err := c.open().Worktree(context.Background())
	if err != nil {
		c.Fatal(err)
	}
	return change
}

// only is the one file of a change.
func only(t testing.TB, change diff.Change) diff.File {
	t.Helper()
	if len(change.Files) != 1 {
		t.Fatalf("got %d files, want 1: %+v (omitted %+v)", len(change.Files), change.Files, change.Omitted)
	}
	return change.Files[0]
}
