package render

import (
	"strconv"
	"strings"
)

// This file is the one way out to GitHub. What a comment, an issue or a job
// summary is given is a Markup, and only this package makes one: elsewhere a
// string that a person or a model wrote cannot become one but through the
// functions of this package, the one place that escapes it (page 6.3). internal/arch proves
// by the types that nothing else reaches those surfaces.

// Markup is Markdown that is safe to put on GitHub as it is. The zero value is
// the empty text.
type Markup struct{ md string }

// String returns the text, to look at or to digest. There is no way back.
func (m Markup) String() string { return m.md }

// Empty says whether there is nothing in it.
func (m Markup) Empty() bool { return m.md == "" }

// Then returns m with more behind it.
func (m Markup) Then(more ...Markup) Markup {
	for _, n := range more {
		m.md += n.md
	}
	return m
}

// Trimmed returns m without blanks around it, and with a line end: as a
// surface hands back what it was given.
func (m Markup) Trimmed() Markup { return Markup{strings.TrimSpace(m.md) + "\n"} }

// ours is a string that other packages can only give as a constant.
type ours string

// Words returns words that stand in our source code: outside of this package
// it takes constants alone.
func Words(s ours) Markup { return Markup{string(s)} }

// Line returns what Text does.
func Line(s string) Markup { return Markup{Text(s)} }

// Sentences returns what Prose does, as a paragraph.
func Sentences(s string) Markup { return Markup{Prose(s) + "\n"} }

// Fenced returns a plain text in a fence that it cannot leave. Of a text
// beyond maxFenced bytes the lines at its end are left out, and counted.
func Fenced(s string) Markup {
	kept, left := s, 0
	if len(s) > maxFenced {
		cut := strings.LastIndexByte(s[:maxFenced], '\n') + 1
		kept, left = s[:cut], strings.Count(strings.TrimRight(s[cut:], "\n"), "\n")+1
	}
	out := Fence(kept, "") + "\n"
	if left > 0 {
		out += "\n" + count(left, "more line") + " did not fit here.\n"
	}
	return Markup{out}
}

// maxFenced keeps one text from filling a summary.
const maxFenced = 256 << 10

// AsItStands returns the words of a comment of ours as GitHub holds them.
// Somebody may have edited them: they stand on the surface already, and
// writing them again shows nothing new.
func AsItStands(s string) Markup { return Markup{s} }

// Under returns m below hidden lines of ours. What is no such line is left
// out.
func (m Markup) Under(lines ...string) Markup {
	var above strings.Builder
	for _, line := range lines {
		if line = strings.TrimSuffix(line, "\n"); hidden(line) {
			above.WriteString(line + "\n")
		}
	}
	return Markup{above.String() + m.md}
}

// hidden says whether a line is a comment of ours that nothing in it can end.
func hidden(line string) bool {
	words, begins := strings.CutPrefix(line, "<!-- familiar:")
	words, ends := strings.CutSuffix(words, " -->")
	return begins && ends && !strings.Contains(words, "--") && strings.IndexFunc(words, func(r rune) bool {
		return r != ' ' && r != '#' && r != ':' && markerWord(string(r)) == ""
	}) < 0
}

// RefusedTicks says below a dashboard what of the boxes that somebody ticked
// was not done, one sentence each.
func RefusedTicks(login string, refused []string) Markup {
	body := "What " + Code(login) + " ticked was not all done.\n\n"
	for _, why := range refused {
		body += "- " + Prose(marked(why)) + "\n"
	}
	return Markup{body}
}

// FixedIn and BackIn are the first line of a comment on a line whose finding is
// gone since a commit, or there again.
func FixedIn(sha string) Markup { return Markup{"**Fixed in " + Code(shortSHA(sha)) + ".**"} }

// BackIn is that line for a finding that is there again.
func BackIn(sha string) Markup { return Markup{"**Back in " + Code(shortSHA(sha)) + ".**"} }

// SecondDashboard is what a dashboard says that was opened beside another one.
func SecondDashboard(kept int) Markup {
	return Markup{"This was a second dashboard; the one that is kept up to date is #" + strconv.Itoa(kept) + ".\n"}
}
