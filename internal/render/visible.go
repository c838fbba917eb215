package render

import (
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// visible makes what cannot be seen visible (see text.Visible). Tabs and line
// breaks become spaces unless they are in keep; a carriage return counts
// before a line feed only.
func visible(s, keep string) string {
	s = text.Visible(strings.ReplaceAll(s, "\r\n", "\n"))
	if strings.ContainsRune(keep, '\n') {
		return s
	}
	return oneLine.Replace(s)
}

var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
