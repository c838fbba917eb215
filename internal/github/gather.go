package github

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Gather asks for several facts at once, at most Limits.Parallel at a time,
// and returns the first error. The others are then cancelled. A fact that may
// be missing is the function's own matter: it notes the failure and returns
// nil.
func (c *Client) Gather(ctx context.Context, facts ...func(context.Context) error) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(c.lim.Parallel)
	for _, fact := range facts {
		group.Go(func() error { return fact(inner) })
	}
	return group.Wait()
}
