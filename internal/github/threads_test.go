package github_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/render"
)

const commentsRoute = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments"

func TestA53_ACommentBeyondPageOneIsFound(t *testing.T) {
	w := newWorld(t)
	n := w.AddIssue(githubtest.Issue{Repo: where})
	for i := range 230 {
		w.Comment(where, n, "ada", fmt.Sprintf("comment %d", i))
	}
	c := w.client()
	mine, err := c.CreateComment(t.Context(), n, render.Words("mine"))
	if err != nil || mine.Author.Login != "github-actions[bot]" || !mine.Author.IsBot() || mine.URL == "" || mine.CreatedAt.IsZero() {
		t.Fatalf("CreateComment = %+v, %v", mine, err)
	}
	all, err := c.Comments(t.Context(), n, time.Time{})
	if err != nil || len(all) != 231 || all[230].ID != mine.ID || all[0].Body != "comment 0" || all[7].Number != n {
		t.Fatalf("%d comments, %v", len(all), err)
	}
	if !slices.IsSortedFunc(all, func(a, b github.Comment) int { return int(a.ID - b.ID) }) {
		t.Error("the comments are not in order")
	}
	recent, err := c.Comments(t.Context(), n, all[200].UpdatedAt)
	if err != nil || len(recent) != 31 {
		t.Errorf("%d recent ones, %v", len(recent), err)
	}
	small := w.client(func(o *github.Options) { o.Limits.Pages = 2 })
	if got, err := small.Comments(t.Context(), n, time.Time{}); github.KindOf(err) != github.TooLarge || got != nil {
		t.Errorf("beyond the bound: %d comments, %v", len(got), err)
	}
}

func TestACommentIsWrittenReadEditedAndDeleted(t *testing.T) {
	w := newWorld(t)
	n := w.AddIssue(githubtest.Issue{Repo: where})
	c := w.client()
	made, err := c.CreateComment(t.Context(), n, render.Words("before <!-- & --> ü"))
	if err != nil {
		t.Fatal(err)
	}
	edited, err := c.EditComment(t.Context(), made.ID, render.Words("after"))
	if err != nil || edited.Body != "after" || !edited.UpdatedAt.After(edited.CreatedAt) {
		t.Errorf("EditComment = %+v, %v", edited, err)
	}
	got, err := c.Comment(t.Context(), made.ID)
	if err != nil || got.Body != "after" || got.Number != n || got.Author.Login != "github-actions[bot]" {
		t.Errorf("Comment = %+v, %v", got, err)
	}
	for range 2 { // the second time it is gone already
		if err := c.DeleteComment(t.Context(), made.ID); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Comment(t.Context(), made.ID); github.KindOf(err) != github.NotFound {
		t.Errorf("deleted: %v", err)
	}
	ghost := w.Comment(where, n, githubtest.Ghost, "boo")
	if got, err := c.Comment(t.Context(), ghost.ID); err != nil || got.Author != nil {
		t.Errorf("a ghost's: %+v, %v", got, err)
	}
}

func TestA61_ABodyThatGitHubWouldRefuseIsNotSent(t *testing.T) {
	w := newWorld(t)
	n := w.AddIssue(githubtest.Issue{Repo: where})
	c := w.client()
	if _, err := c.CreateComment(t.Context(), n, render.Line(strings.Repeat("ü", github.MaxBody))); err != nil {
		t.Errorf("the longest: %v", err)
	}
	before := w.Calls()
	for _, body := range []render.Markup{render.Line(strings.Repeat("x", github.MaxBody+1)), {}, render.Words("\xff")} {
		if _, err := c.CreateComment(t.Context(), n, body); err == nil {
			t.Errorf("%.8q was taken", body.String())
		}
		if _, err := c.EditComment(t.Context(), 1, body); err == nil {
			t.Errorf("%.8q was taken", body.String())
		}
	}
	if w.Calls() != before {
		t.Error("a refused body was sent")
	}
}

func TestA45_AForksTokenWritesNothingAndTheErrorNamesThePermission(t *testing.T) {
	w := newWorld(t)
	p := w.AddPull(githubtest.PullSpec{Repo: where, Head: map[string]string{"x": "y\n"}})
	c := w.client(func(o *github.Options) { o.Token = w.ForkToken() })
	if _, err := c.Pull(t.Context(), p.Number); err != nil {
		t.Errorf("reading: %v", err)
	}
	_, err := c.CreateComment(t.Context(), p.Number, render.Words("hello"))
	_, reviewErr := c.CreateReview(t.Context(), p.Number, github.NewReview{CommitID: p.HeadSHA, Comments: []github.LineComment{{Path: "x", Line: 1, Body: render.Words("no")}}})
	for want, err := range map[string]error{"issues: write": err, "pull-requests: write": reviewErr, "actions: write": c.DeleteArtifact(t.Context(), 1)} {
		if github.KindOf(err) != github.Forbidden || !strings.Contains(err.Error(), "`"+want+"`") || !strings.Contains(err.Error(), "fork") {
			t.Errorf("%v, want a missing %s", err, want)
		}
	}
	gone := w.client(func(o *github.Options) { o.Token = w.RevokedToken() })
	if _, err := gone.Pull(t.Context(), p.Number); github.KindOf(err) != github.Unauthorised || !strings.Contains(err.Error(), "github-token") {
		t.Errorf("a revoked token: %v", err)
	}
}

func TestAPostIsNeverDoubledByAFaultInBetween(t *testing.T) {
	for name, c := range map[string]struct {
		fault   githubtest.Fault
		written int
		kind    github.Kind
	}{
		"A62 secondary limit":              {githubtest.Fault{Secondary: true, RetryAfter: 72 * time.Second}, 1, ""},
		"A62 secondary limit, no hint":     {githubtest.Fault{Secondary: true, NoHint: true}, 1, ""},
		"A62 secondary limit as 429":       {githubtest.Fault{Secondary: true, NoHint: true, Status: 429}, 1, ""},
		"primary limit":                    {githubtest.Fault{Primary: true, RetryAfter: 2 * time.Minute}, 1, ""},
		"502":                              {githubtest.Fault{Status: 502}, 0, github.Unavailable},
		"carried out, and then a 502":      {githubtest.Fault{Status: 502, Done: true}, 1, github.Unavailable},
		"carried out, but the answer lost": {githubtest.Fault{Lose: true}, 1, github.Unavailable},
		"carried out, half an answer":      {githubtest.Fault{Half: true}, 1, github.Unavailable},
		"cut":                              {githubtest.Fault{Cut: true}, 0, github.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			n := w.AddIssue(githubtest.Issue{Repo: where})
			w.Fault(commentsRoute, c.fault, 1)
			_, err := w.client().CreateComment(t.Context(), n, render.Words("once"))
			if github.KindOf(err) != c.kind || c.kind == "" && err != nil {
				t.Errorf("CreateComment: %v", err)
			}
			if got := len(w.Comments(where, n)); got != c.written {
				t.Errorf("%d comments, want %d", got, c.written)
			}
		})
	}
}

