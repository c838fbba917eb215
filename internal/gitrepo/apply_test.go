package gitrepo

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
	"pgregory.net/rapid"
)

// apply makes the new content out of the old one and the hunks.
func apply(f diff.File, old string) (string, error) {
	lines := strings.SplitAfter(old, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var b strings.Builder
	at := 0
	for _, h := range f.Hunks {
		start := h.OldStart - 1
		if h.OldLines == 0 {
			start = h.OldStart
		}
		for ; at < start; at++ {
			b.WriteString(lines[at])
		}
		for _, l := range h.Lines {
			text := l.Text
			if l.CR {
				text += "\r"
			}
			if !l.NoNewline {
				text += "\n"
			}
			if l.Op != diff.Add {
				if at >= len(lines) || lines[at] != text {
					return "", fmt.Errorf("old line %d is not %q", at+1, text)
				}
				if at++; l.Old != at {
					return "", fmt.Errorf("old line %d is numbered %d", at, l.Old)
				}
			}
			if l.Op != diff.Delete {
				b.WriteString(text)
			}
		}
	}
	return b.String() + strings.Join(lines[at:], ""), nil
}

// content draws text that git shows as text, with every kind of line.
func content(t *rapid.T, label string) string {
	line := rapid.SampledFrom([]string{
		"", "a", "b", "c", "{", "}", "-- x", "++ y", "@@ -1 +1 @@", "diff --git a/x b/x", "\\ No newline at end of file",
		"\tindent", " trailing ", "Binary files a and b differ", "ünï", "\xff\xfe", "x\ry", "index 1..2",
	})
	ending := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r\r\n"})
	var b strings.Builder
	for range rapid.IntRange(0, 25).Draw(t, label+" lines") {
		b.WriteString(line.Draw(t, label))
		b.WriteString(ending.Draw(t, label+" ending"))
	}
	if rapid.Bool().Draw(t, label+" open end") {
		b.WriteString("end")
	}
	return b.String()
}

// TestTheChangeAppliedToTheOldContentGivesTheNew draws many files and lets git
// compare them in one commit, and in the working tree.
func TestTheChangeAppliedToTheOldContentGivesTheNew(t *testing.T) {
	type pair struct{ before, after string }
	gen := rapid.Custom(func(t *rapid.T) pair {
		p := pair{before: content(t, "before")}
		if rapid.Bool().Draw(t, "edit") {
			lines := strings.SplitAfter(p.before, "\n")
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
			lines[i] = rapid.SampledFrom([]string{"", "edited\n", lines[i] + "inserted\n", "x"}).Draw(t, "by")
			p.after = strings.Join(lines, "")
		} else {
			p.after = content(t, "after")
		}
		return p
	})
	c := newClone(t)
	pairs := map[string]pair{}
	for seed := range 400 {
		name := fmt.Sprintf("f%03d", seed)
		pairs[name] = gen.Example(seed)
		c.write(name, pairs[name].before)
	}
	before := c.commit("before")
	for name, p := range pairs {
		c.write(name, p.after)
	}
	inTree := c.worktree()
	c.commit("after")
	for where, change := range map[string]diff.Change{"commits": c.last(), "working tree": inTree} {
		for name, p := range pairs {
			f, changed := change.File(name)
			if changed != (p.before != p.after) {
				t.Errorf("%s: %s changed: %v, from %q to %q", where, name, changed, p.before, p.after)
			}
			got, err := apply(f, p.before)
			if changed && (err != nil || got != p.after) {
				t.Errorf("%s: %s gives %q, want %q (%v)", where, name, got, p.after, err)
			}
		}
	}
	// The patch that a reviewer is handed says the same to git itself.
	var patch strings.Builder
	if err := diff.Format(&patch, c.last().Files); err != nil {
		t.Fatal(err)
	}
	after := c.git("rev-parse", "HEAD^{tree}")
	c.git("reset", "-q", "--hard", before)
	c.write(".git/patch", patch.String())
	c.git("apply", "--index", "--unidiff-zero", "--whitespace=nowarn", ".git/patch")
	if got := c.git("write-tree"); got != after {
		t.Errorf("git apply of the formatted change gives tree %s, want %s:\n%s", got, after, c.git("diff", "--stat", after))
	}
}

func TestAnUntrackedFileReadsLikeTheSameFileCommitted(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) string { return content(t, "content") })
	c := newClone(t)
	c.commit("empty")
	for seed := range 200 {
		c.write(fmt.Sprintf("f%03d", seed), gen.Example(seed))
	}
	untracked := c.worktree()
	c.commit("all")
	committed := c.last()
	if len(untracked.Files) != 200 || len(committed.Files) != 200 {
		t.Fatalf("%d and %d files, want 200", len(untracked.Files), len(committed.Files))
	}
	for _, want := range committed.Files {
		if got, _ := untracked.File(want.Path); !reflect.DeepEqual(got, want) {
			t.Errorf("untracked %+v\ncommitted %+v", got, want)
		}
	}
}

func TestManyChangesNeedThreeProcesses(t *testing.T) {
	c := newClone(t)
	for i := range 12 {
		c.write("a", fmt.Sprint(i, "\n"))
		c.commit(fmt.Sprint("commit ", i))
	}
	r := c.open()
	h, err := r.Last(context.Background(), 12)
	if err != nil {
		t.Fatal(err)
	}
	var differ, names, blobs *process
	for i, commit := range h.Commits {
		if _, err := r.Change(context.Background(), commit.Base(), commit.SHA); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			differ, names, blobs = r.differ, r.names, r.blobs
		}
		if r.differ != differ || r.names != names || r.blobs != blobs {
			t.Fatalf("change %d started a process of its own", i)
		}
	}
}
