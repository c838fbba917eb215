package text

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is an expression with words of which a match must hold one. A
// search for words is a hundred times cheaper than an expression with bounded
// repeats, and most texts hold none of them.
type pattern struct {
	*regexp.Regexp
	needs []string // in lower case; none: any text may match
}

// patternsOf compiles expressions, each by itself.
func patternsOf(parts ...string) []pattern {
	var out []pattern
	for _, p := range parts {
		parsed, err := syntax.Parse(p, syntax.Perl)
		if err != nil {
			panic(err) // an expression of this package, compiled by its tests
		}
		out = append(out, pattern{regexp.MustCompile(p), needsOf(parsed.Simplify())})
	}
	return out
}

// may says whether a text whose lower case is given can match at all.
func (p pattern) may(lower string) bool {
	if len(p.needs) == 0 {
		return true
	}
	for _, n := range p.needs {
		if strings.Contains(lower, n) {
			return true
		}
	}
	return false
}

// needsOf returns literals of which every match holds at least one, or nil
// where none can be told.
func needsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{lowerAll(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if n := needsOf(sub); shortest(n) > shortest(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			n := needsOf(sub)
			if len(n) == 0 {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

// shortest is the length of the shortest of the words, 0 without any: the
// longer it is, the fewer texts hold one.
func shortest(words []string) int {
	if len(words) == 0 {
		return 0
	}
	n := len(words[0])
	for _, w := range words {
		n = min(n, len(w))
	}
	return n
}

// lowerAll is the lower case that an expression without case compares: the
// long s, which has none of its own, is an s to it.
func lowerAll(s string) string { return strings.ReplaceAll(strings.ToLower(s), "ſ", "s") }
