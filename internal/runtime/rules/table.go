package rules

import (
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/text"
)

// Table returns the built-in rules as the Markdown of docs/rules.md.
func Table() string {
	var b strings.Builder
	for _, r := range BuiltIns() {
		fmt.Fprintf(&b, "### `%s`\n\n%s (severity: %s)\n\n", r.ID, r.Title, r.Severity)
		fmt.Fprintf(&b, "- Finds: %s\n- Leaves alone: %s\n", r.About, r.Leaves)
		if r.advice != "" {
			fmt.Fprintf(&b, "- Advice: %s\n", r.advice)
		}
		fmt.Fprintf(&b, "\nFound in `%s`:\n\n%s\nNot found in `%s`:\n\n%s\n", r.Bad.Path, block(r.Bad), r.Good.Path, block(r.Good))
	}
	return b.String()
}

// block shows the added lines of an example, with what is invisible or secret
// written out.
func block(e Example) string {
	if e.Added == "" {
		return "    (a new binary file)\n"
	}
	var b strings.Builder
	for line := range strings.SplitSeq(shown(e.Added), "\n") {
		b.WriteString(strings.TrimRight("    "+strings.ReplaceAll(line, "\t", "  "), " ") + "\n")
	}
	return b.String()
}

func shown(s string) string { return text.Visible(redact.Scrub(s)) }
