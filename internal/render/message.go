package render

import (
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// copied are the parts of a message that somebody copies, and that no line
// break may cut: code between backticks, what is quoted, commands of ours and
// those that we name beside, a flag with its value.
var copied = text.Lazy("`[^`]*`" +
	`|"(?:[^"\\]|\\.){0,60}"` +
	`|\(umask [^()]*\)` +
	`|\bfamiliar (?:(?:memory|config|help) )?[a-z][a-z-]*(?: (?:` + argument + `))*` +
	`|\bfamiliar(?: --[a-z][a-z-]*)+` +
	`|\bgh [a-z]+ [a-z]+(?: (?:` + argument + `))*` +
	`|(?:^| )--?[A-Za-z][A-Za-z-]* [A-Z][A-Z0-9_/.]*`)

// argument is a word that belongs to the command before it.
const argument = `--?[A-Za-z][A-Za-z-]*(?:=[^ ,;]+)?|[A-Z][A-Z0-9_/.]*[A-Z]|[A-Z]|m-[0-9a-zA-Z@]+|all|>|'[^']*'`

// Message breaks s, which is ours, for a terminal of some columns: the first
// line behind first, the others indented by two. It breaks at spaces, and
// nowhere within what is copied from it. Whether there is a terminal, the
// caller knows.
func Message(s, first string, width int) string {
	const held = "\x00" // no control character is left in what is plain
	whole := copied.ReplaceAllStringFunc(Plain(s), func(part string) string {
		if lead := len(part) - len(strings.TrimLeft(part, " ")); lead > 0 {
			return part[:lead] + strings.ReplaceAll(part[lead:], " ", held)
		}
		return strings.ReplaceAll(part, " ", held)
	})
	return strings.ReplaceAll(wrap(whole, first, "  ", max(width, minWidth)), held, " ")
}
