package githubtest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestEachRouteAnswersAsGitHubDoes asks every REST route once or more with a
// token that may do all. Each answer is held against GitHub's description.
func TestEachRouteAnswersAsGitHubDoes(t *testing.T) {
	s, p := world(t)
	tok := s.Token("contents:read", "issues:write", "pull-requests:write", "actions:write", "checks:write")
	c := s.Comment(hello, 7, "ada", "first")
	s.React(c.ID, "ada", "heart")
	s.Label(hello, 7, "mara", "familiar:review")
	issue := s.AddIssue(Issue{Repo: hello, Title: "A bug", Author: "ada"})
	run := s.AddRun(Run{Repo: hello, HeadBranch: p.HeadRef, HeadSHA: p.HeadSHA, Event: "pull_request", Actor: "mara"})
	art := s.AddArtifact(Artifact{Repo: hello, Name: "familiar-memory-1296269", Run: run.ID, Data: []byte("zip")})
	mine := ask(t, tok, "POST", s.URL()+"/repos/octocat/hello/issues/7/comments", m{"body": "hi"})
	if mine.status != 201 || mine.at("user", "login") != "github-actions[bot]" || mine.at("user", "type") != "Bot" {
		t.Fatalf("POST comment: %d %s", mine.status, mine.text)
	}
	id := func(v any) string { return fmt.Sprintf("%.0f", v) }
	review := ask(t, tok, "POST", s.URL()+"/repos/octocat/hello/pulls/7/reviews", m{"event": "COMMENT", "commit_id": p.HeadSHA,
		"comments": []m{{"path": "main.go", "line": 21, "side": "RIGHT", "body": "why?"}}})
	if review.status != 200 || review.at("state") != "COMMENTED" {
		t.Fatalf("POST review: %d %s", review.status, review.text)
	}
	inline := s.PullComments(hello, 7)[0]

	check := ask(t, tok, "POST", s.URL()+"/repos/octocat/hello/check-runs", m{"name": "lint", "head_sha": p.HeadSHA})
	if check.at("status") != "queued" {
		t.Fatalf("POST check run: %d %s", check.status, check.text)
	}
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		at           []any
		want         any
	}{
		{"PATCH", "/check-runs/" + id(check.at("id")), m{"conclusion": "neutral"}, 200, []any{"status"}, "completed"},
		{"GET", "", nil, 200, []any{"visibility"}, "public"},
		{"GET", "", nil, 200, []any{"default_branch"}, "main"},
		{"GET", "/collaborators/mara", nil, 204, nil, nil},
		{"GET", "/collaborators/mara/permission", nil, 200, []any{"role_name"}, "maintain"},
		{"GET", "/pulls", nil, 200, []any{0, "number"}, 7.0},
		{"GET", "/pulls?head=octocat:topic-7&state=all", nil, 200, []any{0, "head", "sha"}, p.HeadSHA},
		{"GET", "/pulls?head=octocat:other", nil, 200, []any{0}, nil},
		{"GET", "/pulls/7", nil, 200, []any{"head", "repo", "id"}, 1296269.0},
		{"GET", "/pulls/7", nil, 200, []any{"changed_files"}, 2.0},
		{"GET", "/pulls/7", nil, 200, []any{"base", "sha"}, p.BaseSHA},
		{"GET", "/pulls/8", nil, 404, []any{"message"}, "Not Found"},
		{"GET", "/pulls/" + itoa(issue), nil, 404, []any{"message"}, "Not Found"},
		{"GET", "/pulls/7/files", nil, 200, []any{0, "filename"}, "main.go"},
		{"GET", "/pulls/7/files", nil, 200, []any{1, "patch"}, "@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file"},
		{"GET", "/pulls/7/reviews", nil, 200, []any{0, "state"}, "COMMENTED"},
		{"GET", "/pulls/7/comments", nil, 200, []any{0, "line"}, 21.0},
		{"GET", "/pulls/comments/" + itoa(int(inline.ID)), nil, 200, []any{"path"}, "main.go"},
		{"PATCH", "/pulls/comments/" + itoa(int(inline.ID)), m{"body": "fixed"}, 200, []any{"body"}, "fixed"},
		{"POST", "/pulls/7/comments/" + itoa(int(inline.ID)) + "/replies", m{"body": "so"}, 201, []any{"in_reply_to_id"}, float64(inline.ID)},
		{"POST", "/pulls/comments/" + itoa(int(inline.ID)) + "/reactions", m{"content": "eyes"}, 201, []any{"content"}, "eyes"},
		{"GET", "/pulls/comments/" + itoa(int(inline.ID)) + "/reactions", nil, 200, []any{0, "content"}, "eyes"},
		{"DELETE", "/pulls/comments/" + itoa(int(inline.ID)), nil, 204, nil, nil},
		{"GET", "/commits/main", nil, 200, []any{"sha"}, p.BaseSHA},
		{"GET", "/commits/" + p.HeadSHA + "/pulls", nil, 200, []any{0, "number"}, 7.0},
		{"GET", "/compare/main..." + p.HeadSHA, nil, 200, []any{"status"}, "ahead"},
		{"GET", "/compare/main...main", nil, 200, []any{"status"}, "identical"},
		{"GET", "/compare/main...nowhere", nil, 404, []any{"message"}, "Not Found"},
		{"GET", "/contents/README.md", nil, 200, []any{"content"}, "IyBoZWxsbwo=\n"},
		{"GET", "/contents/nothing.toml", nil, 404, []any{"message"}, "Not Found"},
		{"GET", "/contents/new.txt?ref=" + p.HeadSHA, nil, 200, []any{"size"}, 7.0},
		{"GET", "/contents/?ref=" + p.HeadSHA, nil, 200, []any{2, "name"}, "new.txt"},
		{"GET", "/contents/README.md?ref=gone", nil, 404, []any{"message"}, "No commit found for the ref gone"},
		{"GET", "/git/ref/heads/main", nil, 200, []any{"object", "sha"}, p.BaseSHA},
		{"GET", "/git/ref/heads/a/b", nil, 404, []any{"message"}, "Not Found"},
		{"GET", "/issues?state=open", nil, 200, []any{1, "pull_request", "html_url"}, "https://github.com/octocat/hello/pull/7"},
		{"GET", "/issues?labels=familiar:review", nil, 200, []any{0, "number"}, 7.0},
		{"GET", "/issues/" + itoa(issue), nil, 200, []any{"pull_request"}, nil},
		{"GET", "/issues/7", nil, 200, []any{"labels", 0, "name"}, "familiar:review"},
		{"GET", "/issues/7/events", nil, 200, []any{0, "actor", "login"}, "mara"},
		{"GET", "/issues/7/comments", nil, 200, []any{0, "body"}, "first"},
		{"GET", "/issues/comments?sort=created&direction=desc", nil, 200, []any{0, "body"}, "hi"},
		{"GET", "/issues/comments/" + itoa(int(c.ID)), nil, 200, []any{"reactions", "heart"}, 1.0},
		{"GET", "/issues/comments/" + itoa(int(c.ID)) + "/reactions", nil, 200, []any{0, "user", "login"}, "ada"},
		{"POST", "/issues/comments/" + itoa(int(c.ID)) + "/reactions", m{"content": "rocket"}, 201, []any{"content"}, "rocket"},
		{"POST", "/issues/comments/" + itoa(int(c.ID)) + "/reactions", m{"content": "rocket"}, 200, []any{"content"}, "rocket"},
		{"PATCH", "/issues/comments/" + id(mine.at("id")), m{"body": "again"}, 200, []any{"body"}, "again"},
		{"DELETE", "/issues/comments/" + id(mine.at("id")), nil, 204, nil, nil},
		{"GET", "/issues/comments/" + id(mine.at("id")), nil, 404, []any{"message"}, "Not Found"},
		{"GET", "/issues/7/labels", nil, 200, []any{0, "name"}, "familiar:review"},
		{"POST", "/issues/7/labels", []string{"bug"}, 200, []any{1, "name"}, "bug"},
		{"POST", "/issues/7/labels", m{"labels": []string{"more"}}, 200, []any{2, "name"}, "more"},
		{"DELETE", "/issues/7/labels/familiar:review", nil, 200, []any{0, "name"}, "bug"},
		{"DELETE", "/issues/7/labels/familiar%3Areview", nil, 404, []any{"message"}, "Label does not exist"},
		{"GET", "/labels", nil, 200, []any{0, "name"}, "familiar:review"},
		{"POST", "/labels", m{"name": "familiar:skip", "color": "ededed"}, 201, []any{"name"}, "familiar:skip"},
		{"POST", "/labels", m{"name": "Familiar:Skip"}, 422, []any{"errors", 0, "code"}, "already_exists"},
		{"GET", "/labels/familiar:skip", nil, 200, []any{"color"}, "ededed"},
		{"GET", "/labels/none", nil, 404, nil, nil},
		{"POST", "/issues", m{"title": "new", "body": "b", "labels": []string{"familiar:skip"}}, 201, []any{"labels", 0, "name"}, "familiar:skip"},
		{"POST", "/issues", m{"title": " "}, 422, []any{"errors", 0, "field"}, "title"},
		{"PATCH", "/issues/" + itoa(issue), m{"body": "now", "state": "closed"}, 200, []any{"state"}, "closed"},
		{"PATCH", "/issues/" + itoa(issue), m{"body": strings.Repeat("a", 65_537)}, 422, []any{"errors", 0, "code"}, "unprocessable"},
		{"DELETE", "/labels/familiar:skip", nil, 204, nil, nil},
		{"DELETE", "/labels/familiar:skip", nil, 404, nil, nil},
		{"GET", "/actions/runs/" + itoa(int(run.ID)), nil, 200, []any{"pull_requests", 0, "number"}, 7.0},
		{"GET", "/actions/runs/1", nil, 404, nil, nil},
		{"POST", "/check-runs", m{"name": "familiar", "head_sha": p.HeadSHA, "external_id": "familiar#7", "status": "completed"}, 422, []any{"errors", 0, "field"}, "conclusion"},
		{"POST", "/check-runs", m{"name": "familiar", "head_sha": p.HeadSHA, "external_id": "familiar#7", "conclusion": "success", "output": m{"title": "No findings", "summary": "x"}}, 201, []any{"status"}, "completed"},
		{"POST", "/check-runs", m{"name": "familiar", "head_sha": strings.Repeat("0", 40), "conclusion": "success"}, 422, nil, nil},
		{"GET", "/commits/" + p.HeadSHA + "/check-runs?check_name=familiar", nil, 200, []any{"check_runs", 0, "external_id"}, "familiar#7"},
		{"GET", "/commits/" + p.HeadSHA + "/check-runs?check_name=other", nil, 200, []any{"total_count"}, 0.0},
		{"PATCH", "/check-runs/1", m{"conclusion": "failure"}, 404, nil, nil},
		{"GET", "/actions/runs/" + itoa(int(run.ID)) + "/jobs", nil, 200, []any{"total_count"}, 0.0},
		{"GET", "/actions/jobs/1/logs", nil, 404, nil, nil},
		{"POST", "/actions/workflows/none.yml/dispatches", m{"ref": "main"}, 404, nil, nil},
		{"GET", "/actions/artifacts?name=familiar-memory-1296269&per_page=100", nil, 200, []any{"artifacts", 0, "workflow_run", "head_repository_id"}, 1296269.0},
		{"GET", "/actions/artifacts?name=other", nil, 200, []any{"total_count"}, 0.0},
		{"GET", "/actions/artifacts/" + itoa(int(art)), nil, 200, []any{"expired"}, false},
		{"GET", "/actions/artifacts/" + itoa(int(art)) + "/zip", nil, 302, nil, nil},
		{"DELETE", "/actions/artifacts/" + itoa(int(art)), nil, 204, nil, nil},
		{"DELETE", "/actions/artifacts/" + itoa(int(art)), nil, 404, nil, nil},
	} {
		got := ask(t, tok, c.method, s.URL()+"/repos/octocat/hello"+c.path, c.body)
		if got.status != c.status || c.at != nil && got.at(c.at...) != c.want {
			t.Errorf("%s %s: %d, %v = %v; want %d, %v\n%s", c.method, c.path, got.status, c.at, got.at(c.at...), c.status, c.want, got.text)
		}
	}
	reached := map[string]bool{}
	for _, e := range s.Log() {
		reached[e.Route] = true
	}
	for _, r := range s.routes {
		elsewhere := r.app || r.host != API || strings.HasSuffix(r.template, "/reactions/{reaction_id}") ||
			r.template == rp+"/actions/workflows" || strings.Contains(r.template, "/actions/permissions") || strings.Contains(r.template, "secrets") || strings.Contains(r.template, "/environments/")
		if !reached[r.name()] && !elsewhere {
			t.Errorf("%s is asked by no test", r.name())
		}
	}
}

