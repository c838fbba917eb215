package github_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/render"
)

const createIssueRoute = "POST /repos/{owner}/{repo}/issues"

func TestAnIssueIsOpenedFoundEditedAndClosed(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	made, err := c.CreateIssue(t.Context(), render.Words("What is remembered"), render.Words("first"), "familiar:dashboard")
	if err != nil || made.Number <= 0 || made.State != "open" || made.Author.Login != "github-actions[bot]" || made.Body != "first" || made.URL == "" {
		t.Fatalf("CreateIssue = %+v, %v", made, err)
	}
	w.AddIssue(githubtest.Issue{Repo: where, Title: "another"})
	found, err := c.LabelledIssues(t.Context(), "familiar:dashboard")
	if err != nil || len(found) != 1 || found[0].Number != made.Number || !slices.Equal(found[0].Labels, []string{"familiar:dashboard"}) {
		t.Errorf("LabelledIssues = %+v, %v", found, err)
	}
	edited, err := c.EditIssue(t.Context(), made.Number, render.Words("second"))
	if err != nil || edited.Body != "second" || edited.State != "open" {
		t.Errorf("EditIssue = %+v, %v", edited, err)
	}
	closed, err := c.CloseIssue(t.Context(), made.Number, render.Words("third"))
	if err != nil || closed.Body != "third" || closed.State != "closed" {
		t.Errorf("CloseIssue = %+v, %v", closed, err)
	}
	if found, err := c.LabelledIssues(t.Context(), "familiar:dashboard"); err != nil || len(found) != 1 {
		t.Errorf("a closed one: %+v, %v", found, err)
	}
	if open, err := c.OpenIssues(t.Context(), time.Time{}); err != nil || len(open) != 1 || open[0].Title != "another" {
		t.Errorf("OpenIssues = %+v, %v", open, err)
	}
	for range 2 { // the second time it is gone already
		if err := c.DeleteLabel(t.Context(), "familiar:dashboard"); err != nil {
			t.Error(err)
		}
	}
	if slices.Contains(w.RepoLabels(where), "familiar:dashboard") || len(w.Labels(where, made.Number)) != 0 {
		t.Error("the label is still there")
	}
}

func TestOpeningAnIssueIsNotRepeatedWhereItMayHaveArrived(t *testing.T) {
	w := newWorld(t)
	w.Fault(createIssueRoute, githubtest.Fault{Lose: true}, 1)
	_, err := w.client().CreateIssue(t.Context(), render.Words("x"), render.Words("y"))
	var e *github.Error
	if !errors.As(err, &e) || !e.Uncertain {
		t.Errorf("the error is %v, want one that is uncertain", err)
	}
	if n := w.IssuesBy(where, "github-actions[bot]"); len(n) != 1 {
		t.Errorf("%d issues, want the one that arrived", len(n))
	}
}

func TestAnIssueTooLongForGitHubIsNotSent(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	long := render.Line(strings.Repeat("a", github.MaxBody+1))
	for name, write := range map[string]func() error{
		"opened": func() error { _, err := c.CreateIssue(t.Context(), render.Words("x"), long); return err },
		"edited": func() error { _, err := c.EditIssue(t.Context(), 1, long); return err },
		"closed": func() error { _, err := c.CloseIssue(t.Context(), 1, long); return err },
	} {
		if err := write(); github.KindOf(err) != github.TooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.Writes() != 0 {
		t.Errorf("%d writes", w.Writes())
	}
}
