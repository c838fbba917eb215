package diff

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"pgregory.net/rapid"
)

// path draws the path of a file with everything that git must quote.
func path(t *rapid.T, label string) string {
	part := rapid.StringMatching(`[a-z .\-"\\é]{1,6}[a-z]`)
	odd := rapid.SampledFrom([]string{"", "", "", "\t", "\n", "\x01", "\x7f", "\xff", "b/", " b/"})
	return part.Draw(t, label) + odd.Draw(t, label+" odd") + part.Draw(t, label+" end")
}

// hunks draws well-formed hunks in order of lines.
func hunks(t *rapid.T) []Hunk {
	var out []Hunk
	oldAt, newAt := 0, 0
	for range rapid.IntRange(1, 3).Draw(t, "hunks") {
		skip := rapid.IntRange(1, 9).Draw(t, "skip")
		oldAt, newAt = oldAt+skip, newAt+skip
		h := Hunk{OldStart: oldAt, NewStart: newAt, Section: rapid.SampledFrom([]string{"", "func main() {"}).Draw(t, "section")}
		for range rapid.IntRange(1, 8).Draw(t, "lines") {
			l := Line{
				Op:   rapid.SampledFrom([]Op{Context, Add, Delete}).Draw(t, "op"),
				Text: rapid.SampledFrom([]string{"", "x", "-- a/x", "++ b/x", "@@ -1 +1 @@", "é", "\xff", " "}).Draw(t, "text"),
				CR:   rapid.IntRange(0, 4).Draw(t, "cr") == 0,
			}
			if l.Op != Add {
				l.Old, oldAt, h.OldLines = oldAt, oldAt+1, h.OldLines+1
			}
			if l.Op != Delete {
				l.New, newAt, h.NewLines = newAt, newAt+1, h.NewLines+1
			}
			h.Lines = append(h.Lines, l)
		}
		if h.OldLines == h.NewLines && !slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Op == Add }) {
			// A hunk has a change.
			h.Lines = append(h.Lines, Line{Op: Add, New: newAt, Text: "change"})
			newAt, h.NewLines = newAt+1, h.NewLines+1
		}
		// Git names the line before where a side of a hunk is empty.
		if h.OldLines == 0 {
			h.OldStart--
		}
		if h.NewLines == 0 {
			h.NewStart--
		}
		out = append(out, h)
	}
	return out
}

// printed is the file as git prints it: as Format does, with an index line.
func printed(t *rapid.T, f File) string {
	var b strings.Builder
	if err := Format(&b, []File{f}); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(b.String(), "\n--- ", "\nindex 1111111..2222222 "+f.NewMode+"\n--- ", 1)
}

func drawFile(t *rapid.T) File {
	f := File{Path: path(t, "path"), Status: Modified, OldMode: "100644", NewMode: "100644", Hunks: hunks(t)}
	if rapid.Bool().Draw(t, "renamed") {
		f.Status, f.OldPath = Renamed, "was "+path(t, "old path")
	}
	return f
}

func TestWhatIsPrintedIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []File
		text := ""
		for range rapid.IntRange(1, 4).Draw(t, "files") {
			f := drawFile(t)
			want = append(want, f)
			text += printed(t, f)
		}
		got, omitted, err := Parse(strings.NewReader(text), Limits{})
		if err != nil || len(omitted) > 0 {
			t.Fatalf("%v, omitted %+v in\n%s", err, omitted, text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v\nin\n%s", got, want, text)
		}
		one, err := ParsePatch(want[0].Path, want[0].OldPath, want[0].Status, text[strings.Index(text, "\n@@")+1:len(printed(t, want[0]))], Limits{})
		if err != nil || !reflect.DeepEqual(one.Hunks, want[0].Hunks) || one.Partial != "" {
			t.Fatalf("as a patch: %+v, %v", one, err)
		}
	})
}

// TestAnotherParserReadsTheSame holds this parser against go-gitdiff: names and
// every line.
func TestAnotherParserReadsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFile(t)
		text := printed(t, f)
		ours, omitted, err := Parse(strings.NewReader(text), Limits{})
		if err != nil || len(omitted) > 0 || len(ours) != 1 {
			t.Fatalf("%v, omitted %+v", err, omitted)
		}
		theirs, _, err := gitdiff.Parse(strings.NewReader(text))
		if err != nil || len(theirs) != 1 {
			t.Fatalf("go-gitdiff reads %d files: %v", len(theirs), err)
		}
		if g := theirs[0]; g.NewName != ours[0].Path || g.IsRename != (ours[0].Status == Renamed) {
			t.Fatalf("named %q (rename %v), we say %q (%s)", g.NewName, g.IsRename, ours[0].Path, ours[0].Status)
		}
		var a, b []string
		for _, h := range theirs[0].TextFragments {
			for _, l := range h.Lines {
				a = append(a, l.Op.String()+strings.TrimSuffix(l.Line, "\n"))
			}
		}
		for _, h := range ours[0].Hunks {
			for _, l := range h.Lines {
				text := l.Text
				if l.CR {
					text += "\r"
				}
				b = append(b, string(l.Op)+text)
			}
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("they read %q, we %q", a, b)
		}
	})
}
