package text

import "unicode"

// Class says what kind of trouble a character is. The zero value is none.
type Class string

// The closed set of classes (page 3.6 and attack A75).
const (
	ClassNone     Class = ""
	Control       Class = "control character"
	ZeroWidth     Class = "zero-width character"
	Bidi          Class = "bidirectional control"
	Tag           Class = "tag character"
	Selector      Class = "variation selector outside an emoji"
	LineSeparator Class = "line or paragraph separator"
	Invisible     Class = "invisible character"
	NonCharacter  Class = "noncharacter"
)

func (c Class) article() string {
	if c == Invisible {
		return "an"
	}
	return "a"
}

// Classify says what kind of trouble r is by itself. A variation selector is
// always Selector here; whether it belongs to an emoji is for the caller,
// who sees its neighbours (see selects).
func Classify(r rune) Class {
	switch {
	case r < 0x20 || r == 0x7F || (r >= 0x80 && r <= 0x9F):
		return Control
	case r < 0xAD:
		return ClassNone
	case r >= 0x200B && r <= 0x200D, r == 0x2060, r == byteOrderMark:
		return ZeroWidth
	case r == 0x061C, r == 0x200E, r == 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return Bidi
	case r >= 0xE0000 && r <= 0xE007F:
		return Tag
	case unicode.Is(unicode.Variation_Selector, r):
		return Selector
	case r == 0x2028, r == 0x2029:
		return LineSeparator
	case r&0xFFFE == 0xFFFE, r >= 0xFDD0 && r <= 0xFDEF:
		return NonCharacter
	case invisible(r):
		return Invisible
	}
	return ClassNone
}

// invisible covers the kind and not a list of samples: every format
// character, and everything that Unicode calls ignorable by default, but for
// the format characters that are drawn.
func invisible(r rune) bool {
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		r == 0x2800 || r == 0x1D159 || // the blanks of Braille and of music: drawn as nothing
		(r >= 0xE0080 && r <= 0xE0FFF) // reserved, ignorable by default
}
