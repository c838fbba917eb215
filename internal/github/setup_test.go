package github_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
)

func TestWhatTheDoctorAsks(t *testing.T) {
	w := githubtest.New(t)
	repo := w.AddRepo(githubtest.Repo{Owner: "octocat", Name: "hello"})
	var many []string
	for i := range 130 {
		many = append(many, fmt.Sprintf("SECRET_%d", i))
	}
	w.SetUp(repo.FullName(), githubtest.Setup{
		Secrets: many, Workflows: map[string]string{".github/workflows/a.yml": "active", ".github/workflows/b.yml": "disabled_inactivity"},
		Environments: map[string]githubtest.Environment{
			"familiar": {Branches: []string{"main", "release/*"}, Secrets: []string{"KEY"}}, "safe": {Protected: true}, "open/all": {},
		},
		Allowed: "selected", Patterns: []string{"familiarhq/*"},
	})
	c := setupClient(t, w, w.UserToken("octocat", "actions:read", "secrets:read", "environments:read", "administration:read"))
	ctx := t.Context()
	if got, err := c.Secrets(ctx, ""); err != nil || !reflect.DeepEqual(got, many) {
		t.Errorf("secrets of more than a page: %d, %v", len(got), err)
	}
	if got, err := c.Secrets(ctx, "familiar"); err != nil || !reflect.DeepEqual(got, []string{"KEY"}) {
		t.Errorf("secrets of the environment: %v, %v", got, err)
	}
	for name, want := range map[string]github.Environment{
		"familiar": {Name: "familiar", Restricted: true, Branches: []string{"main", "release/*"}},
		"safe":     {Name: "safe", Restricted: true, Protected: true},
		"open/all": {Name: "open/all"},
	} {
		if got, err := c.Environment(ctx, name); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("environment %s: %+v, %v", name, got, err)
		}
	}
	if _, err := c.Environment(ctx, "gone"); github.KindOf(err) != github.NotFound {
		t.Errorf("an environment that is not there: %v", err)
	}
	if got, err := c.WorkflowStates(ctx); err != nil || got[".github/workflows/b.yml"] != "disabled_inactivity" || len(got) != 2 {
		t.Errorf("states %v, %v", got, err)
	}
	if got, err := c.ActionsPolicy(ctx); err != nil || !reflect.DeepEqual(got, github.ActionsPolicy{Enabled: true, Allowed: "selected", Patterns: []string{"familiarhq/*"}}) {
		t.Errorf("policy %+v, %v", got, err)
	}
	w.SetUp(repo.FullName(), githubtest.Setup{ActionsOff: true})
	if got, err := c.ActionsPolicy(ctx); err != nil || !reflect.DeepEqual(got, github.ActionsPolicy{}) {
		t.Errorf("policy where Actions are off: %+v, %v", got, err)
	}
}

func TestWhatTheDoctorMayNotSeeIsNamed(t *testing.T) {
	w := githubtest.New(t)
	w.AddRepo(githubtest.Repo{Owner: "octocat", Name: "hello"})
	c := setupClient(t, w, w.FullToken())
	for permission, ask := range map[string]func(context.Context) error{
		"secrets: read":        func(ctx context.Context) error { _, err := c.Secrets(ctx, ""); return err },
		"administration: read": func(ctx context.Context) error { _, err := c.ActionsPolicy(ctx); return err },
	} {
		err := ask(t.Context())
		e, ok := err.(*github.Error)
		if !ok || e.Kind != github.Forbidden || e.Permission != permission {
			t.Errorf("without %s: %v", permission, err)
		}
	}
}

func setupClient(t *testing.T, w *githubtest.Server, token string) *github.Client {
	t.Helper()
	c, err := github.New(github.Options{Owner: "octocat", Name: "hello", BaseURL: w.URL(), Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
