package gitrepo

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
)

// short renders a file so that a test can name all of it in a line or two.
func short(f diff.File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", f.Status, f.Path)
	if f.OldPath != "" {
		fmt.Fprintf(&b, " from %s", f.OldPath)
	}
	fmt.Fprintf(&b, " %s>%s", f.OldMode, f.NewMode)
	if f.Binary {
		b.WriteString(" binary")
	}
	if f.Submodule {
		b.WriteString(" submodule")
	}
	for _, h := range f.Hunks {
		fmt.Fprintf(&b, " @%d,%d+%d,%d", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		for _, l := range h.Lines {
			fmt.Fprintf(&b, " %c%s", l.Op, l.Text)
			if l.CR {
				b.WriteString("[CR]")
			}
			if l.NoNewline {
				b.WriteString("[no newline]")
			}
		}
	}
	return b.String()
}

func TestEveryKindOfChangeIsReadFromRealHistory(t *testing.T) {
	long := strings.Repeat("a line of text\n", 30)
	cases := []struct {
		name   string
		before func(*clone)
		after  func(*clone)
		want   []string
	}{
		{"a new file", nil, func(c *clone) { c.write("a.txt", "one\ntwo\n") },
			[]string{"added a.txt >100644 @0,0+1,2 +one +two"}},
		{"an empty new file", nil, func(c *clone) { c.write("empty", "") },
			[]string{"added empty >100644"}},
		{"a deleted file", func(c *clone) { c.write("a.txt", "one\n") }, func(c *clone) { c.remove("a.txt") },
			[]string{"deleted a.txt 100644> @1,1+0,0 -one"}},
		{"an empty file deleted", func(c *clone) { c.write("e", "") }, func(c *clone) { c.remove("e") },
			[]string{"deleted e 100644>"}},
		{"a changed line", func(c *clone) { c.write("a.txt", "one\ntwo\nthree\n") }, func(c *clone) { c.write("a.txt", "one\n2\nthree\n") },
			[]string{"modified a.txt 100644>100644 @1,3+1,3  one -two +2  three"}},
		{"a rename without change", func(c *clone) { c.write("old name.txt", long) },
			func(c *clone) { c.git("mv", "old name.txt", "new name.txt") },
			[]string{"renamed new name.txt from old name.txt >"}},
		{"a rename with a change", func(c *clone) { c.write("old.txt", long) },
			func(c *clone) { c.remove("old.txt"); c.write("new.txt", long+"end\n") },
			[]string{"renamed new.txt from old.txt 100644>100644 @28,3+28,4  a line of text  a line of text  a line of text +end"}},
		{"a rename that also changes the mode", func(c *clone) { c.write("old.sh", long) },
			func(c *clone) {
				c.git("mv", "old.sh", "new.sh")
				c.git("update-index", "--chmod=+x", "new.sh")
				chmod(c, "new.sh")
			},
			[]string{"renamed new.sh from old.sh 100644>100755"}},
		{"a mode-only change", func(c *clone) { c.write("run.sh", "x\n") }, func(c *clone) { chmod(c, "run.sh") },
			[]string{"modified run.sh 100644>100755"}},
		{"a binary file", nil, func(c *clone) { c.write("b.bin", "a\x00b") },
			[]string{"added b.bin >100644 binary"}},
		{"a changed binary file with a space in its name", func(c *clone) { c.write("b c.bin", "a\x00b") },
			func(c *clone) { c.write("b c.bin", "a\x00c") },
			[]string{"modified b c.bin 100644>100644 binary"}},
		{"CRLF lines", func(c *clone) { c.write("w.txt", "one\r\ntwo\r\n") }, func(c *clone) { c.write("w.txt", "one\r\nTWO\r\n") },
			[]string{"modified w.txt 100644>100644 @1,2+1,2  one[CR] -two[CR] +TWO[CR]"}},
		{"line endings alone", func(c *clone) { c.write("w.txt", "one\r\n") }, func(c *clone) { c.write("w.txt", "one\n") },
			[]string{"modified w.txt 100644>100644 @1,1+1,1 -one[CR] +one"}},
		{"no newline at the end, both sides", func(c *clone) { c.write("n", "one\ntwo") }, func(c *clone) { c.write("n", "one\n2") },
			[]string{"modified n 100644>100644 @1,2+1,2  one -two[no newline] +2[no newline]"}},
		{"a newline added at the end", func(c *clone) { c.write("n", "one") }, func(c *clone) { c.write("n", "one\n") },
			[]string{"modified n 100644>100644 @1,1+1,1 -one[no newline] +one"}},
		{"a file that became a link", func(c *clone) { c.write("t", "text\n") }, func(c *clone) { c.remove("t"); c.link("elsewhere", "t") },
			[]string{"type_changed t 100644>120000 @1,1+0,0 -text @0,0+1,1 +elsewhere[no newline]"}},
		{"a link that became a file", func(c *clone) { c.link("elsewhere", "t") }, func(c *clone) { c.remove("t"); c.write("t", "text\n") },
			[]string{"type_changed t 120000>100644 @1,1+0,0 -elsewhere[no newline] @0,0+1,1 +text"}},
		{"lines that look like headers", func(c *clone) { c.write("h", "-- a/x\nkeep\n") },
			func(c *clone) { c.write("h", "++ b/x\nkeep\ndiff --git a/x b/x\n@@ -1 +1 @@\n") },
			[]string{"modified h 100644>100644 @1,2+1,4 --- a/x +++ b/x  keep +diff --git a/x b/x +@@ -1 +1 @@"}},
		{"names that git quotes", nil, func(c *clone) {
			c.write("tab\there", "1\n")
			c.write("quote\"d", "2\n")
			c.write("back\\slash", "3\n")
			c.write("new\nline", "4\n")
			c.write("grün/ünï", "5\n")
			c.write("raw\xff", "6\n")
			c.write("bell\a\b\v\f\r\x01", "7\n")
		}, []string{
			"added back\\slash >100644 @0,0+1,1 +3", "added bell\a\b\v\f\r\x01 >100644 @0,0+1,1 +7",
			"added grün/ünï >100644 @0,0+1,1 +5", "added new\nline >100644 @0,0+1,1 +4", "added quote\"d >100644 @0,0+1,1 +2",
			"added raw\xff >100644 @0,0+1,1 +6", "added tab\there >100644 @0,0+1,1 +1",
		}},
		{"names with spaces and prefixes inside, without a hunk", func(c *clone) { c.write("b/x b/x", ""); c.write(" lead", "") },
			func(c *clone) { chmod(c, "b/x b/x"); chmod(c, " lead") },
			[]string{"modified  lead 100644>100755", "modified b/x b/x 100644>100755"}},
		{"a quoted name renamed to a bare one", func(c *clone) { c.write("a\tb", long) }, func(c *clone) { c.git("mv", "a\tb", "a b") },
			[]string{"renamed a b from a\tb >"}},
		{"an old Mac file is one line", nil, func(c *clone) { c.write("mac", "a\rb\rc") },
			[]string{"added mac >100644 @0,0+1,1 +a\rb\rc[no newline]"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c := newClone(t)
			if tc.before != nil {
				tc.before(c)
			}
			c.commit("before")
			tc.after(c)
			inTree := c.worktree()
			c.commit("after")
			expect(t, "between commits", c.last(), tc.want)
			if strings.Contains(tc.name, "rename") {
				return // the new side is untracked until it is staged
			}
			expectSame(t, inTree, tc.want)
		})
	}
}

func chmod(c *clone, name string) {
	c.Helper()
	if err := os.Chmod(c.path(name), 0o755); err != nil {
		c.Fatal(err)
	}
}

func expect(t *testing.T, where string, change diff.Change, want []string) {
	t.Helper()
	var got []string
	for _, f := range change.Files {
		got = append(got, short(f))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: got\n%q\nwant\n%q", where, got, want)
	}
	if len(change.Omitted) > 0 {
		t.Errorf("%s: omitted %+v", where, change.Omitted)
	}
}

// expectSame compares without order: tracked files come before untracked ones.
func expectSame(t *testing.T, change diff.Change, want []string) {
	t.Helper()
	left := map[string]bool{}
	for _, w := range want {
		left[w] = true
	}
	for _, f := range change.Files {
		if !left[short(f)] {
			t.Errorf("in the working tree: unexpected %q, want %q", short(f), want)
		}
		delete(left, short(f))
	}
	for w := range left {
		t.Errorf("in the working tree: missing %q", w)
	}
	if len(change.Omitted) > 0 {
		t.Errorf("in the working tree: omitted %+v", change.Omitted)
	}
}

func TestACopyIsSeenOnlyWhereGitSaysSo(t *testing.T) {
	// Copies are not searched for (git reads every file for that); a copy is a
	// new file, and its lines are reviewed like any others.
	c := newClone(t)
	c.write("a", "one\n")
	c.commit("before")
	c.write("b", "one\n")
	c.commit("after")
	expect(t, "between commits", c.last(), []string{"added b >100644 @0,0+1,1 +one"})
}

func TestASubmoduleHasNoLines(t *testing.T) {
	inner := newClone(t)
	inner.write("x", "1\n")
	first := inner.commit("one")
	inner.write("x", "2\n")
	second := inner.commit("two")
	c := newClone(t)
	c.write("a", "1\n")
	c.commit("before")
	c.git("update-index", "--add", "--cacheinfo", "160000,"+first+",sub")
	c.git("commit", "-q", "-m", "add")
	expect(t, "added", c.last(), []string{"added sub >160000 submodule"})
	c.git("update-index", "--cacheinfo", "160000,"+second+",sub")
	c.git("commit", "-q", "-m", "bump")
	expect(t, "moved", c.last(), []string{"modified sub 160000>160000 submodule"})
	c.write("sub", "text\n")
	c.git("rm", "-q", "--cached", "sub")
	c.commit("a file now")
	expect(t, "became a file", c.last(), []string{"type_changed sub 160000>100644 submodule"})
}

func TestAFileOfTheChangeCannotHideItselfWithAttributes(t *testing.T) {
	c := newClone(t)
	c.write("a.js", "one\n")
	c.commit("before")
	c.write(".gitattributes", "*.js -diff binary\n")
	c.write("a.js", "two\n")
	c.commit("after")
	f, ok := c.last().File("a.js")
	if !ok || f.Binary || short(f) != "modified a.js 100644>100644 @1,1+1,1 -one +two" {
		t.Errorf("a.js reads %q: an attribute of the change hid it", short(f))
	}
}