func TestARenamedRepositoryLosesNoWrite(t *testing.T) {
	w := newWorld(t)
	n := w.AddIssue(githubtest.Issue{Repo: where})
	c := w.client()
	w.Rename(where, "acme/spaceships")
	if _, err := c.Issue(t.Context(), n); err != nil {
		t.Errorf("a read: %v", err)
	}
	_, err := c.CreateComment(t.Context(), n, render.Words("hello"))
	if github.KindOf(err) != github.Redirected || !strings.Contains(err.Error(), "/repositories/") {
		t.Errorf("a write: %v", err)
	}
	if got := len(w.Comments("acme/spaceships", n)); got != 0 {
		t.Errorf("%d comments", got)
	}
	w.TakeViolations()
}

func TestReactionsAreSetOnceAndSeen(t *testing.T) {
	w := newWorld(t)
	n := w.AddIssue(githubtest.Issue{Repo: where})
	cm := w.Comment(where, n, "ada", "@familiar remember this")
	c := w.client()
	for _, content := range []string{"eyes", "rocket", "eyes"} {
		if err := c.React(t.Context(), cm.ID, content); err != nil {
			t.Fatal(err)
		}
	}
	got, err := c.Reactions(t.Context(), cm.ID)
	if err != nil || len(got) != 2 || got[1].Content != "rocket" || got[0].User.Login != "github-actions[bot]" {
		t.Errorf("Reactions = %+v, %v", got, err)
	}
}

