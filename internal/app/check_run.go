package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
)

// This file keeps the check run of an App on the head that was reviewed (page
// 6.4). A workflow's token makes none: the job is the check there, and GitHub
// would file a second one under some other workflow.

// checkName is the name of the check run, for a rule that requires it.
const checkName = "familiar"

// checkDeeds say by a check run how the review ended. One that says so already
// is left alone; which pull request it is about, its external id tells, since
// two can have one head.
func checkDeeds(r ActionRequest, g pullFacts, report ActionReport) []deed {
	if !r.AppAuth || g.slug == "" || r.Trigger.Kind == event.PullRequest || g.settings.Familiar.Comment == config.CommentNever {
		return nil
	}
	head, about := g.pull.Head.SHA, fmt.Sprintf("%s#%d", checkName, g.pull.Number)
	w := github.CheckWords{Conclusion: conclusionOf(r, report), RunURL: r.RunURL}
	w.Title, w.Summary = render.CheckText(report.Status)
	a := plan.Action{
		Kind: plan.CheckRun, Key: memory.NewCause("check run", fmt.Sprint(g.repository.ID), about, head, w.Conclusion, w.Title.String(), w.Summary.String()),
		Summary: "say by a check run how the review of " + head[:min(len(head), 10)] + " ended",
	}
	return []deed{{a, func(ctx context.Context, _ plan.Action) error {
		there, err := r.Client.CheckRuns(ctx, head, checkName, g.slug)
		if err != nil {
			return degraded(err)
		}
		at := slices.IndexFunc(there, func(c github.CheckRun) bool { return c.External == about })
		switch {
		case at < 0:
			return degraded(r.Client.CreateCheckRun(ctx, head, checkName, about, w))
		case checkSays(there[at], w):
			return plan.Skip("it says so already")
		}
		return degraded(r.Client.EditCheckRun(ctx, there[at].ID, checkName, w))
	}}}
}

// checkSays tells whether a check run says the words already.
func checkSays(c github.CheckRun, w github.CheckWords) bool {
	return c.Conclusion == w.Conclusion && c.Title == w.Title.String() && strings.TrimSpace(c.Summary) == strings.TrimSpace(w.Summary.String())
}

// conclusionOf is failure where the step fails: what was to be done was not,
// or fail-on was reached. A finding below that is for people to weigh.
func conclusionOf(r ActionRequest, report ActionReport) string {
	switch {
	case report.Failed(), r.FailOn != "" && report.AnyFinding(r.FailOn):
		return "failure"
	case len(report.Status.Findings) > 0, report.Outcome == review.RateLimited, report.Outcome == review.MemoryUnavailable:
		return "neutral"
	}
	return "success"
}
