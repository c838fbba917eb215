package adapt

import (
	"strings"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/redact"
)

const maxTitle = 160 // bytes; the rest is in the body

// headed splits a message into a title, its first line or sentence, and the
// whole of it as body where the title is not all.
func headed(message string) (title, body string) {
	message = strings.TrimSpace(redact.Scrub(message)) // before its title is cut
	title, _, _ = strings.Cut(message, "\n")
	title = strings.TrimSpace(title)
	if i := strings.Index(title, ". "); i > 0 {
		title = title[:i]
	}
	if len(title) > maxTitle {
		cut := maxTitle
		for cut > 0 && !utf8.RuneStart(title[cut]) {
			cut--
		}
		if i := strings.LastIndexByte(title[:cut], ' '); i > maxTitle/2 {
			cut = i
		}
		title = strings.TrimSpace(title[:cut]) + "…"
	}
	if strings.TrimSuffix(message, ".") != strings.TrimSuffix(title, ".") {
		body = message
	}
	return strings.TrimSuffix(title, "."), body
}
