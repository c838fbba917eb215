package render

import (
	"testing"

	"github.com/familiarhq/familiar/internal/review"
)

func TestLineComment(t *testing.T) {
	instead := "\tclock.Wait(second)"
	for _, c := range []struct {
		name string
		f    review.Finding
		want string
	}{
		{"a remembered rule with a replacement",
			review.Finding{ID: "F1", Candidate: review.Candidate{Severity: "low", Title: "Prefer `clock.Wait`", Body: "a wait must be cancellable", Replacement: &instead, Because: []string{"m-7f3k2q8a"}, Rule: "m-7f3k2q8a@1"}},
			"**F1** low · Prefer `clock.Wait`\n\na wait must be cancellable\n\n```suggestion\n\tclock.Wait(second)\n```\n\nBecause of `m-7f3k2q8a`.\n"},
		{"a built-in rule names itself",
			review.Finding{ID: "F2", Candidate: review.Candidate{Severity: "high", Title: "Conflict marker", Rule: "builtin/conflict-marker"}},
			"**F2** high · Conflict marker\n\nRule `builtin/conflict-marker`.\n"},
		{"A56 A57 nothing in it notifies or breaks out",
			review.Finding{ID: "F3", Candidate: review.Candidate{Severity: "low", Title: "@org/team --> <img src=x>", Body: "```\n@mara"}},
			"**F3** low · `@org/team` --\\> \\<img src=x\\>\n\n\\`\\`\\` `@mara`\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := LineComment(c.f).String(); got != c.want {
				t.Errorf("got\n%q, want\n%q", got, c.want)
			}
		})
	}
}
