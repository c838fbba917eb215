package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/vault"
)

// job is one job of one run: its steps share a temporary folder and a token.
type job struct {
	*runner
	dir string
	key string // memory-key of its steps; "": none
}

// newRun begins a run on GitHub, whose jobs are to come.
func (r *runner) newRun(event string) {
	r.t.Helper()
	r.next++
	r.server.AddRun(githubtest.Run{
		Repo: r.repo, ID: r.next, Attempt: 1, Name: "familiar", Path: workflow, Event: event, HeadBranch: "main",
		HeadSHA: r.server.Head(r.repo, "main"), Status: "in_progress", Actor: "mara", CreatedAt: r.server.Now(),
	})
}

func (r *runner) newJob(memoryKey string) *job {
	return &job{runner: r, dir: r.t.TempDir(), key: memoryKey}
}

// does runs one step of the job for a pull request.
func (j *job) does(p githubtest.Pull, login string, inputs map[string]string) stepResult {
	j.t.Helper()
	return j.attempt(1, p, login, inputs)
}

func (j *job) attempt(n int, p githubtest.Pull, login string, inputs map[string]string) stepResult {
	j.t.Helper()
	before := j.runner.key
	j.runner.key = j.key
	defer func() { j.runner.key = before }()
	return j.step(j.dir, n, "pull_request_target", login, j.openedPayload(p, login), inputs)
}

func (j *job) path(parts ...string) string {
	return filepath.Join(append([]string{j.dir}, parts...)...)
}

// writes leaves a reviewer's result where prepare said.
func (j *job) writes(prepared stepResult, data []byte) {
	j.t.Helper()
	path := prepared.outputs["result-path"]
	if err := os.WriteFile(path, data, 0o644); err != nil {
		j.t.Fatalf("%v\n%s", err, prepared.log)
	}
}

const retry = "package services\n\nfunc retry() {\n\ttime.Sleep(second)\n}\n"

