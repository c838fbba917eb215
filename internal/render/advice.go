package render

import (
	"slices"
	"strings"
)

// Advice is one thing that somebody should know or do, in words.
type Advice struct {
	Level   string // "error", "warning" or "note"
	Place   string // where it stands: "file:line"; "" if nowhere
	Message string
	Reason  string
	Fix     string
}

// adviceLevels are the levels, the worst first, and their colours.
var adviceLevels = []string{"error", "warning", "note"}

// adviceIndent is where the words of a list of advice begin.
const adviceIndent = 9

// Advices returns advice for a terminal, in the order given, each with its
// level, place, sentence, reason and next step, and a last line that counts
// them.
func Advices(list []Advice, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	indent := strings.Repeat(" ", adviceIndent)
	var b strings.Builder
	for _, a := range list {
		first := padded(levelWord(a.Level, opts.Color), adviceIndent)
		if a.Place != "" {
			b.WriteString(wrap(d.code(a.Place), first, indent, w))
			first = indent
		}
		b.WriteString(wrap(d.prose(a.Message), first, indent, w))
		b.WriteString(wrap(d.prose(a.Reason), indent, indent, w))
		if a.Fix != "" {
			b.WriteString(wrap(d.prose(a.Fix), indent+"-> ", indent+"   ", w))
		}
		b.WriteString("\n")
	}
	return b.String() + AdviceCount(list) + "\n"
}

// AdviceCount says how many there are of each level.
func AdviceCount(list []Advice) string {
	var parts []string
	for _, level := range adviceLevels {
		n := 0
		for _, a := range list {
			if a.Level == level {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, count(n, level))
		}
	}
	if len(parts) == 0 {
		return "Nothing is wrong."
	}
	return strings.Join(parts, ", ") + "."
}

// levelWord is a level in its colour: red, yellow, none.
func levelWord(level string, color bool) string {
	if !color || !slices.Contains(adviceLevels, level) {
		return Plain(level)
	}
	return map[string]string{"error": "\x1b[31m", "warning": "\x1b[33m", "note": "\x1b[2m"}[level] + level + "\x1b[0m"
}

// Setting is one value of the configuration and where it comes from, in
// words.
type Setting struct {
	Key, Value, From string
	Changed          bool // it is not the default
}

// Settings returns values for a terminal, one below the other, those that are
// not the default in strong letters.
func Settings(list []Setting, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	widest := 0
	for _, s := range list {
		widest = max(widest, columns(s.Key)+1)
	}
	var b strings.Builder
	section := ""
	for _, s := range list {
		head, _, _ := strings.Cut(s.Key, ".")
		if section != "" && head != section {
			b.WriteString("\n")
		}
		section = head
		name := d.text(s.Key)
		if s.Changed {
			name = d.strong(s.Key)
		}
		b.WriteString(wrap(d.code(s.Value)+" ("+d.text(s.From)+")", padded(name, widest+1), strings.Repeat(" ", widest+1), w))
	}
	return b.String()
}