func TestRoutesAndTheCommittedDescriptionNameTheSame(t *testing.T) {
	doc, err := description()
	if err != nil {
		t.Fatal(err)
	}
	s := New(t)
	served := map[string]bool{}
	for _, r := range s.routes {
		if r.host == API {
			served[r.name()] = true
			if item := doc.Paths.Value(r.template); item == nil || item.GetOperation(r.method) == nil {
				t.Errorf("%s is served and not described", r.name())
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			if !served[method+" "+path] {
				t.Errorf("%s %s is described and not served", method, path)
			}
		}
	}
	if n := len(descriptionFile); n > 600_000 {
		t.Errorf("the description has %d bytes, want at most 600,000", n)
	}
}

func TestWhatGitHubWouldNotUnderstandFailsTheTest(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	base := s.URL() + "/repos/octocat/hello"
	for _, c := range []struct {
		name, token, method, url string
		body                     any
		headers                  []string
		status                   int
		words                    string
	}{
		{"an unknown route", tok, "GET", base + "/stargazers", nil, nil, 404, "no such route on the api host"},
		{"a method that a route lacks", tok, "PUT", base + "/pulls/7", nil, nil, 404, "no such route"},
		{"a number that is none", tok, "GET", base + "/pulls/x7", nil, nil, 404, "no such route"},
		{"no token", "", "GET", base, nil, nil, 401, "no token"},
		{"a token from elsewhere", "abc", "GET", base, nil, nil, 401, "unknown token"},
		{"an unknown query parameter", tok, "GET", base + "/pulls/7/files?perpage=3", nil, nil, 200, `query parameter "perpage"`},
		{"a query parameter given twice", tok, "GET", base + "/pulls/7/files?page=1&page=2", nil, nil, 200, `"page" twice`},
		{"more a page than there is", tok, "GET", base + "/pulls/7/files?per_page=250", nil, nil, 200, "per_page 250"},
		{"a query parameter of the wrong type", tok, "GET", base + "/pulls/7/files?page=one", nil, nil, 422, "page"},
		{"an unknown body field", tok, "POST", base + "/issues/7/comments", m{"body": "x", "text": "y"}, nil, 422, "body.text is none"},
		{"an unknown field of a review's comment", tok, "POST", base + "/pulls/7/reviews", m{"comments": []m{{"path": "a", "body": "b", "lines": 3}}}, nil, 422, "body.comments[0].lines"},
		{"a required field left out", tok, "POST", base + "/issues/7/comments", m{}, nil, 422, "body"},
		{"a field of the wrong type", tok, "POST", base + "/issues/7/comments", m{"body": 3}, nil, 422, "body"},
		{"a reaction that does not exist", tok, "POST", base + "/issues/comments/1/reactions", m{"content": "thumbsup"}, nil, 422, "content"},
		{"a body that is no JSON", tok, "POST", base + "/issues/7/comments", "{", nil, 422, "not JSON"},
		{"a body without its type", tok, "POST", base + "/issues/7/comments", m{"body": "x"}, []string{"Content-Type", "text/plain"}, 422, "text/plain"},
		{"a body where none belongs", tok, "GET", base, m{"x": 1}, nil, 422, "where none belongs"},
		{"an API version that never was", tok, "GET", base, nil, []string{"X-GitHub-Api-Version", "2020-01-01"}, 400, "2020-01-01"},
		{"a media type that never was", tok, "GET", base + "/pulls/7", nil, []string{"Accept", "text/turtle"}, 415, "text/turtle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, c.token, c.method, c.url, c.body, c.headers...)
			if got.status != c.status {
				t.Errorf("status %d, want %d: %s", got.status, c.status, got.text)
			}
			onlyViolation(t, s, c.words)
		})
	}
}