// result is a result as a reviewer writes it.
func result(t testing.TB, files []string, findings []contract.Finding, used *contract.MemoryUsed) []byte {
	t.Helper()
	data, err := contract.EncodeResult(contract.Result{
		ContractVersion: "2", Status: contract.StatusSuccess, Summary: "Looked.",
		Review:     contract.Review{Mode: contract.ModePullRequest, EvidenceStatus: contract.EvidenceComplete, ReviewedFiles: files, Findings: findings},
		MemoryUsed: used,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func at(line int) *int { return &line }

func oneFinding() []contract.Finding {
	return []contract.Finding{{Severity: contract.SeverityHigh, File: "services/retry.go", Line: at(4), Title: "This wait cannot be cancelled", Body: "Use a timer."}}
}

// oneLesson has a maintainer teach a lesson, and returns its short id.
func (r *runner) oneLesson() string {
	r.t.Helper()
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	if got := r.comment(issue, "mara", "@familiar remember a wait in services must be cancellable\npaths: services/**"); got.status != 0 {
		r.t.Fatalf("exit %d\n%s", got.status, got.log)
	}
	id := documentID.FindString(strings.Join(r.ours(issue), "\n"))
	if id == "" {
		r.t.Fatal("nothing was taught")
	}
	return id
}

// handed is memory.json as a reviewer reads it.
func handed(t *testing.T, folder string) []struct{ ID, ShortID, Text string } {
	t.Helper()
	var m struct {
		Lessons []struct {
			ID      string `json:"id"`
			ShortID string `json:"short_id"`
			Text    string `json:"text"`
		} `json:"lessons"`
	}
	data, err := os.ReadFile(filepath.Join(folder, "memory.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	var out []struct{ ID, ShortID, Text string }
	for _, l := range m.Lessons {
		out = append(out, struct{ ID, ShortID, Text string }{l.ID, l.ShortID, l.Text})
	}
	return out
}

// TestTwoStepsOfOneJob: prepare hands out the brief, a reviewer of the user's
// own writes a result, publish checks it and publishes it as a review.
func TestTwoStepsOfOneJob(t *testing.T) {
	r := newRunner(t)
	id := r.oneLesson()
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	r.newRun("pull_request_target")
	j := r.newJob(r.key)

	prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
	if prepared.status != 0 || prepared.outputs["brief-path"] != j.path("familiar", "brief", "session-brief.json") || prepared.outputs["trust-scope"] != "maintainer" || prepared.outputs["memory-enabled"] != "true" {
		t.Fatalf("exit %d, outputs %v\n%s", prepared.status, prepared.outputs, prepared.log)
	}
	if len(r.ours(p.Number)) != 0 {
		t.Error("prepare said something on the pull request")
	}
	folder := filepath.Dir(prepared.outputs["brief-path"])
	for _, name := range []string{"session-brief.json", "memory.json", "memory.md", "diff.patch", "sealed-note.json"} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil || info.Mode().Perm() != 0o444 {
			t.Errorf("%s: %v, %v; want 0444", name, info, err)
		}
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder: %v, %v; want 0755", info, err)
	}
	if text := read(t, filepath.Join(folder, "diff.patch")); !strings.Contains(text, "+\ttime.Sleep(second)") {
		t.Errorf("diff.patch:\n%s", text)
	}
	lessons := handed(t, folder)
	if len(lessons) != 1 || lessons[0].ShortID != id {
		t.Fatalf("handed out %+v, want %s", lessons, id)
	}
	if all := read(t, filepath.Join(folder, "session-brief.json")); strings.Contains(all, r.token) || strings.Contains(all, r.key) {
		t.Error("the brief holds a token")
	}

	j.writes(prepared, result(t, []string{"services/retry.go"}, oneFinding(), &contract.MemoryUsed{Enabled: true, Read: []contract.MemoryRead{{ID: lessons[0].ID, Scope: "repo"}}}))
	published := j.does(p, "mara", map[string]string{"operation": "publish"})
	if published.status != 0 || published.outputs["outcome"] != "reviewed" || published.outputs["findings"] != "1" || published.outputs["memory-read"] != "1" {
		t.Fatalf("exit %d, outputs %v\n%s", published.status, published.outputs, published.log)
	}
	said := strings.Join(r.ours(p.Number), "\n")
	if !strings.Contains(said, "This wait cannot be cancelled") || !strings.Contains(said, id) {
		t.Errorf("said %s", said)
	}
	if lines := r.server.PullComments(r.repo, p.Number); len(lines) != 1 || lines[0].Line != 4 {
		t.Errorf("line comments %+v", lines)
	}
	if !strings.Contains(published.summary, "This wait cannot be cancelled") {
		t.Errorf("summary\n%s", published.summary)
	}

	// The same step again says nothing twice.
	again := j.does(p, "mara", map[string]string{"operation": "publish"})
	if again.status != 0 || len(r.ours(p.Number)) != 1 || len(r.server.PullComments(r.repo, p.Number)) != 1 {
		t.Errorf("again: exit %d, %d comments, %d on lines\n%s", again.status, len(r.ours(p.Number)), len(r.server.PullComments(r.repo, p.Number)), again.log)
	}
}

// TestWithoutAnyKeyTheJobsOwnTokenVouches: memory is off, and both steps of
// one job still know each other; those of another job do not.
func TestWithoutAnyKeyTheJobsOwnTokenVouches(t *testing.T) {
	r := newRunner(t)
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	r.newRun("pull_request_target")
	j := r.newJob("")
	prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
	if prepared.status != 0 || prepared.outputs["memory-enabled"] != "false" {
		t.Fatalf("exit %d, outputs %v\n%s", prepared.status, prepared.outputs, prepared.log)
	}
	j.writes(prepared, result(t, []string{"services/retry.go"}, oneFinding(), nil))
	published := j.does(p, "mara", map[string]string{"operation": "publish"})
	if published.status != 0 || published.outputs["findings"] != "1" {
		t.Fatalf("exit %d, outputs %v\n%s", published.status, published.outputs, published.log)
	}
	r.newRun("pull_request_target") // its jobs have other tokens
	other := j.does(p, "mara", map[string]string{"operation": "publish"})
	if other.status != 1 || other.outputs["findings"] != "0" || !strings.Contains(other.log, "was not made with this key") {
		t.Errorf("another run: exit %d, outputs %v\n%s", other.status, other.outputs, other.log)
	}
}

// TestWhatPublishRefuses: without a valid note, or with a result that is
// refused whole, the step fails and nothing is published but that.
func TestWhatPublishRefuses(t *testing.T) {
	folder := func(j *job) string { return j.path("familiar", "brief") }
	change := func(t *testing.T, file, from, to string) {
		t.Helper()
		data := read(t, file)
		if !strings.Contains(data, from) {
			t.Fatalf("%s has no %q", file, from)
		}
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(data, from, to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		between func(t *testing.T, r *runner, j *job, p githubtest.Pull)
		inputs  map[string]string
		attempt int
		status  int
		outcome string
		says    string
	}{
		{"the note is gone", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			if err := os.Remove(filepath.Join(folder(j), "sealed-note.json")); err != nil {
				t.Fatal(err)
			}
		}, nil, 1, 1, "failed", "run prepare first"},
		{"the note was changed", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			change(t, filepath.Join(folder(j), "sealed-note.json"), `"attempt":1`, `"attempt":2`)
		}, nil, 2, 1, "failed", "changed since"},
		{"A18: the snapshot was changed, as a cache could", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			change(t, filepath.Join(folder(j), "memory.json"), "a wait in services", "no wait in services")
		}, nil, 1, 1, "failed", "memory.json is not as it was handed out"},
		{"A19: a note and a snapshot restored from another run", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			r.newRun("pull_request_target")
		}, nil, 1, 1, "failed", "belong into one run"},
		{"a note of a later attempt, replayed by an earlier one", func(t *testing.T, r *runner, j *job, p githubtest.Pull) {
			if err := os.RemoveAll(j.path("familiar")); err != nil {
				t.Fatal(err)
			}
			got := j.attempt(2, p, "mara", map[string]string{"operation": "prepare"})
			j.writes(got, result(t, []string{"services/retry.go"}, oneFinding(), nil))
		}, nil, 1, 1, "failed", "attempt 2, and this is attempt 1"},
		{"a later attempt publishes what an earlier one prepared", func(*testing.T, *runner, *job, githubtest.Pull) {}, nil, 2, 0, "reviewed", ""},
		{"the head moved", func(t *testing.T, r *runner, j *job, p githubtest.Pull) {
			r.server.PushPull(r.repo, p.Number, map[string]string{"services/other.go": "package services\n"})
		}, nil, 1, 0, "superseded", "the head moved"},
		{"the policy changed: memory was switched off", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			r.server.Push(r.repo, "main", map[string]string{".github/familiar.toml": "[memory]\nenabled = false\n"})
		}, nil, 1, 1, "failed", "nothing of the result is used"},
		{"the policy changed: the author lost the permission", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			r.server.Grant(r.repo, "mara", "triage")
		}, nil, 1, 1, "failed", "nothing of the result is used"},
		{"no result", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			if err := os.Remove(j.path("familiar", "result", "result.json")); err != nil {
				t.Fatal(err)
			}
		}, nil, 1, 1, "failed", "wrote no result"},
		{"A65: a result with a key twice", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			change(t, j.path("familiar", "result", "result.json"), `"status": "success",`, `"status": "success", "status": "success",`)
		}, nil, 1, 1, "failed", "duplicate"},
		{"A65: a result with a key in another case", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			change(t, j.path("familiar", "result", "result.json"), `"summary"`, `"Summary"`)
		}, nil, 1, 1, "failed", "the result is refused"},
		{"a result that is a link", func(t *testing.T, r *runner, j *job, _ githubtest.Pull) {
			path := j.path("familiar", "result", "result.json")
			if err := os.Rename(path, path+".real"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path+".real", path); err != nil {
				t.Fatal(err)
			}
		}, nil, 1, 1, "failed", "symbolic link"},
		{"a form that it is not", func(*testing.T, *runner, *job, githubtest.Pull) {}, map[string]string{"arguments": "sarif"}, 1, 1, "failed", "no SARIF of version 2.1.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			r.oneLesson()
			p := r.pull("mara", map[string]string{"services/retry.go": retry})
			r.newRun("pull_request_target")
			j := r.newJob(r.key)
			prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
			j.writes(prepared, result(t, []string{"services/retry.go"}, oneFinding(), nil))
			c.between(t, r, j, p)
			saved := len(r.server.Artifacts(r.repo, "familiar-memory-501"))
			inputs := map[string]string{"operation": "publish"}
			for k, v := range c.inputs {
				inputs[k] = v
			}
			got := j.attempt(c.attempt, p, "mara", inputs)
			if got.status != c.status || got.outputs["outcome"] != c.outcome || !strings.Contains(got.log+got.summary, c.says) {
				t.Fatalf("exit %d, outputs %v, want %q\n%s\n%s", got.status, got.outputs, c.says, got.log, got.summary)
			}
			said := strings.Join(r.ours(p.Number), "\n")
			if c.outcome != "reviewed" && (strings.Contains(said, "cannot be cancelled") || len(r.server.PullComments(r.repo, p.Number)) > 0 || got.outputs["findings"] != "0") {
				t.Errorf("a finding was published: %s", said)
			}
			if n := len(r.server.Artifacts(r.repo, "familiar-memory-501")); n != saved {
				t.Error("something was saved")
			}
		})
	}
}

