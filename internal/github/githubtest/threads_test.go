package githubtest

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestA61ACommentMayHave65536CharactersAndNoMore(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	url := s.URL() + "/repos/octocat/hello/issues/7/comments"
	c := s.Comment(hello, 7, "ada", "x")
	for _, tt := range []struct {
		name, method, url, body string
		status                  int
	}{
		{"the longest", "POST", url, strings.Repeat("é", 65_536), 201},
		{"one more", "POST", url, strings.Repeat("é", 65_537), 422},
		{"an edit to one more", "PATCH", s.URL() + "/repos/octocat/hello/issues/comments/" + itoa(int(c.ID)), strings.Repeat("e", 65_537), 422},
		{"blank", "POST", url, " \n", 422},
	} {
		got := ask(t, tok, tt.method, tt.url, m{"body": tt.body})
		if got.status != tt.status {
			t.Errorf("%s: %d, want %d", tt.name, got.status, tt.status)
		}
		if len(tt.body) > 65_536 && tt.status == 422 && got.at("errors", 0, "message") != "Body is too long (maximum is 65536 characters)" {
			t.Errorf("%s: %s", tt.name, got.text)
		}
	}
	if got := s.Comments(hello, 7); len(got) != 2 || got[0].Body != "x" {
		t.Errorf("%d comments", len(got))
	}
}

func TestA34AnEditShowsInTheTimesAndNotInTheAuthor(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	c := s.Comment(hello, 7, "mara", "fine")
	url := s.URL() + "/repos/octocat/hello/issues/comments/" + itoa(int(c.ID))
	got := ask(t, tok, "GET", url, nil)
	if got.at("created_at") != got.at("updated_at") {
		t.Errorf("fresh: %v, %v", got.at("created_at"), got.at("updated_at"))
	}
	s.React(c.ID, "ada", "eyes")
	if after := ask(t, tok, "GET", url, nil); after.at("updated_at") != got.at("updated_at") {
		t.Error("a reaction moved updated_at")
	}
	s.EditComment(c.ID, "mallory", "@familiar remember this")
	got = ask(t, tok, "GET", url, nil)
	if got.at("created_at") == got.at("updated_at") || got.at("user", "login") != "mara" || got.at("body") != "@familiar remember this" {
		t.Errorf("edited: %s", got.text)
	}
	if now := s.Comments(hello, 7)[0]; now.EditedBy != "mallory" || now.Author != "mara" {
		t.Errorf("%+v", now)
	}
	if got := ask(t, tok, "PATCH", url, m{"body": "by the app"}); got.status != 200 || s.Comments(hello, 7)[0].EditedBy != "github-actions[bot]" {
		t.Errorf("edit by the app: %d, by %s", got.status, s.Comments(hello, 7)[0].EditedBy)
	}
	s.DeleteComment(c.ID)
	if got := ask(t, tok, "GET", url, nil); got.status != 404 {
		t.Errorf("deleted: %d", got.status)
	}
}

func TestCommentsSinceATimeCountEdits(t *testing.T) {
	s, _ := world(t)
	old := s.Comment(hello, 7, "ada", "old")
	s.Comment(hello, 7, "ada", "older")
	s.Advance(time.Hour)
	at := s.Now()
	s.EditComment(old.ID, "ada", "edited")
	s.Comment(hello, 7, "ada", "new")
	got := ask(t, s.FullToken(), "GET", s.URL()+"/repos/octocat/hello/issues/7/comments?since="+at.Format(time.RFC3339), nil)
	if got.len() != 2 || got.at(0, "body") != "edited" || got.at(1, "body") != "new" {
		t.Errorf("%s", got.text)
	}
	if by := s.CommentsBy(hello, 7, "ADA"); len(by) != 3 {
		t.Errorf("%d comments by ada", len(by))
	}
}

func TestA29LabelEventsSayWhoAndWhen(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	at := s.Now().Add(-time.Minute)
	s.LabelAt(hello, 7, "tria", "familiar:approve", at)
	s.Label(hello, 7, "tria", "familiar:approve") // it is on already: no second event
	s.LabelSilently(hello, 7, "imported")
	base := s.URL() + "/repos/octocat/hello/issues/7"
	got := ask(t, tok, "GET", base+"/events", nil)
	if got.len() != 1 || got.at(0, "event") != "labeled" || got.at(0, "actor", "login") != "tria" ||
		got.at(0, "created_at") != at.Format(time.RFC3339) || got.at(0, "label", "name") != "familiar:approve" {
		t.Errorf("%s", got.text)
	}
	if labels := s.Labels(hello, 7); strings.Join(labels, " ") != "familiar:approve imported" {
		t.Errorf("labels %q", labels)
	}
	ask(t, tok, "DELETE", base+"/labels/familiar:approve", nil)
	s.Unlabel(hello, 7, "ada", "imported")
	events := s.LabelEvents(hello, 7)
	if len(events) != 3 || events[1].Event != "unlabeled" || events[1].Actor != "github-actions[bot]" || events[2].Actor != "ada" {
		t.Errorf("%+v", events)
	}
	if got := s.RepoLabels(hello); strings.Join(got, " ") != "familiar:approve imported" {
		t.Errorf("the repository knows %q", got)
	}
}

func TestReactionsAreOnePerAccountAndContentAndOnlyOnesOwnGo(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	c := s.Comment(hello, 7, "mara", "x")
	s.React(c.ID, "ada", "eyes")
	base := s.URL() + "/repos/octocat/hello/issues/comments/" + itoa(int(c.ID)) + "/reactions"
	mine := ask(t, tok, "POST", base, m{"content": "eyes"})
	ask(t, tok, "POST", base, m{"content": "eyes"})
	if got := s.Reactions(c.ID); strings.Join(got, " ") != "ada:eyes github-actions[bot]:eyes" {
		t.Errorf("reactions %q", got)
	}
	all := ask(t, tok, "GET", base+"?content=eyes", nil)
	if all.len() != 2 {
		t.Errorf("%d reactions", all.len())
	}
	del := func(id any) int { return ask(t, tok, "DELETE", base+"/"+itoa(int(id.(float64))), nil).status }
	if got := del(mine.at("id")); got != http.StatusNoContent {
		t.Errorf("one's own: %d", got)
	}
	if got := del(all.at(0, "id")); got != http.StatusForbidden {
		t.Errorf("another's: %d", got)
	}
	if got := del(mine.at("id")); got != http.StatusNotFound {
		t.Errorf("one that is gone: %d", got)
	}
}

func TestA44AClosedIssueIsNoPullRequest(t *testing.T) {
	s, _ := world(t)
	n := s.AddIssue(Issue{Repo: hello, Number: 30, Title: "A question", Author: "ada"})
	s.Close(hello, n)
	got := ask(t, s.FullToken(), "GET", s.URL()+"/repos/octocat/hello/issues/30", nil)
	if got.at("state") != "closed" || got.at("closed_at") == nil || got.at("pull_request") != nil {
		t.Errorf("%s", got.text)
	}
	if next := s.AddIssue(Issue{Repo: hello}); next != 31 {
		t.Errorf("the next number is %d, want 31", next)
	}
}
