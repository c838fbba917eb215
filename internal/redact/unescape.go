package redact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/text"
)

// origin says where each byte of a text came from.
type origin []int

func (o origin) start(i int) int { return o[i] }

// end returns where the character ends whose last byte of the text is before
// i: where the next one begins.
func (o origin) end(i, length int) int {
	if i < len(o) {
		return o[i]
	}
	return length
}

// unescape returns s with the escapes of URLs (%41), of strings (\x41, \u0041,
// \101), of HTML (&#65;, &#x41;) and of quoted-printable text (=41) resolved
// where they stand for printable ASCII, with full-width letters in their place,
// and where each byte came from. What stands for a blank, a line break or
// something invisible becomes a space. It goes over s once: what only an
// escaped escape gives is not resolved.
func unescape(s string) (string, origin) {
	if !strings.ContainsAny(s, `%\&=<`) && !fullWidth(s) {
		return s, nil
	}
	var b strings.Builder
	b.Grow(len(s))
	at := make(origin, 0, len(s))
	for i := 0; i < len(s); {
		c, size := escapeAt(s[i:])
		if size == 0 {
			c, size = s[i], 1
		}
		b.WriteByte(c)
		at = append(at, i)
		i += size
	}
	return b.String(), at
}

// escapeAt returns the character that the escape at the start of s stands for
// and how long it is; 0 for none.
func escapeAt(s string) (c byte, size int) {
	switch s[0] {
	case 0xEF:
		if r, n := utf8.DecodeRuneInString(s); r >= firstWide && r <= lastWide {
			return byte(r-firstWide) + '!', n
		}
	case '<':
		return ' ', len(lineBreak.FindString(s[:min(len(s), 8)]))
	case '%', '=':
		return escaped(s, 1, 2, 16, "")
	case '\\':
		switch {
		case len(s) > 1 && strings.IndexByte("nrt", s[1]) >= 0:
			return ' ', 2
		case strings.HasPrefix(s, `\U`):
			return escaped(s, 2, 8, 16, "")
		case strings.HasPrefix(s, `\x`):
			return escaped(s, 2, 2, 16, "")
		case strings.HasPrefix(s, `\u`):
			return escaped(s, 2, 4, 16, "")
		case len(s) > 1 && s[1] >= '0' && s[1] <= '1':
			return escaped(s, 1, 3, 8, "")
		}
	case '&':
		if strings.HasPrefix(s, "&nbsp;") {
			return ' ', len("&nbsp;")
		}
		if end := strings.IndexByte(s[:min(len(s), 10)], ';'); end > 2 && s[1] == '#' {
			if s[2]|0x20 == 'x' {
				return escaped(s, 3, end-3, 16, ";")
			}
			return escaped(s, 2, end-2, 10, ";")
		}
	}
	return 0, 0
}

// The full-width forms of ! to ~.
const (
	firstWide = '\uFF01'
	lastWide  = '\uFF5E'
)

func fullWidth(s string) bool {
	return strings.Contains(s, "\xEF\xBC") || strings.Contains(s, "\xEF\xBD")
}

// lineBreak is one of HTML, which a table of Markdown has in the place of a
// line break.
var lineBreak = text.Lazy(`^(?i:<br ?/?>)`)

// escaped reads n digits that begin at from, which a sign may end.
func escaped(s string, from, n, base int, ends string) (byte, int) {
	if n < 1 || len(s) < from+n+len(ends) {
		return 0, 0
	}
	v, err := strconv.ParseUint(s[from:from+n], base, 32)
	switch {
	case err != nil || v > utf8.MaxRune || v < ' ' && !unicode.IsSpace(rune(v)):
		return 0, 0
	case !visibleOnly(rune(v)):
		v = ' '
	case v > 0x7e:
		return 0, 0
	}
	return byte(v), from + n + len(ends)
}
