package diff

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Format writes files as git prints a patch, for diff.patch of the hand-over
// (page 7.1): Parse reads them back and `git apply` takes them. What a File
// does not hold is not made up: there are no index lines, and so no mode that
// did not change, and binaries and submodules are named without content. A
// partial file is written as far as it was read.
func Format(w io.Writer, files []File) error {
	b := bufio.NewWriter(w)
	for _, f := range files {
		if f.Status == TypeChanged {
			before, after := split(f)
			format(b, before)
			format(b, after)
			continue
		}
		format(b, f)
	}
	return b.Flush()
}

// split makes of a type change what git makes of it: a deletion and an
// addition.
func split(f File) (before, after File) {
	before = File{Path: f.Path, Status: Deleted, OldMode: f.OldMode, Binary: f.Binary}
	after = File{Path: f.Path, Status: Added, NewMode: f.NewMode, Binary: f.Binary}
	for _, h := range f.Hunks {
		if h.NewLines == 0 {
			before.Hunks = append(before.Hunks, h)
		} else {
			after.Hunks = append(after.Hunks, h)
		}
	}
	return before, after
}

func format(b *bufio.Writer, f File) {
	oldPath := first(f.OldPath, f.Path)
	fmt.Fprintf(b, "diff --git %s %s\n", quote("a/", oldPath), quote("b/", f.Path))
	formatModes(b, f)
	switch f.Status {
	case Renamed:
		fmt.Fprintf(b, "rename from %s\nrename to %s\n", quote("", oldPath), quote("", f.Path))
	case Copied:
		fmt.Fprintf(b, "copy from %s\ncopy to %s\n", quote("", oldPath), quote("", f.Path))
	}
	minus, plus := side("a/", oldPath), side("b/", f.Path)
	if f.Status == Added {
		minus = "/dev/null"
	}
	if f.Status == Deleted {
		plus = "/dev/null"
	}
	if f.Binary {
		fmt.Fprintf(b, "Binary files %s and %s differ\n", strings.TrimSuffix(minus, "\t"), strings.TrimSuffix(plus, "\t"))
		return
	}
	if len(f.Hunks) == 0 {
		return
	}
	fmt.Fprintf(b, "--- %s\n+++ %s\n", minus, plus)
	for _, h := range f.Hunks {
		formatHunk(b, h)
	}
}

func formatModes(b *bufio.Writer, f File) {
	switch {
	case f.Status == Added:
		fmt.Fprintf(b, "new file mode %s\n", first(f.NewMode, "100644"))
	case f.Status == Deleted:
		fmt.Fprintf(b, "deleted file mode %s\n", first(f.OldMode, "100644"))
	case f.OldMode != f.NewMode && f.OldMode != "" && f.NewMode != "":
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", f.OldMode, f.NewMode)
	}
}

// formatHunk counts the lines that are there: those of a partial file are fewer
// than its header says.
func formatHunk(b *bufio.Writer, h Hunk) {
	before, after := 0, 0
	for _, l := range h.Lines {
		if l.Op != Add {
			before++
		}
		if l.Op != Delete {
			after++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@", span(h.OldStart, before), span(h.NewStart, after))
	if h.Section != "" {
		b.WriteByte(' ')
		b.WriteString(h.Section)
	}
	b.WriteByte('\n')
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

func span(start, n int) string {
	if n == 1 {
		return strconv.Itoa(start)
	}
	return fmt.Sprintf("%d,%d", start, n)
}

// side is a name of a "---" or "+++" line.
func side(prefix, path string) string {
	s := quote(prefix, path)
	if s[0] != '"' && strings.Contains(s, " ") {
		s += "\t"
	}
	return s
}

// quote writes a path as git does by default: bare, or in double quotes where
// it holds anything that a line of text could not carry.
func quote(prefix, path string) string {
	s := prefix + path
	if !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == '"' || c == '\\' || c >= 0x7f }) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		c := s[i]
		if at := strings.IndexByte(escapeValues, c); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte(escapeLetters[at])
		} else if c < ' ' || c >= 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}
