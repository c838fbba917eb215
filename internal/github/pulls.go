package github

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/trust"
)

// Pull is a pull request as it is now.
type Pull struct {
	event.Pull
	ChangedFiles int // 0 in a listing, which does not tell
	LineComments int // on lines of it; 0 in a listing
	Comments     int // in its conversation; 0 in a listing
	BaseRepoName string
	// Repository is the pull request's own, live like the rest.
	Repository event.Repository
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Pull returns a pull request, live.
func (c *Client) Pull(ctx context.Context, n int) (Pull, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading pull request #%d", n), permission: "pull-requests: read"})
	p, _, err := c.gh.PullRequests.Get(ctx, c.owner, c.name, n)
	if err != nil {
		return Pull{}, asError(ctx, err)
	}
	if p.GetNumber() != n {
		return Pull{}, invalid(ctx, "the answer is another pull request", "Run it again.")
	}
	return pull(p), nil
}

func pull(p *github.PullRequest) Pull {
	return Pull{
		Pull: event.Pull{
			Number: p.GetNumber(), Title: p.GetTitle(), Body: p.GetBody(), State: p.GetState(),
			Draft: p.GetDraft(), Merged: p.GetMerged() || !p.GetMergedAt().IsZero(), Author: actor(p.User),
			Base: side(p.Base), Head: side(p.Head), Labels: labelNames(p.Labels),
		},
		ChangedFiles: p.GetChangedFiles(), LineComments: p.GetReviewComments(), Comments: p.GetComments(), BaseRepoName: p.GetBase().GetRepo().GetFullName(), Repository: repository(p.GetBase().GetRepo()),
		CreatedAt: at(p.GetCreatedAt()), UpdatedAt: at(p.GetUpdatedAt()),
	}
}

func side(b *github.PullRequestBranch) event.Ref {
	return event.Ref{Name: b.GetRef(), SHA: b.GetSHA(), RepoID: b.GetRepo().GetID()}
}

// PullsForCommit finds the pull request that a workflow_run is about (page
// 3.1): open, of this repository, with exactly this head repository and head
// commit. Anything but one match is none to work on; the matches are returned
// all the same, to be shown. The event's own list is empty for forks (A6).
func (c *Client) PullsForCommit(ctx context.Context, sha string, headRepoID int64) ([]Pull, trust.Resolution, error) {
	ctx = with(ctx, call{op: "finding the pull request of commit " + shown(sha, "", 64), permission: "pull-requests: read"})
	if !shaForm.MatchString(sha) || headRepoID <= 0 {
		return nil, trust.ResolutionNone, nil
	}
	all, err := pages(ctx, c, c.lim.Pages, (*github.PullRequest).GetID, func(ctx context.Context, o github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		return c.gh.PullRequests.ListPullRequestsWithCommit(ctx, c.owner, c.name, sha, &o)
	})
	if err != nil {
		return nil, trust.ResolutionNone, err
	}
	var found []Pull
	for _, p := range all {
		if q := pull(p); q.State == "open" && q.Head.RepoID == headRepoID && q.Head.SHA == sha && strings.EqualFold(q.BaseRepoName, c.owner+"/"+c.name) {
			found = append(found, q)
		}
	}
	switch len(found) {
	case 0:
		return nil, trust.ResolutionNone, nil
	case 1:
		return found, trust.ResolutionOne, nil
	}
	return found, trust.ResolutionAmbiguous, nil
}

// OpenPulls returns the open pull requests, the last updated first.
func (c *Client) OpenPulls(ctx context.Context) ([]Pull, error) {
	ctx = with(ctx, call{op: "listing the open pull requests", permission: "pull-requests: read"})
	all, err := pages(ctx, c, c.lim.Pages, (*github.PullRequest).GetID, func(ctx context.Context, o github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		return c.gh.PullRequests.List(ctx, c.owner, c.name, &github.PullRequestListOptions{State: "open", Sort: "updated", Direction: "desc", ListOptions: o})
	})
	var out []Pull
	for _, p := range all {
		out = append(out, pull(p))
	}
	return out, err
}

// PullDiff returns the pull request's diff as GitHub prints it, parsed.
// GitHub refuses large ones: kind TooLarge.
func (c *Client) PullDiff(ctx context.Context, n int) ([]diff.File, []diff.Omission, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading the diff of pull request #%d", n), permission: "pull-requests: read"})
	text, _, err := c.gh.PullRequests.GetRaw(ctx, c.owner, c.name, n, github.RawOptions{Type: github.Diff})
	if err != nil {
		return nil, nil, asError(ctx, err)
	}
	files, omitted, err := diff.Parse(strings.NewReader(text), diff.Limits{})
	if err != nil {
		return nil, nil, invalid(ctx, "the diff cannot be read: "+shown(err.Error(), "", 200), "Run it again.")
	}
	return files, omitted, nil
}
