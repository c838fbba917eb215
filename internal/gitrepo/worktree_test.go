package gitrepo

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
)

func TestTheWorkingTreeHoldsStagedUnstagedAndUntrackedButNotIgnored(t *testing.T) {
	c := newClone(t)
	c.write("staged", "1\n")
	c.write("unstaged", "1\n")
	c.write("both", "1\n")
	c.write("same", "1\n")
	c.write(".gitignore", "*.log\nbuild/\n")
	head := c.commit("one")
	c.write("staged", "2\n")
	c.git("add", "staged")
	c.write("unstaged", "2\n")
	c.write("both", "2\n")
	c.git("add", "both")
	c.write("both", "3\n")
	c.write("same", "1\n") // touched only
	c.write("new file", "n\n")
	c.write("x.log", "ignored\n")
	c.write("build/out", "ignored\n")
	c.write("dir/deep", "d\n")
	if err := os.Chmod(c.path("dir/deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	change := c.worktree()
	expectSame(t, change, []string{
		"modified both 100644>100644 @1,1+1,1 -1 +3",
		"modified staged 100644>100644 @1,1+1,1 -1 +2",
		"modified unstaged 100644>100644 @1,1+1,1 -1 +2",
		"added new file >100644 @0,0+1,1 +n",
		"added dir/deep >100755 @0,0+1,1 +d",
	})
	if change.Base != head || change.Head != "" {
		t.Errorf("base %q, head %q; want %q and none", change.Base, change.Head, head)
	}
}

func TestUntrackedThingsThatAreNoTextAreNamed(t *testing.T) {
	c := newClone(t)
	c.commit("one")
	c.write("bin", "a\x00b")
	c.write("empty", "")
	c.write("big", strings.Repeat("x", maxUntracked+1))
	c.git("init", "-q", c.path("inner"))
	c.write("inner/x", "1\n")
	(&clone{TB: t, dir: c.path("inner")}).commit("inner")
	if err := syscall.Mkfifo(c.path("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	change := c.worktree()
	if f, _ := change.File("bin"); !f.Binary {
		t.Errorf("bin reads %+v", f)
	}
	if f, ok := change.File("empty"); !ok || len(f.Hunks) != 0 {
		t.Errorf("empty reads %+v", f)
	}
	got := map[string]string{}
	for _, o := range change.Omitted {
		got[o.Path] = o.Reason
	}
	for path, says := range map[string]string{
		"big":    "an untracked file larger than 4 MiB",
		"inner/": "a repository inside this one; review it on its own",
	} {
		if got[path] != says {
			t.Errorf("%s: omitted for %q, want %q", path, got[path], says)
		}
	}
	// Asked for by name, a pipe must not make us wait for its writer.
	if _, ok, err := c.open().ReadWorktreeFile("pipe", 10); ok || err != nil {
		t.Errorf("a pipe was read: %v, %v", ok, err)
	}
}

func TestAnUnresolvedMergeShowsItsMarkersAsAddedLines(t *testing.T) {
	c := newClone(t)
	c.write("a", "1\n")
	c.commit("one")
	c.git("checkout", "-q", "-b", "topic")
	c.write("a", "2\n")
	c.commit("two")
	c.git("checkout", "-q", "main")
	c.write("a", "3\n")
	c.commit("three")
	c.git("-c", "alias.try=!git merge -q topic >/dev/null || true", "try")
	want := "modified a 100644>100644 @1,1+1,5 +<<<<<<< HEAD  3 +======= +2 +>>>>>>> topic"
	if got := short(only(t, c.worktree())); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheWorkingTreeKeepsToTheLimits(t *testing.T) {
	c := newClone(t)
	c.write("tracked", "1\n")
	c.commit("one")
	c.write("tracked", strings.Repeat("x\n", 50))
	for _, n := range []string{"u1", "u2", "u3"} {
		c.write(n, "1\n2\n3\n")
	}
	r := c.open()
	r.Limits = diff.Limits{Files: 3, FileLines: 2}
	change, err := r.Worktree(context.Background())
	if err != nil || len(change.Files) != 3 {
		t.Fatalf("%d files, %v", len(change.Files), err)
	}
	if last := change.Omitted[len(change.Omitted)-1]; last.Path != "" || last.Reason != "1 untracked files beyond the first 3 files of the change" {
		t.Errorf("omitted %+v", change.Omitted)
	}
	r.Limits = diff.Limits{Bytes: 60}
	if change, err = r.Worktree(context.Background()); err != nil {
		t.Fatal(err)
	}
	named := false
	for _, o := range change.Omitted {
		named = named || strings.Contains(o.Reason, "larger than 60 bytes")
	}
	if !named {
		t.Errorf("omitted %+v does not name the limit of bytes", change.Omitted)
	}
}

func TestCRLFByAttributeIsNoChange(t *testing.T) {
	c := newClone(t)
	c.write(".gitattributes", "*.txt text eol=crlf\n")
	c.write("a.txt", "one\r\ntwo\r\n")
	c.commit("one")
	c.write("a.txt", "one\r\ntwo\r\n")
	if change := c.worktree(); len(change.Files) != 0 {
		t.Errorf("got %+v: line endings that git converts are no change", change.Files)
	}
}