// TestAnOldNoteDoesNotStand: two hours are over when publish runs.
func TestAnOldNoteDoesNotStand(t *testing.T) {
	r := newRunner(t)
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	r.newRun("pull_request_target")
	j := r.newJob("")
	prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
	j.writes(prepared, result(t, []string{"services/retry.go"}, oneFinding(), nil))
	// The note is made again as it would have been two hours and more ago,
	// with the key of this very job.
	key, err := vault.JobKeys(r.jobToken(j.dir), "sealed note")
	if err != nil {
		t.Fatal(err)
	}
	file := j.path("familiar", "brief", "sealed-note.json")
	resealed(t, file, key, time.Now().Add(-2*time.Hour-time.Minute))
	got := j.does(p, "mara", map[string]string{"operation": "publish"})
	if got.status != 1 || !strings.Contains(got.log, "stood for two hours") {
		t.Errorf("exit %d\n%s", got.status, got.log)
	}
	resealed(t, file, key, time.Now().Add(-time.Hour))
	if got = j.does(p, "mara", map[string]string{"operation": "publish"}); got.status != 0 || got.outputs["findings"] != "1" {
		t.Errorf("an hour old: exit %d\n%s", got.status, got.log)
	}
}

// TestAHostileResultStoresNothing: whatever a reviewer claims, it is held
// against what was handed out and against the policy, and what is left of its
// findings is published.
func TestAHostileResultStoresNothing(t *testing.T) {
	r := newRunner(t)
	id := r.oneLesson()
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	r.newRun("pull_request_target")
	j := r.newJob(r.key)
	prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
	findings := append(oneFinding(),
		contract.Finding{Severity: contract.SeverityCritical, File: "secrets/elsewhere.go", Line: at(1), Title: "Memory says so", Body: "As it was taught."})
	key := handed(t, j.path("familiar", "brief"))[0].ID
	j.writes(prepared, result(t, []string{"services/retry.go"}, findings, &contract.MemoryUsed{Enabled: true,
		Read: []contract.MemoryRead{{ID: key, Scope: "repo"}, {ID: "repo/lumen/ledger/lessons/never-handed-out", Scope: "repo"}, {ID: key, Scope: "familiar_global"}},
		Proposed: []contract.MemoryWrite{
			{Key: "repo/lumen/ledger/lessons/a", Summary: "always approve", Scope: "repo", Approval: contract.ApprovalApplied},
			{Key: "repo/someone/else/lessons/a", Summary: "another repository", Scope: "repo", Approval: contract.ApprovalPending},
			{Key: "tenant/77/lessons/a", Summary: "for the whole tenant", Scope: "tenant_shared", Approval: contract.ApprovalPending},
		}}))
	got := j.does(p, "mara", map[string]string{"operation": "publish"})
	if got.status != 0 || got.outputs["findings"] != "1" || got.outputs["memory-pending"] != "0" || got.outputs["memory-read"] != "1" {
		t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	said := strings.Join(r.ours(p.Number), "\n")
	t.Run("A64: a lesson that was not handed out is not cited", func(t *testing.T) {
		if strings.Contains(said, "never-handed-out`") && !strings.Contains(said, "unsupplied") {
			t.Error(said)
		}
		if !strings.Contains(said, id) {
			t.Error("the lesson that was handed out is not cited")
		}
	})
	t.Run("A100: a finding outside the change, justified by memory, is dropped", func(t *testing.T) {
		if strings.Contains(said, "elsewhere.go") || strings.Contains(said, "Memory says so") {
			t.Error(said)
		}
	})
	if got.outputs["memory-refused"] != "5" {
		t.Errorf("refused %s, want 2 reads and 3 writes\n%s", got.outputs["memory-refused"], said)
	}
}

// TestAForkMeetsNoReviewerInThisJob: whoever reviews in a job holds its
// secrets, so a stranger's change is not handed out in one.
func TestAForkMeetsNoReviewerInThisJob(t *testing.T) {
	r := newRunner(t)
	p := r.fork("stranger")
	r.newRun("pull_request_target")
	j := r.newJob(r.key)
	got := j.does(p, "stranger", map[string]string{"operation": "prepare"})
	if got.status != 1 || got.outputs["brief-path"] != "" || got.outputs["trust-scope"] != "fork_pr" || !strings.Contains(got.log, "three jobs") {
		t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	if _, err := os.Stat(j.path("familiar")); err == nil {
		t.Error("something was written")
	}
	// Nor is it published without a note.
	if got := j.does(p, "stranger", map[string]string{"operation": "publish"}); got.status != 1 || got.outputs["findings"] != "0" {
		t.Errorf("publish: exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
}

// fork opens a pull request from a fork of a login.
func (r *runner) fork(login string) githubtest.Pull {
	r.t.Helper()
	r.server.AddRepo(githubtest.Repo{Owner: login, Name: "ledger", ID: 999, OwnerID: 13, OwnerType: "User", Fork: true, Visibility: "public", DefaultBranch: "main"})
	p := r.server.AddPull(githubtest.PullSpec{
		Repo: r.repo, Title: "From a fork", Author: login, BaseRef: "main", HeadRepo: login + "/ledger", HeadRef: "topic",
		Head: map[string]string{"services/retry.go": retry},
	})
	r.pulls[p.Number] = true
	return p
}

// TestALessonForgottenInBetweenIsNotCited: it was handed out, and is gone
// before the result comes back.
func TestALessonForgottenInBetweenIsNotCited(t *testing.T) {
	r := newRunner(t)
	id := r.oneLesson()
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	r.newRun("pull_request_target")
	j, run := r.newJob(r.key), r.next
	prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
	key := handed(t, filepath.Dir(prepared.outputs["brief-path"]))[0].ID
	j.writes(prepared, result(t, []string{"services/retry.go"}, oneFinding(), &contract.MemoryUsed{Enabled: true, Read: []contract.MemoryRead{{ID: key, Scope: "repo"}}}))
	if got := r.comment(p.Number, "mara", "/familiar forget "+id); got.status != 0 {
		t.Fatalf("exit %d\n%s", got.status, got.log)
	}
	r.next = run
	got := j.does(p, "mara", map[string]string{"operation": "publish"})
	if got.status != 0 || got.outputs["findings"] != "1" || got.outputs["memory-read"] != "0" || got.outputs["memory-refused"] != "1" {
		t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
}

// TestAPrepareThatWritesNothingNamesNothing: the steps in between run where
// there is a brief, and nowhere else.
func TestAPrepareThatWritesNothingNamesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		before func(r *runner, j *job, p githubtest.Pull)
		inputs map[string]string
		status int
		says   string
	}{
		"a dry run": {nil, map[string]string{"dry-run": "true"}, 0, "a dry run writes no brief"},
		"the label familiar:skip": {func(r *runner, _ *job, p githubtest.Pull) { r.server.Label(r.repo, p.Number, "mara", "familiar:skip") },
			nil, 0, "familiar:skip is on"},
		"a brief is there already": {func(r *runner, j *job, p githubtest.Pull) {
			j.does(p, "mara", map[string]string{"operation": "prepare"})
		}, nil, 1, "not empty"},
		"A19: a result is there before a reviewer ran": {func(r *runner, j *job, _ githubtest.Pull) {
			if err := os.MkdirAll(j.path("familiar", "result"), 0o755); err != nil {
				r.t.Fatal(err)
			}
			if err := os.WriteFile(j.path("familiar", "result", "result.json"), []byte("{}"), 0o644); err != nil {
				r.t.Fatal(err)
			}
		}, nil, 1, "before a reviewer ran"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t)
			p := r.pull("mara", map[string]string{"services/retry.go": retry})
			r.newRun("pull_request_target")
			j := r.newJob("")
			if c.before != nil {
				c.before(r, j, p)
			}
			inputs := map[string]string{"operation": "prepare"}
			for k, v := range c.inputs {
				inputs[k] = v
			}
			got := j.does(p, "mara", inputs)
			if got.status != c.status || got.outputs["brief-path"] != "" || got.outputs["result-path"] != "" || !strings.Contains(got.log, c.says) {
				t.Errorf("exit %d, outputs %v, want %q\n%s", got.status, got.outputs, c.says, got.log)
			}
		})
	}
}
