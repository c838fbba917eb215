package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/trust"
)

// How far a run that is about no pull request of its own looks around, and
// how much it does of what it finds.
const (
	lookBack   = 7 * 24 * time.Hour
	maxReviews = 20
)

// lookAround is a run that nothing but the clock or a person's button started:
// it looks at every open pull request that was updated lately, and reviews
// the heads that no run has reviewed yet. Each is reviewed by its own trust.
func lookAround(ctx context.Context, r ActionRequest) (ActionReport, error) {
	pulls, err := r.Client.OpenPulls(ctx)
	if err != nil {
		return ActionReport{}, err
	}
	report := nothing("")
	report.Others = catchUpIssues(ctx, r)
	counts := map[string]int{}
	left, looked, reviewed := 0, 0, 0
	for _, p := range pulls {
		if p.UpdatedAt.Before(r.gitHubNow().Add(-lookBack)) {
			continue
		}
		looked++
		done, waits, err := reviewOrWait(ctx, r, p, reviewed < maxReviews)
		if waits {
			left++
			continue
		}
		if err != nil {
			done = ActionReport{Outcome: review.Failed, Detail: fmt.Sprintf("#%d: %v", p.Number, err)}
			if github.KindOf(err) == github.RateLimited {
				done.Outcome = review.RateLimited
			}
		}
		counts[string(done.Outcome)]++
		if done.Outcome == review.NothingToDo && !done.Reviewed {
			continue
		}
		report.Others = append(report.Others, done)
		reviewed++
		if done.Outcome == review.RateLimited || ctx.Err() != nil {
			break // the others meet the same limit
		}
	}
	report.Outcome, report.Detail = summedUp(report.Others), around(looked, counts, left)
	return report, ctx.Err()
}

// reviewOrWait deals with what was missed on one pull request, and reviews it unless
// its head was reviewed. Commands are looked for on every one, however many
// wait: on that of a fork no other run finds them. waits says that there was
// only a review to do, and that this run reviews no more.
func reviewOrWait(ctx context.Context, r ActionRequest, p github.Pull, reviews bool) (out ActionReport, waits bool, err error) {
	if !reviews && r.Memory == nil {
		return out, true, nil
	}
	run := pullRun{number: p.Number, facts: ownFacts(r, p)}
	g, err := gatherPull(ctx, r, run)
	if err != nil {
		return out, false, err
	}
	r.Author = g.author
	if out, did, err := catchUp(ctx, r, run, g, reviews); did {
		return out, false, err
	}
	if g.own.intact && g.own.state.Head != "" && g.own.state.Head == g.pull.Head.SHA && len(commandLabels(g)) == 0 {
		out = nothing("its head is reviewed already")
		out.tidy(ctx, r, threadOf(g))
		return out, false, nil
	}
	if !reviews {
		return out, true, nil
	}
	out, err = reviewGathered(ctx, r, run, g)
	return out, false, err
}

// ownFacts are whose work a pull request is that a run found by itself. The
// clock is nobody, and whoever edited its line is not asked: it is the work
// of its author alone, never that of the schedule, whose trust a fork's
// change must not get. A person who started the run has shaped it too.
func ownFacts(r ActionRequest, p github.Pull) trust.Facts {
	if r.Trigger.Kind == event.WorkflowDispatch {
		return trust.FromTrigger(r.Trigger, r.Actor, r.TriggeringActor)
	}
	author := trust.Shaper{Role: trust.RoleSender, Ghost: p.Author == nil}
	if p.Author != nil {
		author.ID, author.Login, author.Bot = p.Author.ID, p.Author.Login, p.Author.IsBot()
	}
	return trust.Facts{Kind: event.PullRequestTarget, Shapers: []trust.Shaper{author}}
}

// summedUp is the outcome of all looks: the worst that happened, or that
// something was reviewed.
func summedUp(all []ActionReport) review.Outcome {
	for _, worst := range []review.Outcome{review.Failed, review.RateLimited, review.MemoryUnavailable, review.PartlyReviewed, review.Reviewed} {
		for _, one := range all {
			if one.Outcome == worst {
				return worst
			}
		}
	}
	return review.NothingToDo
}

// around says what a run that looked around found.
func around(looked int, counts map[string]int, left int) string {
	if looked == 0 {
		return "no open pull request was updated in the last 7 days"
	}
	parts := []string{fmt.Sprintf("looked at the pull requests that are open and were updated in the last 7 days (%d)", looked)}
	for _, o := range []review.Outcome{review.Reviewed, review.PartlyReviewed, review.NothingToDo, review.Superseded, review.MemoryUnavailable, review.RateLimited, review.Failed} {
		if n := counts[string(o)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(o), "_", " ")))
		}
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("%d more wait for the next run, since one run reviews %d", left, maxReviews))
	}
	return strings.Join(parts, "; ")
}
