package github

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/render"
)

// MaxBody is the most characters that GitHub takes of a comment (A61).
const MaxBody = 65_536

// Comment is an issue comment as it is now. What GitHub thinks the author's
// association is does not come along: it tells nothing (page 3.1).
type Comment struct {
	event.Comment
	Number  int    // of the issue or pull request it is on
	AppSlug string // of the App that wrote it, "" for none
	// Rocket and Confused count the reactions of that kind, whosever they are.
	Rocket, Confused int
}

func comment(in *github.IssueComment, app string) Comment {
	return Comment{Comment: event.Comment{
		ID: in.GetID(), Body: in.GetBody(), URL: in.GetHTMLURL(), Author: actor(in.User),
		CreatedAt: at(in.GetCreatedAt()), UpdatedAt: at(in.GetUpdatedAt()), ViaApp: app != "",
	}, Number: lastNumber(in.GetIssueURL()), AppSlug: app, Rocket: in.GetReactions().GetRocket(), Confused: in.GetReactions().GetConfused()}
}

// commentWire adds what the library leaves out.
type commentWire struct {
	github.IssueComment
	App *struct {
		Slug string `json:"slug"`
	} `json:"performed_via_github_app"`
}

func (w *commentWire) comment() Comment {
	app := ""
	if w.App != nil {
		if app = w.App.Slug; app == "" {
			app = "unknown"
		}
	}
	return comment(&w.IssueComment, app)
}

// Comments returns the comments on an issue or pull request, the oldest
// first, all pages (A53); since bounds by their last update, the zero time
// takes all.
func (c *Client) Comments(ctx context.Context, n int, since time.Time) ([]Comment, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("listing the comments of #%d", n), permission: "issues: read"})
	all, err := pages(ctx, c, c.lim.Pages, func(w *commentWire) int64 { return w.GetID() }, func(ctx context.Context, o github.ListOptions) ([]*commentWire, *github.Response, error) {
		path := fmt.Sprintf("repos/%s/%s/issues/%d/comments?per_page=%d&page=%d", c.owner, c.name, n, o.PerPage, o.Page)
		if !since.IsZero() {
			path += "&since=" + since.UTC().Format(time.RFC3339)
		}
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

// Comment returns one comment. A deleted one is an *Error of kind NotFound.
func (c *Client) Comment(ctx context.Context, id int64) (Comment, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading comment %d", id), permission: "issues: read"})
	var w commentWire
	if _, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/issues/comments/%d", c.owner, c.name, id), &w); err != nil {
		return Comment{}, err
	}
	if w.GetID() != id {
		return Comment{}, invalid(ctx, "the answer is another comment", "Run it again.")
	}
	return w.comment(), nil
}

// CreateComment writes a comment. It is not repeated where the first try may
// have arrived: the error then is Uncertain, and looking tells.
func (c *Client) CreateComment(ctx context.Context, n int, body render.Markup) (Comment, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("commenting on #%d", n), permission: "issues: write"})
	if err := fits(ctx, body); err != nil {
		return Comment{}, err
	}
	got, _, err := c.gh.Issues.CreateComment(ctx, c.owner, c.name, n, &github.IssueComment{Body: onGitHub(body)})
	return c.written(ctx, got, err)
}

// EditComment replaces a comment's body.
func (c *Client) EditComment(ctx context.Context, id int64, body render.Markup) (Comment, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("editing comment %d", id), permission: "issues: write"})
	if err := fits(ctx, body); err != nil {
		return Comment{}, err
	}
	got, _, err := c.gh.Issues.EditComment(ctx, c.owner, c.name, id, &github.IssueComment{Body: onGitHub(body)})
	return c.written(ctx, got, err)
}

// written takes the answer to a write; by which App it was written is not in
// it. It checks that the answer to a write is what was written: an empty
// object is a write that was lost.
func (c *Client) written(ctx context.Context, got *github.IssueComment, err error) (Comment, error) {
	if err != nil {
		return Comment{}, asError(ctx, err)
	}
	if got.GetID() <= 0 {
		e := invalid(ctx, "GitHub's answer holds no comment", "Check whether the repository was renamed, and run it again.")
		e.Uncertain = true
		return Comment{}, e
	}
	return comment(got, ""), nil
}

// DeleteComment deletes a comment; one that is gone is deleted.
func (c *Client) DeleteComment(ctx context.Context, id int64) error {
	ctx = with(ctx, call{op: fmt.Sprintf("deleting comment %d", id), permission: "issues: write"})
	_, err := c.gh.Issues.DeleteComment(ctx, c.owner, c.name, id)
	return deleted(ctx, err)
}

// onGitHub is what a field for people is given: there is no other way to fill one
// (internal/arch).
func onGitHub(m render.Markup) *string {
	s := m.String()
	return &s
}

func fits(ctx context.Context, m render.Markup) error {
	body := m.String()
	switch n := utf8.RuneCountInString(body); {
	case n > MaxBody:
		return &Error{Kind: TooLarge, Op: callOf(ctx).op, Detail: fmt.Sprintf("the text has %d characters, and GitHub takes %d", n, MaxBody), Fix: "Cut it between entries."}
	case n == 0:
		return invalid(ctx, "the text is empty", "Write something.")
	case !utf8.ValidString(body):
		return invalid(ctx, "the text is not UTF-8", "Report this line.")
	}
	return nil
}

// Reaction is one reaction to a comment.
type Reaction struct {
	ID      int64
	Content string // "eyes", "rocket", "confused", ...
	User    *event.Actor
}

// React puts a reaction on a comment, once: asking twice changes nothing.
func (c *Client) React(ctx context.Context, commentID int64, content string) error {
	ctx = with(ctx, call{op: fmt.Sprintf("reacting to comment %d", commentID), permission: "issues: write", repeatable: true})
	_, _, err := c.gh.Reactions.CreateIssueCommentReaction(ctx, c.owner, c.name, commentID, content)
	return asError(ctx, err)
}

// Reactions returns the reactions to a comment.
func (c *Client) Reactions(ctx context.Context, commentID int64) ([]Reaction, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("listing the reactions to comment %d", commentID), permission: "issues: read"})
	all, err := pages(ctx, c, c.lim.Pages, (*github.Reaction).GetID, func(ctx context.Context, o github.ListOptions) ([]*github.Reaction, *github.Response, error) {
		return c.gh.Reactions.ListIssueCommentReactions(ctx, c.owner, c.name, commentID, &o)
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
