package render

import (
	"strings"

	"github.com/familiarhq/familiar/internal/review"
)

// LineComment is what a finding says on its line (page 6.4): title, why, the
// lessons that shaped it, and a suggestion where there is a replacement.
func LineComment(f review.Finding) Markup {
	d := markdownDialect()
	var b strings.Builder
	b.WriteString("**" + Text(f.ID) + "** " + Text(string(f.Severity)) + " · " + Prose(f.Title) + "\n")
	for _, p := range nonEmpty(d.prose(f.Body), d.prose(f.Recommendation)) {
		b.WriteString("\n" + p + "\n")
	}
	if f.Replacement != nil {
		b.WriteString("\n" + Fence(*f.Replacement, "suggestion") + "\n")
	}
	switch {
	case len(f.Because) > 0:
		b.WriteString("\nBecause of " + codes(d, f.Because) + ".\n")
	case f.Rule != "":
		b.WriteString("\nRule " + Code(f.Rule) + ".\n")
	}
	return Markup{b.String()}
}
