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
)

// Label is a label of the repository.
type Label struct {
	Name        string
	Color       string // six hex digits
	Description string
}

// Labels returns the repository's labels.
func (c *Client) Labels(ctx context.Context) ([]Label, error) {
	ctx = with(ctx, call{op: "listing the labels", permission: "issues: read"})
	all, err := pages(ctx, c, c.lim.Pages, (*github.Label).GetID, func(ctx context.Context, o github.ListOptions) ([]*github.Label, *github.Response, error) {
		return c.gh.Issues.ListLabels(ctx, c.owner, c.name, &o)
	})
	if err != nil {
		return nil, err
	}
	out := make([]Label, 0, len(all))
	for _, l := range all {
		out = append(out, Label{Name: l.GetName(), Color: l.GetColor(), Description: l.GetDescription()})
	}
	return out, nil
}

// EnsureLabels creates the labels that the repository lacks and returns their
// names. Names are compared as GitHub does, without regard to case; what a
// label looks like is left to who owns it. One that somebody else creates
// meanwhile is there.
func (c *Client) EnsureLabels(ctx context.Context, want []Label) (created []string, err error) {
	have, err := c.Labels(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, l := range have {
		known[strings.ToLower(l.Name)] = true
	}
	var missing []Label
	for _, l := range want {
		if !known[strings.ToLower(l.Name)] {
			known[strings.ToLower(l.Name)] = true
			missing = append(missing, l)
		}
	}
	return c.CreateLabels(ctx, missing)
}

// CreateLabels creates labels and returns the names of those that were not
// there yet.
func (c *Client) CreateLabels(ctx context.Context, want []Label) (created []string, err error) {
	for _, l := range want {
		inner := with(ctx, call{op: fmt.Sprintf("creating the label %q", l.Name), permission: "issues: write", repeatable: true})
		_, _, err := c.gh.Issues.CreateLabel(inner, c.owner, c.name, &github.Label{Name: &l.Name, Color: &l.Color, Description: &l.Description})
		err = asError(inner, err)
		switch {
		case err == nil:
			created = append(created, l.Name)
		case KindOf(err) == Invalid && strings.Contains(err.Error(), "already_exists"):
		default:
			return created, err
		}
	}
	return created, nil
}

// AddLabel puts a label on; one that is on stays on.
func (c *Client) AddLabel(ctx context.Context, n int, name string) error {
	ctx = with(ctx, call{op: fmt.Sprintf("putting the label %q on #%d", name, n), permission: "issues: write", repeatable: true})
	_, _, err := c.gh.Issues.AddLabelsToIssue(ctx, c.owner, c.name, n, []string{name})
	return asError(ctx, err)
}

// RemoveLabel takes a label off; one that is not on is off.
func (c *Client) RemoveLabel(ctx context.Context, n int, name string) error {
	ctx = with(ctx, call{op: fmt.Sprintf("taking the label %q off #%d", name, n), permission: "issues: write"})
	req, err := c.gh.NewRequest(http.MethodDelete, fmt.Sprintf("repos/%s/%s/issues/%d/labels/%s", c.owner, c.name, n, url.PathEscape(name)), nil)
	if err != nil {
		return asError(ctx, err)
	}
	_, err = c.gh.Do(ctx, req, nil)
	return deleted(ctx, err)
}

// LabelEvent is one time that a label was put on or taken off, as GitHub
// recorded it: who and when are taken from here, never from a payload (6.2).
type LabelEvent struct {
	ID        int64
	Removed   bool // "unlabeled"
	Label     string
	Actor     *event.Actor // nil for a deleted account
	ViaApp    bool
	CreatedAt time.Time
}

// LabelEvents returns the label events of an issue or pull request, the
// oldest first, all pages.
func (c *Client) LabelEvents(ctx context.Context, n int) ([]LabelEvent, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("listing the events of #%d", n), permission: "issues: read"})
	all, err := pages(ctx, c, c.lim.Pages, func(e *eventWire) int64 { return e.GetID() }, func(ctx context.Context, o github.ListOptions) ([]*eventWire, *github.Response, error) {
		var out []*eventWire
		resp, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/issues/%d/events?per_page=%d&page=%d", c.owner, c.name, n, o.PerPage, o.Page), &out)
		return out, resp, err
	})
	if err != nil {
		return nil, err
	}
	var out []LabelEvent
	for _, e := range all {
		if name := e.GetEvent(); name == "labeled" || name == "unlabeled" {
			out = append(out, LabelEvent{ID: e.GetID(), Removed: name == "unlabeled", Label: e.GetLabel().GetName(),
				Actor: actor(e.IssueEvent.Actor), ViaApp: e.App != nil, CreatedAt: at(e.GetCreatedAt())})
		}
	}
	return out, nil
}

// eventWire adds what the library leaves out.
type eventWire struct {
	github.IssueEvent
	App *struct {
		Slug string `json:"slug"`
	} `json:"performed_via_github_app"`
}
