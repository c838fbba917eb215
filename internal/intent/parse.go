package intent

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/redact"
)

// Options say who is spoken to.
type Options struct {
	// Handles are the names that a command may start with, without "@" or
	// "/"; none: "familiar". A login such as "familiar[bot]" is read as its
	// slug.
	Handles []string
}

// DefaultHandle is the handle without configuration (page 6.5).
const DefaultHandle = "familiar"

// Parse returns the commands of a comment in their order (page 6.1). A
// command is a line whose first token is "@handle" or "/handle", in any case,
// followed by a word, where the author's own plain text stands: not in a
// quote, code, HTML, or the tail of an e-mail reply. A handle alone, or in
// the middle of a line, is casual and gives nothing; so does a body of more
// than MaxBody characters. At most MaxCommands are returned, and one more that
// says that the rest was left out. A command that was not read, since only a
// machine would knot a body so or since it may stand in such a tail, is returned
// as one whose Problem says so.
func Parse(body string, opts Options) []Intent {
	if utf8.RuneCountInString(body) > MaxBody {
		return nil
	}
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(body, "\n")
	names := handles(opts.Handles)
	starts := commandLines(body, lines, names)
	var out []Intent
	for n, s := range starts.at {
		if n == MaxCommands {
			return append(out, tooMany(s.line))
		}
		end := starts.end
		if n+1 < len(starts.at) {
			end = starts.at[n+1].line
		}
		out = append(out, parseAt(s, lines[s.line+1:end], "/"+names[0]))
	}
	if n := len(starts.at); n > 0 && starts.end < len(lines) {
		out[n-1].Tail = starts.end + 1
	}
	return append(out, starts.unread...)
}

// start is one command line.
type start struct {
	line int    // 0-based
	raw  string // the line from the handle on
	rest string // the line after the handle, trimmed, not empty
}

type found struct {
	at     []start
	end    int      // the line after the last that may belong to a command
	unread []Intent // the answer to those that were not read
}

// commandLines finds the lines that start a command.
func commandLines(body string, lines, handles []string) found {
	var candidates []start
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, " \t")
		if rest, ok := afterHandle(trimmed, handles); ok && rest != "" {
			candidates = append(candidates, start{line: i, raw: trimmed, rest: rest})
		}
	}
	switch {
	case len(candidates) == 0:
		return found{}
	case knotted(body):
		return found{unread: []Intent{tooManyLinks(candidates[0])}}
	}
	p, offsetOf := placesOfLines(lines)
	t := tailOf(lines, func(i int) bool { return p.code[offsetOf[i]] })
	out := found{end: t.start}
	for _, c := range candidates {
		switch plain := p.plain[offsetOf[c.line]]; {
		case plain && c.line < t.start:
			out.at = append(out.at, c)
		case plain && c.line < t.earlier && out.unread == nil:
			out.unread = []Intent{belowTail(c, t.start)}
		}
	}
	return out
}

// placesOfLines looks up where the words of each line begin, by their offsets.
func placesOfLines(lines []string) (p places, offsetOf []int) {
	var body strings.Builder
	var offsets []int
	for _, line := range lines {
		line = untangled(line)
		trimmed := strings.TrimLeft(line, " \t")
		offsetOf = append(offsetOf, body.Len()+len(line)-len(trimmed))
		if trimmed != "" {
			offsets = append(offsets, offsetOf[len(offsetOf)-1])
		}
		body.WriteString(line + "\n")
	}
	return placesOf([]byte(body.String()), offsets), offsetOf
}

// afterHandle returns what follows the handle on a line that starts with it.
// One ":" or "," may stand directly behind it; any other character means that
// somebody or something else is named ("@familiarx", "@familiar/team").
func afterHandle(line string, handles []string) (string, bool) {
	if line == "" || (line[0] != '@' && line[0] != '/') {
		return "", false
	}
	name := line[1:]
	for _, h := range handles {
		if len(name) < len(h) || !strings.EqualFold(name[:len(h)], h) {
			continue
		}
		rest := name[len(h):]
		if rest != "" && (rest[0] == ':' || rest[0] == ',') {
			rest = rest[1:]
		}
		if rest == "" || rest[0] == ' ' || rest[0] == '\t' {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

func handles(names []string) []string {
	var out []string
	for _, n := range names {
		if n = strings.TrimSuffix(strings.TrimLeft(n, "@/"), "[bot]"); n != "" {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return []string{DefaultHandle}
	}
	return out
}

func parseAt(s start, more []string, speakTo string) Intent {
	word, rest := firstWord(s.rest)
	c := command{word: word, line: rest, more: trimBlank(more), speakTo: speakTo}
	in := c.intent()
	in.Line = s.line + 1
	in.Raw = strings.TrimRight(strings.Join(append([]string{s.raw}, c.more...), "\n"), " \t\n")
	in.Argument = c.text()
	return in
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func tooMany(line int) Intent {
	return Intent{Verb: VerbUnknown, Line: line + 1,
		Problem: "a comment may hold at most " + strconv.Itoa(MaxCommands) + " commands; this one and those below it were not read, so put them into another comment"}
}

// command is one command taken apart: its verb as written, the rest of its
// line, and the lines below it.
type command struct {
	word string
	line string
	more []string
	opts given
	// speakTo is what a command of the answer starts with.
	speakTo string
	// args are the separate arguments of a command line; nil for a comment.
	args []string
}

// text is the whole argument, raw and trimmed.
func (c command) text() string {
	return strings.TrimSpace(strings.Join(append([]string{c.line}, c.more...), "\n"))
}

// intent reads the command by the row of its verb.
func (c command) intent() Intent {
	word := strings.TrimRight(strings.ToLower(foldPunctuation(c.word)), ":.,!")
	row, ok := rowOf(Verb(word))
	if !ok {
		return unknownVerb(word, c.speakTo)
	}
	lines, opts, problem := takeOptions(row, c.more)
	if problem != "" {
		return Intent{Verb: row.Verb, Problem: problem}
	}
	c.more, c.opts = lines, opts
	return c.by(row)
}

// by reads the command by its row. With a problem nothing else is filled in,
// so that a caller who overlooks it has nothing to act on.
func (c command) by(row CommandHelp) Intent {
	in := Intent{Verb: row.Verb}
	problem := c.opts.read(&in.Options)
	if problem == "" {
		problem = row.parse(c, &in)
	}
	if problem != "" {
		return Intent{Verb: in.Verb, Problem: problem}
	}
	return in
}

func unknownVerb(word, speakTo string) Intent {
	in := Intent{Verb: VerbUnknown, Word: redact.Cut(word, 40)}
	var words []string
	for _, v := range Verbs() {
		words = append(words, string(v))
	}
	in.Problem = "`" + plainWord(in.Word) + "` is no command of mine."
	if n := nearest(word, words); n != "" {
		in.Problem += " Did you mean `" + n + "`?"
	}
	in.Problem += " `" + speakTo + " help` lists all of them."
	return in
}
