package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// minWord and maxWord bound the length of a word in code points: shorter
// ones say too little, longer ones are encoded data.
const (
	minWord = 2
	maxWord = 40
)

// Words returns the words of a line of code or prose for recall (page 4.6):
// identifiers split at case, digits and underscores, in lower case, in order
// and with repetitions; stop words, keywords of programming languages, and
// numbers are dropped. A name that is written with capitals inside but is one
// word (GitHub, SQLite) stays one. Scripts that are written without spaces
// give each pair of neighbouring characters, so that a part of a sentence is
// found again. The same function serves the change and the lesson.
func Words(s string) []string {
	var out []string
	for _, field := range strings.FieldsFunc(strings.ToValidUTF8(s, " "), notWord) {
		for _, part := range joinNames(SplitIdentifier(field)) {
			// The compatibility form of some marks holds a space.
			for _, folded := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(part)), notWord) {
				for _, w := range pairs(folded) {
					if n := utf8.RuneCountInString(w); n >= minWord && n <= maxWord && !stopWords[w] && hasLetter(w) {
						out = append(out, w)
					}
				}
			}
		}
	}
	return out
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != '_'
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// names are words that are written with capitals inside: split, they would
// not meet their own spelling in prose.
var names = set(`
bitbucket cloudflare devops fastapi github gitlab graphql ios ipv4 ipv6 javascript junit latex linkedin macos mariadb mongodb mysql
nosql numpy oauth openapi openid opentelemetry phpunit postgresql powershell pytorch rabbitmq scipy sqlite
tensorflow typescript webassembly webhook websocket youtube
`)

// joinNames puts the parts of such a name together again.
func joinNames(parts []string) []string {
	for i := 0; i < len(parts); i++ {
		for n := min(3, len(parts)-i); n > 1; n-- {
			if whole := strings.Join(parts[i:i+n], ""); names[strings.ToLower(whole)] {
				parts = slices.Replace(parts, i, i+n, whole)
				break
			}
		}
	}
	return parts
}

// pairs returns w itself, or where it is written without spaces, each pair of
// characters in it.
func pairs(w string) []string {
	if !strings.ContainsFunc(w, unspaced) {
		return []string{w}
	}
	var out []string
	var run []rune
	flush := func() {
		if len(run) > 0 && !unspaced(run[0]) || len(run) == 2 {
			out = append(out, string(run))
		} else {
			for i := 0; i+1 < len(run); i++ {
				out = append(out, string(run[i:i+2]))
			}
		}
		run = run[:0]
	}
	for _, r := range w {
		if len(run) > 0 && !unicode.Is(unicode.M, r) && unspaced(r) != unspaced(run[0]) {
			flush()
		}
		run = append(run, r)
	}
	flush()
	return out
}

// SplitIdentifier splits an identifier at underscores and other
// non-letters, between a lower and an upper case letter, before the last
// capital of a run that a lower case letter follows (HTTPServer: HTTP,
// Server), and between letters and digits. The parts keep their spelling.
func SplitIdentifier(s string) []string {
	var out []string
	runes := []rune(s)
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, string(runes[start:end]))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case r == '_' || notWord(r):
			flush(i)
			start = i + 1
		case i > start && boundary(runes, i):
			flush(i)
		}
	}
	flush(len(runes))
	return out
}

// boundary says whether a new part starts at i, where i-1 is in the same run.
func boundary(runes []rune, i int) bool {
	prev, r := runes[i-1], runes[i]
	switch {
	case unicode.IsDigit(prev) != unicode.IsDigit(r):
		return true
	case unicode.IsUpper(r) && unicode.IsLower(prev):
		return true
	case unicode.IsUpper(prev) && unicode.IsUpper(r) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
		return true
	}
	return false
}
