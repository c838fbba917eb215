package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/store"
)

// catchUpIssues deals with the commands on open issues that no run has dealt
// with in the last seven days (page 6.1). Pull requests are caught up with
// where they are looked at. One list of comments tells which threads are
// worth a look.
func catchUpIssues(ctx context.Context, r ActionRequest) []ActionReport {
	if r.Memory == nil {
		return nil
	}
	numbers, err := issuesWithCommands(ctx, r)
	if err != nil {
		return []ActionReport{failedLook("the comments of the last 7 days", err)}
	}
	var out []ActionReport
	for _, n := range numbers {
		report, did, err := catchUpIssue(ctx, r, n)
		switch {
		case err != nil:
			out = append(out, failedLook(fmt.Sprintf("#%d", n), err))
			if github.KindOf(err) == github.RateLimited || ctx.Err() != nil {
				return out // the others meet the same limit
			}
		case did:
			out = append(out, report)
		}
	}
	return out
}

func failedLook(what string, err error) ActionReport {
	out := FailedReport(ActionReport{}, err)
	out.Detail = what + ": " + out.Detail
	return out
}

// issuesWithCommands are the numbers of the issues with comments that may be
// commands nobody dealt with.
func issuesWithCommands(ctx context.Context, r ActionRequest) ([]int, error) {
	if err := identified(ctx, r); err != nil {
		return nil, err
	}
	var w reach
	made := false
	err := r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		info, err := st.Info(ctx)
		made, w = true, reach{genesis: info.Genesis, now: r.gitHubNow()}
		return err
	})
	if err != nil || !made {
		return nil, err
	}
	all, err := r.Client.CommentsSince(ctx, w.since().Truncate(time.Second))
	if err != nil {
		return nil, err
	}
	if r.around != nil {
		r.around.recent = all
	}
	found := map[int]bool{}
	for _, c := range all {
		if onPull(c) || !w.takes(c.Comment) || !c.CreatedAt.After(w.genesis) && c.Rocket+c.Confused > 0 {
			continue
		}
		if len(intent.Parse(c.Body, intent.Options{})) > 0 || len(otherHandles(c.Body)) > 0 {
			found[c.Number] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// onPull tells whether a comment is on a pull request. GitHub's addresses say
// it; an owner or a repository may be named "pull" as well.
func onPull(c github.Comment) bool {
	return strings.Contains(c.URL, fmt.Sprintf("/pull/%d#", c.Number))
}

// catchUpIssue deals with the missed commands of one issue, if it is open.
func catchUpIssue(ctx context.Context, r ActionRequest, number int) (out ActionReport, did bool, err error) {
	f := commandFacts{number: number}
	var issue github.Issue
	err = r.Client.Gather(ctx,
		func(ctx context.Context) (err error) { issue, err = r.Client.Issue(ctx, number); return err },
		func(ctx context.Context) error { return f.issue(ctx, r, nil) },
	)
	if err != nil || issue.State != "open" {
		return out, false, err
	}
	r.Author = f.author
	late, note := missedCommands(ctx, r, f, 0)
	if len(late) == 0 {
		out = nothing(note)
		out.tidy(ctx, r, f)
		return out, note != "" || len(out.Outcomes) > 0, nil
	}
	d := newDealing(r, f, late)
	d.note(note)
	out, err = d.deal(ctx)
	return out, true, err
}
