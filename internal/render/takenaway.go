package render

import (
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// citedID is an id of a document, as we write it beside its words.
var citedID = text.Lazy(`\bm-[0-9a-z]{8}\b`)

// wordless is a command that names lessons and repeats none of their words.
var wordless = text.Lazy(`\b(?:forget|purge|redact|retire|keep|reject|revoke|show)(?: m-[0-9a-z]{8}(?:@\d+)?)+`)

// Cited are the ids of documents that a comment of ours names, each once.
func Cited(comment string) []string {
	all := citedID.FindAllString(comment, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// WithoutLessons is a status comment of ours, as it stands on GitHub, without
// the entries that begin with one of these lessons, and the lines below a
// finding that say what one of them says of it (said.go): a forgotten text is
// to stand in nothing that we wrote (page 4.2). The comment must be word for word
// ours: what a person wrote into it would be repeated. changed is false where
// no entry does.
func WithoutLessons(ours string, gone []string) (without Markup, changed bool) {
	lines := strings.Split(ours, "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		if id := saidWith(lines[i], gone); id != "" {
			out, changed = append(out, "  "+strings.TrimPrefix(insteadOf(id), "- ")), true
			continue
		}
		id := begins(lines[i], gone)
		if id == "" {
			out = append(out, lines[i])
			continue
		}
		changed = true
		out = append(out, insteadOf(id))
		for i+1 < len(lines) && (strings.HasPrefix(lines[i+1], "  ") || strings.HasPrefix(lines[i+1], ">")) {
			i++
		}
	}
	return Markup{strings.Join(out, "\n")}, changed
}

// insteadOf stands where an entry of a lesson stood.
func insteadOf(id string) string {
	return "- " + ticks(id) + " was forgotten since, and what stood here with it."
}

// begins is the lesson that an entry's first line names, "" where it names none
// or only answers a command about it.
func begins(line string, gone []string) string {
	if !strings.HasPrefix(line, "- ") {
		return ""
	}
	about := Cited(strings.Join(wordless.FindAllString(line, -1), " "))
	for _, id := range Cited(line) {
		if slices.Contains(gone, id) && !slices.Contains(about, id) && line != insteadOf(id) {
			return id
		}
	}
	return ""
}

// saidWith is the lesson with which a line below a finding says what somebody
// said of it, "" where it is no such line.
func saidWith(line string, gone []string) string {
	for _, word := range dispositionWords {
		before, _, says := strings.Cut(line, "): ")
		if !says || !strings.HasPrefix(line, "  "+word+" by ") {
			continue
		}
		for _, id := range Cited(before) {
			if slices.Contains(gone, id) {
				return id
			}
		}
	}
	return ""
}

// TakenAway stands where an answer of ours showed a lesson that was forgotten.
func TakenAway(ids []string) Markup {
	return Sentences("This answer showed " + tickList(ids) + ", which was forgotten since, so it was taken away. Ask again for what is still there: `list`, `show m-ID`.")
}
