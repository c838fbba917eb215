// This file is the one door through which text becomes content: every
// lesson, key part and answer that is stored was returned by Normalise.

package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxRunes is the most code points that content may have after normalisation
// (page 3.6).
const MaxRunes = 2000

// Problem is why a text cannot be content. The zero value is no problem.
type Problem string

// The closed set of problems.
const (
	ProblemNone    Problem = ""
	ProblemInvalid Problem = "invalid"  // not a string, or not valid UTF-8 (a lone surrogate)
	ProblemEmpty   Problem = "empty"    // nothing is left
	ProblemTooLong Problem = "too_long" // more than MaxRunes
	ProblemUnsafe  Problem = "unsafe"   // a character that hides or reorders text
)

// maxBytes bounds the work before anything is parsed: MaxRunes code points
// of four bytes, sixteen times over for what normalisation takes away.
const maxBytes = MaxRunes * 4 * 16

// Normalise returns the normal form of content, or why there is none (page
// 3.6): valid UTF-8; NFC; each C0 and C1 control and DEL one space;
// zero-width characters (U+200B to U+200D, U+2060, U+FEFF) removed; NFC
// again; trimmed; not empty; at most MaxRunes code points. Characters that
// hide or reorder text are a problem and not removed, because removing them
// would show a person another text than the one that was sent. It is
// idempotent.
func Normalise(s string) (string, Problem) {
	if !utf8.ValidString(s) {
		return "", ProblemInvalid
	}
	if len(s) > maxBytes {
		return "", ProblemTooLong
	}
	s = norm.NFC.String(s)
	s = strings.Map(func(r rune) rune {
		switch Classify(r) {
		case Control:
			return ' '
		case ZeroWidth:
			return -1
		}
		return r
	}, s)
	s = norm.NFC.String(s)
	if _, unsafe := firstUnsafe(s); unsafe != ClassNone {
		return "", ProblemUnsafe
	}
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", ProblemEmpty
	case utf8.RuneCountInString(s) > MaxRunes:
		return "", ProblemTooLong
	}
	return s, ProblemNone
}

// NormaliseRaw is Normalise for a decoded JSON value: anything but a string
// is ProblemInvalid.
func NormaliseRaw(v any) (string, Problem) {
	s, ok := v.(string)
	if !ok {
		return "", ProblemInvalid
	}
	return Normalise(s)
}

// firstUnsafe returns the offset and class of the first character that may
// not be in content; controls and zero-width characters are gone by then.
func firstUnsafe(s string) (int, Class) {
	var prev rune
	for i, r := range s {
		switch c := Classify(r); c {
		case ClassNone, Control, ZeroWidth:
		case Selector:
			if !afterEmoji(prev, r) {
				return i, c
			}
		default:
			return i, c
		}
		prev = r
	}
	return 0, ClassNone
}

// Describe says in one sentence what is wrong with s, given the problem that
// Normalise named. It quotes nothing of s but the code point.
func Describe(p Problem, s string) string {
	switch p {
	case ProblemInvalid:
		return "the text is not valid UTF-8"
	case ProblemEmpty:
		return "the text is empty"
	case ProblemTooLong:
		return fmt.Sprintf("the text is longer than %d characters", MaxRunes)
	case ProblemUnsafe:
		for i, r := range s {
			if c := Classify(r); c != ClassNone && c != Control && c != ZeroWidth && (c != Selector || !afterEmoji(before(s, i), r)) {
				return fmt.Sprintf("the text holds U+%04X, a %s, at character %d; write it again without it", r, c, utf8.RuneCountInString(s[:i])+1)
			}
		}
		return "the text holds a character that hides or reorders text"
	}
	return ""
}

func before(s string, i int) rune {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return r
}
