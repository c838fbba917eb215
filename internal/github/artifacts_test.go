package github_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/render"
)

func TestArtifactsAreListedWithAllThatTellsWhereTheyComeFrom(t *testing.T) {
	w := newWorld(t)
	fork := w.AddRepo(githubtest.Repo{Owner: "stranger", Name: "rockets", Fork: true, Files: map[string]string{"x": "y"}})
	run := w.AddRun(githubtest.Run{Repo: where, HeadRepo: "stranger/rockets", Event: "pull_request"})
	for i := range 130 {
		w.AddArtifact(githubtest.Artifact{Repo: where, Name: "familiar-memory-1", Run: run.ID, Data: fmt.Append(nil, i)})
	}
	id := w.AddArtifact(githubtest.Artifact{Repo: where, Name: "familiar-memory-1", Run: run.ID, Data: []byte("zip"), Digest: githubtest.NoDigest, Expired: true})
	w.AddArtifact(githubtest.Artifact{Repo: where, Name: "another", Run: run.ID, Data: []byte("zip")})
	c := w.client()
	all, err := c.Artifacts(t.Context(), "familiar-memory-1")
	if err != nil || len(all) != 131 {
		t.Fatalf("%d artifacts, %v", len(all), err)
	}
	if a := all[0]; a.ID != id || a.Digest != "" || !a.Expired || a.HeadRepositoryID != fork.ID || a.RepositoryID != w.repo.ID || a.RunID != run.ID || a.Size != 3 || a.ExpiresAt.IsZero() {
		t.Errorf("the newest: %+v", a)
	}
	if !strings.HasPrefix(all[5].Digest, "sha256:") || all[5].CreatedAt.IsZero() || all[5].HeadSHA != run.HeadSHA {
		t.Errorf("another: %+v", all[5])
	}
	if one, err := c.Artifact(t.Context(), id); err != nil || one != all[0] {
		t.Errorf("Artifact = %+v, %v", one, err)
	}
	if _, err := c.Artifact(t.Context(), 1); github.KindOf(err) != github.NotFound {
		t.Errorf("none: %v", err)
	}
	small := w.client(func(o *github.Options) { o.Limits.Pages = 1 })
	if got, err := small.Artifacts(t.Context(), "familiar-memory-1"); github.KindOf(err) != github.TooLarge || got != nil {
		t.Errorf("A9 beyond the bound: %d artifacts, %v", len(got), err)
	}
	if got, err := c.Artifacts(t.Context(), "nothing & such?"); err != nil || len(got) != 0 {
		t.Errorf("none of a name: %v, %v", got, err)
	}
}

func TestADownloadTakesNoTokenAlongAndNoMoreThanItsBound(t *testing.T) {
	w := newWorld(t)
	run := w.AddRun(githubtest.Run{Repo: where})
	id := w.AddArtifact(githubtest.Artifact{Repo: where, Name: "m", Run: run.ID, Data: []byte("zip bytes")})
	c := w.client()
	// The stand-in reports a token that reaches the blob host.
	if data, err := c.ArtifactZip(t.Context(), id); err != nil || string(data) != "zip bytes" {
		t.Errorf("ArtifactZip = %q, %v", data, err)
	}
	for _, e := range w.Log() {
		if e.Host == githubtest.Blob && e.Actor != "" {
			t.Errorf("the blob host saw %s", e.Actor)
		}
	}
	small := w.client(func(o *github.Options) { o.Limits.ArtifactBytes = 8 })
	if _, err := small.ArtifactZip(t.Context(), id); github.KindOf(err) != github.TooLarge {
		t.Errorf("one byte too many: %v", err)
	}
	w.Fault("GET /download/{key}", githubtest.Fault{Status: 403}, githubtest.Always)
	_, err := c.ArtifactZip(t.Context(), id)
	if github.KindOf(err) != github.Unavailable || strings.Contains(err.Error(), "sig") || strings.Contains(err.Error(), w.BlobURL()) {
		t.Errorf("refused: %v", err)
	}
	w.ClearFaults()
	w.ExpireArtifact(where, id)
	if _, err := c.ArtifactZip(t.Context(), id); github.KindOf(err) != github.Gone {
		t.Errorf("A10 expired: %v", err)
	}
	if err := c.DeleteArtifact(t.Context(), id); err != nil {
		t.Error(err)
	}
	if _, err := c.ArtifactZip(t.Context(), id); github.KindOf(err) != github.NotFound {
		t.Errorf("deleted: %v", err)
	}
	if err := c.DeleteArtifact(t.Context(), id); err != nil {
		t.Errorf("twice: %v", err)
	}
}

