package githubtest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v62/github"
)

func client(t *testing.T, s *Server, h *http.Client) *github.Client {
	t.Helper()
	base, err := url.Parse(s.URL() + "/")
	if err != nil {
		t.Fatal(err)
	}
	c := github.NewClient(h)
	c.BaseURL = base
	return c
}

func TestTheCommonClientUnderstandsOurAnswers(t *testing.T) {
	s, p := world(t)
	ctx := context.Background()
	c := client(t, s, nil).WithAuthToken(s.FullToken())
	pr, _, err := c.PullRequests.Get(ctx, "octocat", "hello", 7)
	if err != nil || pr.GetHead().GetSHA() != p.HeadSHA || pr.GetBase().GetRepo().GetID() != 1296269 {
		t.Errorf("%v %v", pr, err)
	}
	made, _, err := c.Issues.CreateComment(ctx, "octocat", "hello", 7, &github.IssueComment{Body: github.String("hi")})
	if err != nil || made.GetUser().GetLogin() != "github-actions[bot]" || !made.GetCreatedAt().Equal(github.Timestamp{Time: s.Now()}) {
		t.Errorf("%v %v", made, err)
	}
	if _, _, err := c.Issues.AddLabelsToIssue(ctx, "octocat", "hello", 7, []string{"bug"}); err != nil {
		t.Error(err)
	}
	if _, err := c.Issues.RemoveLabelForIssue(ctx, "octocat", "hello", 7, "bug"); err != nil {
		t.Error(err)
	}
	level, _, err := c.Repositories.GetPermissionLevel(ctx, "octocat", "hello", "mara")
	if err != nil || level.GetPermission() != "write" || level.GetUser().GetRoleName() != "maintain" {
		t.Errorf("%v %v", level, err)
	}
	if is, _, err := c.Repositories.IsCollaborator(ctx, "octocat", "hello", "nobody"); is || err != nil {
		t.Errorf("%v %v", is, err)
	}
	file, _, _, err := c.Repositories.GetContents(ctx, "octocat", "hello", "README.md", nil)
	if text, e := file.GetContent(); err != nil || e != nil || text != "# hello\n" {
		t.Errorf("%q %v %v", text, err, e)
	}
	if raw, _, err := c.PullRequests.GetRaw(ctx, "octocat", "hello", 7, github.RawOptions{Type: github.Diff}); err != nil || !strings.HasPrefix(raw, "diff --git a/main.go b/main.go\n") {
		t.Errorf("%q %v", raw, err)
	}
	s.Fault(AnyRoute, Fault{Secondary: true, RetryAfter: 72 * time.Second}, 1)
	var abuse *github.AbuseRateLimitError
	if _, _, err := c.PullRequests.Get(ctx, "octocat", "hello", 7); !errors.As(err, &abuse) || abuse.GetRetryAfter() != 72*time.Second {
		t.Errorf("A62: %v", err)
	}
	s.Fault(AnyRoute, Fault{Primary: true, RetryAfter: time.Minute}, 1)
	var limit *github.RateLimitError
	if _, _, err := client(t, s, nil).WithAuthToken(s.FullToken()).PullRequests.Get(ctx, "octocat", "hello", 7); !errors.As(err, &limit) {
		t.Errorf("primary limit: %v", err)
	}
}

func TestAnAppActsThroughItsInstallation(t *testing.T) {
	s, _ := world(t)
	s.AddRepo(Repo{Owner: "octocat", Name: "other"})
	app := s.AddApp(App{Slug: "familiar-app", Repos: []string{hello}, Permissions: []string{"contents:read", "issues:write", "pull-requests:write"}})
	ctx := context.Background()
	apps, err := ghinstallation.NewAppsTransport(http.DefaultTransport, app.ID, app.PEM)
	if err != nil {
		t.Fatal(err)
	}
	apps.BaseURL = s.URL()
	inst, _, err := client(t, s, &http.Client{Transport: apps}).Apps.FindRepositoryInstallation(ctx, "octocat", "hello")
	if err != nil || inst.GetID() != app.InstallationID || inst.GetAppSlug() != "familiar-app" {
		t.Fatalf("%v %v", inst, err)
	}
	if _, resp, err := client(t, s, &http.Client{Transport: apps}).Apps.FindRepositoryInstallation(ctx, "octocat", "other"); err == nil || resp.StatusCode != 404 {
		t.Errorf("an App that is not installed: %v", err)
	}
	tr := ghinstallation.NewFromAppsTransport(apps, inst.GetID())
	tr.BaseURL = s.URL()
	tr.InstallationTokenOptions = &github.InstallationTokenOptions{Repositories: []string{"hello"}, Permissions: &github.InstallationPermissions{Issues: github.String("write")}}
	c := client(t, s, &http.Client{Transport: tr})
	made, _, err := c.Issues.CreateComment(ctx, "octocat", "hello", 7, &github.IssueComment{Body: github.String("hi")})
	if err != nil || made.GetUser().GetLogin() != "familiar-app[bot]" {
		t.Fatalf("%v %v", made, err)
	}
	if got := ask(t, s.FullToken(), "GET", s.URL()+"/repos/octocat/hello/issues/7/comments", nil); got.at(0, "performed_via_github_app", "slug") != "familiar-app" {
		t.Errorf("via %v", got.at(0, "performed_via_github_app"))
	}
	if _, resp, err := c.PullRequests.Get(ctx, "octocat", "hello", 7); err == nil || resp.StatusCode != 403 {
		t.Errorf("a permission that was scoped away: %v", err)
	}
	if _, resp, err := c.Repositories.Get(ctx, "octocat", "other"); err == nil || resp.StatusCode != 404 {
		t.Errorf("a repository that was scoped away: %v", err)
	}
	tr.InstallationTokenOptions = &github.InstallationTokenOptions{Permissions: &github.InstallationPermissions{Actions: github.String("write")}}
	greedy := ghinstallation.NewFromAppsTransport(apps, inst.GetID())
	greedy.BaseURL = s.URL()
	greedy.InstallationTokenOptions = tr.InstallationTokenOptions
	if _, err := greedy.Token(ctx); err == nil || !strings.Contains(err.Error(), "422") {
		t.Errorf("more than was granted: %v", err)
	}
}

func TestAnAppsTokenIsCheckedLikeGitHubDoes(t *testing.T) {
	s, _ := world(t)
	app := s.AddApp(App{Slug: "familiar-app", Repos: []string{hello}})
	url := s.URL() + "/repos/octocat/hello/installation"
	if got := ask(t, "not.a.jwt", "GET", url, nil); got.status != 401 {
		t.Errorf("no JWT: %d", got.status)
	}
	onlyViolation(t, s, "the App's JWT")
	if got := ask(t, s.FullToken(), "GET", url, nil); got.status != 401 {
		t.Errorf("a workflow token: %d", got.status)
	}
	onlyViolation(t, s, "the App's JWT")
	tr, err := ghinstallation.NewAppsTransport(http.DefaultTransport, app.ID+1, app.PEM)
	if err != nil {
		t.Fatal(err)
	}
	tr.BaseURL = s.URL()
	_, resp, err := client(t, s, &http.Client{Transport: tr}).Apps.FindRepositoryInstallation(context.Background(), "octocat", "hello")
	if err == nil || resp.StatusCode != 401 {
		t.Errorf("another App's id: %v", err)
	}
	onlyViolation(t, s, "the unknown App")
}
