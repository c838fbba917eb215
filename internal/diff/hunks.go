package diff

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// hunkReader reads the hunks of one file from the parser's lines.
type hunkReader struct {
	p     *parser
	f     *File
	store bool
	room  int // lines that may still be kept
}

func (r *hunkReader) partial(reason string) {
	if r.f.Partial == "" {
		r.f.Partial = reason
	}
}

// next reads one hunk; false means that none begins here or that it broke off.
func (r *hunkReader) next() bool {
	line, err := r.p.in.next()
	if err != nil {
		r.p.end(err)
		return false
	}
	h, ok := hunkHeader(line.text)
	if !ok {
		if bytes.HasPrefix(line.text, []byte("@@")) {
			r.partial(reasonDamaged)
		}
		r.p.in.unread(line)
		return false
	}
	whole := r.body(&h)
	if r.store && (len(h.Lines) > 0 || whole) {
		r.f.Hunks = append(r.f.Hunks, h)
	}
	return whole
}

// hunkHeader reads "@@ -1,2 +3,4 @@ section".
func hunkHeader(text []byte) (Hunk, bool) {
	s, ok := strings.CutPrefix(string(text[:min(len(text), 4096)]), "@@ -")
	if !ok {
		return Hunk{}, false
	}
	ranges, section, ok := strings.Cut(s, " @@")
	if !ok {
		return Hunk{}, false
	}
	before, after, ok := strings.Cut(ranges, " +")
	if !ok {
		return Hunk{}, false
	}
	var h Hunk
	var ok2 bool
	h.OldStart, h.OldLines, ok = hunkRange(before)
	h.NewStart, h.NewLines, ok2 = hunkRange(after)
	h.Section = strings.TrimPrefix(section, " ")
	return h, ok && ok2
}

// maxLineNumber keeps sums of line numbers far from the end of an int32.
const maxLineNumber = 1 << 30

func hunkRange(s string) (start, length int, ok bool) {
	a, b, both := strings.Cut(s, ",")
	start, ok = lineNumber(a)
	if !ok {
		return 0, 0, false
	}
	length = 1
	if both {
		length, ok = lineNumber(b)
	}
	// Only an empty side starts at 0.
	return start, length, ok && (start > 0 || length == 0)
}

func lineNumber(s string) (int, bool) {
	if s == "" || s[0] == '+' || s[0] == '-' {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n <= maxLineNumber
}

// body reads the lines of a hunk until both sides have the lengths that its
// header names, and the note about a missing newline behind them.
func (r *hunkReader) body(h *Hunk) bool {
	oldLeft, newLeft := h.OldLines, h.NewLines
	oldAt, newAt := h.OldStart, h.NewStart
	for oldLeft > 0 || newLeft > 0 {
		line, err := r.p.in.next()
		if err != nil {
			r.p.end(err)
			if r.partial(r.p.cause()); r.f.Partial == "" {
				r.partial(reasonDamaged)
			}
			return false
		}
		if isNoNewline(line.text) {
			markNoNewline(h)
			continue
		}
		l, ok := r.line(line)
		if !ok || l.Op != Add && oldLeft == 0 || l.Op != Delete && newLeft == 0 {
			r.partial(reasonDamaged)
			r.p.in.unread(line)
			return false
		}
		if l.Op != Add {
			l.Old, oldAt, oldLeft = oldAt, oldAt+1, oldLeft-1
		}
		if l.Op != Delete {
			l.New, newAt, newLeft = newAt, newAt+1, newLeft-1
		}
		r.add(h, l)
	}
	r.noNewline(h)
	return true
}

// line turns one line of text into a Line without numbers.
func (r *hunkReader) line(raw rawLine) (Line, bool) {
	text, l := raw.text, Line{Op: Context}
	// A context line that is empty may have lost its space on the way.
	if len(text) > 0 {
		l.Op, text = Op(text[0]), text[1:]
	}
	if l.Op != Context && l.Op != Add && l.Op != Delete {
		return Line{}, false
	}
	l.CR = len(raw.text) > 1 && raw.last == '\r'
	if l.CR && !raw.cut {
		text = text[:len(text)-1]
	}
	if limit := r.p.lim.LineBytes; len(text) > limit || raw.cut {
		text, l.Cut = runePrefix(text, limit), true
	}
	if r.store {
		l.Text = string(text)
	}
	return l, true
}

// runePrefix cuts text to at most n bytes without splitting a character.
func runePrefix(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for back := 0; back < utf8.UTFMax && n-back > 0; back++ {
		if utf8.RuneStart(text[n-back]) {
			return text[:n-back]
		}
	}
	return text[:n]
}

func (r *hunkReader) add(h *Hunk, l Line) {
	if !r.store {
		return
	}
	if r.room == 0 {
		r.partial(reasonFileLines(r.p.lim.FileLines))
		return
	}
	r.room--
	if l.Cut {
		r.partial(reasonLineBytes(max(l.New, l.Old), r.p.lim.LineBytes))
	}
	h.Lines = append(h.Lines, l)
}

// noNewline reads the note about a missing newline behind the last line.
func (r *hunkReader) noNewline(h *Hunk) {
	line, err := r.p.in.next()
	if err != nil {
		r.p.end(err)
		return
	}
	if !isNoNewline(line.text) {
		r.p.in.unread(line)
		return
	}
	markNoNewline(h)
}

func isNoNewline(text []byte) bool { return len(text) > 0 && text[0] == '\\' }

func markNoNewline(h *Hunk) {
	if n := len(h.Lines); n > 0 {
		h.Lines[n-1].NoNewline = true
	}
}