func TestARenamedRepositoryStillGivesItsArtifacts(t *testing.T) {
	w := newWorld(t)
	run := w.AddRun(githubtest.Run{Repo: where})
	id := w.AddArtifact(githubtest.Artifact{Repo: where, Name: "m", Run: run.ID, Data: []byte("zip bytes")})
	c := w.client()
	w.Rename(where, "acme/spaceships")
	if data, err := c.ArtifactZip(t.Context(), id); err != nil || string(data) != "zip bytes" {
		t.Errorf("ArtifactZip = %q, %v", data, err)
	}
	if err := c.DeleteArtifact(t.Context(), id); github.KindOf(err) != github.Redirected {
		t.Errorf("DeleteArtifact = %v", err)
	}
	w.TakeViolations()
}

func TestAnAppActsAsItsInstallationOnThisRepositoryAlone(t *testing.T) {
	w := newWorld(t)
	w.AddRepo(githubtest.Repo{Owner: "acme", Name: "secrets", Visibility: "private", Files: map[string]string{"x": "y"}})
	app := w.AddApp(githubtest.App{Slug: "familiar-app", Repos: []string{where, "acme/secrets"}, Permissions: []string{"issues:write", "contents:read"}})
	n := w.AddIssue(githubtest.Issue{Repo: where})
	var told []string
	as := func(name string) *github.Client {
		return w.client(func(o *github.Options) {
			o.Name, o.Token, o.App = name, "", &github.App{ID: app.ID, PrivateKey: app.PEM, Minted: func(token string) { told = append(told, token) }}
		})
	}
	c := as("rockets")
	made, err := c.CreateComment(t.Context(), n, render.Words("hello"))
	if err != nil || made.Author.Login != "familiar-app[bot]" {
		t.Fatalf("CreateComment = %+v, %v", made, err)
	}
	if id, slug, err := c.Installation(t.Context()); err != nil || id != app.InstallationID || slug != "familiar-app" {
		t.Errorf("Installation = %d, %q, %v", id, slug, err)
	}
	if got := c.Minted(); len(got) != 1 || len(got[0]) < 20 || !slices.Equal(told, got) {
		t.Errorf("%d tokens are known to be live, %d were told", len(got), len(told))
	}
	if got := w.client().Minted(); got != nil {
		t.Error("a token that was given counts as made")
	}
	before := w.Calls()
	if _, err := c.Comment(t.Context(), made.ID); err != nil || w.Calls() != before+1 {
		t.Errorf("%d calls for the next question, %v", w.Calls()-before, err)
	}
	if id, slug, err := w.client().Installation(t.Context()); id != 0 || slug != "" || err != nil {
		t.Errorf("with a token: %d, %q, %v", id, slug, err)
	}
	w.AddRepo(githubtest.Repo{Owner: "acme", Name: "elsewhere", Files: map[string]string{"x": "y"}})
	_, err = as("elsewhere").Repository(t.Context())
	if github.KindOf(err) != github.NotFound || !strings.Contains(err.Error(), "Install the App") {
		t.Errorf("not installed: %v", err)
	}
	// A failure of the moment on the way to a token costs no write.
	again := as("rockets")
	w.Fault("POST /app/installations/{installation_id}/access_tokens", githubtest.Fault{Status: 502}, 2)
	w.Fault("GET /repos/{owner}/{repo}/installation", githubtest.Fault{Cut: true}, 1)
	if _, err := again.CreateComment(t.Context(), n, render.Words("hello again")); err != nil || len(w.Comments(where, n)) != 2 {
		t.Errorf("%d comments, %v", len(w.Comments(where, n)), err)
	}
}
