package diff

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestFormatWritesWhatGitWrites(t *testing.T) {
	hunk := []Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Section: "f()", Lines: []Line{
		{Op: Delete, Old: 1, Text: "a", CR: true}, {Op: Add, New: 1, Text: "b", NoNewline: true},
	}}}
	for name, tc := range map[string]struct {
		file File
		want string
	}{
		"a change": {File{Path: "x y", Status: Modified, OldMode: "100644", NewMode: "100644", Hunks: hunk},
			"diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@ f()\n-a\r\n+b\n\\ No newline at end of file\n"},
		"a rename": {File{Path: "n", OldPath: "o\t", Status: Renamed},
			"diff --git \"a/o\\t\" b/n\nrename from \"o\\t\"\nrename to n\n"},
		"a copy": {File{Path: "n", OldPath: "o", Status: Copied},
			"diff --git a/o b/n\ncopy from o\ncopy to n\n"},
		"a mode": {File{Path: "x", Status: Modified, OldMode: "100644", NewMode: "100755"},
			"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"},
		"an empty new file of unknown mode": {File{Path: "x", Status: Added},
			"diff --git a/x b/x\nnew file mode 100644\n"},
		"a deleted submodule": {File{Path: "s", Status: Deleted, OldMode: "160000", Submodule: true},
			"diff --git a/s b/s\ndeleted file mode 160000\n"},
		"a new binary": {File{Path: "b c", Status: Added, NewMode: "100644", Binary: true},
			"diff --git a/b c b/b c\nnew file mode 100644\nBinary files /dev/null and b/b c differ\n"},
		"a file that became a link": {File{Path: "t", Status: TypeChanged, OldMode: "100644", NewMode: "120000", Hunks: []Hunk{
			{OldStart: 1, OldLines: 1, Lines: []Line{{Op: Delete, Old: 1, Text: "a"}}},
			{NewStart: 1, NewLines: 1, Lines: []Line{{Op: Add, New: 1, Text: "to", NoNewline: true}}}}},
			"diff --git a/t b/t\ndeleted file mode 100644\n--- a/t\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" +
				"diff --git a/t b/t\nnew file mode 120000\n--- /dev/null\n+++ b/t\n@@ -0,0 +1 @@\n+to\n\\ No newline at end of file\n"},
		"a partial hunk counts what is there": {File{Path: "x", Status: Added, NewMode: "100644", Partial: "cut", Hunks: []Hunk{
			{NewStart: 1, NewLines: 9, Lines: []Line{{Op: Add, New: 1, Text: "a"}, {Op: Add, New: 2, Text: "b"}}}}},
			"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := Format(&b, []File{tc.file}); err != nil || b.String() != tc.want {
				t.Errorf("got\n%s\nwant\n%s\n(%v)", b.String(), tc.want, err)
			}
			back, omitted, err := Parse(strings.NewReader(b.String()), Limits{})
			if err != nil || len(omitted) > 0 || len(back) != 1 || back[0].Status != tc.file.Status || back[0].Path != tc.file.Path {
				t.Errorf("read back as %+v, omitted %+v, %v", back, omitted, err)
			}
		})
	}
}

func TestFormatReportsAWriterThatFails(t *testing.T) {
	full := errors.New("no space left")
	r, w := io.Pipe()
	r.CloseWithError(full)
	if err := Format(w, []File{{Path: "x", Status: Added}}); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}
