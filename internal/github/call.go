package github

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/google/go-github/v62/github"
	"golang.org/x/sync/errgroup"
)

// call is what the guard has to know of a request; it travels in the context
// so that it also passes through the library.
type call struct {
	op         string // "reading pull request #7"
	permission string // "pull-requests: read"
	// repeatable says that doing this POST twice is doing it once.
	repeatable bool
	// keepRedirect hands the redirect out instead of following it.
	keepRedirect bool
	maxBytes     int64 // of the answer; 0: Limits.ResponseBytes
}

type callKey struct{}

func with(ctx context.Context, c call) context.Context { return context.WithValue(ctx, callKey{}, c) }

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call)
	if c.op == "" {
		c.op = "asking"
	}
	return c
}

// get asks for what the library has no type for.
func (c *Client) get(ctx context.Context, path string, out any) (*github.Response, error) {
	req, err := c.gh.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return nil, asError(ctx, err)
	}
	resp, err := c.gh.Do(ctx, req, out)
	return resp, asError(ctx, err)
}

// listing fetches one page, counted from 1.
type listing[T any] func(ctx context.Context, page github.ListOptions) ([]T, *github.Response, error)

const perPage = 100

// pages returns every entry of a listing once. The first page tells how many
// there are; the others are asked for in parallel. Beyond limit pages it is
// an error: a listing that is cut without a word is a wrong one.
func pages[T any](ctx context.Context, c *Client, limit int, id func(T) int64, fetch listing[T]) ([]T, error) {
	out, rest, err := somePages(ctx, c, limit, fetch)
	if err != nil {
		return nil, err
	}
	if rest {
		return nil, tooManyPages(ctx, limit)
	}
	return once(out, id), nil
}

// somePages returns the first pages of a listing, and whether there are more.
func somePages[T any](ctx context.Context, c *Client, limit int, fetch listing[T]) ([]T, bool, error) {
	first, resp, err := fetch(ctx, github.ListOptions{Page: 1, PerPage: perPage})
	if err != nil {
		return nil, false, asError(ctx, err)
	}
	last, next := min(resp.LastPage, limit), resp.NextPage
	got := make([][]T, max(last, 1))
	got[0] = first
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(c.lim.Parallel)
	for page := 2; page <= last; page++ {
		group.Go(func() error {
			entries, resp, err := fetch(inner, github.ListOptions{Page: page, PerPage: perPage})
			if err != nil {
				return err
			}
			got[page-1] = entries
			if page == last {
				next = resp.NextPage
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, false, asError(ctx, err)
	}
	// What came in meanwhile, or a listing that does not name its last page.
	for next > len(got) && len(got) < limit {
		entries, resp, err := fetch(ctx, github.ListOptions{Page: next, PerPage: perPage})
		if err != nil {
			return nil, false, asError(ctx, err)
		}
		got, next = append(got, entries), resp.NextPage
	}
	var out []T
	for _, entries := range got {
		out = append(out, entries...)
	}
	return out, next > len(got) || resp.LastPage > limit, nil
}

// once drops entries that a page shift showed twice.
func once[T any](in []T, id func(T) int64) []T {
	seen := make(map[int64]bool, len(in))
	out := in[:0]
	for _, e := range in {
		if k := id(e); !seen[k] {
			seen[k] = true
			out = append(out, e)
		}
	}
	return out
}

func tooManyPages(ctx context.Context, limit int) *Error {
	return &Error{Kind: TooLarge, Op: callOf(ctx).op, Detail: "the list has more than " + count(limit) + " pages",
		Fix: "Delete what is not needed of it; a part of a list is never taken for the whole."}
}

// invalid is a request that is refused before it is sent.
func invalid(ctx context.Context, detail, fix string) *Error {
	return &Error{Kind: Invalid, Op: callOf(ctx).op, Detail: detail, Fix: fix}
}

// deleted is the outcome of a deletion: what is already gone is deleted.
func deleted(ctx context.Context, err error) error {
	return unless(Gone, unless(NotFound, asError(ctx, err)))
}

// unless treats an error of one kind as success.
func unless(kind Kind, err error) error {
	var e *Error
	if errors.As(err, &e) && e.Kind == kind {
		return nil
	}
	return err
}

// message is what GitHub says about a failure, as one bounded line.
func message(body []byte, secret string) string {
	var said struct {
		Message string            `json:"message"`
		Errors  []json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	parts := []string{shown(said.Message, secret, 300)}
	for _, raw := range said.Errors[:min(len(said.Errors), 5)] {
		parts = append(parts, shown(detailOf(raw), secret, 200))
	}
	return strings.Join(compact(parts), "; ")
}

// detailOf reads one entry of "errors": a text, or an object.
func detailOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var obj struct{ Resource, Field, Code, Message string }
	if json.Unmarshal(raw, &obj) != nil {
		return ""
	}
	return strings.Join(compact([]string{obj.Resource, obj.Field, obj.Code, obj.Message}), " ")
}

func compact(in []string) []string {
	var out []string
	for _, s := range in {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
