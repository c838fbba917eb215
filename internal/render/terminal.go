package render

import (
	"strings"
)

// TerminalOptions say what a terminal can show.
type TerminalOptions struct {
	Width int // columns; 0: DefaultWidth
	Color bool
	// Handle is what a command starts with where the text stands in a comment;
	// "": it stands in a terminal.
	Handle string
	// Program is what a command starts with in a terminal; "": "familiar".
	Program string
}

func (o TerminalOptions) command(words string) string {
	switch {
	case o.Handle == "" && o.Program == "":
		return "familiar " + words
	case o.Handle == "":
		return o.Program + " " + words
	}
	return "/" + o.Handle + " " + words
}

func (o TerminalOptions) width() int {
	if o.Width <= 0 {
		return DefaultWidth
	}
	return max(o.Width, minWidth)
}

// Terminal returns for a terminal what StatusComment says on GitHub: the same
// sentences, wrapped at the width, nothing folded and nothing cut. Only words
// that have no space, such as paths, may be longer than the width.
func Terminal(m Status, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	var b strings.Builder
	b.WriteString(wrap(m.headline(d), "", "", w))
	if m.Greeting {
		b.WriteString(wrap(m.greeting(d), "", "", w))
	}
	for _, line := range m.gaps(d) {
		b.WriteString(wrap(line, "", "", w))
	}
	for _, s := range m.sections(d) {
		b.WriteString("\n" + wrap(d.strong(s.title), "", "", w))
		for _, e := range s.entries {
			b.WriteString(e.terminal(w))
		}
		if s.after != "" {
			b.WriteString(wrap(s.after, "  ", "  ", w))
		}
	}
	return b.String()
}

// terminal lays an entry out.
func (e entry) terminal(w int) string {
	var b strings.Builder
	b.WriteString(wrap(e.lead, "  ", "      ", w))
	if code := Plain(e.code); code != "" {
		b.WriteString("      " + clip(code, w-6) + "\n")
	}
	if e.quote != "" {
		for _, line := range splitLines(e.quote) {
			b.WriteString(strings.TrimRight(wrap(Plain(line), "    | ", "    | ", w), " \n") + "\n")
		}
	}
	for _, p := range e.paras {
		b.WriteString(wrap(p, "      ", "      ", w))
	}
	return b.String()
}