func TestLabelsAreEnsuredPutOnAndTakenOff(t *testing.T) {
	w := newWorld(t)
	p := w.AddPull(githubtest.PullSpec{Repo: where, Head: map[string]string{"x": "y"}})
	c := w.client()
	want := []github.Label{{Name: "familiar:approve", Color: "0e8a16", Description: "Approve what is displayed"}, {Name: "familiar:reject", Color: "b60205"}, {Name: "Familiar:Approve", Color: "ffffff"}}
	made, err := c.EnsureLabels(t.Context(), want)
	if err != nil || !slices.Equal(made, []string{"familiar:approve", "familiar:reject"}) {
		t.Fatalf("EnsureLabels = %v, %v", made, err)
	}
	if again, err := c.EnsureLabels(t.Context(), want); err != nil || len(again) != 0 {
		t.Errorf("again: %v, %v", again, err)
	}
	other := w.client()
	w.Before("POST /repos/{owner}/{repo}/labels", func() {
		if _, err := other.EnsureLabels(t.Context(), []github.Label{{Name: "familiar:skip", Color: "cccccc"}}); err != nil {
			t.Error(err)
		}
	})
	if _, err := c.EnsureLabels(t.Context(), []github.Label{{Name: "familiar:skip", Color: "cccccc"}}); err != nil {
		t.Errorf("made by somebody else meanwhile: %v", err)
	}
	w.Label(where, p.Number, "trix", "familiar:approve")
	if err := c.AddLabel(t.Context(), p.Number, "familiar:review"); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := c.RemoveLabel(t.Context(), p.Number, "familiar:approve"); err != nil {
			t.Error(err)
		}
	}
	if got := w.Labels(where, p.Number); !slices.Equal(got, []string{"familiar:review"}) {
		t.Errorf("labels %v", got)
	}
	events, err := c.LabelEvents(t.Context(), p.Number)
	if err != nil || len(events) != 3 || events[0].Actor.Login != "trix" || events[0].Label != "familiar:approve" || events[0].Removed || !events[2].Removed ||
		events[1].Actor.Login != "github-actions[bot]" || events[0].CreatedAt.IsZero() {
		t.Errorf("LabelEvents = %+v, %v", events, err)
	}
}

func TestOneBadLineCostsThatLine(t *testing.T) {
	base := map[string]string{"a.go": strings.Repeat("line\n", 200)}
	w := newWorld(t)
	p := w.AddPull(githubtest.PullSpec{Repo: where, Base: base, Head: map[string]string{"a.go": "new\n" + strings.Repeat("line\n", 200), "b.go": "one\ntwo\nthree\n"}})
	c := w.client()
	var comments []github.LineComment
	for i := range 10 {
		comments = append(comments, github.LineComment{Path: "b.go", Line: i%3 + 1, Body: render.Line(fmt.Sprintf("finding %d", i))})
	}
	one, err := c.CreateReview(t.Context(), p.Number, github.NewReview{CommitID: p.HeadSHA, Comments: comments})
	if err != nil || len(one.IDs) != 1 || len(one.Dropped) != 0 || w.Calls() != 1 {
		t.Fatalf("ten good lines: %+v by %d calls, %v", one, w.Calls(), err)
	}
	comments[3].Line, comments[8].Path = 99, "nowhere.go"
	w.ResetLog()
	got, err := c.CreateReview(t.Context(), p.Number, github.NewReview{CommitID: p.HeadSHA, Body: render.Words("summary"), Comments: comments})
	if err != nil || len(got.Dropped) != 2 || got.Dropped[0].Index != 3 || got.Dropped[1].Index != 8 || !strings.Contains(got.Dropped[0].Reason, "Line could not be resolved") {
		t.Fatalf("two bad lines: %+v, %v", got, err)
	}
	if n := w.Calls(); n > 15 {
		t.Errorf("%d calls", n)
	}
	written, err := c.ReviewComments(t.Context(), p.Number)
	if err != nil || len(written) != 18 {
		t.Fatalf("%d comments, want 10 and 8: %v", len(written), err)
	}
	bodies := map[string]int{}
	for _, r := range w.Reviews(where, p.Number) {
		bodies[r.Body]++
	}
	if bodies["summary"] != 1 {
		t.Errorf("the summary stands in %d reviews", bodies["summary"])
	}
	if err := c.EditReviewComment(t.Context(), written[0].ID, render.Words("fixed in abc")); err != nil {
		t.Error(err)
	}
	if again, _ := c.ReviewComments(t.Context(), p.Number); again[0].Body != "fixed in abc" || again[0].Path != "b.go" || again[0].Side != "RIGHT" || again[0].Line != 1 {
		t.Errorf("edited: %+v", again[0])
	}
	for range 2 { // one that is gone is deleted
		if err := c.DeleteReviewComment(t.Context(), written[0].ID); err != nil {
			t.Error(err)
		}
	}
	if left, _ := c.ReviewComments(t.Context(), p.Number); len(left) != len(written)-1 {
		t.Errorf("%d comments are left of %d", len(left), len(written))
	}
	w.ResetLog()
	_, err = c.CreateReview(t.Context(), p.Number, github.NewReview{CommitID: strings.Repeat("0", 40), Comments: comments})
	if github.KindOf(err) != github.Invalid || w.Calls() != 1 {
		t.Errorf("a commit that is not the pull request's: %v by %d calls", err, w.Calls())
	}
	none, err := c.CreateReview(t.Context(), p.Number, github.NewReview{CommitID: p.HeadSHA, Body: render.Words("only words"), Comments: comments[3:4]})
	if err != nil || len(none.Dropped) != 1 || len(none.IDs) != 1 {
		t.Errorf("no good line at all: %+v, %v", none, err)
	}
}
