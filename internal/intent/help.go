package intent

import "strings"

// HelpMarkdown returns the table of commands for a comment or a document,
// with the chooser below it. Commands stand in code, so that nobody is
// notified by reading them.
func HelpMarkdown(handle string) string {
	handle = handleOr(handle)
	var b strings.Builder
	b.WriteString("| command | lines below it | who | what it does |\n|---|---|---|---|\n")
	for _, row := range Table() {
		forms := make([]string, len(row.Forms))
		for i, f := range row.Forms {
			forms[i] = "`" + f + "`"
		}
		names := make([]string, len(row.Options))
		for i, o := range row.Options {
			names[i] = "`" + o.Name + ":`"
		}
		b.WriteString("| " + strings.Join(forms, "<br>") + " | " + strings.Join(names, " ") + " | " + string(row.Who) + " | " + row.Does + " |\n")
	}
	b.WriteString("\nEach command starts a line with `@" + handle + "` or `/" + handle + "` (which notifies nobody). ")
	b.WriteString("Lines such as `paths: billing/**` follow it, one each, at its end.\n")
	b.WriteString("\nWhich one to take for a lesson that should go:\n")
	for _, c := range chooser {
		b.WriteString("- " + c.when + ": `" + string(c.verb) + "`\n")
	}
	return b.String()
}

var chooser = []struct {
	when string
	verb Verb
}{
	{"outdated", VerbRetire},
	{"should vanish", VerbForget},
	{"must never return", VerbRevoke},
	{"legal erasure", VerbPurge},
}

// HelpText returns the same for a terminal of 80 columns.
func HelpText(handle string) string {
	handle = handleOr(handle)
	var b strings.Builder
	b.WriteString("A comment commands by a line that starts with @" + handle + " or /" + handle + ".\n\n")
	for _, row := range Table() {
		b.WriteString(row.text())
	}
	b.WriteString("\nLines that may follow a command, each of its own:\n")
	for _, o := range allOptions() {
		b.WriteString("  " + pad(o.Name+":", 11) + strings.ReplaceAll(o.Value, "`", "") + "\n")
	}
	b.WriteString("\nA lesson that should go:\n")
	for _, c := range chooser {
		b.WriteString("  " + pad(c.when+":", 20) + string(c.verb) + "\n")
	}
	return b.String()
}

// HelpFor returns the help of one verb for a terminal, or false for a word
// that is none.
func HelpFor(v Verb) (string, bool) {
	row, ok := rowOf(v)
	if !ok {
		return "", false
	}
	out := row.head()
	for _, o := range row.Options {
		out += "      " + pad(o.Name+":", 11) + strings.ReplaceAll(o.Value, "`", "") + "\n"
	}
	return out, true
}

// head is one row for a terminal: its forms, and below them what it does.
func (h CommandHelp) head() string {
	return "  " + strings.Join(h.Forms, " | ") + "  (" + string(h.Who) + ")\n" +
		"      " + strings.ReplaceAll(h.Does, "`", "") + "\n"
}

// text is head with the names of the lines that may follow.
func (h CommandHelp) text() string {
	var b strings.Builder
	b.WriteString(h.head())
	if len(h.Options) > 0 {
		line := "      lines:"
		for _, o := range h.Options {
			if len(line)+len(o.Name)+2 > 78 {
				b.WriteString(line + "\n")
				line = "            "
			}
			line += " " + o.Name + ":"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// optionList names the lines that a command takes, for a problem.
func (h CommandHelp) optionList() string {
	if len(h.Options) == 0 {
		return "no such lines"
	}
	var names []string
	for _, o := range h.Options {
		names = append(names, "`"+o.Name+":`")
	}
	return strings.Join(names, ", ")
}

func pad(s string, width int) string {
	if len(s) >= width {
		return s + " "
	}
	return s + strings.Repeat(" ", width-len(s))
}

func handleOr(handle string) string {
	if handle == "" {
		return DefaultHandle
	}
	return handle
}
