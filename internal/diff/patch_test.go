package diff

import (
	"slices"
	"strings"
	"testing"
)

func TestParsePatchReadsFragmentsOfTheRESTAPI(t *testing.T) {
	f, err := ParsePatch("new.go", "old.go", Renamed, "@@ -1,2 +1,3 @@ package x\n a\n-b\n+c\n+d\n@@ -10 +11 @@\n-x\n+y\n\\ No newline at end of file", Limits{})
	want := `renamed "new.go" from "old.go" > @1,2+1,3 1/1 a 2/0-b 0/2+c 0/3+d @10,1+11,1 10/0-x 0/11+y` + "\n"
	if got := short([]File{f}, nil); got != want || err != nil || f.Partial != "" {
		t.Errorf("got %s (%q, %v), want %s", got, f.Partial, err, want)
	}
	if f.Hunks[0].Section != "package x" || !f.Hunks[1].Lines[1].NoNewline {
		t.Errorf("section %q, last line %+v", f.Hunks[0].Section, f.Hunks[1].Lines[1])
	}
	f, err = ParsePatch("a", "a", Modified, "", Limits{})
	if err != nil || f.OldPath != "" || len(f.Hunks) != 0 || f.Reviewable() {
		t.Errorf("an empty patch: %+v, %v", f, err)
	}
}

