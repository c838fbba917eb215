package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/store"
)

// publish plans what is to be stored and said, and performs it. A review
// whose head moved meanwhile publishes nothing but that.
func publish(ctx context.Context, r ActionRequest, g pullFacts, p pullRun, out reviewed) (ActionReport, error) {
	report := ActionReport{Outcome: out.status.Outcome, Detail: out.status.Detail, Trust: g.trust.Scope, Status: out.status, Reviewed: true}
	now, err := r.Client.Pull(ctx, g.pull.Number)
	if err != nil {
		return report, err
	}
	if now.Head.SHA != g.pull.Head.SHA {
		report.Outcome, report.Detail = review.Superseded, "the head moved while it was reviewed; the run for the new head reviews it"
		report.Status.Outcome, report.Status.Findings = review.Superseded, nil
		return report, nil
	}
	// Until two savers are merged, a review saves nothing of its own: a day of
	// use is not worth the command that somebody saves at the same moment.
	// What a reviewer proposed would be worth it; the rules propose nothing.
	out.actions = slices.DeleteFunc(out.actions, func(a plan.Action) bool {
		return a.Kind == plan.MarkUsed || a.Kind == plan.RecordRefusals
	})
	out.actions = dropLoneSave(out.actions)
	report.Planned = append(report.Planned, out.actions...)
	report.Outcomes = append(report.Outcomes, storeOutcomes(ctx, r, out.actions, &report.Status)...)
	mayWrite := r.Trigger.Kind != event.PullRequest // its token reads only, on forks
	if !mayWrite || g.settings.Familiar.Comment == config.CommentNever {
		return report, nil
	}
	existing, ok := ownComment(g.comments, r.Author, report.Status.Repo, g.pull.Number)
	if ok || !render.Quiet(report.Status) || g.settings.Familiar.Comment == config.CommentAlways {
		speak(ctx, r, &report, existing, g.repository.ID, g.pull.Number)
	}
	lineComments(ctx, r, g, &report)
	return report, nil
}

func dropLoneSave(actions []plan.Action) []plan.Action {
	if len(actions) == 1 && actions[0].Kind == plan.Save {
		return nil
	}
	return actions
}

// storeOutcomes performs what is to be stored.
func storeOutcomes(ctx context.Context, r ActionRequest, actions []plan.Action, s *render.Status) []plan.Outcome {
	if len(actions) == 0 {
		return nil
	}
	if r.DryRun {
		return plan.DryRun{}.Execute(ctx, actions)
	}
	outcomes := r.Memory.Execute(ctx, actions, nil)
	for _, a := range actions {
		if t, ok := a.Payload.(*TransitionTask); ok {
			showApplied(s, t.Applied)
		}
	}
	for _, o := range plan.Failed(outcomes) {
		s.Notes = append(s.Notes, fmt.Sprintf("not done: %s: %v", o.Action.Summary, o.Err))
	}
	// What is said is the store as it is now, so that the next look at it,
	// which changes nothing, says the same.
	_ = r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		info, err := st.Info(ctx)
		if err == nil {
			s.Generation = info.Generation
		}
		return err
	}) // a store that cannot be asked now said so above
	return outcomes
}

// speak creates or edits the one status comment. What would be said again
// word for word is not.
func speak(ctx context.Context, r ActionRequest, report *ActionReport, existing github.Comment, repositoryID int64, number int) {
	report.Status.Tag = ""
	body := render.StatusComment(report.Status)
	a := plan.Action{
		Kind: plan.StatusComment, Key: memory.NewCause("status", fmt.Sprint(repositoryID), fmt.Sprint(number), body),
		Summary: fmt.Sprintf("say how things stand on #%d", number),
	}
	handler := func(ctx context.Context, _ plan.Action) error {
		written, err := upsert(ctx, r, existing, repositoryID, number, body)
		report.Comment = written
		return err
	}
	report.act(ctx, r, a, handler)
	if report.Comment.ID == 0 {
		report.Comment = existing
	}
}

