package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with every character that a reader could not see, or
// that would reorder what they see, written out as [U+202E]. Line feeds and
// tabs stay; a byte that is no UTF-8 becomes U+FFFD. It changes nothing in
// plain text and is idempotent.
func Visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	var prev rune
	for _, r := range s {
		c := Classify(r)
		plain := c == ClassNone || r == '\n' || r == '\t' || (c == Selector && afterEmoji(prev, r))
		if plain {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
		prev = r
	}
	return b.String()
}

// Truncate returns s if it has at most max code points, and else as many of
// them as leave room for an ellipsis, never cutting a base character from
// its combining marks. A max below 1 gives "".
func Truncate(s string, max int) string {
	if max < 1 {
		return ""
	}
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	runes := []rune(s)
	cut := max - 1
	for cut > 0 && (continues(runes[cut]) || runes[cut-1] == joinerZWJ) {
		cut--
	}
	return strings.TrimRightFunc(string(runes[:cut]), unicode.IsSpace) + "…"
}

// continues tells characters that belong to the one before them.
func continues(r rune) bool {
	return unicode.Is(unicode.M, r) || r == joinerZWJ || (r >= 0x1F3FB && r <= 0x1F3FF)
}
