package render

import (
	"strings"
	"unicode"

	"github.com/familiarhq/familiar/internal/text"
)

// This file is the one escaping door (page 6.3). Every string that somebody
// else wrote reaches a surface through one of its functions: Text, Prose,
// Code, Fence, Quote and TableCell for Markdown on GitHub, Plain for a
// terminal, Log for logs, step outputs and annotations.
//
// Backslashes keep Markdown from acting, but not GitHub, which looks for
// names, references and links in the finished text and skips code only. So a
// word that GitHub would act on is set in code, also where it needs but a full
// stop of ours to be one.

// alive matches a word that GitHub acts on after Markdown: names (also with
// the wide forms of "@"), addresses, references to issues and commits, emoji
// codes, formulas, alerts.
var alive = text.Lazy(`(?i)[@\x{FF20}\x{FE6B}$]|://|www(?:\.|$)|mailto:|xmpp:` +
	`|#[0-9]|\bgh-[0-9]|\bghsa-|\[!|:[a-z0-9_+-]+:|(^|[^0-9a-z])[0-9a-f]{7,40}($|[^0-9a-z])`)

// lineStart matches what is acted on at the start of a line only and so is not
// escaped everywhere: by Markdown, and "/" by us, since a command may start so
// (attack A98).
var lineStart = text.Lazy(`^(?:([#+\-=:/])|([0-9]{1,9})([.)]))`)

// Punctuation around a word that may stay outside of its code.
const (
	openers = `("'`
	closers = `"'.,;:!?`
)

// Text returns s as one line of Markdown that shows exactly its words:
// nobody is notified, nothing is a link, a picture, HTML or markup, and what
// was invisible can be seen. Line breaks and tabs become spaces. It may stand
// at the start of a line or within one, but not in a table.
func Text(s string) string { return guardStart(words(s, "")) }

// TableCell returns what Text does for a cell of a table.
func TableCell(s string) string { return guardStart(words(s, "|")) }

// Prose returns a sentence of ours, in which commands, paths and ids may
// stand between backticks: those become code, and everything is as harmless
// as Text makes it, whoever wrote it. Unpaired backticks are plain text.
func Prose(s string) string {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 {
		return Text(s)
	}
	var b strings.Builder
	for i, part := range parts {
		switch {
		case i%2 == 1 && part == "":
			b.WriteString("\\`\\`")
		case i%2 == 1:
			b.WriteString(Code(part))
		default:
			b.WriteString(keepEdges(part, words(part, "")))
		}
	}
	return guardStart(strings.TrimSpace(b.String()))
}

// keepEdges gives a text its outer spaces back, one on each side.
func keepEdges(was, now string) string {
	if was != strings.TrimLeft(was, " ") {
		now = " " + now
	}
	if was != strings.TrimRight(was, " ") && now != " " {
		now += " "
	}
	return now
}

// words escapes s word by word. Bytes of apart end a word, for surfaces where
// they cannot stand in code.
func words(s, apart string) string {
	var b strings.Builder
	word := strings.Builder{}
	flush := func() {
		writeWord(&b, word.String())
		word.Reset()
	}
	for _, r := range strings.TrimSpace(visible(s, "")) {
		switch {
		case unicode.IsSpace(r):
			flush()
			b.WriteRune(r)
		case strings.ContainsRune(apart, r):
			flush()
			escapeRune(&b, 0, r)
		default:
			word.WriteRune(r)
		}
	}
	flush()
	return b.String()
}

func writeWord(b *strings.Builder, word string) {
	if !mayBeAlive(word) || !alive.MatchString(word) {
		escape(b, word)
		return
	}
	core := strings.TrimLeft(word, openers)
	if strings.Contains(core, "(") {
		core = strings.TrimRight(core, closers)
	} else {
		core = strings.TrimRight(core, closers+")")
	}
	if core == "" || !alive.MatchString(core) {
		core = word
	}
	at := strings.Index(word, core)
	escape(b, word[:at])
	b.WriteString(Code(core))
	escape(b, word[at+len(core):])
}

// mayBeAlive tells, without the cost of an expression, the words that cannot
// be: of which most texts consist.
func mayBeAlive(word string) bool {
	if n := len(word); n >= 3 && strings.EqualFold(word[n-3:], "www") {
		return true
	}
	hex := 0
	for i := 0; i < len(word); i++ {
		c := word[i]
		switch {
		case c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f':
			if hex++; hex >= shortestCommit {
				return true
			}
			continue
		case c == '@' || c == '$' || c == ':' || c == '.' || c == '-' || c == '#' || c == '[' || c == 0xEF: // the first byte of the wide "@"
			return true
		}
		hex = 0
	}
	return false
}

// shortestCommit is how many hexadecimal digits GitHub takes for a commit.
const shortestCommit = 7

func escape(b *strings.Builder, s string) {
	var before rune
	for _, r := range s {
		escapeRune(b, before, r)
		before = r
	}
}

// escapeRune escapes what Markdown acts on within a line. "!" is escaped
// behind "<", so that no comment of ours can be imitated in the source
// either.
func escapeRune(b *strings.Builder, before, r rune) {
	if strings.ContainsRune("\\`*_[]<>&|~", r) || (r == '!' && before == '<') {
		b.WriteByte('\\')
	}
	b.WriteRune(r)
}

func guardStart(s string) string {
	m := lineStart.FindStringSubmatchIndex(s)
	switch {
	case m == nil:
		return s
	case m[2] >= 0:
		return `\` + s
	}
	return s[:m[6]] + `\` + s[m[6]:]
}

// Code returns s as a code span that nothing in s can end. Line breaks are
// shown as what they are. In a table, use TableCell.
func Code(s string) string {
	s = withoutMarker(visible(strings.ReplaceAll(s, "\n", "[U+000A]"), ""))
	if strings.TrimSpace(s) == "" {
		return "`(empty)`"
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if s[0] == '`' || s[len(s)-1] == '`' || (s[0] == ' ' && s[len(s)-1] == ' ') {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// Fence returns s as a fenced block of its own lines, without a line break
// at its end. Of info only letters, digits, "+" and "-" are kept.
func Fence(s, info string) string {
	s = withoutMarker(visible(strings.ReplaceAll(s, "\r\n", "\n"), "\n\t"))
	info = strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' || r == '-') {
			return r
		}
		return -1
	}, info)
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + info + "\n" + strings.TrimSuffix(s, "\n") + "\n" + fence
}

// Quote returns s as a block quote, line by line, each as Text makes it.
func Quote(s string) string {
	lines := splitLines(s)
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+Text(line), " ")
	}
	return strings.Join(lines, "\n")
}

// splitLines splits s at its line ends, without empty lines at its end.
func splitLines(s string) []string {
	return strings.Split(strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n")
}

// Plain returns s as one line for a terminal: no control sequence, and what
// was invisible can be seen.
func Plain(s string) string { return strings.TrimSpace(visible(s, "")) }

// Log returns s as one line that no runner takes for a command, wherever in a
// line it stands: no line breaks, no control sequences, and a space in every
// "::" and "##[".
func Log(s string) string {
	s = Plain(s)
	for strings.Contains(s, "::") {
		s = strings.ReplaceAll(s, "::", ": :")
	}
	return strings.ReplaceAll(s, "##[", "# #[")
}

var marker = text.Lazy(`(?i)<!--(\s*familiar)`)

// withoutMarker keeps code, in which nothing can be escaped, from holding the
// beginning of a marker of ours.
func withoutMarker(s string) string { return marker.ReplaceAllString(s, "<! --$1") }

func longestRun(s string) int {
	longest, run := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
