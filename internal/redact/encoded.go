package redact

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// What the library takes for encoded is at least this long.
const (
	shortestBase64 = 16
	shortestHex    = 32
)

// encodedRun says whether the library would decode a part of the run. Within
// characters of base64 a stretch of hexadecimal goes before; and without a
// digit or a sign the library takes a part for a word.
func encodedRun(run string) bool {
	if !strings.ContainsAny(run, "0123456789+/-_") {
		return false
	}
	for part := range strings.FieldsFuncSeq(run, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(`.~\`, r) }) {
		for part != "" {
			n := len(part) - len(strings.TrimLeft(part, "0123456789abcdefABCDEF"))
			if n < shortestHex {
				n = 0
			}
			if readable(hex.DecodeString(part[:n&^1])) {
				return true
			}
			rest, after, _ := strings.Cut(part[n:], "=")
			if len(rest) >= shortestBase64 && readableBase64(rest) {
				return true
			}
			part = strings.TrimLeft(after, "=")
		}
	}
	return false
}

func readableBase64(s string) bool {
	for pad := range 3 {
		if readable(base64.StdEncoding.DecodeString(s + "=="[:pad])) {
			return true
		}
	}
	return readable(base64.RawURLEncoding.DecodeString(s))
}

func readable(b []byte, err error) bool {
	if err != nil || len(b) == 0 {
		return false
	}
	for _, c := range b {
		if c < '\t' || c > '~' {
			return false
		}
	}
	return true
}

// escapesIn says whether s holds an escape that the library decodes to ASCII
// (of URLs, of JSON, or the name of a code point), and whether names of code
// points follow each other across a line break. An escape of any other
// character changes no token.
func escapesIn(s string) (some, broken bool) {
	for at := 0; ; {
		i := strings.IndexAny(s[at:], `%\U`)
		if i < 0 {
			return some, broken
		}
		at += i + 1
		switch rest := s[at:]; s[at-1] {
		case '%':
			some = some || len(rest) >= 2 && printable(hexValue(rest[:2]))
		case '\\':
			some = some || len(rest) >= 5 && (rest[0] == 'u' || rest[0] == 'U') && likeASCII(hexValue(rest[1:5]))
		case 'U':
			if len(rest) >= 5 && rest[0] == '+' && likeASCII(hexValue(rest[1:5])) {
				some = true
				broken = broken || len(rest) > 5 && (rest[5] == '\n' || rest[5] == '\r')
			}
		}
	}
}

// hexValue returns the value of some hexadecimal digits, -1 for others.
func hexValue(digits string) int {
	value := 0
	for i := range len(digits) {
		n := strings.IndexByte("0123456789abcdef", digits[i]|0x20)
		if n < 0 || digits[i] < '0' {
			return -1
		}
		value = value<<4 | n
	}
	return value
}

func printable(c int) bool { return c >= '\t' && c <= '~' }

// likeASCII tells ASCII and the two letters that fold to one of its letters:
// the long s and the sign of the kelvin.
func likeASCII(c int) bool { return c >= 0 && c < utf8.RuneSelf || c == 0x17F || c == 0x212A }
