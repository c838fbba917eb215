package github

import (
	"context"
	"fmt"
	"time"

	"github.com/google/go-github/v62/github"
)

// CommentsSince returns the comments on all issues and pull requests that were
// made or edited since a time, the oldest first: what a sweep reads in place
// of every thread.
func (c *Client) CommentsSince(ctx context.Context, since time.Time) ([]Comment, error) {
	ctx = with(ctx, call{op: "listing the comments since " + since.UTC().Format(time.DateOnly), permission: "issues: read"})
	all, err := pages(ctx, c, c.lim.Pages, func(w *commentWire) int64 { return w.GetID() }, func(ctx context.Context, o github.ListOptions) ([]*commentWire, *github.Response, error) {
		path := fmt.Sprintf("repos/%s/%s/issues/comments?sort=created&direction=asc&since=%s&per_page=%d&page=%d", c.owner, c.name, since.UTC().Format(time.RFC3339), o.PerPage, o.Page)
		var out []*commentWire
		resp, err := c.get(ctx, path, &out)
		return out, resp, err
	})
	if err != nil {
		return nil, err
	}
	out := make([]Comment, 0, len(all))
	for _, w := range all {
		out = append(out, w.comment())
	}
	return out, nil
}
