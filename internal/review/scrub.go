package review

import (
	"strings"

	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/text"
)

// withheld stands for a text that scrubbing could not make safe.
const withheld = "[withheld]"

// scrubbed returns f with the words of the candidate it was made of, secrets
// and personal data taken out: what a reviewer writes may be what somebody
// told it to repeat (page 3.5). The fingerprint stays that of the words as
// they were reported, so that the next push finds the same finding.
func (f Finding) scrubbed(reported Candidate) Finding {
	f.Title = oneLine(clean(reported.Title, maxTitle), maxTitle)
	f.Evidence = oneLine(clean(reported.Evidence, maxEvidence), maxEvidence)
	f.Body = paragraphs(clean(reported.Body, maxBody), maxBody)
	f.Recommendation = paragraphs(clean(reported.Recommendation, maxBody), maxBody)
	if r := f.Replacement; r != nil && clean(*r, len(*r)) != *r {
		// A marker in a suggestion would be committed.
		f.Replacement = nil
	}
	return f
}

// clean looks well beyond the n bytes that are kept, so that a cut never
// leaves the first half of a secret, and once more without what is invisible,
// which could split one in two.
func clean(s string, n int) string {
	if most := 16 * n; len(s) > most {
		s = s[:most]
	}
	s = redact.Scrub(strings.ToValidUTF8(s, "\uFFFD"))
	visible := strings.Map(func(r rune) rune {
		if text.Classify(r) != text.ClassNone && r != '\n' && r != '\r' && r != '\t' {
			return -1
		}
		return r
	}, s)
	if visible != s && redact.Scrub(visible) != visible {
		return withheld
	}
	return s
}
