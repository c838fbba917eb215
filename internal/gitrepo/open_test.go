package gitrepo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wants checks the kind and the words of an error.
func wants(t *testing.T, err error, kind Kind, words ...string) {
	t.Helper()
	if KindOf(err) != kind {
		t.Fatalf("got %q (%v), want kind %q", KindOf(err), err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}

// shim puts a program named git before the real one on PATH.
func shim(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestOpenSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	ctx := context.Background()
	t.Run("a folder that is no repository", func(t *testing.T) {
		dir := t.TempDir()
		_, err := Open(ctx, dir)
		wants(t, err, NotRepository, filepath.Base(dir), "not a git repository, nor is any folder above it", "Change into a clone")
	})
	t.Run("a folder that is not there", func(t *testing.T) {
		_, err := Open(ctx, filepath.Join(t.TempDir(), "gone"))
		wants(t, err, NotRepository, "gone: no such folder", "Name a folder inside a git clone")
	})
	t.Run("no git on PATH", func(t *testing.T) {
		c := newClone(t)
		t.Setenv("PATH", t.TempDir())
		_, err := Open(ctx, c.dir)
		wants(t, err, GitMissing, "not found on PATH", "Install git")
	})
	t.Run("a git that would ignore the hardening", func(t *testing.T) {
		c := newClone(t)
		shim(t, "echo git version 2.30.9")
		_, err := Open(ctx, c.dir)
		wants(t, err, GitTooOld, "git version 2.30.9 is too old to read a clone safely", "Install git 2.31 or newer")
	})
	t.Run("a broken configuration", func(t *testing.T) {
		c := newClone(t)
		c.write(".git/config", "[core\n")
		_, err := Open(ctx, c.dir)
		wants(t, err, Failed, "bad config line 1")
	})
	t.Run("given up", func(t *testing.T) {
		c := newClone(t)
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := Open(stopped, c.dir); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

func TestACloneOfAnotherUserNeedsTheUsersTrust(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	c := newClone(t)
	c.write("a", "1\n")
	head := c.commit("one")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	shim(t, "GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '"+real+"' \"$@\"")
	_, err = Open(context.Background(), c.dir)
	wants(t, err, Ownership, "belongs to another user", "git config --global --add safe.directory '")

	// What a person trusts in a configuration of their own counts.
	config := "[safe]\n\tdirectory = *\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	r := c.open()
	if got, err := r.Head(context.Background()); got != head || err != nil {
		t.Errorf("Head() = %q, %v", got, err)
	}
	// What the clone says of itself does not.
	if err := os.Remove(filepath.Join(home, ".gitconfig")); err != nil {
		t.Fatal(err)
	}
	c.write(".git/config", "[core]\n\trepositoryformatversion = 0\n[safe]\n\tdirectory = *\n")
	_, err = Open(context.Background(), c.dir)
	wants(t, err, Ownership)
}

func TestOpenFindsTheTopFromAnywhereInside(t *testing.T) {
	ctx := context.Background()
	c := newClone(t)
	c.write("deep/down/a", "1\n")
	c.commit("one")
	top, err := filepath.EvalSymlinks(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	root := func(dir string) string {
		t.Helper()
		r, err := Open(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		return r.Root()
	}
	if got := root(c.path("deep/down")); got != top {
		t.Errorf("from below: %q, want %q", got, top)
	}
	t.Chdir(c.path("deep"))
	if got := root(""); got != top {
		t.Errorf("from the current folder: %q, want %q", got, top)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	c.git("worktree", "add", "-q", linked, "HEAD")
	if got, want := root(linked), mustReal(t, linked); got != want {
		t.Errorf("a linked working tree: %q, want %q", got, want)
	}
	// A folder that merely is called .git is none; the repository is above.
	if err := os.MkdirAll(c.path("deep/.git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := root(c.path("deep")); got != top {
		t.Errorf("beside an empty .git: %q, want %q", got, top)
	}
	c.git("clone", "-q", "--bare", c.dir, c.path("copy.git"))
	bare, err := Open(ctx, c.path("copy.git"))
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	if !bare.IsBare() || bare.Root() != filepath.Join(top, "copy.git") {
		t.Errorf("a bare repository: bare %v, root %q", bare.IsBare(), bare.Root())
	}
	if change, err := bare.Change(ctx, "", "HEAD"); err != nil || only(t, change).Path != "deep/down/a" {
		t.Errorf("a bare repository's change: %+v, %v", change, err)
	}
	_, err = bare.Worktree(ctx)
	wants(t, err, NoWorktree, "a bare repository has no working tree", "--base and --head")
	if _, ok, _ := bare.ReadWorktreeFile("HEAD", 100); ok {
		t.Error("a bare repository's own file was read as one of a working tree")
	}
}

func mustReal(t *testing.T, p string) string {
	t.Helper()
	p, err := filepath.EvalSymlinks(p)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestARepositoryWithoutCommitsOpensAndSaysSo(t *testing.T) {
	ctx := context.Background()
	c := newClone(t)
	c.write("a", "1\n")
	r := c.open()
	_, err := r.Head(ctx)
	wants(t, err, NoCommits, "no commits yet", "Commit something first")
	_, err = r.Last(ctx, 3)
	wants(t, err, NoCommits)
	_, err = r.Resolve(ctx, "main")
	wants(t, err, NoCommits)
	change, err := r.Worktree(ctx)
	if err != nil || change.Base != "" || short(only(t, change)) != "added a >100644 @0,0+1,1 +1" {
		t.Errorf("Worktree: %+v, %v", change, err)
	}
	c.git("add", "a")
	if change, err = r.Worktree(ctx); err != nil || short(only(t, change)) != "added a >100644 @0,0+1,1 +1" {
		t.Errorf("Worktree, staged: %+v, %v", change, err)
	}
	if root, err := r.RootCommit(ctx); root != "" || err != nil {
		t.Errorf("RootCommit() = %q, %v", root, err)
	}
}

func TestErrorsAreSafeForATerminal(t *testing.T) {
	e := fail(Failed, "a\x1b[31mb\u202ec", "line\nbreak", "Fix it.")
	if got, want := e.Error(), `a\u{1b}[31mb\u{202e}c: line\u{a}break. Fix it.`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := printable(strings.Repeat("x", 1000)); len(got) != 403 {
		t.Errorf("a long text is not cut: %d bytes", len(got))
	}
}

func TestVersionsOfGit(t *testing.T) {
	for in, want := range map[string][2]int{
		"git version 2.39.5":             {2, 39},
		"git version 2.49.0.windows.1":   {2, 49},
		"git version 3.0.1 (Apple Git)":  {3, 0},
		"git version 2.45.GIT\n":         {2, 45},
		"hub version 2.14":               {0, 0},
		"git version 99999999999999.1\n": {0, 0},
	} {
		major, minor, ok := version(in)
		if major != want[0] || minor != want[1] || ok != (want[0] > 0) {
			t.Errorf("version(%q) = %d, %d, %v", in, major, minor, ok)
		}
	}
}

func TestAConfigurationThatNeverEndsIsGivenUp(t *testing.T) {
	c := newClone(t)
	if err := syscall.Mkfifo(c.path("endless"), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(c.path(".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	c.write(".git/config", string(config)+"[include]\n\tpath = "+c.path("endless")+"\n")
	_, err = openWithin(context.Background(), c.dir, 300*time.Millisecond)
	wants(t, err, Failed, "git did not read the configuration within 300ms", "Look at .git/config")
}

func TestASHA256RepositoryReadsLikeAnyOther(t *testing.T) {
	c := &clone{TB: t, dir: t.TempDir()}
	c.git("init", "-q", "-b", "main", "--object-format=sha256", ".")
	c.write("a", "1\n")
	c.commit("one")
	change := c.last()
	if len(change.Head) != 64 || short(only(t, change)) != "added a >100644 @0,0+1,1 +1" {
		t.Errorf("got %+v", change)
	}
	c.write("a", "2\n")
	if got := short(only(t, c.worktree())); got != "modified a 100644>100644 @1,1+1,1 -1 +2" {
		t.Errorf("working tree: %q", got)
	}
}
