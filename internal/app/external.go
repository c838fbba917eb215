package app

import (
	"context"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/trust"
)

// labelledForReview says whether a maintainer put the label that asks for a
// review on: who it was is taken from the recorded events, never from a
// payload, and what they may do is looked up now (page 6.2). Anything that
// cannot be told is no.
func labelledForReview(ctx context.Context, r ActionRequest, g pullFacts) bool {
	name := g.settings.Familiar.Labels.Review
	if name == "" || !slices.ContainsFunc(g.pull.Labels, func(l string) bool { return strings.EqualFold(l, name) }) {
		return false
	}
	events, err := r.Client.LabelEvents(ctx, g.pull.Number)
	if err != nil {
		return false
	}
	for _, e := range slices.Backward(events) {
		if !strings.EqualFold(e.Label, name) {
			continue
		}
		if e.Removed || e.ViaApp || e.Actor == nil || e.Actor.IsBot() {
			return false
		}
		standing, _ := trust.Standing(r.Client.Permission(ctx, e.Actor.Login, g.repository.Visibility), g.repository.Visibility)
		return standing == contract.TrustMaintainer
	}
	return false
}
