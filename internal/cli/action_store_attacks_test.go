package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/vault"
)

// taughtSleep is a repository with one lesson about services.
func taughtSleep(t *testing.T) (r *runner, issue int) {
	t.Helper()
	r = newRunner(t)
	issue = r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	r.ok(r.comment(issue, "mara", "@familiar never `time.Sleep(` in services/**"))
	return r, issue
}

// poison puts n artifacts of our name there, newer than all others, from runs
// of their own.
func (r *runner) poison(n int, run githubtest.Run) {
	r.t.Helper()
	run.Repo, run.Name, run.HeadBranch, run.HeadSHA, run.Actor = r.repo, "familiar", "topic", r.server.Head(r.repo, "main"), "stranger"
	for i := range n {
		run.ID = 70000 + int64(i)
		added := r.server.AddRun(run)
		r.server.AddArtifact(githubtest.Artifact{Repo: r.repo, Name: memoryName, Run: added.ID, Data: fmt.Appendf(nil, "poison %d", i)})
	}
}

// TestAttacksOnTheArtifactsOfARepository plays them against the whole binary.
func TestAttacksOnTheArtifactsOfARepository(t *testing.T) {
	t.Run("A9: a hundred and more of a fork are newer: ours, on the second page, serves", func(t *testing.T) {
		t.Parallel()
		r, _ := taughtSleep(t)
		r.forked("stranger", map[string]string{"a.txt": "a"})
		r.poison(110, githubtest.Run{Path: workflow, Event: "pull_request", HeadRepo: "stranger/ledger"})
		r.server.ResetLog()
		if got := r.sleepy(); got.status != 0 || got.outputs["memory-read"] != "1" || got.outputs["findings"] != "1" {
			t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
		if n := r.server.CallsOf("GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}"); n != 1 {
			t.Errorf("%d artifacts were downloaded, want ours alone", n)
		}
	})
	t.Run("A9: so many of a branch's workflow that a bound is reached: memory is off, and nothing is saved", func(t *testing.T) {
		t.Parallel()
		r, issue := taughtSleep(t)
		r.poison(201, githubtest.Run{Path: workflow, Event: "push"})
		got := r.comment(issue, "mara", "@familiar remember on top of it")
		if said := strings.Join(r.ours(issue), "\n"); got.status != 1 || !strings.Contains(said, "none of ours were met in this run") || !strings.Contains(said, "Memory stays off") {
			t.Errorf("exit %d, said\n%s\n%s", got.status, said, got.log)
		}
		if n := len(r.server.Artifacts(r.repo, memoryName)); n != 202 {
			t.Errorf("%d artifacts, want nothing saved", n)
		}
		if got := r.sleepy(); got.status != 0 || got.outputs["memory-enabled"] != "false" || got.outputs["outcome"] != "memory_unavailable" {
			t.Errorf("a review: exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
	})
	t.Run("A10: the newest expired: the older one serves where nobody saw the newest, and it is said", func(t *testing.T) {
		t.Parallel()
		r, issue := taughtSleep(t)
		r.ok(r.comment(issue, "mara", "@familiar remember the second convention"))
		newest := r.server.Artifacts(r.repo, memoryName)[0]
		r.server.ExpireArtifact(r.repo, newest.ID)
		p := r.pull("mara", map[string]string{"services/retry.go": retry})
		got := r.opened(p, "mara")
		if said := strings.Join(r.ours(p.Number), "\n"); got.status != 0 || got.outputs["memory-read"] != "1" || !strings.Contains(said, fmt.Sprintf("The container %d is quarantined (expired)", newest.ID)) {
			t.Errorf("exit %d, outputs %v, said\n%s", got.status, got.outputs, said)
		}
		if got := r.comment(issue, "mara", "@familiar remember on top of it"); got.status != 1 || !strings.Contains(strings.Join(r.ours(issue), "\n"), "rolled back") {
			t.Errorf("the thread that saw it: exit %d\n%s", got.status, r.ours(issue))
		}
	})
	t.Run("A10: all expired: no empty memory begins, also where no thread saw one", func(t *testing.T) {
		t.Parallel()
		r, _ := taughtSleep(t)
		only := r.server.Artifacts(r.repo, memoryName)[0]
		r.server.ExpireArtifact(r.repo, only.ID)
		other := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Another", Author: "mara"})
		got := r.comment(other, "mara", "@familiar remember anew")
		if said := strings.Join(r.ours(other), "\n"); got.status != 1 || !strings.Contains(said, "the store has expired") || !strings.Contains(said, "recover") {
			t.Errorf("exit %d, said\n%s\n%s", got.status, said, got.log)
		}
		if n := len(r.server.Artifacts(r.repo, memoryName)); n != 1 {
			t.Errorf("%d containers, want nothing saved", n)
		}
	})
	t.Run("A104: a forgotten text is proposed again in other case, spaces and punctuation: suppressed", func(t *testing.T) {
		t.Parallel()
		r := newRunner(t)
		issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
		r.ok(r.comment(issue, "mara", "@familiar remember Amounts are in minor units."))
		r.ok(r.comment(issue, "mara", "@familiar forget "+documentID.FindString(strings.Join(r.ours(issue), ""))))
		p := r.pull("mara", map[string]string{"services/retry.go": retry})
		r.newRun("pull_request_target")
		j := r.newJob(r.key)
		prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
		j.writes(prepared, result(t, []string{"services/retry.go"}, nil, &contract.MemoryUsed{Enabled: true, Proposed: []contract.MemoryWrite{
			{Key: "repo/lumen/ledger/money/units", Summary: "AMOUNTS — are in “minor-units”!", Scope: "repo", Approval: contract.ApprovalPending}}}))
		got := j.does(p, "mara", map[string]string{"operation": "publish"})
		if said := strings.Join(r.ours(p.Number), "\n"); got.status != 0 || got.outputs["memory-pending"] != "0" || got.outputs["memory-refused"] != "1" || !strings.Contains(said, "suppressed") {
			t.Errorf("exit %d, outputs %v, said\n%s", got.status, got.outputs, said)
		}
	})
	t.Run("A111: whoever has the key that was rotated out seals a newer container: retired_key", func(t *testing.T) {
		t.Parallel()
		r, issue := taughtSleep(t)
		leaked, err := vault.ParseKeys(r.key)
		if err != nil {
			t.Fatal(err)
		}
		before := r.server.Artifacts(r.repo, memoryName)[0]
		r.key = otherKey(t) + "\n" + r.key
		r.ok(r.comment(issue, "mara", "@familiar remember after the rotation")) // the old container still opens
		opened, err := vault.Open(before.Data, leaked, vault.Expect{RepositoryID: 501, AnyStore: true})
		if err != nil {
			t.Fatal(err)
		}
		opened.Manifest.Generation = 99
		forged, _, err := vault.Seal(vault.SealInput{Keys: leaked, SQLite: opened.SQLite, Manifest: opened.Manifest})
		if err != nil {
			t.Fatal(err)
		}
		r.server.Advance(2 * time.Hour)
		r.plant("issue_comment", workflow, forged)
		p := r.pull("mara", map[string]string{"services/retry.go": retry})
		got := r.opened(p, "mara")
		if said := strings.Join(r.ours(p.Number), "\n"); got.status != 0 || got.outputs["memory-read"] != "1" || !strings.Contains(said, "is quarantined (retired key)") || !strings.Contains(said, "generation 3") {
			t.Errorf("exit %d, outputs %v, said\n%s\n%s", got.status, got.outputs, said, got.log)
		}
	})
}
