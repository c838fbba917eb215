package memory

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// shape is what the text around a piece of code can tell of it without its
// language: what the piece leaves open, and what it joins on to. Where two
// pieces differ in that, one in the place of the other makes a line that does
// not compile, or compiles to something else.
type shape struct {
	brackets    string  // those without a partner inside, in order
	quotes      [3]bool // of each kind of quote an odd number
	before, end edge
	joins       bool // an operator stands between spaces, outside all brackets
}

// edge says how a piece of code begins or ends.
type edge int

const (
	whole edge = iota // at a word, a quote or a bracket
	bound             // at an operator, a comma or an open bracket: half of an expression
	ended             // at a semicolon
)

const (
	openers   = "([{"
	closers   = ")]}"
	operators = "=<>+-*/%&|^?:.,!~"
)

// wordOperators are words that need something on either side.
var wordOperators = []string{"and", "or", "not", "is", "in", "as", "instanceof"}

// isOperator says whether a word between spaces joins what stands on its two
// sides.
func isOperator(word string) bool {
	return word != "" && strings.Trim(word, operators) == "" || slices.Contains(wordOperators, word)
}

// sameShape says whether instead can stand in the place of found.
func sameShape(found, instead string) bool { return shapeOf(found) == shapeOf(instead) }

func shapeOf(s string) shape {
	var out shape
	var open []byte
	for i := range len(s) {
		switch at := strings.IndexByte(closers, s[i]); {
		case strings.IndexByte(openers, s[i]) >= 0:
			open = append(open, s[i])
		case at >= 0 && len(open) > 0 && open[len(open)-1] == openers[at]:
			open = open[:len(open)-1]
		case at >= 0:
			open = append(open, s[i])
		case (s[i] == ' ' || s[i] == '\t') && len(open) == 0:
			word, _, _ := strings.Cut(s[i+1:], " ")
			out.joins = out.joins || i+1+len(word) < len(s) && i > 0 && isOperator(word)
		}
	}
	out.brackets = string(open)
	for i, q := range []string{`"`, "'", "`"} {
		out.quotes[i] = strings.Count(s, q)%2 == 1
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		return out
	}
	first, last := words[0], words[len(words)-1]
	out.before, out.end = edgeOf(first, first[0]), edgeOf(last, last[len(last)-1])
	if strings.IndexByte(openers, last[len(last)-1]) >= 0 {
		out.end = bound
	}
	if first[0] == '!' && first != "!" && !strings.HasPrefix(first, "!=") {
		out.before = whole // what it negates stands behind it
	}
	return out
}

// edgeOf is the edge at a byte of the word there.
func edgeOf(word string, at byte) edge {
	switch {
	case at == ';':
		return ended
	case slices.Contains(wordOperators, word), at < utf8.RuneSelf && strings.IndexByte(operators, at) >= 0:
		return bound
	}
	return whole
}
