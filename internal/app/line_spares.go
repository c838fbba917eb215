package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
)

// withoutSpares parts the comments on lines into those that stay, one for each
// finding, and those that a second run made beside the first: GitHub takes both
// of two reviews that are written at the same moment. The older one stays, and
// so does one that somebody answered.
func withoutSpares(ours []saidLine, there []github.ReviewComment) (stay, spare []saidLine) {
	ours = slices.Clone(ours)
	slices.SortFunc(ours, func(a, b saidLine) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range ours {
		second := slices.ContainsFunc(stay, func(o saidLine) bool { return o.ref.same(c.ref) })
		answered := slices.ContainsFunc(there, func(o github.ReviewComment) bool { return o.InReplyTo == c.ID })
		if second && !answered {
			spare = append(spare, c)
			continue
		}
		stay = append(stay, c)
	}
	return stay, spare
}

// removals take the second comments of findings away.
func removals(r ActionRequest, g pullFacts, spare []saidLine) (out []deed) {
	for _, c := range spare {
		a := plan.Action{
			Kind: plan.LineComments, Key: memory.NewCause("spare line", fmt.Sprint(g.repository.ID), fmt.Sprint(c.ID)),
			Summary: fmt.Sprintf("remove the second comment on one finding in %s", render.Log(c.ref.Path)),
		}
		out = append(out, deed{a, func(ctx context.Context, _ plan.Action) error {
			return degraded(r.Client.DeleteReviewComment(ctx, c.ID))
		}})
	}
	return out
}
