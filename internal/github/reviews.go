package github

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/render"
)

// NewReview is a review to be written: comments on lines, neither approving
// nor refusing.
type NewReview struct {
	CommitID string        // the head that was reviewed
	Body     render.Markup // empty for comments alone
	Comments []LineComment
}

// LineComment is one comment on lines of the change.
type LineComment struct {
	Path      string
	Line      int    // 1-based, the last line of the range
	Side      string // "RIGHT" (default) or "LEFT"
	StartLine int    // 0 or Line: one line
	Body      render.Markup
}

// WrittenReview is what came of it.
type WrittenReview struct {
	IDs     []int64 // of the reviews that were made: one, or more where a line was refused
	Dropped []DroppedComment
}

// DroppedComment is a comment that GitHub refused.
type DroppedComment struct {
	Index  int // in NewReview.Comments
	Reason string
}

// CreateReview writes the comments as one review. GitHub refuses a review
// whole for one bad line, without saying which: then it is halved until each
// bad line costs itself alone. A refusal of the commit costs the review.
func (c *Client) CreateReview(ctx context.Context, n int, r NewReview) (WrittenReview, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reviewing pull request #%d", n), permission: "pull-requests: write"})
	var out WrittenReview
	if len(r.Comments) == 0 && r.Body.Empty() {
		return out, nil
	}
	for _, lc := range r.Comments {
		if err := fits(ctx, lc.Body); err != nil {
			return out, err
		}
	}
	all := make([]int, len(r.Comments))
	for i := range all {
		all[i] = i
	}
	err := c.review(ctx, n, &r, all, &out)
	if err == nil && !r.Body.Empty() {
		err = c.postReview(ctx, n, &r, nil, &out)
	}
	return out, err
}

// review writes the comments with these indexes, halving on a refusal.
func (c *Client) review(ctx context.Context, n int, r *NewReview, which []int, out *WrittenReview) error {
	if len(which) == 0 {
		return nil
	}
	err := c.postReview(ctx, n, r, which, out)
	var e *Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &e) || e.Status != 422 || strings.Contains(strings.ToLower(e.Detail), "commit"):
		return err
	case len(which) == 1:
		out.Dropped = append(out.Dropped, DroppedComment{Index: which[0], Reason: e.Detail})
		return nil
	}
	half := len(which) / 2
	if err := c.review(ctx, n, r, which[:half], out); err != nil {
		return err
	}
	return c.review(ctx, n, r, which[half:], out)
}

// postReview sends one review. The body goes with the first that is taken.
func (c *Client) postReview(ctx context.Context, n int, r *NewReview, which []int, out *WrittenReview) error {
	req := &github.PullRequestReviewRequest{Event: github.String("COMMENT")}
	if r.CommitID != "" {
		req.CommitID = &r.CommitID
	}
	if !r.Body.Empty() {
		req.Body = onGitHub(r.Body)
	}
	for _, i := range which {
		req.Comments = append(req.Comments, draft(r.Comments[i]))
	}
	got, _, err := c.gh.PullRequests.CreateReview(ctx, c.owner, c.name, n, req)
	if err != nil {
		return asError(ctx, err)
	}
	if got.GetID() <= 0 {
		e := invalid(ctx, "GitHub's answer holds no review", "Check whether the repository was renamed.")
		e.Uncertain = true
		return e
	}
	out.IDs, r.Body = append(out.IDs, got.GetID()), render.Markup{}
	return nil
}

func draft(lc LineComment) *github.DraftReviewComment {
	side := lc.Side
	if side == "" {
		side = "RIGHT"
	}
	d := &github.DraftReviewComment{Path: &lc.Path, Line: &lc.Line, Side: &side, Body: onGitHub(lc.Body)}
	if lc.StartLine > 0 && lc.StartLine != lc.Line {
		d.StartLine, d.StartSide = &lc.StartLine, &side
	}
	return d
}

// ReviewComment is a comment on a line of a pull request.
type ReviewComment struct {
	ID        int64
	Path      string
	Line      int // 0: outdated
	Side      string
	CommitID  string
	Body      string
	URL       string
	Author    *event.Actor
	InReplyTo int64
	CreatedAt time.Time
	UpdatedAt time.Time
	Number    int // of the pull request
	// Rocket and Confused count the reactions of that kind, whosever they are.
	Rocket, Confused int
}

// ReviewComments returns the comments on lines of a pull request, all pages.
func (c *Client) ReviewComments(ctx context.Context, n int) ([]ReviewComment, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("listing the review comments of pull request #%d", n), permission: "pull-requests: read"})
	all, err := pages(ctx, c, c.lim.Pages, (*github.PullRequestComment).GetID, func(ctx context.Context, o github.ListOptions) ([]*github.PullRequestComment, *github.Response, error) {
		return c.gh.PullRequests.ListComments(ctx, c.owner, c.name, n, &github.PullRequestListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return nil, err
	}
	out := make([]ReviewComment, 0, len(all))
	for _, r := range all {
		out = append(out, reviewComment(r))
	}
	return out, nil
}

func reviewComment(r *github.PullRequestComment) ReviewComment {
	return ReviewComment{
		ID: r.GetID(), Path: r.GetPath(), Line: r.GetLine(), Side: r.GetSide(), CommitID: r.GetCommitID(), Body: r.GetBody(),
		URL: r.GetHTMLURL(), Author: actor(r.User), InReplyTo: r.GetInReplyTo(), CreatedAt: at(r.GetCreatedAt()), UpdatedAt: at(r.GetUpdatedAt()),
		Number: lastNumber(r.GetPullRequestURL()), Rocket: r.GetReactions().GetRocket(), Confused: r.GetReactions().GetConfused(),
	}
}

// EditReviewComment replaces the body of a comment on a line.
func (c *Client) EditReviewComment(ctx context.Context, id int64, body render.Markup) error {
	ctx = with(ctx, call{op: fmt.Sprintf("editing review comment %d", id), permission: "pull-requests: write"})
	if err := fits(ctx, body); err != nil {
		return err
	}
	_, _, err := c.gh.PullRequests.EditComment(ctx, c.owner, c.name, id, &github.PullRequestComment{Body: onGitHub(body)})
	return asError(ctx, err)
}

// DeleteReviewComment deletes a comment on a line; one that is gone is deleted.
func (c *Client) DeleteReviewComment(ctx context.Context, id int64) error {
	ctx = with(ctx, call{op: fmt.Sprintf("deleting review comment %d", id), permission: "pull-requests: write"})
	_, err := c.gh.PullRequests.DeleteComment(ctx, c.owner, c.name, id)
	return deleted(ctx, err)
}
