package render

import (
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// directiveWarning tells the one who approves a lesson that it speaks to the
// machine that will read it (attack A72), in which ways, and what approving
// it means; nothing for a lesson that only speaks about code. The words of a
// check are looked at as well, since they are handed out with it.
func directiveWarning(d dialect, v memory.Version) []string {
	words := []string{v.Text}
	if c := v.Check; c != nil {
		words = append(words, c.Because, c.Prefer, c.Pattern)
	}
	found := text.Directives(strings.Join(words, "\n"))
	if len(found) == 0 {
		return nil
	}
	var says []string
	for _, f := range found {
		says = append(says, "it "+f.Words())
	}
	next := "Approve it only if every reviewer should be told this."
	if v.State == memory.Active && v.DocumentID != "" {
		next = "It is in use: " + d.typed("forget "+v.DocumentID) + " if it is not meant."
	}
	return []string{d.strong("Warning:") + " this reads as an instruction to a machine: " + strings.Join(says, "; ") + ". " + next}
}
