package memory

import (
	"slices"

	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/text"
)

// Unclean refuses a lesson in which any string that would be stored holds a
// secret, a live token of the run in any dress, or personal data; nil: there is
// none. The refusal never repeats it (page 3.5, attacks A80 and A87).
func Unclean(find redact.Finder, l NewLesson) *Refusal {
	texts := append([]string{l.Text, string(l.Key)}, append(slices.Clone(l.Paths), l.About...)...)
	if c := l.Check; c != nil {
		texts = append(texts, c.Pattern, c.Prefer, c.Because)
		texts = append(append(append(append(texts, c.In...), c.With...), c.Bad...), c.Good...)
	}
	for _, c := range l.Citations {
		texts = append(texts, c.Path)
	}
	return UncleanTexts(find, texts...)
}

// UncleanTexts is Unclean for single texts: each is looked at as it is and
// without what is invisible, which could split a secret in two. A secret
// outranks personal data.
func UncleanTexts(find redact.Finder, texts ...string) *Refusal {
	personal := false
	for _, s := range texts {
		for _, form := range slices.Compact([]string{s, text.WithoutHidden(s)}) {
			kind, found := find.Refuse(form)
			if found && kind == redact.Secret {
				return &Refusal{Reason: ReasonSecret, Detail: "The lesson holds what looks like a credential, so nothing was stored; say it without the value."}
			}
			personal = personal || found
		}
	}
	if personal {
		return &Refusal{Reason: ReasonPII, Detail: "The lesson holds personal data, so nothing was stored; say it without."}
	}
	return nil
}
