package render

import (
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
)

// Reply is an answer in a comment of its own: what was looked up, and what was
// not done. It never stands over the last result (page 6.1).
type Reply struct {
	To      string // address of the comment that asked; https, else not shown
	Late    bool   // the comment was found by a later run
	Blocks  []Shown
	Answers []Answer
	Notes   []string // warnings that the run has for whoever reads it
}

// Shown is what one command asked to see.
type Shown struct {
	Command string // as written (scrubbed); named where the reply holds more than this
	Body    Markup
}

// ReplyComment returns the body of a reply, of at most the given number of
// characters: what does not fit is left out block by block, and said.
func ReplyComment(r Reply, most int) Markup {
	d := markdownDialect()
	var parts []string
	if r.Late {
		if link := d.link("an earlier comment", r.To); link != "" {
			parts = append(parts, "In answer to "+link+", which no run had dealt with:\n")
		}
	}
	lines := ""
	for _, a := range r.Answers {
		lines += "- " + answerLine(d, a) + "\n"
	}
	if lines != "" {
		parts = append(parts, lines)
	}
	for _, b := range r.Blocks {
		head := ""
		if len(r.Blocks)+len(r.Answers) > 1 {
			head = d.code(commandLine(b.Command)) + "\n\n"
		}
		parts = append(parts, head+b.Body.md)
	}
	for _, n := range r.Notes {
		parts = append(parts, sentence(d.prose(excerpt(n, maxClause)))+"\n")
	}
	out, left := "", 0
	for _, p := range parts {
		if units(out)+units(p)+200 > most {
			left++
			continue
		}
		out = joined("\n", out, p)
	}
	if left > 0 {
		out = joined("\n", out, count(left, "more answer")+" did not fit here; ask for less at once.\n")
	}
	return Markup{out}
}

// Folded puts a plain text into a fold and a fence that it cannot leave. What
// does not fit into one comment is cut between lines, and counted.
func Folded(title, body string) Markup {
	const most = MaxComment - 2_000 // the fold, and the words around it
	if units(body) > most {
		lines, kept, size := strings.SplitAfter(body, "\n"), 0, 0
		for _, l := range lines {
			if size += units(l); size > most {
				break
			}
			kept++
		}
		shown := strings.Join(lines[:kept], "")
		body = shown + "... and " + count(len(slices.DeleteFunc(lines[kept:], func(l string) bool { return l == "" })), "more line") + ".\n"
		title += ", cut"
	}
	return Markup{"<details><summary>" + foldTitle(title) + "</summary>\n\n" + Fence(body, "") + "\n\n</details>\n"}
}

// foldTitle sets ids of lessons in code, by a tag: in the title of a fold
// Markdown has no say, and some ids look like commits.
func foldTitle(title string) string {
	var out []string
	for _, word := range strings.Fields(title) {
		id, comma := strings.CutSuffix(word, ",")
		if _, _, ok := memory.ParseID(id); !ok {
			out = append(out, Text(word))
			continue
		}
		word = "<code>" + id + "</code>"
		if comma {
			word += ","
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// UnknownCommand is one line about a word that is no verb (scrubbed).
func UnknownCommand(word, handle string) string {
	return "I do not know " + Code(word) + ". `/" + handle + " help` shows what I do."
}

// LeftOut says from which line of a comment on its words are no part of the
// command.
func LeftOut(line int) string {
	return "Line " + strconv.Itoa(line) + " of the comment and what follows read as the tail of an e-mail, and were left out."
}

// Help is the help of one verb, or of all as a chooser.
func Help(handle, topic string) Markup {
	if one, ok := intent.HelpFor(intent.Verb(topic)); ok {
		return Markup{Fence(one, "") + "\n"}
	}
	return Markup{intent.HelpMarkdown(strings.Map(handleRune, handle))}
}

// handleRune keeps the characters of a handle.
func handleRune(r rune) rune {
	if r == '-' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// answerLine is one command with what became of it.
func answerLine(d dialect, a Answer) string {
	word := "done"
	if !a.Done {
		word = "not done"
	}
	from := ""
	switch {
	case a.From != "" && !a.On.IsZero():
		from = "(" + d.text(a.From) + " on " + day(a.On) + ")"
	case a.From != "":
		from = "(asked earlier by " + d.text(a.From) + ")"
	}
	return joined(" ", d.code(commandLine(a.Command)), from, d.strong(word+":"), d.prose(marked(a.Text)))
}
