package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with every character that a reader could not see, or
// that would reorder what they see, written out as [U+202E]. Line feeds and
// tabs stay, and so do emoji sequences and the joiners that a script needs
// between its letters; a byte that is no UTF-8 becomes U+FFFD. It changes
// nothing in plain text and is idempotent.
func Visible(s string) string { return visible(s, "\n\t", written) }

// VisibleLine is Visible for a place of one line: line feeds and tabs are
// written out too.
func VisibleLine(s string) string { return visible(s, "", written) }

// InPlaceOfHidden is s with instead where VisibleLine writes a character out.
func InPlaceOfHidden(s, instead string) string {
	return visible(s, "", func(rune) string { return instead })
}

func written(r rune) string { return fmt.Sprintf("[U+%04X]", r) }

func visible(s, keep string, show func(rune) string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	b.Grow(len(s))
	walk(s, func(p place) bool {
		if strings.ContainsRune(keep, p.r) {
			return true
		}
		b.WriteString(show(p.r))
		return false
	}, func(part string) { b.WriteString(part) })
	return b.String()
}

// FirstHidden describes the first character of s that Visible would write out,
// or VisibleLine where s is one line, as in "U+200B, a zero-width character, at
// character 3"; "" if there is none.
func FirstHidden(s string, oneLine bool) string {
	if !utf8.ValidString(s) {
		return "a byte that is no UTF-8"
	}
	found := ""
	walk(s, func(p place) bool {
		if !oneLine && (p.r == '\n' || p.r == '\t') {
			return true
		}
		if found == "" {
			found = fmt.Sprintf("U+%04X, %s %s, at character %d", p.r, p.class.article(), p.class, utf8.RuneCountInString(s[:p.offset])+1)
		}
		return false
	}, nil)
	return found
}

// Truncate returns s if it has at most max code points, and else as many of
// them as leave room for an ellipsis, never cutting a base character from its
// combining marks, an emoji sequence or a flag in two. A max below 1 gives "".
func Truncate(s string, max int) string {
	if max < 1 {
		return ""
	}
	if len(s) <= max || utf8.RuneCountInString(s) <= max {
		return s
	}
	head, rest := runesBefore(s, max-1)
	cut := len(head)
	for cut > 0 && belongs(head[:cut], rest) {
		_, size := utf8.DecodeLastRuneInString(head[:cut])
		cut -= size
		rest = s[cut:]
	}
	return strings.TrimRightFunc(head[:cut], unicode.IsSpace) + "…"
}

// runesBefore splits s behind its first n code points.
func runesBefore(s string, n int) (head, rest string) {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i], s[i:]
}

// belongs says whether a cut between head and rest would part what is drawn
// as one.
func belongs(head, rest string) bool {
	prev, _ := utf8.DecodeLastRuneInString(head)
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.Is(unicode.M, r), skinTone(r), r == zwj, r == zwnj, Classify(r) == Tag:
		return true
	case prev == zwj:
		return true
	case flagLetter(r):
		return lettersBehind(head)%2 == 1
	}
	return false
}

// lettersBehind counts the flag letters at the end of head: two make a flag.
func lettersBehind(head string) int {
	n := 0
	for head != "" {
		r, size := utf8.DecodeLastRuneInString(head)
		if !flagLetter(r) {
			break
		}
		n++
		head = head[:len(head)-size]
	}
	return n
}

// WithoutHidden returns s without what cannot be seen in it, which could split
// a word in two.
func WithoutHidden(s string) string {
	return strings.Map(func(r rune) rune {
		if Classify(r) != ClassNone {
			return -1
		}
		return r
	}, s)
}