func TestParsePatchSaysWhatItCouldNotRead(t *testing.T) {
	for name, tc := range map[string]struct {
		patch   string
		lim     Limits
		partial string
		lines   int
	}{
		"cut in the middle, as the API does": {"@@ -1,3 +1,3 @@\n a\n-b", Limits{}, "its part of the diff is damaged", 2},
		"text behind the hunks":              {"@@ -1 +1 @@\n-a\n+b\nmore", Limits{}, "its part of the diff is damaged", 2},
		"another file's header inside":       {"@@ -1 +1 @@\n-a\n+b\ndiff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b", Limits{}, "its part of the diff is damaged", 2},
		"too many lines":                     {"@@ -0,0 +1,3 @@\n+a\n+b\n+c", Limits{FileLines: 1}, "more than 1 lines of this file changed; the rest was not read", 1},
		"too many bytes":                     {"@@ -0,0 +1,3 @@\n+a\n+b\n+c", Limits{Bytes: 20}, "the change is larger than 20 bytes; what follows was not read", 1},
	} {
		f, err := ParsePatch("x", "", Modified, tc.patch, tc.lim)
		if err != nil || f.Partial != tc.partial || len(f.Hunks) != 1 || len(f.Hunks[0].Lines) != tc.lines {
			t.Errorf("%s: partial %q, hunks %+v, %v", name, f.Partial, f.Hunks, err)
		}
	}
	for name, tc := range map[string]struct{ path, patch, says string }{
		"no path":  {"", "@@ -1 +1 @@\n-a\n+b", "a patch without the path of its file"},
		"no hunk":  {"x", "hello", `the patch of "x" does not begin with a hunk`},
		"headers":  {"x", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", `the patch of "x" does not begin with a hunk`},
		"bad hunk": {"x", "@@ what @@\n-a", `the patch of "x" does not begin with a hunk`},
	} {
		if _, err := ParsePatch(tc.path, "", Modified, tc.patch, Limits{}); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
}

func TestQuestionsAboutAFile(t *testing.T) {
	f, err := ParsePatch("x.go", "", Modified, "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -20,2 +20,1 @@\n-gone\n tail\n", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{1: "one", 2: "2", 3: "three", 20: "tail"} {
		if got, ok := f.LineText(line); got != want || !ok || !f.InHunk(line) {
			t.Errorf("line %d reads %q, %v; want %q", line, got, ok, want)
		}
	}
	for _, line := range []int{-1, 0, 4, 19, 21, 1 << 40} {
		if got, ok := f.LineText(line); got != "" || ok || f.InHunk(line) {
			t.Errorf("line %d lies in no hunk, yet reads %q", line, got)
		}
	}
	var added []string
	for l := range f.AddedLines() {
		added = append(added, l.Text)
		if l.New != 2 {
			t.Errorf("added line %+v", l)
		}
	}
	if !slices.Equal(added, []string{"2"}) {
		t.Errorf("added %q", added)
	}
	if a, d := f.Counts(); a != 1 || d != 2 {
		t.Errorf("counts %d and %d", a, d)
	}
	for range f.AddedLines() {
		break // a consumer may stop early
	}
}

func TestALineOfADeletedFileLiesInNoHunk(t *testing.T) {
	f, err := ParsePatch("x", "", Deleted, "@@ -1,2 +0,0 @@\n-a\n-b", Limits{})
	if err != nil || f.InHunk(0) || f.InHunk(1) || f.Reviewable() {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestALineBeyondTheLimitIsNotInItsHunk(t *testing.T) {
	f, err := ParsePatch("x", "", Added, "@@ -0,0 +1,3 @@\n+a\n+b\n+c", Limits{FileLines: 2})
	if err != nil || !f.InHunk(2) || f.InHunk(3) {
		t.Errorf("line 3 was not kept, but counts as shown: %+v, %v", f, err)
	}
}

func TestOnlyTextOfTheNewStateIsReviewable(t *testing.T) {
	hunk := []Hunk{{NewStart: 1, NewLines: 1, Lines: []Line{{Op: Add, New: 1}}}}
	for _, tc := range []struct {
		file File
		want bool
	}{
		{File{Status: Added, Hunks: hunk}, true},
		{File{Status: Modified, Hunks: hunk}, true},
		{File{Status: TypeChanged, Hunks: hunk}, true},
		{File{Status: Renamed, Hunks: hunk}, true},
		{File{Status: Renamed}, false},
		{File{Status: Added}, false},
		{File{Status: Deleted, Hunks: hunk}, false},
		{File{Status: Modified, Binary: true}, false},
		{File{Status: Modified, Submodule: true, Hunks: hunk}, false},
		{File{}, false},
	} {
		if got := tc.file.Reviewable(); got != tc.want {
			t.Errorf("%+v: %v", tc.file, got)
		}
	}
}

func TestAChangeFindsItsFiles(t *testing.T) {
	c := Change{Files: []File{{Path: "b", OldPath: "a", Status: Renamed}, {Path: "c"}, {Path: "a", Status: Added}}}
	if f, ok := c.File("b"); !ok || f.OldPath != "a" {
		t.Errorf("File(b) = %+v, %v", f, ok)
	}
	if _, ok := c.File("B"); ok {
		t.Error("paths are compared byte for byte")
	}
	if got := c.Paths(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("Paths() = %q", got)
	}
	if a, d := (Change{}).Counts(); a != 0 || d != 0 {
		t.Errorf("counts of nothing: %d, %d", a, d)
	}
}

func TestParseStatusRefusesAnythingElse(t *testing.T) {
	for in, want := range map[string]Status{
		"added": Added, "removed": Deleted, "deleted": Deleted, "modified": Modified, "changed": Modified, "unchanged": Modified,
		"renamed": Renamed, "copied": Copied, "type_changed": TypeChanged,
	} {
		if got, err := ParseStatus(in); got != want || err != nil {
			t.Errorf("ParseStatus(%q) = %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "Added", "moved", "added "} {
		if got, err := ParseStatus(in); got != "" || err == nil || !strings.Contains(err.Error(), "is no status of a changed file") {
			t.Errorf("ParseStatus(%q) = %q, %v", in, got, err)
		}
	}
}

func TestContentBecomesAnAddedFile(t *testing.T) {
	for name, tc := range map[string]struct {
		content string
		lim     Limits
		want    string
	}{
		"text":              {"a\nb\n", Limits{}, `added "p" >100644 @0,0+1,2 0/1+a 0/2+b` + "\n"},
		"nothing":           {"", Limits{}, `added "p" >100644` + "\n"},
		"binary":            {"a\x00", Limits{}, `added "p" >100644 binary` + "\n"},
		"a late NUL":        {strings.Repeat("a", 8000) + "\x00", Limits{LineBytes: 1}, `added "p" >100644 @0,0+1,1 0/1+a` + "\n"},
		"more than allowed": {"a\nb\nc\n", Limits{FileLines: 2}, `added "p" >100644 @0,0+1,2 0/1+a 0/2+b` + "\n"},
		"an empty line":     {"\n", Limits{}, `added "p" >100644 @0,0+1,1 0/1+` + "\n"},
	} {
		if got := short([]File{FromContent("p", "100644", []byte(tc.content), tc.lim)}, nil); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
	f := FromContent("p", "100644", []byte("a\nb\nc"), Limits{FileLines: 2})
	if f.Partial != "more than 2 lines of this file changed; the rest was not read" {
		t.Errorf("partial %q", f.Partial)
	}
}
