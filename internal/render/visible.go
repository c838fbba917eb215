package render

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	zeroWidthJoiner = 0x200D
	emojiSelector   = 0xFE0F
)

// unseen are characters outside the categories Cc, Cf, Co, Zl and Zp that
// show nothing, or change how their neighbour looks.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034F, Hi: 0x034F, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115F, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180B, Hi: 0x180F, Stride: 1}, // Mongolian variation selectors
		{Lo: 0x2065, Hi: 0x2065, Stride: 1},
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // blank Braille pattern
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, // variation selectors
		{Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}, // half-width Hangul filler
		{Lo: 0xFFF0, Hi: 0xFFFB, Stride: 1},
		{Lo: 0xFFFE, Hi: 0xFFFF, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1D159, Hi: 0x1D159, Stride: 1}, // musical null note head
		{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}, // tags, more variation selectors
	},
}

// visible replaces every character that shows nothing, moves the cursor or
// turns the direction of writing by its code point in brackets. Tabs and line
// breaks become spaces unless they are in keep. A joiner or a selector within
// an emoji stays.
func visible(s, keep string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if isPlain(s) {
		return s
	}
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		switch {
		case strings.ContainsRune(keep, r):
			b.WriteRune(r)
		case r == '\r' && i+1 < len(runes) && runes[i+1] == '\n':
			// the line break follows
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case hidden(r) && !inEmoji(runes, i):
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unseen)
}

func inEmoji(runes []rune, i int) bool {
	if i == 0 || !emoji(runes[i-1]) {
		return false
	}
	switch runes[i] {
	case emojiSelector:
		return true
	case zeroWidthJoiner:
		return i+1 < len(runes) && emoji(runes[i+1]) && runes[i+1] != emojiSelector
	}
	return false
}

// emoji says whether a joiner or selector may follow r: symbols, skin tones,
// and the selector itself within a sequence.
func emoji(r rune) bool {
	return unicode.Is(unicode.So, r) || (r >= 0x1F3FB && r <= 0x1F3FF) || r == emojiSelector
}
