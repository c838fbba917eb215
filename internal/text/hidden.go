package text

import (
	"unicode"
	"unicode/utf8"
)

// Hit is one suspicious character: its byte offset, the character and why.
type Hit struct {
	Offset int
	Rune   rune
	Class  Class
}

// Hidden finds the characters in a line of code or prose that hide or
// reorder what a reader sees: bidirectional controls, tag characters,
// zero-width and invisible characters, line separators, stray selectors. It
// leaves alone what honest text has: emoji sequences, joiners between letters
// of scripts that need them, direction marks beside right-to-left letters,
// and a byte order mark at offset 0. Controls are not its subject.
func Hidden(line string) []Hit {
	var hits []Hit
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		if c := Classify(r); c != ClassNone && c != Control && !honest(line, i, size, r, c) {
			hits = append(hits, Hit{Offset: i, Rune: r, Class: c})
		}
		i += size
	}
	return hits
}

// honest says whether the character at i has its usual work to do there.
func honest(s string, i, size int, r rune, c Class) bool {
	prev := before(s, i)
	next, _ := utf8.DecodeRuneInString(s[i+size:])
	switch {
	case r == byteOrderMark:
		return i == 0
	case c == Selector:
		return afterEmoji(prev, r) || unicode.Is(unicode.Han, prev) || unicode.Is(unicode.Mongolian, prev)
	case r == joinerZWJ:
		return (emojiPart(prev) && emojiPart(next)) || joins(prev) && joins(next)
	case r == joinerZWNJ:
		return joins(prev) && joins(next)
	case r == 0x200E, r == 0x200F, r == 0x061C:
		return hasRightToLeft(s)
	case r == 0xAD: // a soft hyphen inside a word of prose
		return unicode.IsLetter(prev) && unicode.IsLetter(next) && (prev >= 0x80 || next >= 0x80)
	case r == 0x3164 || r == 0x115F || r == 0x1160 || r == 0xFFA0:
		return unicode.Is(unicode.Hangul, prev) && unicode.Is(unicode.Hangul, next)
	}
	return false
}

func emojiPart(r rune) bool {
	return unicode.Is(unicode.So, r) || r == emojiSelector || (r >= 0x1F3FB && r <= 0x1F3FF)
}

// joins tells letters of scripts whose shapes depend on joiners.
func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer,
		unicode.Myanmar, unicode.Tibetan, unicode.Mongolian, unicode.Nko, unicode.Mandaic)
}

func hasRightToLeft(s string) bool {
	for _, r := range s {
		if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) {
			return true
		}
	}
	return false
}
