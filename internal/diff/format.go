package diff

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Format writes files as git prints a change, so that `git apply` takes it
// and a reviewer can read it. What a File does not hold (the bytes of a
// binary file, hunks that were left out) is not in it.
func Format(w io.Writer, files []File) error {
	p := &printer{w: w}
	for _, f := range files {
		p.file(f)
	}
	return p.err
}

// printer keeps the first error, so that the format reads in one piece.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) file(f File) {
	old := f.Path
	if f.OldPath != "" {
		old = f.OldPath
	}
	a, b := quoted("a/"+old), quoted("b/"+f.Path)
	p.linef("diff --git %s %s\n", a, b)
	switch {
	case f.Status == Added:
		p.linef("new file mode %s\n", f.NewMode)
	case f.Status == Deleted:
		p.linef("deleted file mode %s\n", f.OldMode)
	case f.OldMode != f.NewMode && f.OldMode != "" && f.NewMode != "":
		p.linef("old mode %s\nnew mode %s\n", f.OldMode, f.NewMode)
	}
	switch f.Status {
	case Renamed:
		p.linef("rename from %s\nrename to %s\n", quoted(old), quoted(f.Path))
	case Copied:
		p.linef("copy from %s\ncopy to %s\n", quoted(old), quoted(f.Path))
	}
	if f.Binary {
		p.linef("Binary files %s and %s differ\n", a, b)
		return
	}
	if len(f.Hunks) == 0 {
		return
	}
	if f.Status == Added {
		a = "/dev/null"
	}
	if f.Status == Deleted {
		b = "/dev/null"
	}
	p.linef("--- %s\n+++ %s\n", a, b)
	for _, h := range f.Hunks {
		p.hunk(h)
	}
}

func (p *printer) hunk(h Hunk) {
	p.linef("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
	if h.Section != "" {
		p.linef(" %s", h.Section)
	}
	p.linef("\n")
	for _, l := range h.Lines {
		cr := ""
		if l.CR {
			cr = "\r"
		}
		p.linef("%c%s%s\n", l.Op, l.Text, cr)
		if l.NoNewline {
			p.linef("\\ No newline at end of file\n")
		}
	}
}

// quoted writes a path as git does: in quotes, with octal escapes, where it
// has a control, a quote, a backslash or a byte beyond ASCII.
func quoted(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '"' || r == '\\' || r > 0x7e }) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03s`, strconv.FormatUint(uint64(c), 8))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