func TestTheEndOfATestReportsViolations(t *testing.T) {
	inner := &recorder{TB: t}
	s := New(inner)
	ask(t, "", "GET", s.URL()+"/nowhere", nil)
	for _, f := range inner.cleanups {
		f()
	}
	if len(inner.errors) != 1 || !strings.Contains(inner.errors[0], "GET /nowhere: no such route") {
		t.Errorf("errors %q", inner.errors)
	}
}

// recorder is a test that only notes what is said of it.
type recorder struct {
	testing.TB
	cleanups []func()
	errors   []string
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestATokenThatLacksThePermissionIsRefusedWithGitHubsWords(t *testing.T) {
	s, _ := world(t)
	issue := itoa(s.AddIssue(Issue{Repo: hello}))
	base := s.URL() + "/repos/octocat/hello"
	for _, c := range []struct {
		name, token, method, path string
		body                      any
		status                    int
		accepted                  string
	}{
		{"A45 a fork's token comments", s.ForkToken(), "POST", "/issues/7/comments", m{"body": "x"}, 403, "issues=write; pull_requests=write"},
		{"a fork's token reads", s.ForkToken(), "GET", "/pulls/7", nil, 200, ""},
		{"no permission at all", s.Token(), "GET", "/contents/README.md", nil, 403, "contents=read"},
		{"metadata needs none", s.Token(), "GET", "/collaborators/mara/permission", nil, 200, ""},
		{"reading actions does not delete", s.Token("actions:read"), "DELETE", "/actions/artifacts/1", nil, 403, "actions=write"},
		{"writing covers reading", s.Token("actions:write"), "GET", "/actions/artifacts", nil, 200, ""},
		{"pull-requests suffices for a pull request's comments", s.Token("pull-requests:write"), "POST", "/issues/7/comments", m{"body": "x"}, 201, ""},
		{"pull-requests does not suffice for an issue", s.Token("pull-requests:write"), "POST", "/issues/" + issue + "/comments", m{"body": "x"}, 403, "issues=write"},
		{"issues does not suffice for a review", s.Token("issues:write"), "POST", "/pulls/7/reviews", m{"event": "COMMENT", "body": "x"}, 403, "pull_requests=write"},
		{"none is none", s.Token("contents:none"), "GET", "/contents/README.md", nil, 403, "contents=read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, c.token, c.method, base+c.path, c.body)
			if got.status != c.status || got.header.Get("X-Accepted-GitHub-Permissions") != c.accepted {
				t.Errorf("%d, accepted %q; want %d, %q", got.status, got.header.Get("X-Accepted-GitHub-Permissions"), c.status, c.accepted)
			}
			if c.status == 403 && got.at("message") != "Resource not accessible by integration" {
				t.Errorf("message %v", got.at("message"))
			}
		})
	}
}

