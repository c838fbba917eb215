package intent

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/familiarhq/familiar/internal/redact"
)

var quoteFolds = strings.NewReplacer("\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u201f", `"`, "\u00ab", `"`, "\u00bb", `"`,
	"\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'")

var dashFolds = strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-")

// foldQuotes straightens the quotes that phones and word processors bend.
func foldQuotes(s string) string { return quoteFolds.Replace(s) }

// foldPunctuation straightens quotes and dashes.
func foldPunctuation(s string) string { return dashFolds.Replace(foldQuotes(s)) }

// ticked splits s behind a code span at its start. One space on either side
// within the ticks is dropped, as Markdown does.
func ticked(s string) (inner, rest string, ok bool) {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	if n == 0 {
		return "", "", false
	}
	fence := s[:n]
	for from := n; from < len(s); {
		i := strings.Index(s[from:], fence)
		if i < 0 {
			break
		}
		i += from
		run := i + len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run-i == n {
			return unpad(s[n:i]), strings.TrimSpace(s[run:]), true
		}
		from = run
	}
	return "", "", false
}

func unpad(s string) string {
	if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.TrimSpace(s) != "" {
		return s[1 : len(s)-1]
	}
	return s
}

// unticked straightens a value and takes backticks or quotes off it.
func unticked(s string) string {
	if inner, rest, ok := ticked(s); ok && rest == "" {
		return inner
	}
	s = foldPunctuation(strings.TrimSpace(s))
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// quoted repeats a piece of the author's text in a problem: one line, short.
func quoted(s string) string { return strconv.Quote(redact.Cut(s, 60)) }

// plainWord keeps a word that stands in backticks from ending them.
func plainWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '`' || unicode.IsControl(r) {
			return '?'
		}
		return r
	}, s)
}

// collapse makes every run of white space one space.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
