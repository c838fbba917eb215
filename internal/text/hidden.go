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
// leaves alone what honest text has: emoji sequences with their selectors,
// joiners and the three flags made of tags; joiners between letters of scripts
// that need them; zero-width spaces in scripts written without spaces;
// direction marks beside right-to-left letters; and a byte order mark at
// offset 0. Controls are not its subject.
func Hidden(line string) []Hit {
	var hits []Hit
	marks := rightToLeft{line: line}
	walk(line, func(p place) bool {
		if p.class == Control || marks.honest(p) {
			return true
		}
		hits = append(hits, Hit{Offset: p.offset, Rune: p.r, Class: p.class})
		return false
	}, nil)
	return hits
}

// place is a character that is of some class, with its neighbours. A
// neighbour that was itself found at fault counts as none.
type place struct {
	offset        int
	prev, r, next rune
	class         Class
}

// walk goes through s once. It calls ask for every character that has a class
// and no honest work within a sequence, which answers whether it stays; and
// keep, unless nil, for each stretch that stays.
func walk(s string, ask func(place) bool, keep func(string)) {
	var prev rune
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == blackFlag {
			size += tagFlag(s[i+size:])
		}
		stays := true
		if c := Classify(r); c != ClassNone {
			next, _ := utf8.DecodeRuneInString(s[i+size:])
			stays = inSequence(prev, r, next) || ask(place{offset: i, prev: prev, r: r, next: next, class: c})
		}
		if stays && keep != nil {
			keep(s[i : i+size])
		}
		prev = r
		if !stays {
			prev = 0
		}
		i += size
	}
}

// inSequence says whether r has its usual work between prev and next, without
// which the text would look or read differently.
func inSequence(prev, r, next rune) bool {
	switch {
	case r == zwj && emojiPart(prev) && unicode.Is(pictographic, next):
		return true
	case r == zwj || r == zwnj:
		return joins(prev) && joins(next)
	case unicode.Is(unicode.Variation_Selector, r):
		return selects(prev, r, next) || variant(prev)
	}
	return false
}

// variant tells letters whose forms are chosen by a selector.
func variant(r rune) bool {
	return unicode.IsLetter(r) && unicode.In(r, unicode.Han, unicode.Mongolian)
}

// joins tells letters and marks of scripts whose shapes depend on joiners.
func joins(r rune) bool {
	return Classify(r) == ClassNone && unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Mongolian, unicode.Nko, unicode.Mandaic)
}

// rightToLeft answers for one line whether it has right-to-left letters, and
// looks once only.
type rightToLeft struct {
	line        string
	known, does bool
}

// honest says whether a character that is in no sequence is still what such
// text has in good faith.
func (l *rightToLeft) honest(p place) bool {
	switch p.r {
	case byteOrderMark:
		return p.offset == 0
	case 0x200E, 0x200F, 0x061C: // marks of direction; overrides and isolates are never excused
		return l.has()
	case 0x200B:
		return unspaced(p.prev) && unspaced(p.next)
	case 0xAD: // a soft hyphen inside a word of prose
		return unicode.IsLetter(p.prev) && unicode.IsLetter(p.next) && (p.prev >= 0x80 || p.next >= 0x80)
	case 0x115F, 0x1160: // fillers of an old syllable that lacks a letter
		return jamo(p.prev) || jamo(p.next)
	case 0x3164, 0xFFA0:
		return unicode.Is(unicode.Hangul, p.prev) && unicode.Is(unicode.Hangul, p.next)
	case 0x2800:
		return true // Braille art and spinners draw with it
	case emojiForm:
		return p.prev >= 0x80 && unicode.IsSymbol(p.prev) // drawn as an emoji by habit: harmless
	}
	return false
}

func (l *rightToLeft) has() bool {
	if !l.known {
		l.known = true
		for _, r := range l.line {
			if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) {
				l.does = true
				break
			}
		}
	}
	return l.does
}

// jamo tells the letters of which old Korean syllables are put together.
func jamo(r rune) bool { return r >= 0x1100 && r <= 0x11FF }

// unspaced tells scripts in which a zero-width space marks where a line may
// break, since words are not spaced.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
