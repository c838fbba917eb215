package render

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// DefaultWidth is the width of a terminal that does not say.
const DefaultWidth = 80

// minWidth keeps a narrow terminal from breaking every line to pieces.
const minWidth = 60

// columns counts the columns that s takes in a terminal. Colour takes none,
// combining marks take none, wide East Asian characters and most emoji two.
func columns(s string) int {
	n, inColour := 0, false
	for _, r := range s {
		switch {
		case r == 0x1b:
			inColour = true
		case inColour:
			inColour = r != 'm'
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		default:
			n += runeColumns(r)
		}
	}
	return n
}

func runeColumns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// wrap breaks s at spaces into lines of at most max columns, the first behind
// first, the others behind rest. A word that is longer stands on a line of its
// own, unbroken, so that a path or an address can still be copied.
func wrap(s, first, rest string, max int) string {
	var b strings.Builder
	b.WriteString(first)
	at := columns(first)
	empty := true
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' }) {
		n := columns(word)
		if !empty && at+1+n > max {
			b.WriteString("\n" + rest)
			at, empty = columns(rest), true
		}
		if !empty {
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
		empty = false
	}
	b.WriteByte('\n')
	return b.String()
}

// Paragraph breaks s, which is ours or made plain, into lines of a terminal
// that does not say how wide it is: the first behind first, the others behind
// rest.
func Paragraph(s, first, rest string) string { return wrap(s, first, rest, DefaultWidth) }

// clip shortens s, which holds no colour, to max columns.
func clip(s string, max int) string {
	if columns(s) <= max {
		return s
	}
	n := 0
	for i, r := range s {
		c := columns(string(r))
		if n+c > max-3 {
			return strings.TrimRight(s[:i], " ") + "..."
		}
		n += c
	}
	return s
}

// padded fills s up to max columns.
func padded(s string, max int) string {
	if n := columns(s); n < max {
		return s + strings.Repeat(" ", max-n)
	}
	return s
}
