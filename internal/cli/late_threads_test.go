package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// What GitHub tells of a thread may be some seconds old. A run that is told so
// may say a thing twice, and takes no word for refused that it does not see
// whole; the next look puts it right.

// lateThreads is a runner by GitHub's clock, whose server can tell what was.
func lateThreads(t *testing.T) *runner {
	r := newRunner(t)
	r.server.SetNow(githubtest.Epoch)
	r.clock = r.server.Now
	r.server.Remember(2 * time.Minute)
	return r
}

const (
	readsComments = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments"
	readsEvents   = "GET /repos/{owner}/{repo}/issues/{issue_number}/events"
	readsPull     = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
)

func TestASecondStatusCommentOfALateListIsTakenAway(t *testing.T) {
	t.Parallel()
	r := lateThreads(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	r.server.Advance(time.Minute)
	r.comment(issue, "mara", "@familiar remember amounts are in minor units")
	r.server.Fault(readsComments, githubtest.Fault{Behind: 30 * time.Second}, githubtest.Always)
	r.comment(issue, "mara", "@familiar remember waits have a limit")
	if n := len(r.ours(issue)); n != 2 {
		t.Fatalf("%d comments: the late list was to hide the first", n)
	}
	r.server.ClearFaults()
	r.server.Advance(10 * time.Minute)
	r.scheduled()
	if got := r.ours(issue); len(got) != 1 {
		t.Errorf("after the next look: %d comments\n%s", len(got), strings.Join(got, "\n-----\n"))
	}
	if got := len(r.lessonStates()); got != 2 {
		t.Errorf("%d lessons, want each once", got)
	}
}

func TestALookThatSaysNothingTakesSecondCommentsAway(t *testing.T) {
	t.Parallel()
	r := lateThreads(t)
	r.oneLesson()
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Questions", Author: "mara"})
	r.comment(issue, "mara", "@familiar help")
	reply := r.ours(issue)[0]
	r.server.Comment(r.repo, issue, "github-actions[bot]", reply) // as a run beside this one wrote it
	p := r.pull("mara", map[string]string{"services/a.go": "package services\n<<<<<<< HEAD\n"})
	if got := r.opened(p, "mara"); got.status != 0 {
		t.Fatal(got.log)
	}
	first := r.server.PullComments(r.repo, p.Number)
	if len(first) != 1 {
		t.Fatalf("%d comments on lines", len(first))
	}
	r.posts(t, "/repos/lumen/ledger/pulls/"+itoa(int64(p.Number))+"/reviews", map[string]any{"event": "COMMENT", "comments": []any{
		map[string]any{"path": first[0].Path, "line": first[0].Line, "side": "RIGHT", "body": first[0].Body}}})
	if n := len(r.server.PullComments(r.repo, p.Number)); n != 2 {
		t.Fatalf("%d comments on lines, want a second", n)
	}
	r.server.Advance(10 * time.Minute)
	if got := r.scheduled(); got.status != 0 {
		t.Fatal(got.log)
	}
	if got := r.ours(issue); len(got) != 1 || got[0] != reply {
		t.Errorf("%d replies are left, want the first", len(got))
	}
	if got := r.server.PullComments(r.repo, p.Number); len(got) != 1 || got[0].ID != first[0].ID {
		t.Errorf("%d comments on lines are left, want the first", len(got))
	}
}

// posts asks GitHub for a write in the name of the workflow.
func (r *runner) posts(t *testing.T, path string, body any) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, r.server.URL()+path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.server.FullToken())
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		t.Fatalf("%s: %s", path, resp.Status)
	}
}

// proposed is a pull request on which one lesson waits that was shown a minute
// ago.
func (r *runner) proposed(t *testing.T) githubtest.Pull {
	t.Helper()
	r.oneLesson()
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	r.newRun("pull_request_target")
	j := r.newJob(r.key)
	prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
	j.writes(prepared, result(t, []string{"services/retry.go"}, nil, &contract.MemoryUsed{Enabled: true, Proposed: []contract.MemoryWrite{{
		Key: "repo/lumen/ledger/conventions/waits", Summary: "Waits of services have a limit.", Scope: "repo", Approval: contract.ApprovalPending}}}))
	if got := j.does(p, "mara", map[string]string{"operation": "publish"}); got.outputs["memory-pending"] != "1" {
		t.Fatalf("%v\n%s", got.outputs, got.log)
	}
	r.server.Advance(time.Minute)
	return p
}

func (r *runner) labelled(p githubtest.Pull) stepResult {
	payload := r.openedPayload(p, "mara")
	payload["action"] = "labeled"
	return r.run("pull_request_target", "mara", payload, nil)
}

func TestALabelOfWhichGitHubDoesNotTellYetWaits(t *testing.T) {
	t.Parallel()
	r := lateThreads(t)
	p := r.proposed(t)
	r.server.Label(r.repo, p.Number, "mara", "familiar:approve")
	r.server.Fault(readsEvents, githubtest.Fault{Behind: 30 * time.Second}, 1)
	r.labelled(p)
	if got := r.server.Labels(r.repo, p.Number); !slices.Contains(got, "familiar:approve") {
		t.Fatalf("the label is gone, and nobody did what it asks for: %v\n%s", got, strings.Join(r.ours(p.Number), "\n"))
	}
	if got := strings.Join(r.ours(p.Number), "\n"); !strings.Contains(got, "GitHub does not tell yet who put this label on. The label stays, and the next run looks again.") {
		t.Errorf("it does not say why it waits:\n%s", got)
	}
	r.labelled(p)
	if got := r.server.Labels(r.repo, p.Number); len(got) != 0 || !slices.ContainsFunc(r.lessonStates(), func(s string) bool { return strings.HasSuffix(s, "active: Waits of services have a limit.") }) {
		t.Errorf("labels %v, lessons %v", got, r.lessonStates())
	}
}

func TestALabelThatIsOffAndListedStillIsNotRefused(t *testing.T) {
	t.Parallel()
	r := lateThreads(t)
	p := r.proposed(t)
	r.server.Label(r.repo, p.Number, "mara", "familiar:approve")
	r.labelled(p)
	if got := r.server.Labels(r.repo, p.Number); len(got) != 0 {
		t.Fatalf("labels %v", got)
	}
	said := r.ours(p.Number)
	r.server.Fault(readsPull, githubtest.Fault{Behind: time.Second}, 1)
	r.labelled(p)
	if got := strings.Join(r.ours(p.Number), "\n"); strings.Contains(got, "no record") || strings.Contains(got, "not done") || len(r.ours(p.Number)) != len(said) {
		t.Errorf("what was done is said to be refused:\n%s", got)
	}
}
