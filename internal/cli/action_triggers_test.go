package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

const conflict = "package services\n\n<<<<<<< HEAD\nvar a = 1\n=======\nvar a = 2\n>>>>>>> topic\n"

// forked opens a pull request of a fork of the repository.
func (r *runner) forked(author string, head map[string]string) githubtest.Pull {
	r.t.Helper()
	if !r.pulls[0] { // one fork for all
		r.server.AddRepo(githubtest.Repo{Owner: "stranger", Name: "ledger", ID: 999, OwnerID: 13, OwnerType: "User", Visibility: "public", DefaultBranch: "main", Fork: true})
		r.pulls[0] = true
	}
	p := r.server.AddPull(githubtest.PullSpec{
		Repo: r.repo, Title: "From a fork", Author: author, BaseRef: "main", HeadRepo: "stranger/ledger", HeadRef: fmt.Sprintf("topic-%d", len(r.pulls)), Head: head,
	})
	r.pulls[p.Number] = true
	return p
}

// scheduled runs the action for the cron event; whoever edited its line last
// is the actor that GitHub names.
func (r *runner) scheduled() stepResult {
	return r.run("schedule", "mara", map[string]any{"schedule": "17 3 * * 1", "repository": r.repository()}, nil)
}

// TestEventsThatAskForNothing: success and not one call to GitHub.
func TestEventsThatAskForNothing(t *testing.T) {
	for _, c := range []struct{ name, event, action string }{
		{"A42: a merge group", "merge_group", "checks_requested"},
		{"an event that is not known", "deployment_protection_rule", "requested"},
		{"an issue that was opened", "issues", "opened"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			payload := map[string]any{
				"action": c.action, "repository": r.repository(), "sender": r.user("mara"),
				"issue": map[string]any{"number": 1, "title": "@familiar remember x", "state": "open", "user": r.user("mara")},
			}
			got := r.run(c.event, "mara", payload, nil)
			if got.status != 0 || got.outputs["outcome"] != "nothing_to_do" || r.server.Calls() != 0 {
				t.Errorf("exit %d, outputs %v, %d calls\n%s", got.status, got.outputs, r.server.Calls(), got.log)
			}
		})
	}
}

// TestWorkflowRunFindsItsPullRequest: by head repository and commit, live; the
// event's own list is empty for forks, and anything but one match is none.
func TestWorkflowRunFindsItsPullRequest(t *testing.T) {
	for _, c := range []struct {
		name           string
		head           func(r *runner) (sha string, repo int64)
		outcome, trust string
	}{
		{"A6: a fork's run with an empty list", func(r *runner) (string, int64) {
			return r.forked("stranger", map[string]string{"services/a.go": conflict}).HeadSHA, 999
		}, "reviewed", "fork_pr"},
		{"one of this repository", func(r *runner) (string, int64) {
			return r.pull("mara", map[string]string{"services/a.go": conflict}).HeadSHA, 501
		}, "reviewed", "maintainer"},
		{"A6: the commit of a fork, said to be of this repository", func(r *runner) (string, int64) {
			return r.forked("stranger", map[string]string{"services/a.go": conflict}).HeadSHA, 501
		}, "nothing_to_do", "external"},
		{"a commit that no open pull request has", func(r *runner) (string, int64) {
			return r.server.Head(r.repo, "main"), 501
		}, "nothing_to_do", "external"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			sha, repo := c.head(r)
			got := r.run("workflow_run", "mara", map[string]any{
				"action": "completed", "repository": r.repository(), "sender": r.user("mara"), "workflow": map[string]any{"path": ".github/workflows/familiar-request.yml"},
				"workflow_run": map[string]any{
					"id": 7, "run_attempt": 1, "event": "pull_request", "path": ".github/workflows/familiar-request.yml", "conclusion": "success",
					"head_branch": "topic", "head_sha": sha, "head_repository": map[string]any{"id": repo}, "pull_requests": []any{},
					"actor": r.user("mara"), "triggering_actor": r.user("mara"),
				},
			}, nil)
			if got.status != 0 || got.outputs["outcome"] != c.outcome || got.outputs["trust-scope"] != c.trust {
				t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
			}
		})
	}
}

// TestPlainPullRequestRun: its workflow can be edited by the pull request.
func TestPlainPullRequestRun(t *testing.T) {
	t.Run("A45: of a fork, whose token only reads, is reviewed in the summary", forkReadOnly)
}

