package githubtest

import (
	"testing"
	"time"
)

func TestWhatIsReadOfThreadsCanBeSomeSecondsOld(t *testing.T) {
	s, p := world(t)
	s.Remember(time.Minute)
	s.Advance(time.Hour)
	c := s.Comment(hello, 7, "mara", "first")
	s.React(c.ID, "mara", "rocket")
	s.Label(hello, 7, "mara", "bug")
	s.EditComment(c.ID, "mara", "edited")
	s.PushPull(hello, 7, map[string]string{"new.txt": "three"})
	s.AddIssue(Issue{Repo: hello, Number: 8, Title: "Another", Author: "mara"})
	s.DeleteComment(c.ID) // seven seconds, seven writes

	const of = "/repos/octocat/hello"
	read := func(route, path string, behind time.Duration) answered {
		s.Fault("GET /repos/{owner}/{repo}"+route, Fault{Behind: behind}, 1)
		return ask(t, s.FullToken(), "GET", s.URL()+of+path, nil)
	}
	comments := func(behind time.Duration) answered {
		return read("/issues/{issue_number}/comments", "/issues/7/comments", behind)
	}
	for _, c := range []struct {
		behind time.Duration
		want   any // the text of the first comment
	}{
		{0, nil}, {time.Second, "edited"}, {3 * time.Second, "edited"}, {4 * time.Second, "first"}, {6 * time.Second, "first"}, {7 * time.Second, nil}, {50 * time.Second, nil},
	} {
		if got := comments(c.behind); got.at(0, "body") != c.want {
			t.Errorf("%s behind: %s, want %v", c.behind, got.text, c.want)
		}
	}
	if got := read("/issues/comments/{comment_id}", "/issues/comments/"+itoa(int(c.ID)), time.Second); got.at("body") != "edited" || got.at("reactions", "rocket") != 1.0 {
		t.Errorf("one comment: %s", got.text)
	}
	if got := read("/issues/comments/{comment_id}", "/issues/comments/"+itoa(int(c.ID)), 30*time.Second); got.status != 404 {
		t.Errorf("one comment before it was written: %d", got.status)
	}
	if got := read("/issues/comments", "/issues/comments", 4*time.Second); got.at(0, "body") != "first" {
		t.Errorf("the comments of the repository: %s", got.text)
	}
	if got := read("/issues/comments/{comment_id}/reactions", "/issues/comments/"+itoa(int(c.ID))+"/reactions", 6*time.Second); got.status != 200 || got.len() != 0 {
		t.Errorf("reactions: %d %s", got.status, got.text)
	}
	if got := read("/pulls/{pull_number}", "/pulls/7", 3*time.Second); got.at("head", "sha") != p.HeadSHA || got.at("labels", 0, "name") != "bug" {
		t.Errorf("the pull request: %v, labels %v", got.at("head", "sha"), got.at("labels"))
	}
	if got := read("/issues/{issue_number}/labels", "/issues/7/labels", 5*time.Second); got.len() != 0 {
		t.Errorf("labels: %s", got.text)
	}
	if got := read("/issues/{issue_number}/events", "/issues/7/events", 5*time.Second); got.len() != 0 {
		t.Errorf("label events: %s", got.text)
	}
	if got := read("/pulls", "/pulls", 3*time.Second); got.at(0, "head", "sha") != p.HeadSHA {
		t.Errorf("pull requests: %v", got.at(0, "head", "sha"))
	}
	if got := read("/issues", "/issues", 2*time.Second); got.len() != 1 {
		t.Errorf("%d issues, the second was not there yet", got.len())
	}
	if got := ask(t, s.FullToken(), "GET", s.URL()+of+"/issues/7/comments", nil); got.len() != 0 {
		t.Errorf("without a fault: %s", got.text)
	}
}

func TestAListOfArtifactsCanLeaveOneOut(t *testing.T) {
	s, _ := world(t)
	run := memoryRun(s).ID
	one, other := s.AddArtifact(Artifact{Repo: hello, Name: "a", Run: run, Data: []byte("1")}), s.AddArtifact(Artifact{Repo: hello, Name: "a", Run: run, Data: []byte("2")})
	const route = "GET /repos/{owner}/{repo}/actions/artifacts"
	s.Fault(route, Fault{Without: other}, Always)
	for range 2 {
		got := ask(t, s.FullToken(), "GET", s.URL()+"/repos/octocat/hello/actions/artifacts?name=a", nil)
		if got.at("total_count") != 1.0 || got.at("artifacts", 0, "id") != float64(one) {
			t.Errorf("%s", got.text)
		}
	}
}
