package policy

import (
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/text"
)

// maxSearched bounds how much of one string is searched, in bytes. A longer
// text is no content anyhow, and nothing beyond the bound is ever shown.
const maxSearched = 256 << 10

// withheld stands for a text that scrubbing could not make safe.
const withheld = "[withheld]"

// sensitive returns secret or pii if any of the texts holds one; a secret
// outranks personal data. What was sent is judged, not what scrubbing would
// leave of it: a proposal with a secret is refused whole (attack A87).
func sensitive(finder redact.Finder, texts ...string) memory.Reason {
	found := memory.Reason("")
	for i, s := range texts {
		if slices.Contains(texts[:i], s) {
			continue
		}
		switch kind, refused := finder.Refuse(bounded(s, maxSearched)); {
		case refused && kind == redact.Secret:
			return memory.ReasonSecret
		case refused:
			found = memory.ReasonPII
		}
	}
	return found
}

func sensitiveDetail(reason memory.Reason) string {
	if reason == memory.ReasonSecret {
		return "The proposal holds a secret, which is not repeated here; revoke it if it is live."
	}
	return "The proposal holds personal data, which is not repeated here."
}

// scrubbed returns at most max characters of s, fit to be shown: scrubbed, then checked again with
// everything invisible taken out, so that no hidden character splits a secret
// in two. What still matches is withheld whole. It looks well beyond what it
// shows, so that the cut never leaves the first half of a secret.
func scrubbed(finder redact.Finder, s string, max int) string {
	clean := finder.Scrub(bounded(s, 16*max))
	if _, still := finder.Refuse(text.WithoutHidden(clean)); still {
		return withheld
	}
	return text.Truncate(clean, max)
}

func bounded(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
