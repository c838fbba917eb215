package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/render"
)

// Issue is an issue or pull request as it is now.
type Issue struct {
	event.Issue
	Body      string
	URL       string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Issue returns one.
func (c *Client) Issue(ctx context.Context, n int) (Issue, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading #%d", n), permission: "issues: read"})
	i, _, err := c.gh.Issues.Get(ctx, c.owner, c.name, n)
	if err != nil {
		return Issue{}, asError(ctx, err)
	}
	return issue(i), nil
}

// OpenIssues returns the open issues and pull requests that were updated
// since then, the last updated first.
func (c *Client) OpenIssues(ctx context.Context, since time.Time) ([]Issue, error) {
	ctx = with(ctx, call{op: "listing the open issues", permission: "issues: read"})
	return c.issues(ctx, github.IssueListByRepoOptions{State: "open", Sort: "updated", Direction: "desc", Since: since})
}

// LabelledIssues returns the issues and pull requests, open and closed, that
// have a label, the first created first.
func (c *Client) LabelledIssues(ctx context.Context, label string) ([]Issue, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("listing the issues with the label %q", label), permission: "issues: read"})
	return c.issues(ctx, github.IssueListByRepoOptions{State: "all", Sort: "created", Direction: "asc", Labels: []string{label}})
}

func (c *Client) issues(ctx context.Context, o github.IssueListByRepoOptions) ([]Issue, error) {
	all, err := pages(ctx, c, c.lim.Pages, (*github.Issue).GetID, func(ctx context.Context, page github.ListOptions) ([]*github.Issue, *github.Response, error) {
		o := o
		o.ListOptions = page
		return c.gh.Issues.ListByRepo(ctx, c.owner, c.name, &o)
	})
	var out []Issue
	for _, i := range all {
		out = append(out, issue(i))
	}
	return out, err
}

// CreateIssue opens an issue. It is not repeated where the first try may have
// arrived: the error then is Uncertain, and looking tells.
func (c *Client) CreateIssue(ctx context.Context, title, body render.Markup, labels ...string) (Issue, error) {
	ctx = with(ctx, call{op: "opening an issue", permission: "issues: write"})
	if err := fits(ctx, body); err != nil {
		return Issue{}, err
	}
	if labels == nil {
		labels = []string{} // null is refused
	}
	got, _, err := c.gh.Issues.Create(ctx, c.owner, c.name, &github.IssueRequest{Title: onGitHub(title), Body: onGitHub(body), Labels: &labels})
	return c.writtenIssue(ctx, got, err)
}

// EditIssue replaces the body of an issue.
func (c *Client) EditIssue(ctx context.Context, n int, body render.Markup) (Issue, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("editing #%d", n), permission: "issues: write"})
	if err := fits(ctx, body); err != nil {
		return Issue{}, err
	}
	got, _, err := c.gh.Issues.Edit(ctx, c.owner, c.name, n, &github.IssueRequest{Body: onGitHub(body)})
	return c.writtenIssue(ctx, got, err)
}

// CloseIssue closes an issue, and replaces its body.
func (c *Client) CloseIssue(ctx context.Context, n int, body render.Markup) (Issue, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("closing #%d", n), permission: "issues: write"})
	if err := fits(ctx, body); err != nil {
		return Issue{}, err
	}
	closed := "closed"
	got, _, err := c.gh.Issues.Edit(ctx, c.owner, c.name, n, &github.IssueRequest{Body: onGitHub(body), State: &closed})
	return c.writtenIssue(ctx, got, err)
}

// DeleteLabel deletes a label of the repository; one that is gone is deleted.
func (c *Client) DeleteLabel(ctx context.Context, name string) error {
	ctx = with(ctx, call{op: fmt.Sprintf("deleting the label %q", name), permission: "issues: write"})
	req, err := c.gh.NewRequest(http.MethodDelete, fmt.Sprintf("repos/%s/%s/labels/%s", c.owner, c.name, url.PathEscape(name)), nil)
	if err != nil {
		return asError(ctx, err)
	}
	_, err = c.gh.Do(ctx, req, nil)
	return deleted(ctx, err)
}

// writtenIssue takes the answer to a write: one without a number is a write
// that was lost.
func (c *Client) writtenIssue(ctx context.Context, got *github.Issue, err error) (Issue, error) {
	if err != nil {
		return Issue{}, asError(ctx, err)
	}
	if got.GetNumber() <= 0 {
		e := invalid(ctx, "GitHub's answer holds no issue", "Check whether the repository was renamed, and run it again.")
		e.Uncertain = true
		return Issue{}, e
	}
	return issue(got), nil
}

func issue(i *github.Issue) Issue {
	return Issue{
		Issue: event.Issue{Number: i.GetNumber(), Title: i.GetTitle(), State: strings.ToLower(i.GetState()), IsPull: i.IsPullRequest(),
			Author: actor(i.User), Labels: labelNames(i.Labels)},
		Body: i.GetBody(), URL: i.GetHTMLURL(), CreatedAt: at(i.GetCreatedAt()), UpdatedAt: at(i.GetUpdatedAt()),
	}
}