// upsert writes the body. The tag is over the comment's own id, so a new
// comment gets its tag by an edit right after (page 6.3).
func upsert(ctx context.Context, r ActionRequest, existing github.Comment, repositoryID int64, number int, body string) (github.Comment, error) {
	c := existing
	if c.ID == 0 {
		created, err := r.Client.CreateComment(ctx, number, body)
		if err != nil || r.Keys.Len() == 0 {
			return created, err
		}
		c = created
	}
	if saysAlready(r.Keys, repositoryID, number, c, body) {
		return c, plan.Skip("it says so already")
	}
	tagged := body
	if r.Keys.Len() > 0 {
		repo, n, _, untagged, _ := parted(body)
		tagged = render.Marker(repo, n, statusTag(r.Keys, repositoryID, number, c.ID, untagged)) + body[strings.IndexByte(body, '\n'):]
	}
	return r.Client.EditComment(ctx, c.ID, tagged)
}

// act performs one action through the one executor, or only reports it in a
// dry run.
func (report *ActionReport) act(ctx context.Context, r ActionRequest, a plan.Action, h plan.Handler) {
	var e plan.Executor = plan.Doer{Handlers: map[plan.Kind]plan.Handler{a.Kind: h}}
	if r.DryRun {
		e = plan.DryRun{}
	}
	report.Planned = append(report.Planned, a)
	report.Outcomes = append(report.Outcomes, e.Execute(ctx, []plan.Action{a})...)
}

// lineComments puts findings on their lines, once: a finding whose marker is
// there already is not said again (page 6.4).
func lineComments(ctx context.Context, r ActionRequest, g pullFacts, report *ActionReport) {
	var wanted []review.Finding
	for _, f := range report.Status.Findings {
		if f.Line > 0 && !f.FileLevel {
			wanted = append(wanted, f)
		}
	}
	if len(wanted) == 0 {
		return
	}
	wanted = wanted[:min(len(wanted), g.settings.Review.MaxComments)]
	there, err := r.Client.ReviewComments(ctx, g.pull.Number)
	if err != nil {
		report.Status.Notes = append(report.Status.Notes, "findings were not put on their lines: "+err.Error())
		return
	}
	comments := missingComments(r, g, wanted, there)
	if len(comments) == 0 {
		return
	}
	a := plan.Action{
		Kind: plan.LineComments, Key: memory.NewCause("lines", fmt.Sprint(g.repository.ID), g.pull.Head.SHA, fmt.Sprint(len(comments))),
		Summary: fmt.Sprintf("put %d findings on their lines", len(comments)),
	}
	report.act(ctx, r, a, func(ctx context.Context, _ plan.Action) error {
		_, err := r.Client.CreateReview(ctx, g.pull.Number, github.NewReview{CommitID: g.pull.Head.SHA, Comments: comments})
		return err
	})
}

func missingComments(r ActionRequest, g pullFacts, wanted []review.Finding, there []github.ReviewComment) []github.LineComment {
	var out []github.LineComment
	for _, f := range wanted {
		marker := findingMarker(r, g, f)
		said := slices.ContainsFunc(there, func(c github.ReviewComment) bool {
			return c.Author != nil && strings.EqualFold(c.Author.Login, r.Author) && strings.Contains(c.Body, marker)
		})
		if !said {
			out = append(out, github.LineComment{Path: f.Path, Line: f.Line, Body: marker + "\n" + render.LineComment(f)})
		}
	}
	return out
}

// findingMarker hides in a comment which finding it is about, so that later
// pushes know it; with a key it is a MAC and cannot be made up.
func findingMarker(r ActionRequest, g pullFacts, f review.Finding) string {
	tag := f.Fingerprint
	if r.Keys.Len() > 0 {
		tag = cutTag(r.Keys.MAC(macFinding, []byte(fmt.Sprint(g.repository.ID)), []byte(fmt.Sprint(g.pull.Number)), []byte(f.Path), []byte(f.Fingerprint)))
	}
	return "<!-- familiar:finding v1 " + tag + " -->"
}