func forkReadOnly(t *testing.T) {
	r := newRunner(t)
	r.token = r.server.ForkToken()
	p := r.forked("stranger", map[string]string{"services/a.go": conflict})
	got := r.run("pull_request", "stranger", r.openedPayload(p, "stranger"), nil)
	if got.status != 0 || got.outputs["findings"] != "1" || got.outputs["memory-enabled"] != "false" || got.outputs["trust-scope"] != "fork_pr" {
		t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	if !strings.Contains(got.summary, "Merge conflict marker left in") || !strings.Contains(got.summary, "can edit its workflow") {
		t.Errorf("the summary says %s", got.summary)
	}
	if n := r.server.Writes(); n != 0 || len(r.ours(p.Number)) != 0 {
		t.Errorf("%d writes with a token that only reads", n)
	}
}

// TestCommandOnAPlainIssue: nothing of a pull request is asked for.
func TestCommandOnAPlainIssue(t *testing.T) {
	t.Run("A44: meets no pull request", commandOnIssue)
}

func commandOnIssue(t *testing.T) {
	r := newRunner(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	got := r.comment(issue, "mara", "@familiar remember amounts are in minor units")
	if got.status != 0 || got.outputs["outcome"] != "commands_applied" {
		t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	for _, e := range r.server.Log() {
		if strings.Contains(e.Path, "/pulls") {
			t.Errorf("asked for %s", e.Path)
		}
	}
}

// TestScheduleReviewsWhatNoRunHasReviewed: every open pull request by its own
// trust, those that are reviewed left alone.
func TestScheduleReviewsWhatNoRunHasReviewed(t *testing.T) {
	t.Run("A43: a fork's change does not get the schedule's trust, nor that of its last editor", schedule)
}

func schedule(t *testing.T) {
	r := newRunner(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	if got := r.comment(issue, "mara", "@familiar remember amounts are in minor units\npaths: services/**"); got.status != 0 {
		t.Fatalf("exit %d\n%s", got.status, got.log)
	}
	ours := r.pull("mara", map[string]string{"services/a.go": conflict})
	theirs := r.forked("stranger", map[string]string{"services/b.go": conflict})
	done := r.server.AddPull(githubtest.PullSpec{Repo: r.repo, Title: "Reviewed", Author: "mara", BaseRef: "main", HeadRef: "done", Head: map[string]string{"services/c.go": conflict}})
	if got := r.opened(done, "mara"); got.status != 0 || got.outputs["outcome"] != "reviewed" {
		t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	before := r.ours(done.Number)[0]

	got := r.scheduled()
	if got.status != 0 || got.outputs["outcome"] != "reviewed" || got.outputs["findings"] != "2" {
		t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	if !strings.Contains(got.log, "2 reviewed; 1 nothing to do") {
		t.Errorf("the log says %s", got.log)
	}
	if r.ours(done.Number)[0] != before {
		t.Error("what was reviewed was reviewed again")
	}
	if said := r.ours(ours.Number); len(said) != 1 || !strings.Contains(said[0], "Trust: `maintainer`") {
		t.Errorf("of our own it says %q", said)
	}
	// A43: the schedule's actor is a maintainer, and the fork stays a fork's.
	if said := r.ours(theirs.Number); len(said) != 1 || !strings.Contains(said[0], "Trust: `fork_pr`") || strings.Contains(said[0], "scheduled") {
		t.Errorf("A43: of the fork it says %q", said)
	}

	again := r.scheduled()
	if again.status != 0 || again.outputs["outcome"] != "nothing_to_do" || !strings.Contains(again.log, "3 nothing to do") {
		t.Errorf("again: exit %d, outputs %v\n%s", again.status, again.outputs, again.log)
	}
	r.server.PushPull(r.repo, theirs.Number, map[string]string{"services/d.go": conflict})
	if moved := r.scheduled(); moved.status != 0 || moved.outputs["findings"] != "2" || !strings.Contains(moved.log, "1 reviewed; 2 nothing to do") {
		t.Errorf("after a push: exit %d, outputs %v\n%s", moved.status, moved.outputs, moved.log)
	}
}

// TestDispatchTrustsWhoPressedTheButton: never an actor that an input names.
func TestDispatchTrustsWhoPressedTheButton(t *testing.T) {
	for _, c := range []struct{ name, actor, trust string }{
		{"a maintainer", "mara", "Trust: `maintainer`"},
		{"A37: a triage user who names a maintainer in an input", "kim", "Trust: `collaborator`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			p := r.pull("mara", map[string]string{"services/a.go": conflict})
			got := r.run("workflow_dispatch", c.actor, map[string]any{
				"repository": r.repository(), "sender": r.user(c.actor), "inputs": map[string]any{"actor": "mara"}, "ref": "refs/heads/main",
			}, nil)
			if said := r.ours(p.Number); got.status != 0 || len(said) != 1 || !strings.Contains(said[0], c.trust) {
				t.Errorf("exit %d, said %q\n%s", got.status, said, got.log)
			}
		})
	}
}