func TestATokenCanEndOrLosePermissionsInTheMiddle(t *testing.T) {
	s, _ := world(t)
	tok := s.Token("contents:read")
	url := s.URL() + "/repos/octocat/hello/contents/README.md"
	if got := ask(t, tok, "GET", url, nil); got.status != 200 {
		t.Fatalf("%d", got.status)
	}
	s.SetPermissions(tok, "issues:read")
	if got := ask(t, tok, "GET", url, nil); got.status != 403 {
		t.Errorf("after SetPermissions: %d", got.status)
	}
	s.Revoke(tok)
	if got := ask(t, tok, "GET", url, nil); got.status != 401 || got.at("message") != "Bad credentials" {
		t.Errorf("after Revoke: %d %s", got.status, got.text)
	}
	if got := ask(t, s.RevokedToken(), "GET", url, nil); got.status != 401 {
		t.Errorf("revoked token: %d", got.status)
	}
}

func TestAPrivateRepositoryIsNotThereForAStranger(t *testing.T) {
	s := New(t)
	s.AddRepo(Repo{Owner: "octocat", Name: "secret", Visibility: "private"})
	s.Grant("octocat/secret", "ada", "read")
	for login, want := range map[string]int{"ada": 200, "mallory": 404} {
		if got := ask(t, s.UserToken(login), "GET", s.URL()+"/repos/octocat/secret", nil); got.status != want {
			t.Errorf("%s: %d, want %d", login, got.status, want)
		}
	}
}

