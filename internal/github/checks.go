package github

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/render"
)

// CheckRun is a check run of ours on a commit (page 6.4).
type CheckRun struct {
	ID         int64
	Conclusion string // success, neutral or failure
	Title      string
	Summary    string
	External   string // our name for what it is about
}

// CheckWords is what a check run says.
type CheckWords struct {
	Conclusion string // success, neutral or failure
	Title      render.Markup
	Summary    render.Markup
	RunURL     string // "": none
}

// CheckRuns returns the check runs of a name that an App made on a commit.
func (c *Client) CheckRuns(ctx context.Context, sha, name, slug string) ([]CheckRun, error) {
	ctx = with(ctx, call{op: "listing the check runs of " + sha[:min(len(sha), 10)], permission: "checks: read"})
	all, err := pages(ctx, c, c.lim.Pages, (*github.CheckRun).GetID, func(ctx context.Context, o github.ListOptions) ([]*github.CheckRun, *github.Response, error) {
		list, resp, err := c.gh.Checks.ListCheckRunsForRef(ctx, c.owner, c.name, sha, &github.ListCheckRunsOptions{CheckName: &name, ListOptions: o})
		if err != nil {
			return nil, resp, err
		}
		return list.CheckRuns, resp, nil
	})
	if err != nil {
		return nil, err
	}
	var out []CheckRun
	for _, r := range all {
		if strings.EqualFold(r.GetApp().GetSlug(), slug) {
			out = append(out, CheckRun{ID: r.GetID(), Conclusion: r.GetConclusion(), Title: r.GetOutput().GetTitle(), Summary: r.GetOutput().GetSummary(), External: r.GetExternalID()})
		}
	}
	return out, nil
}

// CreateCheckRun makes a check run that is over. It is not repeated where the
// first try may have arrived: the error then is Uncertain, and listing tells.
func (c *Client) CreateCheckRun(ctx context.Context, sha, name, external string, w CheckWords) error {
	ctx = with(ctx, call{op: "making the check run " + name, permission: "checks: write"})
	got, _, err := c.gh.Checks.CreateCheckRun(ctx, c.owner, c.name, github.CreateCheckRunOptions{
		Name: name, HeadSHA: sha, ExternalID: &external, DetailsURL: address(w.RunURL), Status: ptr("completed"), Conclusion: &w.Conclusion,
		Output: &github.CheckRunOutput{Title: onGitHub(w.Title), Summary: onGitHub(w.Summary)},
	})
	return checked(ctx, got, err)
}

// EditCheckRun replaces what a check run says.
func (c *Client) EditCheckRun(ctx context.Context, id int64, name string, w CheckWords) error {
	ctx = with(ctx, call{op: fmt.Sprintf("editing the check run %d", id), permission: "checks: write"})
	got, _, err := c.gh.Checks.UpdateCheckRun(ctx, c.owner, c.name, id, github.UpdateCheckRunOptions{
		Name: name, DetailsURL: address(w.RunURL), Status: ptr("completed"), Conclusion: &w.Conclusion,
		Output: &github.CheckRunOutput{Title: onGitHub(w.Title), Summary: onGitHub(w.Summary)},
	})
	return checked(ctx, got, err)
}

// checked takes the answer to a write: one without an id is a write that was
// lost.
func checked(ctx context.Context, got *github.CheckRun, err error) error {
	if err != nil {
		return asError(ctx, err)
	}
	if got.GetID() <= 0 {
		e := invalid(ctx, "GitHub's answer holds no check run", "Check whether the repository was renamed, and run it again.")
		e.Uncertain = true
		return e
	}
	return nil
}

func address(url string) *string {
	if url == "" {
		return nil
	}
	return &url
}

func ptr(s string) *string { return &s }
