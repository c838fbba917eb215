package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/text"
)

// This file finds the exact credentials of the run, in whatever dress: as they
// are, reversed, in base64, base64url and base32 at every offset, in
// hexadecimal, with any of their characters escaped for a URL, a string or HTML, and split
// by line breaks, spaces, controls, invisible characters or punctuation.

// shortestSplit is the least number of letters and digits that are looked for
// across punctuation: fewer would be found by chance.
const shortestSplit = 16

// liveForms are the forms of one value that are looked for.
type liveForms struct {
	plain  []string // in text without its blanks and invisible characters
	packed []string // in its letters and digits alone
	hex    []string // in its hexadecimal digits alone
}

func formsOf(value string) liveForms {
	var f liveForms
	forms := append(base64Forms(value), base32Forms(value)...)
	forms = append(append(forms, base64Forms(reversed(value))...), value, reversed(value))
	for _, form := range forms {
		form, _ = squeeze(form, visibleOnly)
		if len(form) >= minLive && !slices.Contains(f.plain, form) {
			f.plain = append(f.plain, form)
		}
		form, _ = squeeze(form, lettersOnly)
		if len(form) >= shortestSplit && !slices.Contains(f.packed, form) {
			f.packed = append(f.packed, form)
		}
	}
	for _, v := range []string{value, reversed(value)} {
		f.hex = append(f.hex, hex.EncodeToString([]byte(v)), reversed(hex.EncodeToString([]byte(v))))
	}
	return f
}

// base64Forms are what every encoding in base64 that has the value somewhere
// in it holds: at each offset from a group of three bytes, without the
// characters that depend on what stands around.
func base64Forms(value string) []string {
	var out []string
	for offset, lost := range []int{0, 2, 3} {
		padded := append(make([]byte, offset), value...)
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			s := enc.EncodeToString(padded)
			if len(padded)%3 != 0 {
				s = s[:len(s)-1]
			}
			if len(s) > lost {
				out = append(out, s[lost:])
			}
		}
	}
	return out
}

// base32Forms are the same for base32, whose groups have five bytes.
func base32Forms(value string) []string {
	var out []string
	for offset, lost := range []int{0, 2, 4, 5, 7} {
		padded := append(make([]byte, offset), value...)
		s := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(padded)
		if len(padded)%5 != 0 {
			s = s[:len(s)-1]
		}
		if len(s) > lost {
			out = append(out, s[lost:])
		}
	}
	return out
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// squeeze returns the characters of s that keep says, and where each byte of
// the result stands in s.
func squeeze(s string, keep func(rune) bool) (string, []int) {
	var b strings.Builder
	b.Grow(len(s))
	at := make([]int, 0, len(s))
	for i, r := range s {
		if !keep(r) {
			continue
		}
		n := b.Len()
		b.WriteRune(r)
		for range b.Len() - n {
			at = append(at, i)
		}
	}
	return b.String(), at
}

func visibleOnly(r rune) bool {
	return r > ' ' && r != 0xA0 && text.Classify(r) == text.ClassNone
}

func lettersOnly(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

func hexOnly(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
}

// findLive finds the live values in s.
func (f Finder) findLive(s string) []Hit {
	if len(f.live) == 0 || s == "" {
		return nil
	}
	hits := f.inView(s)
	if plain, back := unescape(s); plain != s {
		for _, h := range f.inView(plain) {
			hits = append(hits, Hit{Start: back.start(h.Start), End: back.end(h.End, len(s)), Kind: Secret, Rule: h.Rule})
		}
	}
	return join(hits)
}

// inView looks into s without its blanks, into its letters and digits, and
// into its hexadecimal digits.
func (f Finder) inView(s string) []Hit {
	visible, atVisible := squeeze(s, visibleOnly)
	packed, atPacked := squeeze(s, lettersOnly)
	digits, atDigits := squeeze(strings.NewReplacer(`\x`, "  ", "0x", "  ", "0X", "  ", `\u00`, "    ").Replace(s), hexOnly)
	digits = strings.ToLower(digits)
	var hits []Hit
	for _, form := range f.forms {
		for _, p := range form.plain {
			hits = appendLive(hits, s, visible, p, atVisible)
		}
		for _, p := range form.packed {
			hits = appendLive(hits, s, packed, p, atPacked)
		}
		for _, p := range form.hex {
			hits = appendLive(hits, s, digits, p, atDigits)
		}
	}
	return hits
}

func appendLive(hits []Hit, s, view, form string, at []int) []Hit {
	for _, h := range occurrences(view, form, "live-token") {
		last := at[h.End-1]
		_, size := utf8.DecodeRuneInString(s[last:])
		hits = append(hits, Hit{Start: at[h.Start], End: last + size, Kind: Secret, Rule: h.Rule})
	}
	return hits
}