func TestARenamedRepositoryAnswers301ToReadsAndWrites(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	s.Rename(hello, "octocat/goodbye")
	got := ask(t, tok, "POST", s.URL()+"/repos/octocat/hello/issues/7/comments", m{"body": "x"})
	want := s.URL() + "/repositories/1296269/issues/7/comments"
	if got.status != 301 || got.header.Get("Location") != want || got.at("message") != "Moved Permanently" {
		t.Errorf("%d to %q, want 301 to %q", got.status, got.header.Get("Location"), want)
	}
	if n := len(s.Comments("octocat/goodbye", 7)); n != 0 {
		t.Errorf("a redirected write made %d comments", n)
	}
	if got := ask(t, tok, "GET", want, nil); got.status != 200 || got.len() != 0 {
		t.Errorf("by id: %d %s", got.status, got.text)
	}
	if got := ask(t, tok, "GET", s.URL()+"/repos/Octocat/Goodbye", nil); got.status != 200 || got.at("id") != 1296269.0 {
		t.Errorf("under the new name in other case: %d", got.status)
	}
	s.AddRepo(Repo{Owner: "octocat", Name: "hello", ID: 99})
	if got := ask(t, tok, "GET", s.URL()+"/repos/octocat/hello", nil); got.at("id") != 99.0 {
		t.Errorf("a new repository under the old name has id %v, want 99", got.at("id"))
	}
}

