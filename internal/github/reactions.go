package github

import (
	"context"
	"fmt"

	"github.com/google/go-github/v62/github"
)

// ReactToReview puts a reaction on a comment on a line, once.
func (c *Client) ReactToReview(ctx context.Context, commentID int64, content string) error {
	ctx = with(ctx, call{op: fmt.Sprintf("reacting to review comment %d", commentID), permission: "pull-requests: write", repeatable: true})
	_, _, err := c.gh.Reactions.CreatePullRequestCommentReaction(ctx, c.owner, c.name, commentID, content)
	return asError(ctx, err)
}

// ReviewReactions returns the reactions to a comment on a line.
func (c *Client) ReviewReactions(ctx context.Context, commentID int64) ([]Reaction, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("listing the reactions to review comment %d", commentID), permission: "pull-requests: read"})
	all, err := pages(ctx, c, c.lim.Pages, (*github.Reaction).GetID, func(ctx context.Context, o github.ListOptions) ([]*github.Reaction, *github.Response, error) {
		return c.gh.Reactions.ListPullRequestCommentReactions(ctx, c.owner, c.name, commentID, &o)
	})
	if err != nil {
		return nil, err
	}
	out := make([]Reaction, 0, len(all))
	for _, r := range all {
		out = append(out, Reaction{ID: r.GetID(), Content: r.GetContent(), User: actor(r.User)})
	}
	return out, nil
}
