package render

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// MaxComment is how long a composed comment may be: what GitHub takes, less
// the room for the hidden lines that whoever writes it adds. GitHub counts
// characters; we count UTF-16 code units, which are never fewer.
const MaxComment = 65_536 - HiddenRoom

// HiddenRoom is for a tag and a hidden state, which lists the findings.
const HiddenRoom = 9_216

// Comment is a status comment and what of the pending lessons it shows.
type Comment struct {
	Body Markup // with its marker
	// Shown is Body below the marker.
	Shown Markup
	// Displayed are the ids of the pending lessons that are shown whole, in
	// their order. Only these may be approved by label, and only if Whole.
	Displayed []string
	// Whole says that every pending lesson is shown whole.
	Whole bool
	// Left counts the entries of all sections that did not fit.
	Left int
}

// ComposeStatus returns the status comment (page 6.3): marker, one honest
// line, then sections, the last ones folded. What does not fit into
// MaxComment is left out entry by entry, never within one, and counted; the
// marker, the first line and the ids of pending lessons stay.
func ComposeStatus(m Status) Comment {
	return m.compose(Marker(m.Repo, m.Number, m.Tag) + "\n")
}

// StatusComment returns the body of ComposeStatus.
func StatusComment(m Status) Markup { return ComposeStatus(m).Body }

// DisplayedPending returns the ids of the pending lessons that StatusComment
// shows whole.
func DisplayedPending(m Status) []string { return ComposeStatus(m).Displayed }

// Markdown returns the same text without a marker, for other places than the
// comment: a terminal's --markdown, a job summary.
func Markdown(m Status) Markup { return m.compose("").Body }

// Marker returns the first line of a status comment. What is no part of a
// repository's name or of a tag is left out of it.
func Marker(repo string, number int, tag string) string {
	return "<!-- " + joined(" ", "familiar:status v1", markerWord(repo)+"#"+strconv.Itoa(number), markerWord(tag)) + " -->"
}

func markerWord(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._/+=", r):
			return r
		case r == '-':
			return r
		}
		return -1
	}, strings.ReplaceAll(s, "--", "-"))
}

func (m Status) compose(marker string) Comment {
	d := markdownDialect()
	head := marker + m.headline(d) + "\n"
	if m.Greeting {
		head += "\n" + m.greeting(d) + "\n"
	}
	for _, line := range m.gaps(d) {
		head += "\n" + line + "\n"
	}
	f := fill(m.sections(d), MaxComment-units(head))
	out := Comment{Whole: true}
	var b strings.Builder
	b.WriteString(head)
	for _, s := range f {
		b.WriteString(s.markdown(m, d))
		out.Left += len(s.left)
		if s.kind == proposalsSection {
			out.Displayed, out.Whole = entryIDs(s.shown), len(s.left) == 0
		}
	}
	out.Body = Markup{b.String()}
	out.Shown = Markup{strings.TrimPrefix(b.String(), marker)}
	return out
}

// markdown lays a section out.
func (s filled) markdown(m Status, d dialect) string {
	var b strings.Builder
	if s.fold {
		b.WriteString("\n<details><summary>" + s.title + "</summary>\n\n")
	} else {
		b.WriteString("\n### " + s.title + "\n\n")
	}
	b.WriteString(s.body)
	after := s.after
	if len(s.left) > 0 {
		after = joined(" ", s.cutLine(m, d), after)
		if s.cut != nil {
			after = s.cut(s.shown, s.left)
		}
	}
	if after != "" {
		b.WriteString("\n" + after + "\n")
	}
	if s.fold {
		b.WriteString("\n</details>\n")
	}
	return b.String()
}

// cutLine says how many entries are not shown, and where they are.
func (s filled) cutLine(m Status, d dialect) string {
	line := strconv.Itoa(len(s.left)) + " more did not fit here"
	if link := d.link("the summary of the run", m.RunURL); link != "" {
		return line + "; they are in " + link + "."
	}
	return line + "."
}

// markdown lays an entry out as an item of a list. A quote comes last among
// the lines that touch each other, since Markdown would draw the next one in.
func (e entry) markdown() string {
	var b strings.Builder
	b.WriteString("- " + e.lead + "\n")
	if code := strings.TrimSpace(e.code); code != "" {
		b.WriteString("  " + Code(code) + "\n")
	}
	if e.quote != "" {
		b.WriteString("  " + strings.ReplaceAll(Quote(e.quote), "\n", "\n  ") + "\n")
	}
	for i, p := range e.paras {
		if i == 0 && e.quote != "" {
			b.WriteString("\n")
		}
		b.WriteString("  " + p + "\n")
	}
	return b.String()
}

// units counts UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
