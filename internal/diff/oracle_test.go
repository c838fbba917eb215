package diff

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
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

// quote writes a path as git does with core.quotePath.
func quote(prefix, p string) string {
	s := prefix + p
	if !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == '"' || c == '\\' || c >= 0x7f }) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if i := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); i >= 0 {
			b.WriteString(`\` + `abtnvfr"\`[i:i+1])
		} else if c < ' ' || c >= 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
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

func printed(f File) string {
	var b strings.Builder
	oldPath := f.Path
	if f.OldPath != "" {
		oldPath = f.OldPath
	}
	fmt.Fprintf(&b, "diff --git %s %s\n", quote("a/", oldPath), quote("b/", f.Path))
	if f.Status == Renamed {
		fmt.Fprintf(&b, "similarity index 60%%\nrename from %s\nrename to %s\n", quote("", oldPath), quote("", f.Path))
	}
	fmt.Fprintf(&b, "index 1111111..2222222 %s\n", f.NewMode)
	tab := func(p string) string {
		if p[0] != '"' && strings.Contains(p, " ") {
			return p + "\t"
		}
		return p
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", tab(quote("a/", oldPath)), tab(quote("b/", f.Path)))
	for _, h := range f.Hunks {
		section := ""
		if h.Section != "" {
			section = " " + h.Section
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@%s\n", span(h.OldStart, h.OldLines), span(h.NewStart, h.NewLines), section)
		for _, l := range h.Lines {
			b.WriteByte(byte(l.Op))
			b.WriteString(l.Text)
			if l.CR {
				b.WriteByte('\r')
			}
			b.WriteByte('\n')
			if l.NoNewline {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

func span(start, n int) string {
	if n == 1 {
		return strconv.Itoa(start)
	}
	return fmt.Sprintf("%d,%d", start, n)
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
			text += printed(f)
		}
		got, omitted, err := Parse(strings.NewReader(text), Limits{})
		if err != nil || len(omitted) > 0 {
			t.Fatalf("%v, omitted %+v in\n%s", err, omitted, text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v\nin\n%s", got, want, text)
		}
		one, err := ParsePatch(want[0].Path, want[0].OldPath, want[0].Status, text[strings.Index(text, "\n@@")+1:len(printed(want[0]))], Limits{})
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
		text := printed(f)
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
