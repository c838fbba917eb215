package diff

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var seeds = []string{
	"",
	"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n\\ No newline at end of file\n",
	"diff --git \"a/\\303\\274\" \"b/\\n\"\nrename from \"\\303\\274\"\nrename to \"\\n\"\n",
	":100644 100644 1 2 M\tx\n\ndiff --git a/y b/y\nBinary files a/y and b/y differ\n",
	"diff --git a/s b/s\ndeleted file mode 100644\ndiff --git a/s b/s\nnew file mode 160000\n@@ -0,0 +1 @@\n+Subproject commit 1\n",
	"diff --cc x\n@@@ -1,1 -1,1 +1,1 @@@\n++a\n* Unmerged path \"x\n",
	"@@ -1,99999999 +1 @@\n+a\r\n",
	"diff --git a/x b/x\n@@ -1 +1,3 @@\n-\xff\n+\n\n+",
}

// checkFile holds what every file must hold, whatever text it came from.
func checkFile(t *testing.T, f File, lim Limits) {
	t.Helper()
	if f.Path == "" {
		t.Error("a file without a path")
	}
	if f.Submodule && len(f.Hunks) > 0 {
		t.Error("a submodule with lines")
	}
	kept := 0
	for _, h := range f.Hunks {
		oldAt, newAt := h.OldStart, h.NewStart
		kept += len(h.Lines)
		for _, l := range h.Lines {
			if l.Op != Context && l.Op != Add && l.Op != Delete {
				t.Errorf("a line with operation %q", l.Op)
			}
			if (l.Op == Add) != (l.Old == 0) && l.Op != Context || (l.Op == Delete) != (l.New == 0) && l.Op != Context {
				t.Errorf("line %+v is numbered on the wrong side", l)
			}
			if l.Old != 0 && l.Old != oldAt || l.New != 0 && l.New != newAt {
				t.Errorf("line %+v stands at %d/%d", l, oldAt, newAt)
			}
			if l.Old != 0 {
				oldAt++
			}
			if l.New != 0 {
				newAt++
			}
			if len(l.Text) > lim.LineBytes || strings.Contains(l.Text, "\n") {
				t.Errorf("a line's text has %d bytes or a newline", len(l.Text))
			}
			if l.New != 0 && f.Status != TypeChanged && !f.InHunk(l.New) {
				// Overlapping hunks of a hostile diff may hide one another.
				if _, ok := f.LineText(l.New); ok {
					t.Errorf("line %d is there and is not", l.New)
				}
			}
		}
		if oldAt > h.OldStart+h.OldLines || newAt > h.NewStart+h.NewLines {
			t.Errorf("hunk %d,%d+%d,%d holds more lines than it says", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		}
		short := oldAt < h.OldStart+h.OldLines || newAt < h.NewStart+h.NewLines
		if short && f.Partial == "" {
			t.Errorf("hunk %d,%d+%d,%d is short of lines, and the file does not say so", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		}
	}
	if f.Status != TypeChanged && kept > lim.FileLines {
		t.Errorf("%d lines were kept, the limit is %d", kept, lim.FileLines)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	lim := Limits{Bytes: 1 << 16, Files: 5, FileLines: 20, LineBytes: 16}
	f.Fuzz(func(t *testing.T, text string) {
		files, omitted, err := Parse(strings.NewReader(text), lim)
		if err != nil {
			t.Fatalf("a string cannot fail to be read: %v", err)
		}
		if len(files) > lim.Files {
			t.Errorf("%d files", len(files))
		}
		if len(files) == 0 && len(omitted) == 0 && text != "" && !strings.Contains(text, "diff --git ") && !strings.HasPrefix(text, ":") {
			// Only lists that name nothing may pass in silence.
			if !strings.Contains(text, "\n:") {
				t.Error("text was read past without a word")
			}
		}
		named := map[string]bool{}
		for _, o := range omitted {
			named[o.Path] = true
			if o.Reason == "" || !utf8.ValidString(o.Reason) {
				t.Errorf("omission %+v has no reason to show", o)
			}
		}
		for _, file := range files {
			checkFile(t, file, lim)
			if file.Partial != "" && !named[file.Path] {
				t.Errorf("%s is partial and not in the omissions", file.Path)
			}
		}
	})
}

func FuzzParsePatch(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	lim := Limits{Bytes: 1 << 16, FileLines: 20, LineBytes: 16}
	f.Fuzz(func(t *testing.T, patch string) {
		file, err := ParsePatch("x", "", Modified, patch, lim)
		if err != nil {
			if file.Path != "" {
				t.Error("an error beside a file")
			}
			return
		}
		checkFile(t, file, lim)
	})
}

func FuzzUnquote(f *testing.F) {
	for _, s := range []string{"", `"`, `"\303\274"`, `"\9"`, `"a" rest`, `"\400"`, "bare name", `"\`, `"\12`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, rest, ok := unquote([]byte(s))
		if ok && p == "" {
			t.Error("an empty path")
		}
		if ok && len(rest) > len(s) {
			t.Error("more is left than there was")
		}
		// Printed as git prints it, any path is read back.
		if s == "" {
			return
		}
		if q := quote("", s); q[0] == '"' {
			if back, rest, ok := unquote([]byte(q)); !ok || back != s || len(rest) != 0 {
				t.Errorf("%q is printed %s and read back %q", s, q, back)
			}
		}
	})
}
