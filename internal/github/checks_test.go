package github_test

import (
	"errors"
	"testing"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/render"
)

func TestACheckRunIsMadeOnceFoundByItsAppAndEdited(t *testing.T) {
	w := newWorld(t)
	app := w.AddApp(githubtest.App{Slug: "familiar-app", Repos: []string{where}, Permissions: []string{"checks:write", "contents:read"}})
	ours := w.client(func(o *github.Options) {
		o.Token, o.App = "", &github.App{ID: app.ID, PrivateKey: app.PEM}
	})
	token := w.Token("checks:write")
	theirs := w.client(func(o *github.Options) { o.Token = token })
	sha := w.Head(where, "main")
	words := github.CheckWords{Conclusion: "neutral", Title: render.Words("1 finding"), Summary: render.Words("F1"), RunURL: "https://github.com/x"}

	// The answer to the first try is lost: it is not tried twice, and the
	// list tells that it arrived.
	w.Fault("POST /repos/{owner}/{repo}/check-runs", githubtest.Fault{Lose: true}, 1)
	err := ours.CreateCheckRun(t.Context(), sha, "familiar", "familiar#7", words)
	var e *github.Error
	if !errors.As(err, &e) || !e.Uncertain {
		t.Errorf("a lost answer: %v", err)
	}
	if err := theirs.CreateCheckRun(t.Context(), sha, "familiar", "familiar#7", words); err != nil {
		t.Fatal(err)
	}
	found, err := ours.CheckRuns(t.Context(), sha, "familiar", "Familiar-App")
	want := github.CheckRun{Conclusion: "neutral", Title: "1 finding", Summary: "F1", External: "familiar#7"}
	if err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v; want one of ours", found, err)
	}
	want.ID = found[0].ID
	if found[0] != want {
		t.Errorf("%+v, want %+v", found[0], want)
	}
	words.Conclusion = "success"
	if err := ours.EditCheckRun(t.Context(), want.ID, "familiar", words); err != nil {
		t.Error(err)
	}
	if got := w.CheckRuns(where, sha); len(got) != 2 || got[0].Conclusion != "success" || got[1].Conclusion != "neutral" {
		t.Errorf("the check runs are %+v", got)
	}
	if err := theirs.EditCheckRun(t.Context(), want.ID, "familiar", words); github.KindOf(err) != github.Forbidden {
		t.Errorf("an edit by who did not make it: %v", err)
	}
	blind := w.client(func(o *github.Options) { o.Token = w.Token("contents:read") })
	if _, err := blind.CheckRuns(t.Context(), sha, "familiar", "familiar-app"); github.KindOf(err) != github.Forbidden {
		t.Errorf("without the permission: %v", err)
	}
}
