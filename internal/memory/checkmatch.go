package memory

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppliesTo says whether the check looks at the file at path.
func (c *CompiledCheck) AppliesTo(path string) bool {
	return c.check.Kind != "" && path != "" && MatchGlobs(c.check.In, path)
}

// MatchLine returns where in one added line the pattern occurs first, as byte
// offsets. A literal pattern that starts or ends with a letter, digit or
// underscore does so only at the edge of a word, so that "print" is not found
// in "sprint". What already is the preferred form is not found. Only the
// first 4,096 bytes of a line are looked at.
func (c *CompiledCheck) MatchLine(line string) (start, end int, ok bool) {
	spans := c.spans(boundLine(line), 1)
	if len(spans) == 0 {
		return 0, 0, false
	}
	return spans[0][0], spans[0][1], true
}

// Replace returns the line with every match of a prefer check replaced, and
// whether that changed it. In a regular expression, $1 and ${name} in the
// preferred form stand for its groups. Nothing is replaced where a match and
// what would stand in its place are not of one shape (checkshape.go).
func (c *CompiledCheck) Replace(line string) (string, bool) {
	if c.check.Kind != CheckPrefer || len(line) > MaxMatchLineSize {
		return line, false
	}
	var out []byte
	kept := 0
	for _, span := range c.spans(line, -1) {
		instead := c.check.Prefer
		if c.pattern != nil {
			instead = string(c.pattern.ExpandString(nil, c.check.Prefer, line, span))
		}
		if !sameShape(line[span[0]:span[1]], instead) {
			return line, false
		}
		out = append(append(out, line[kept:span[0]]...), instead...)
		kept = span[1]
	}
	out = append(out, line[kept:]...)
	return string(out), string(out) != line
}

// TouchedWithout says, for a check with companions, which of the touched
// paths call for one (trigger), and whether none of the companions is among
// the touched paths.
func (c *CompiledCheck) TouchedWithout(paths []string) (trigger []string, missing bool) {
	if c.check.Kind != CheckWith {
		return nil, false
	}
	for _, path := range paths {
		if MatchGlobs(c.check.With, path) {
			return nil, false
		}
		if MatchGlobs(c.check.In, path) {
			trigger = append(trigger, path)
		}
	}
	return trigger, len(trigger) > 0
}

// spans returns at most limit (-1: all) matches that are not empty and do not
// lie inside the preferred form, each as the offsets of the match and its
// groups.
func (c *CompiledCheck) spans(line string, limit int) (found [][]int) {
	preferred := c.preferredSpans(line)
	keep := func(span []int) bool {
		if span[1] > span[0] && !inside(preferred, span[0], span[1]) {
			found = append(found, span)
		}
		return limit < 0 || len(found) < limit
	}
	switch {
	case c.pattern != nil:
		for _, span := range c.pattern.FindAllStringSubmatchIndex(line, -1) {
			if !keep(span) {
				break
			}
		}
	case !c.check.Regex && c.check.Pattern != "":
		for _, span := range wordSpans(line, c.check.Pattern) {
			if !keep(span) {
				break
			}
		}
	}
	return found
}

// preferredSpans are the places where the line already has the preferred
// form, when that is a plain text.
func (c *CompiledCheck) preferredSpans(line string) [][]int {
	if c.check.Prefer == "" || c.check.Regex && strings.Contains(c.check.Prefer, "$") {
		return nil
	}
	return wordSpans(line, c.check.Prefer)
}

func inside(spans [][]int, start, end int) bool {
	// The spans are in order and do not overlap: only the last one that starts
	// no later can hold the match.
	i := sort.Search(len(spans), func(i int) bool { return spans[i][0] > start })
	return i > 0 && end <= spans[i-1][1]
}

// wordSpans returns every place of want in s, one after the other.
func wordSpans(s, want string) (spans [][]int) {
	for from := 0; ; {
		start, end, ok := indexWord(s, want, from)
		if !ok {
			return spans
		}
		spans = append(spans, []int{start, end})
		from = end
	}
}

// indexWord finds want in s at or after from, with the edges of words kept.
func indexWord(s, want string, from int) (start, end int, ok bool) {
	first, _ := utf8.DecodeRuneInString(want)
	last, _ := utf8.DecodeLastRuneInString(want)
	for from <= len(s) {
		i := strings.Index(s[from:], want)
		if i < 0 {
			return 0, 0, false
		}
		start, end = from+i, from+i+len(want)
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		after, _ := utf8.DecodeRuneInString(s[end:])
		insideBefore := start > 0 && isWord(first) && isWord(before)
		insideAfter := end < len(s) && isWord(last) && isWord(after)
		if !insideBefore && !insideAfter {
			return start, end, true
		}
		from = start + 1
	}
	return 0, 0, false
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// boundLine cuts at the start of a character, so that offsets stay those of
// the line.
func boundLine(line string) string {
	if len(line) <= MaxMatchLineSize {
		return line
	}
	end := MaxMatchLineSize
	for end > MaxMatchLineSize-utf8.UTFMax && !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end]
}
