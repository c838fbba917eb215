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
	ProblemInvalid Problem = "invalid"  // not a string, not valid UTF-8 (a lone surrogate), or damaged on the way
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
// again; trimmed; not empty; at most MaxRunes code points. It is idempotent.
//
// Removed is only what can change nothing but where a line breaks or letters
// join, so that a person approves the text they see, without an emoji's joiner
// too. Every other character that hides or reorders text is a problem instead
// of being removed, at the ends of the text as well: who sent it meant
// something by it that nobody would see. U+FFFD is ProblemInvalid, since it is
// what a decoder leaves of a lone surrogate or a broken byte.
func Normalise(s string) (string, Problem) {
	if len(s) > maxBytes {
		return "", ProblemTooLong
	}
	if !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) {
		return "", ProblemInvalid
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
// not be in content. Zero-width characters are looked through, as if they had
// been removed.
func firstUnsafe(s string) (int, Class) {
	var prev rune
	for i, r := range s {
		c := Classify(r)
		switch {
		case c == ZeroWidth:
			continue
		case c == Selector && selects(prev, r, visibleNext(s[i+utf8.RuneLen(r):])), c == Control, c == ClassNone:
			prev = r
		default:
			return i, c
		}
	}
	return 0, ClassNone
}

// visibleNext returns the first character of s that is not zero-width.
func visibleNext(s string) rune {
	for _, r := range s {
		if Classify(r) != ZeroWidth {
			return r
		}
	}
	return 0
}

// Describe says in one sentence what is wrong with s, given the problem that
// Normalise named. It quotes nothing of s but the code point.
func Describe(p Problem, s string) string {
	switch p {
	case ProblemInvalid:
		if i := strings.IndexRune(s, utf8.RuneError); i >= 0 && utf8.ValidString(s) {
			return fmt.Sprintf("the text was damaged on its way: U+FFFD stands at character %d for what could not be decoded", utf8.RuneCountInString(s[:i])+1)
		}
		return "the text is not valid UTF-8"
	case ProblemEmpty:
		return "the text is empty"
	case ProblemTooLong:
		return fmt.Sprintf("the text is longer than %d characters", MaxRunes)
	case ProblemUnsafe:
		i, c := firstUnsafe(s)
		if c == ClassNone {
			return "the text holds a character that hides or reorders text"
		}
		r, _ := utf8.DecodeRuneInString(s[i:])
		return fmt.Sprintf("the text holds U+%04X, %s %s, at character %d; write it again without it", r, c.article(), c, utf8.RuneCountInString(s[:i])+1)
	}
	return ""
}
