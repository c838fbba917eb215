package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// TestStatusComment is about the one comment of a thread: whose it is, what
// is believed of it, and that it is one.
func TestStatusComment(t *testing.T) {
	reviewed := func(t *testing.T) (*runner, githubtest.Pull) {
		r := newRunner(t)
		p := r.pull("mara", map[string]string{"services/a.go": conflict})
		if got := r.opened(p, "mara"); got.status != 0 || got.outputs["outcome"] != "reviewed" {
			t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
		return r, p
	}
	t.Run("a second look at a reviewed head does nothing", func(t *testing.T) {
		r, p := reviewed(t)
		writes := r.server.Writes()
		got := r.opened(p, "mara")
		if got.status != 0 || got.outputs["outcome"] != "nothing_to_do" || r.server.Writes() != writes || got.outputs["status-comment-id"] == "" {
			t.Errorf("exit %d, outputs %v, %d writes\n%s", got.status, got.outputs, r.server.Writes()-writes, got.log)
		}
	})
	t.Run("a second look fails where the first one found enough for it", func(t *testing.T) {
		r, p := reviewed(t)
		for level, want := range map[string]int{"high": 3, "critical": 0} {
			if got := r.run("pull_request_target", "mara", r.openedPayload(p, "mara"), map[string]string{"fail-on": level}); got.status != want || got.outputs["outcome"] != "nothing_to_do" {
				t.Errorf("fail-on %s: exit %d, want %d, outputs %v\n%s", level, got.status, want, got.outputs, got.log)
			}
		}
	})
	t.Run("a new lesson makes the head worth another look", func(t *testing.T) {
		r, p := reviewed(t)
		issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
		if got := r.comment(issue, "mara", "@familiar never `var a` in services/**"); got.status != 0 {
			t.Fatalf("exit %d\n%s", got.status, got.log)
		}
		if got := r.opened(p, "mara"); got.outputs["outcome"] != "reviewed" || got.outputs["memory-read"] != "1" {
			t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
	})
	t.Run("without the key nothing is believed, and the review runs again", func(t *testing.T) {
		r, p := reviewed(t)
		r.key = ""
		if got := r.opened(p, "mara"); got.status != 0 || got.outputs["outcome"] != "reviewed" || got.outputs["findings"] != "1" {
			t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
		if n := len(r.ours(p.Number)); n != 1 {
			t.Errorf("%d comments", n)
		}
	})
	t.Run("A55: what somebody writes into it is not believed, and goes", func(t *testing.T) {
		r, p := reviewed(t)
		before := r.ours(p.Number)[0]
		r.server.PushPull(r.repo, p.Number, map[string]string{"services/b.go": conflict})
		p = r.server.Pull(r.repo, p.Number)
		edited := strings.Replace(before, "1 finding", "No finding", 1) + "\nEverything is approved.\n"
		// The state of this very comment, with the new head written in.
		edited = regexp.MustCompile(`familiar:state v1 \S+`).ReplaceAllString(edited, "familiar:state v1 eyJoZWFkIjoieCJ9")
		r.server.EditComment(r.server.CommentsBy(r.repo, p.Number, "github-actions[bot]")[0].ID, "kim", edited)
		got := r.opened(p, "mara")
		after := r.ours(p.Number)
		if got.status != 0 || got.outputs["outcome"] != "reviewed" || len(after) != 1 || strings.Contains(after[0], "Everything is approved") || !strings.Contains(after[0], "2 findings") {
			t.Errorf("exit %d, outputs %v, comments %q\n%s", got.status, got.outputs, after, got.log)
		}
	})
	t.Run("A55: the same head again, edited: it is written anew", func(t *testing.T) {
		r, p := reviewed(t)
		c := r.server.CommentsBy(r.repo, p.Number, "github-actions[bot]")[0]
		r.server.EditComment(c.ID, "kim", strings.Replace(c.Body, "1 finding", "No finding", 1))
		got := r.opened(p, "mara")
		if after := r.ours(p.Number); got.status != 0 || len(after) != 1 || !strings.Contains(after[0], "1 finding") {
			t.Errorf("exit %d, comments %q\n%s", got.status, after, got.log)
		}
	})
	t.Run("A50: a user's comment with our marker, there first, is never touched", func(t *testing.T) {
		r := newRunner(t)
		p := r.pull("mara", map[string]string{"services/a.go": conflict})
		theirs := r.server.Comment(r.repo, p.Number, "stranger", fmt.Sprintf("<!-- familiar:status v1 lumen/ledger#%d -->\n**No findings.**\n", p.Number))
		got := r.opened(p, "mara")
		if got.status != 0 || len(r.ours(p.Number)) != 1 {
			t.Errorf("exit %d, ours %q\n%s", got.status, r.ours(p.Number), got.log)
		}
		if now := r.server.CommentsBy(r.repo, p.Number, "stranger"); len(now) != 1 || now[0].Body != theirs.Body {
			t.Errorf("theirs is now %+v", now)
		}
	})
	t.Run("A50: our own comment of another thread, copied by another workflow's bot", func(t *testing.T) {
		r, p := reviewed(t)
		other := r.server.AddPull(githubtest.PullSpec{Repo: r.repo, Title: "Other", Author: "mara", BaseRef: "main", HeadRef: "other", Head: map[string]string{"services/b.go": conflict}})
		copied := strings.Replace(r.ours(p.Number)[0], fmt.Sprintf("#%d", p.Number), fmt.Sprintf("#%d", other.Number), 1)
		copied = strings.ReplaceAll(copied, p.HeadSHA, other.HeadSHA)
		r.server.Comment(r.repo, other.Number, "github-actions[bot]", copied)
		if got := r.opened(other, "mara"); got.status != 0 || got.outputs["outcome"] != "reviewed" {
			t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
	})
	t.Run("A53: a comment beyond the first page is found", func(t *testing.T) {
		r := newRunner(t)
		p := r.pull("mara", map[string]string{"services/a.go": conflict})
		for n := range 120 {
			r.server.Comment(r.repo, p.Number, "kim", fmt.Sprintf("comment %d", n))
		}
		for range 2 {
			if got := r.opened(p, "mara"); got.status != 0 {
				t.Fatalf("exit %d\n%s", got.status, got.log)
			}
			r.server.PushPull(r.repo, p.Number, map[string]string{"services/b.go": conflict})
			p = r.server.Pull(r.repo, p.Number)
		}
		if n := len(r.ours(p.Number)); n != 1 {
			t.Errorf("%d status comments, want 1", n)
		}
	})
	t.Run("two that were made in a race: the older one stays", func(t *testing.T) {
		r, p := reviewed(t)
		first := r.server.CommentsBy(r.repo, p.Number, "github-actions[bot]")[0]
		stashed := first.Body
		r.server.EditComment(first.ID, "github-actions[bot]", "somebody else's words")
		r.server.PushPull(r.repo, p.Number, map[string]string{"services/b.go": conflict})
		if got := r.opened(r.server.Pull(r.repo, p.Number), "mara"); got.status != 0 {
			t.Fatalf("exit %d\n%s", got.status, got.log)
		}
		r.server.EditComment(first.ID, "github-actions[bot]", stashed)
		r.server.PushPull(r.repo, p.Number, map[string]string{"services/c.go": conflict})
		got := r.opened(r.server.Pull(r.repo, p.Number), "mara")
		left := r.server.CommentsBy(r.repo, p.Number, "github-actions[bot]")
		if got.status != 0 || len(left) != 1 || left[0].ID != first.ID || !strings.Contains(left[0].Body, "3 findings") {
			t.Errorf("exit %d, left %+v\n%s", got.status, left, got.log)
		}
	})
	t.Run("A61: more than a comment holds is cut between entries, and the marker stays", func(t *testing.T) {
		r := newRunner(t)
		head := map[string]string{}
		for n := range 50 {
			head[fmt.Sprintf("services/%s/%d.go", strings.Repeat("long-name/", 150), n)] = conflict
		}
		p := r.pull("mara", head)
		got := r.opened(p, "mara")
		said := r.ours(p.Number)
		if got.status != 0 || got.outputs["findings"] != "50" || len(said) != 1 {
			t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
		if n := utf8.RuneCountInString(said[0]); n > 65_536 || n < 50_000 || !strings.Contains(said[0], "did not fit here") {
			t.Errorf("%d characters", n)
		}
		if !regexp.MustCompile(`^<!-- familiar:status v1 lumen/ledger#\d+ [0-9a-f]+ -->\n<!-- familiar:state v1 \S+ [0-9a-f]+ -->\n`).MatchString(said[0]) {
			t.Errorf("it begins %q", said[0][:200])
		}
		if again := r.opened(p, "mara"); again.outputs["outcome"] != "nothing_to_do" {
			t.Errorf("again: %v", again.outputs)
		}
	})
	t.Run("A48: our own texts show commands and command nothing", func(t *testing.T) {
		r, p := reviewed(t)
		ours := r.server.CommentsBy(r.repo, p.Number, "github-actions[bot]")[0]
		for _, body := range []string{ours.Body, "@familiar approve all", "/familiar forget m-7f3k2q8a"} {
			r.server.ResetLog()
			got := r.run("issue_comment", "github-actions[bot]", map[string]any{
				"action": "created", "repository": r.repository(), "sender": map[string]any{"id": 41898282, "login": "github-actions[bot]", "type": "Bot"},
				"issue": map[string]any{"number": p.Number, "title": "x", "state": "open", "user": r.user("mara"), "pull_request": map[string]any{"url": "x"}},
				"comment": map[string]any{
					"id": ours.ID, "body": body, "user": map[string]any{"id": 41898282, "login": "github-actions[bot]", "type": "Bot"},
					"created_at": time.Now().UTC().Format(time.RFC3339), "updated_at": time.Now().UTC().Format(time.RFC3339),
				},
			}, nil)
			if got.status != 0 || got.outputs["outcome"] != "nothing_to_do" || r.server.Calls() != 0 {
				t.Errorf("%q: exit %d, outputs %v, %d calls", body, got.status, got.outputs, r.server.Calls())
			}
		}
	})
}

// TestWordsOfPeopleStayWords: what somebody taught pings nobody, breaks no
// fence, and is no command to the runner.
func TestWordsOfPeopleStayWords(t *testing.T) {
	taught := func(t *testing.T, text string) (r *runner, issue int, got stepResult) {
		r = newRunner(t)
		issue = r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
		got = r.comment(issue, "mara", "@familiar remember "+text)
		if got.status != 0 || got.outputs["outcome"] != "commands_applied" {
			t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
		return r, issue, got
	}
	for _, text := range []string{"ask @acme/owners first", "ask &#64;acme/owners first", "ask &commat;mara first", "ask @mara, then @kim"} {
		t.Run("A56: "+text, func(t *testing.T) {
			r, issue, _ := taught(t, text)
			if got := r.comment(issue, "mara", "@familiar list"); got.status != 0 {
				t.Fatalf("exit %d\n%s", got.status, got.log)
			}
			for _, body := range r.ours(issue) {
				plain := regexp.MustCompile("(?s)```+.*?```+|`[^`\n]*`").ReplaceAllString(body, "")
				if regexp.MustCompile(`(?i)(^|[^\w])(@|&#0*64;|&#x0*40;|&commat;)[a-z]`).MatchString(plain) {
					t.Errorf("it pings: %q", plain)
				}
			}
		})
	}
	t.Run("A57: runs of backticks get a longer fence", func(t *testing.T) {
		r, issue, _ := taught(t, "write ```` four ```` and ``` three ``` backticks around code")
		if got := r.comment(issue, "mara", "@familiar list"); got.status != 0 {
			t.Fatalf("exit %d\n%s", got.status, got.log)
		}
		all := r.ours(issue)
		listed := all[len(all)-1]
		fence := regexp.MustCompile("(?m)^(`{3,})").FindString(listed)
		if len(fence) < 5 || strings.Count(listed, "\n"+fence) != 2 {
			t.Errorf("the fence is %q in %q", fence, listed)
		}
	})
	t.Run("A63: a command to the runner in a lesson is none", func(t *testing.T) {
		r, issue, got := taught(t, "handlers return early\n::error::boom\n::set-output name=outcome::pwned\n::add-mask::a\noutcome<<EOF\npwned\nEOF")
		p := r.pull("mara", map[string]string{"services/a.go": conflict})
		logs := got.log + got.summary + r.opened(p, "mara").log
		answer := r.comment(issue, "mara", "@familiar list\n::stop-commands::x\n::warning::boom")
		logs += answer.log + answer.summary
		for line := range strings.Lines(logs) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") && !regexp.MustCompile(`^::add-mask::[A-Za-z0-9+/=%_.-]{4,}\n$`).MatchString(line) {
				t.Errorf("a line of the log commands: %q", line)
			}
		}
		if got.outputs["outcome"] != "commands_applied" || len(got.outputs["outcome"]) > 20 {
			t.Errorf("outputs %v", got.outputs)
		}
	})
	t.Run("A63: a command to the runner in a file name is none", func(t *testing.T) {
		r := newRunner(t)
		p := r.pull("mara", map[string]string{"services/::error::boom.go": conflict})
		got := r.opened(p, "mara")
		for line := range strings.Lines(got.log) {
			if strings.HasPrefix(line, "::error") {
				t.Errorf("a line of the log commands: %q", line)
			}
		}
		if got.status != 0 || got.outputs["findings"] != "1" {
			t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
	})
}

// TestOnceIsOnce: limits are waited out, and nothing is written twice.
func TestOnceIsOnce(t *testing.T) {
	const post = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments"
	t.Run("A62: a secondary limit is waited for, and the comment is there once", func(t *testing.T) {
		r := newRunner(t)
		p := r.pull("mara", map[string]string{"services/a.go": conflict})
		r.server.Fault(post, githubtest.Fault{Secondary: true, RetryAfter: time.Second}, 2)
		got := r.opened(p, "mara")
		if got.status != 0 || len(r.ours(p.Number)) != 1 || r.server.CallsOf(post) != 3 {
			t.Errorf("exit %d, %d comments after %d tries\n%s", got.status, len(r.ours(p.Number)), r.server.CallsOf(post), got.log)
		}
	})
	t.Run("A62: an answer that got lost is not asked for twice", func(t *testing.T) {
		r := newRunner(t)
		p := r.pull("mara", map[string]string{"services/a.go": conflict})
		r.server.Fault(post, githubtest.Fault{Lose: true}, 1)
		got := r.opened(p, "mara")
		if got.status != 1 || r.server.CallsOf(post) != 1 || !strings.Contains(got.summary, "may have been done all the same") {
			t.Errorf("exit %d, %d tries\n%s\n%s", got.status, r.server.CallsOf(post), got.log, got.summary)
		}
		again := r.opened(p, "mara")
		if again.status != 0 || len(r.ours(p.Number)) != 1 || len(r.server.PullComments(r.repo, p.Number)) != 1 {
			t.Errorf("again: exit %d, %d comments, %d on lines\n%s", again.status, len(r.ours(p.Number)), len(r.server.PullComments(r.repo, p.Number)), again.log)
		}
	})
}

// TestMissingPermissions: each costs what it is for, by name, and no more.
func TestMissingPermissions(t *testing.T) {
	all := []string{"contents:read", "pull-requests:write", "issues:write", "actions:read", "metadata:read"}
	for _, c := range []struct {
		name            string
		instead         map[string]string
		status          int
		says            string
		comments, lines int
	}{
		{"comments on lines", map[string]string{"pull-requests:write": "pull-requests:read"}, 0, "pull-requests: write", 1, 0},
		{"every comment", map[string]string{"pull-requests:write": "pull-requests:read", "issues:write": "issues:read"}, 0, "issues: write", 0, 0},
		{"the memory", map[string]string{"actions:read": ""}, 0, "actions: read", 1, 1},
		{"the files", map[string]string{"contents:read": ""}, 1, "contents: read", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			var perms []string
			for _, p := range all {
				if other, lacks := c.instead[p]; lacks {
					p = other
				}
				if p != "" {
					perms = append(perms, p)
				}
			}
			r.token = r.server.Token(perms...)
			p := r.pull("mara", map[string]string{"services/a.go": conflict})
			got := r.opened(p, "mara")
			if got.status != c.status || !strings.Contains(got.log+got.summary, c.says) {
				t.Errorf("exit %d, want %d and %q\n%s\n%s", got.status, c.status, c.says, got.log, got.summary)
			}
			if c.status == 0 && (got.outputs["findings"] != "1" || !strings.Contains(got.summary, "Merge conflict marker left in")) {
				t.Errorf("the review is not in the summary: %v\n%s", got.outputs, got.summary)
			}
			if warned := strings.Contains(got.log, "::warning::"); warned != (c.comments*c.lines == 0 && c.status == 0) {
				t.Errorf("a warning in the log: %v\n%s", warned, got.log)
			}
			if n, m := len(r.ours(p.Number)), len(r.server.PullComments(r.repo, p.Number)); n != c.comments || m != c.lines {
				t.Errorf("%d comments and %d on lines, want %d and %d", n, m, c.comments, c.lines)
			}
		})
	}
}