func TestListsComeInPagesWithLinksById(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	for range 65 {
		s.Comment(hello, 7, "ada", "x")
	}
	base := s.URL() + "/repos/octocat/hello/issues/7/comments"
	got := ask(t, tok, "GET", base, nil)
	by := s.URL() + "/repositories/1296269/issues/7/comments"
	want := fmt.Sprintf(`<%s?page=2>; rel="next", <%s?page=3>; rel="last"`, by, by)
	if got.len() != 30 || got.header.Get("Link") != want {
		t.Errorf("%d items, Link %s, want 30 and %s", got.len(), got.header.Get("Link"), want)
	}
	got = ask(t, tok, "GET", base+"?per_page=60&page=2", nil)
	want = fmt.Sprintf(`<%s?page=1&per_page=60>; rel="prev", <%s?page=1&per_page=60>; rel="first"`, by, by)
	if got.len() != 5 || got.header.Get("Link") != want {
		t.Errorf("%d items, Link %s, want 5 and %s", got.len(), got.header.Get("Link"), want)
	}
	if got = ask(t, tok, "GET", base+"?page=9", nil); got.status != 200 || got.len() != 0 {
		t.Errorf("beyond the end: %d, %d items", got.status, got.len())
	}
	if got = ask(t, tok, "GET", by+"?page=3", nil); got.len() != 5 {
		t.Errorf("by id: %d items, want 5", got.len())
	}
}

func TestAnETagSpeaksForAnUnchangedAnswerAndCostsNothing(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	url := s.URL() + "/repos/octocat/hello/issues/7"
	first := ask(t, tok, "GET", url, nil)
	tag := first.header.Get("ETag")
	again := ask(t, tok, "GET", url, nil, "If-None-Match", tag)
	if again.status != 304 || again.text != "" || again.header.Get("ETag") != tag {
		t.Errorf("%d %q", again.status, again.text)
	}
	if a, b := first.header.Get("X-RateLimit-Remaining"), again.header.Get("X-RateLimit-Remaining"); a != b {
		t.Errorf("remaining %s, then %s", a, b)
	}
	s.Comment(hello, 7, "ada", "x")
	if changed := ask(t, tok, "GET", url, nil, "If-None-Match", tag); changed.status != 200 {
		t.Errorf("after a change: %d", changed.status)
	}
}

func TestTheClockMovesASecondPerWriteAndNotByReading(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	at := s.Now()
	ask(t, tok, "GET", s.URL()+"/repos/octocat/hello", nil)
	if !s.Now().Equal(at) {
		t.Errorf("a read moved the clock by %v", s.Now().Sub(at))
	}
	got := ask(t, tok, "POST", s.URL()+"/repos/octocat/hello/issues/7/comments", m{"body": "x"})
	if got.at("created_at") != at.Add(time.Second).Format(time.RFC3339) || got.header.Get("Date") != at.Add(time.Second).Format(http.TimeFormat) {
		t.Errorf("created at %v, Date %s, clock was %v", got.at("created_at"), got.header.Get("Date"), at)
	}
	s.SetNow(at.Add(-time.Hour))
	s.Advance(time.Minute)
	if got := s.Now().Sub(at); got != -59*time.Minute {
		t.Errorf("clock stands %v from before", got)
	}
}
