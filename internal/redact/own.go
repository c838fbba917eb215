package redact

import (
	"strings"
	"sync"

	"github.com/familiarhq/familiar/internal/text"
)

// rule is one of our own patterns, for what the library does not see or sees
// only above an entropy. Every pattern is RE2 and so linear in the text.
type rule struct {
	name    string
	needles []string // how the token begins, or with back, what stands in it
	pattern pattern
	apart   bool                     // it must not begin inside a word
	back    int                      // how far before its needle a token may begin; 0: at it
	except  func(secret string) bool // true: documented, or a placeholder
}

// pattern is a regular expression twice: at the beginning of a text, for which
// it is tried where a needle stands, and anywhere.
type pattern struct{ here, anywhere *text.Regexp }

func compile(expr string) pattern {
	return pattern{here: text.Lazy("^(?:" + expr + ")"), anywhere: text.Lazy(expr)}
}

// ownRules applies our rules to the whole text, so that nothing is cut.
func ownRules(s string) []Hit {
	hits := append(urlCredentials(s), privateKeys(s)...)
	hits = append(hits, told(s)...)
	return append(hits, tokens(s)...)
}

// tokens finds the tokens that tell themselves, in one pass over s.
func tokens(s string) []Hit {
	table := needleTable()
	seen := make([]int, len(table.rules)) // by rule: how far it has looked
	var hits []Hit
	for i := 0; i+1 < len(s); i++ {
		at := pair(s[i], s[i+1])
		if !table.some[at] {
			continue
		}
		for _, n := range table.by[at] {
			if i >= seen[n.rule] && strings.HasPrefix(s[i:], n.word) {
				found, until := table.rules[n.rule].at(s, i)
				hits, seen[n.rule] = append(hits, found...), max(until, i+1)
			}
		}
	}
	return hits
}

// needle is how the tokens of a rule begin, or what stands in them.
type needle struct {
	word string
	rule int
}

// needlesByPair finds the needles that begin with two bytes.
type needlesByPair struct {
	rules []rule
	some  [1 << 16]bool
	by    map[uint16][]needle
}

var needleTable = sync.OnceValue(func() *needlesByPair {
	t := &needlesByPair{rules: append(own(), ownServices()...), by: map[uint16][]needle{}}
	for i, r := range t.rules {
		for _, word := range r.needles {
			at := pair(word[0], word[1])
			t.some[at] = true
			t.by[at] = append(t.by[at], needle{word, i})
		}
	}
	return t
})

// nearby is how much of a text a pattern looks at first; most tokens are
// shorter.
const nearby = 512

// at tries the rule where a needle stands in s, and says how far it has
// looked. Where what is nearby does not settle it, the rest of s is searched
// in one pass, so that no text takes more time than its length.
func (r rule) at(s string, i int) (hits []Hit, until int) {
	if r.back > 0 {
		return r.around(s, i)
	}
	if r.apart && i > 0 && wordByte(s[i-1]) {
		return nil, i + 1
	}
	window := s[i:min(len(s), i+nearby)]
	m := r.pattern.here.FindStringIndex(window)
	switch {
	case len(window) == nearby && (m == nil && unfinished(window) || m != nil && m[1] >= nearby-1):
		return r.findIn(s, i), len(s)
	case m != nil:
		return r.add(nil, s, i, i+m[1]), i + m[1]
	}
	return nil, i + 1
}

// around tries a rule whose needle stands within its tokens.
func (r rule) around(s string, i int) (hits []Hit, until int) {
	from := max(0, i-r.back)
	for _, m := range r.pattern.anywhere.FindAllStringIndex(s[from:min(len(s), i+nearby)], -1) {
		start, end := from+m[0], from+m[1]
		if start > i || end <= i || r.apart && start > 0 && wordByte(s[start-1]) {
			continue
		}
		return r.add(nil, s, start, end), end
	}
	return nil, i + 1
}

// findIn searches s from a place on.
func (r rule) findIn(s string, from int) []Hit {
	var hits []Hit
	for _, m := range r.pattern.anywhere.FindAllStringIndex(s[from:], -1) {
		if start := from + m[0]; !r.apart || start == 0 || !wordByte(s[start-1]) {
			hits = r.add(hits, s, start, from+m[1])
		}
	}
	return hits
}

func (r rule) add(hits []Hit, s string, start, end int) []Hit {
	if r.except != nil && r.except(s[start:end]) {
		return hits
	}
	return append(hits, Hit{Start: start, End: end, Kind: Secret, Rule: r.name})
}

// unfinished says whether a token may go on behind what was looked at.
func unfinished(window string) bool {
	for i := range len(window) {
		if c := window[i]; !wordByte(c) && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func containsAny(s string, needles []string) bool {
	for _, n := range needles {
		if strings.Contains(s, n) {
			return true
		}
	}
	return false
}
