package intent

import (
	"strconv"
	"strings"
)

// Bounds of what a Markdown parser needs more than linear time for. Nobody
// writes so much by hand.
const (
	maxLinks   = 1000 // "](" in a body
	maxNesting = 100  // quotes and lists that one line opens within each other
)

// knotted tells a body that is made to keep a parser busy. What hides in a
// link cannot be told without reading it, so the whole body is left.
func knotted(body string) bool { return strings.Count(body, "](") > maxLinks }

// tooManyLinks is the answer to a command in such a body.
func tooManyLinks(s start) Intent {
	return Intent{Verb: VerbUnknown, Line: s.line + 1, Raw: s.raw,
		Problem: "a comment with more than " + strconv.Itoa(maxLinks) + " links is not read; put the command into a comment of its own"}
}

// untangled is a line as the parser is given it: with the first maxNesting
// marks of quotes and lists that it starts with. What is in a hundred quotes
// is in a quote, and what is in a hundred lists in a list.
func untangled(line string) string {
	kept := -1 // where the marks beyond the bound begin
	i, n := 0, 0
	for {
		size := markSize(line[i:])
		if size == 0 {
			break
		}
		if i += size; kept < 0 {
			if n++; n == maxNesting {
				kept = i
			}
		}
	}
	if kept < 0 {
		return line
	}
	return line[:kept] + line[i:]
}

// markSize is the length of the mark of a quote or of a list that s begins
// with, with the space before it; 0 if there is none. A rule of dashes, the
// head of a table or a number with a point is no mark: the mark of a list has
// a space behind it.
func markSize(s string) int {
	rest := strings.TrimLeft(s, " \t")
	before := len(s) - len(rest)
	if rest == "" {
		return 0
	}
	switch rest[0] {
	case '>':
		return before + 1
	case '-', '+', '*':
		if spaced(rest[1:]) {
			return before + 1
		}
		return 0
	}
	digits := 0
	for digits < len(rest) && digits < 10 && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 9 || digits == len(rest) || rest[digits] != '.' && rest[digits] != ')' || !spaced(rest[digits+1:]) {
		return 0
	}
	return before + digits + 1
}

func spaced(s string) bool { return s == "" || s[0] == ' ' || s[0] == '\t' }
