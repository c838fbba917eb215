package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/vault"
)

// dashboardLabel finds the dashboard again without asking for every issue.
const dashboardLabel = "familiar:dashboard"

// dashboardIssue is our dashboard as it is now.
type dashboardIssue struct {
	github.Issue
	board  board
	intact bool  // word for word as we left it, but for ticks
	floor  Floor // the highest that any dashboard of ours saw
	spare  []int // further open ones, made in a race
}

// findDashboard finds the dashboard among issues: ours are by our author and
// have our marker, and nothing else of an issue is believed. The first one
// that verifies is it; then the first one, which somebody edited. A second one
// that is open and verifies was made in a race and is to be closed.
func findDashboard(issues []github.Issue, k vault.Keys, author string, repo event.Repository) dashboardIssue {
	slices.SortStableFunc(issues, func(a, b github.Issue) int { return a.Number - b.Number })
	issues = slices.CompactFunc(issues, func(a, b github.Issue) bool { return a.Number == b.Number })
	var found []dashboardIssue
	var floor Floor
	for _, i := range issues {
		b, ok := partedBoard(i.Body)
		if !ok || i.IsPull || !byUs(i.Author, author) {
			continue
		}
		d := dashboardIssue{Issue: i, board: b, intact: b.verifies(k, repo.ID, i.Number)}
		f := b.floor(k, repo.ID, i.Number)
		if !d.intact && f == (Floor{}) && !slices.Contains(i.Labels, dashboardLabel) {
			continue // some other workflow's, that repeats what somebody wrote
		}
		if f.Generation > floor.Generation {
			floor = f
		}
		found = append(found, d)
	}
	if len(found) == 0 {
		return dashboardIssue{}
	}
	at := max(slices.IndexFunc(found, func(d dashboardIssue) bool { return d.intact }), 0)
	out := found[at]
	out.floor = floor
	for _, d := range found {
		halfMade := d.board.tag == "" && slices.Contains(d.Labels, dashboardLabel) // by a run that died before its edit
		if d.Number != out.Number && (d.intact || halfMade) && d.State == "open" && out.State == "open" {
			out.spare = append(out.spare, d.Number)
		}
	}
	return out
}

// wantsDashboard says why there is to be no dashboard, or "". One that
// somebody closed stays closed: that is how it is switched off by hand.
func (s surroundings) wantsDashboard(r ActionRequest) string {
	mode := s.settings.Familiar.Dashboard
	switch {
	case mode == config.DashboardNever:
		return `familiar.dashboard is "never"`
	case mode != config.DashboardAlways && s.repository.Visibility == "public":
		return "the repository is public, and familiar.dashboard is not \"always\""
	case r.Keys.Len() == 0:
		return "there is no memory-key"
	case s.issue.Number != 0 && s.issue.State != "open":
		return fmt.Sprintf("#%d is closed", s.issue.Number)
	}
	return ""
}

// showsGone says whether a dashboard that is wanted no more, closed or switched
// off, still shows what was forgotten: then it is brought up to date, as it is.
func (s surroundings) showsGone(ctx context.Context, r ActionRequest) bool {
	if s.issue.Number == 0 || r.Keys.Len() == 0 {
		return false
	}
	gone, err := goneOf(ctx, r, render.Cited(s.issue.Body))
	return err == nil && len(gone) > 0 // a store that cannot be asked has no dashboard to write either
}

// writeDashboard brings the dashboard to what the store holds: opens it where
// there is none, and edits it only where it says something else.
func writeDashboard(ctx context.Context, r ActionRequest, s *surroundings, report *ActionReport) {
	if why := s.wantsDashboard(r); why != "" && !s.showsGone(ctx, r) {
		return
	}
	facts, err := gatherDashboard(ctx, r, *s)
	if err != nil {
		facts.Problem = err.Error()
	}
	if s.issue.Number == 0 {
		report.perform(ctx, r, openDashboard(r, s, facts))
		if s.issue.Number == 0 {
			return
		}
	}
	report.perform(ctx, r, editDashboard(ctx, r, s, facts)...)
}

// openDashboard makes the issue. Its tag is over its own number, so it comes
// by an edit right after.
func openDashboard(r ActionRequest, s *surroundings, facts render.Dashboard) deed {
	return deed{dashboardAction(*s, "open the dashboard", ""), func(ctx context.Context, _ plan.Action) error {
		facts.Boxes = nil
		body, _ := render.DashboardBody(facts)
		made, err := r.Client.CreateIssue(ctx, render.Words(render.DashboardTitle), body.Under(render.DashboardMarker(facts.Repo, "")), dashboardLabel)
		if err != nil {
			return degraded(err)
		}
		s.issue = dashboardIssue{Issue: made}
		return nil
	}}
}

func editDashboard(ctx context.Context, r ActionRequest, s *surroundings, facts render.Dashboard) []deed {
	number := s.issue.Number
	if facts.Problem == "" {
		facts.Number, facts.Boxes = number, boxTags(r.Keys, s.repository.ID, number, facts.Versions)
	}
	text, _ := render.DashboardBody(facts)
	floor := s.issue.floor
	if seen := floorOf(r.Memory); seen.Generation > floor.Generation {
		floor = seen
	}
	body := sealedBoard(r.Keys, facts.Repo, s.repository.ID, number, floor, text)
	out := []deed{{dashboardAction(*s, "bring the dashboard up to date", body.String()), func(ctx context.Context, _ plan.Action) error {
		if now, ok := partedBoard(s.issue.Body); ok && s.issue.intact && now.says(body.String()) {
			return plan.Skip("it says so already")
		}
		written, err := r.Client.EditIssue(ctx, number, body)
		if err == nil {
			s.issue.Issue = written
		}
		return degraded(err)
	}}}
	for _, n := range s.issue.spare {
		out = append(out, deed{dashboardAction(*s, "close the second dashboard", fmt.Sprint(n)), func(ctx context.Context, _ plan.Action) error {
			_, err := r.Client.CloseIssue(ctx, n, render.SecondDashboard(number))
			return degraded(err)
		}})
	}
	return out
}

// says tells whether a board is, to the byte, what it should be: nothing
// ticked either.
func (b board) says(body string) bool {
	wanted, ok := partedBoard(body)
	return ok && b == wanted
}

func dashboardAction(s surroundings, what, text string) plan.Action {
	return plan.Action{
		Kind: plan.Dashboard, Key: memory.NewCause("dashboard", fmt.Sprint(s.repository.ID), what, text), Summary: what,
	}
}
