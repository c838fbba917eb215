package text

import (
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
// numbers are dropped.
func Words(s string) []string {
	var out []string
	for _, field := range strings.FieldsFunc(strings.ToValidUTF8(s, " "), notWord) {
		for _, part := range SplitIdentifier(field) {
			w := strings.ToLower(norm.NFKC.String(part))
			if n := utf8.RuneCountInString(w); n < minWord || n > maxWord || stopWords[w] || !hasLetter(w) {
				continue
			}
			out = append(out, w)
		}
	}
	return out
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != '_'
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// SplitIdentifier splits an identifier at underscores and other
// non-letters, between a lower and an upper case letter, before the last
// capital of a run that a lower case letter follows (HTTPServer: HTTP,
// Server), and between letters and digits.
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

// stopWords are words that say nothing about a change: English function
// words, and keywords that any file of a language is full of.
var stopWords = set(`
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could did do does doing done down during each else etc few for from further get gets got had has have having he her here
hers him his how however i if in into is it its itself just let like make makes many may me might more most much must my need
no nor not now of off on once one only or other our ours out over own per put same set sets she should so some such than that
the their theirs them then there these they this those through to too two under until up upon us use used uses using very via was
we were what when where which while who whom why will with within without would yet you your yours

abstract async await begin bool boolean break byte case catch char chan class const continue def default defer del delegate
delete double dyn elif elsif end enum eval except exec explicit export extends extern false final finally float fmt fn foreach
func function global go goto impl implements import include inline instanceof int int16 int32 int64 int8 interface internal lambda
let long loop match mod module move mut namespace native new nil none nonlocal null nullptr object operator override package pass
print private proc protected protocol pub public raise range ref register rescue return self sizeof static str string struct
super switch synchronized template throw throws trait true try type typedef typename typeof uint uint32 uint64 undefined union
unless unsafe unsigned use using val var virtual void volatile when where while with yield
`)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
