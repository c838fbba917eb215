package render

import (
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// LessonList returns lessons for a terminal: a line each with id, state where
// it is not active, globs and text, which is cut to two lines.
func LessonList(versions []memory.Version, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	if len(versions) == 0 {
		opts.Program = "" // teaching is no command of `familiar memory`
		return wrap("No lessons. Teach one: "+d.typed(opts.command("remember TEXT"))+".", "", "", w)
	}
	var b strings.Builder
	lessons, column := map[string]bool{}, 0
	for _, v := range versions {
		lessons[v.DocumentID] = true
		column = max(column, len(v.ID())+2)
	}
	named, total := memory.Version.ID, count(len(versions), "version")+" of "+count(len(lessons), "lesson")
	if len(lessons) == len(versions) { // then no number is needed to tell them apart
		named, total = func(v memory.Version) string { return v.DocumentID }, count(len(lessons), "lesson")
		column = len(versions[0].DocumentID) + 2
	}
	indent := strings.Repeat(" ", column)
	for _, v := range versions {
		words := d.text(excerpt(v.Text, 2*(w-column)))
		if v.Check != nil {
			words = checkWords(d, *v.Check)
		}
		if v.State != memory.Active || v.Denied != "" {
			words = "(" + d.text(strings.TrimPrefix(stands(v), "active, ")) + ") " + words
		}
		b.WriteString(wrap(words, padded(d.strong(named(v)), column), indent, w))
		if v.Check == nil && len(v.Paths) > 0 {
			b.WriteString(wrap("for "+codes(d, v.Paths), indent, indent, w))
		}
	}
	b.WriteString("\n" + wrap(total+". More of one: "+d.typed(opts.command("show "+versions[0].DocumentID))+".", "", "", w))
	return b.String()
}

// LessonDetail returns the versions of one lesson for a terminal, in the
// order given: the whole text, where it came from, who approved it, its check.
func LessonDetail(versions []memory.Version, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	var b strings.Builder
	for i, v := range versions {
		if i > 0 {
			b.WriteString("\n")
		}
		lead := joined(", ", d.strong(v.ID()), d.text(stands(v)), pathWords(d, v))
		b.WriteString(wrap(lead, "", "    ", w))
		b.WriteString(entry{lead: "key " + d.code(keyWords(v)), quote: quoteOf(v), paras: facts(d, v)}.terminal(w))
	}
	return b.String()
}

// facts are the lines below the text of a lesson that is shown in detail.
func facts(d dialect, v memory.Version) []string {
	out := append(directiveWarning(d, v), versionFacts(d, v)...)
	for _, s := range []string{learned(d, v), approved(d, v)} {
		if s != "" {
			out = append(out, upperFirst(s)+".")
		}
	}
	if scope := scopeWords(d, v); scope != "" {
		out = append(out, upperFirst(scope)+".")
	}
	if v.LastUsed != "" {
		out = append(out, "Last used on "+d.text(v.LastUsed)+".")
	}
	return out
}

func upperFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
