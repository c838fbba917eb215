package render

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// dialect is how a surface writes: the sentences are the same everywhere, and
// only the dialect knows how to escape and to decorate.
type dialect struct {
	text   func(string) string // words of anybody
	prose  func(string) string // our sentences, with code between backticks
	code   func(string) string // paths, ids, patterns of anybody
	typed  func(string) string // commands to type
	strong func(string) string // words of ours
	link   func(label, url string) string
}

func markdownDialect() dialect {
	return dialect{
		text:   Text,
		prose:  Prose,
		code:   Code,
		typed:  Code,
		strong: func(s string) string { return "**" + s + "**" },
		link: func(label, target string) string {
			target, ok := safeURL(target)
			if !ok {
				return ""
			}
			return "[" + label + "](" + target + ")"
		},
	}
}

func terminalDialect(color bool) dialect {
	paint := func(code string) func(string) string {
		return func(s string) string {
			if s = Plain(s); s == "" || !color {
				return s
			}
			return "\x1b[" + code + "m" + s + "\x1b[0m"
		}
	}
	cyan := paint("36")
	typed := cyan
	if !color {
		typed = func(s string) string { return "`" + Plain(s) + "`" }
	}
	return dialect{
		text:   Plain,
		prose:  func(s string) string { return terminalProse(s, color, cyan) },
		code:   cyan,
		typed:  typed,
		strong: paint("1"),
		link: func(_, target string) string {
			target, _ = safeURL(target)
			return target
		},
	}
}

// terminalProse colours what stands between backticks, or leaves these where
// there is no colour.
func terminalProse(s string, color bool, cyan func(string) string) string {
	parts := strings.Split(Plain(s), "`")
	if !color || len(parts)%2 == 0 {
		return Plain(s)
	}
	for i := 1; i < len(parts); i += 2 {
		parts[i] = cyan(parts[i])
	}
	return strings.Join(parts, "")
}

// safeURL returns an https address of which nothing can end a link or be
// taken for a name: every byte but the few that our addresses need is
// percent-encoded.
func safeURL(s string) (string, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", false
	}
	var b strings.Builder
	for _, c := range []byte(u.String()) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-./:?#&=%", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String(), true
}

// count returns "1 file" or "3 files".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// Count is a number with its noun, such as "1 file" or "3 files", in sentences
// that others make.
func Count(n int, thing string) string { return count(n, thing) }

// excerpt returns s in one line of at most n characters. Hidden characters
// count as what is shown of them.
func excerpt(s string, n int) string {
	s = strings.Join(strings.Fields(visible(s, "")), " ")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimSpace(string(r[:n])) + "..."
}

// shortSHA returns the first ten characters of a SHA.
func shortSHA(s string) string {
	if len(s) > 10 && isPlain(s) {
		return s[:10]
	}
	return s
}

// joined joins the parts that say something.
func joined(sep string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}
