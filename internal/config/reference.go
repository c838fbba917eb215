package config

import (
	"fmt"
	"strings"
)

// sectionIntros is what the documentation says of each section.
var sectionIntros = map[string]string{
	"familiar":        "Names and comments.",
	"familiar.labels": "Names of the labels that command, of at most 50 characters. The first run that may makes those that are missing. A label of your own that does not start with `familiar:` has to be named in the `if:` filter of the workflow too; `familiar doctor` looks.",
	"memory":          "`familiar local` leaves out lessons that are past their `--until` or their week; the ages take effect when the action sweeps the store.\n\n`[memory.repos.\"owner/name\"]` holds the same keys for one repository, where many share one file.",
	"trust":           "Who counts as what, beside what GitHub says.",
	"review":          "Read at the base commit of a change, so that a change cannot switch its own review off.",
	"runtime":         "Who reviews. No command, address, model or key can stand in the file: those come from the person or the step that runs familiar.",
}

// Reference is the part of docs/configuration.md that lists every key, from
// the table that the parser uses.
func Reference() string {
	c := Defaults()
	var b strings.Builder
	for _, section := range []string{"review", "memory", "familiar", "familiar.labels", "trust", "runtime"} {
		fmt.Fprintf(&b, "## `[%s]`\n\n%s\n\n| key | takes | default | meaning |\n|---|---|---|---|\n", section, sectionIntros[section])
		for _, s := range settings {
			if s.section == section {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.key, s.takes(), shownDefault(s.get(&c, &c.Memory.MemorySettings)), s.about)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// takes says in a table what a key takes.
func (s setting) takes() string {
	switch {
	case len(s.allowed) > 0:
		return "`\"" + strings.Join(s.allowed, "\"`, `\"") + "\"`"
	case s.kind == boolean:
		return "`true`, `false`"
	case s.kind == integer:
		return fmt.Sprintf("%d to %d", s.least, s.most)
	case s.form == globForm:
		return "globs"
	case s.form == workflowForm:
		return "paths"
	case s.kind == list:
		return "names"
	}
	return "a name"
}

func shownDefault(v any) string {
	if l, ok := v.([]string); ok && len(l) == 0 {
		return "none"
	}
	return "`" + Literal(v) + "`"
}
