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
	"github.com/familiarhq/familiar/internal/runtime/handover"
	"github.com/familiarhq/familiar/internal/vault"
)

// resealed makes a note again with another time.
func resealed(t *testing.T, file string, key vault.Keys, at time.Time) {
	t.Helper()
	n, err := handover.Open([]byte(read(t, file)), key)
	if err != nil {
		t.Fatal(err)
	}
	n.IssuedAt = at.UTC().Truncate(time.Second).Format(time.RFC3339)
	data, err := handover.Seal(n, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func handoverKey(t *testing.T, seed string) (identity, recipient string) {
	t.Helper()
	identity, recipient, err := vault.NewKey(strings.NewReader(strings.Repeat(seed+" a source of test bytes ", 4)))
	if err != nil {
		t.Fatal(err)
	}
	return identity, recipient
}

// carry copies a file from one job to another, as an artifact does.
func carry(t *testing.T, from, to string) {
	t.Helper()
	if err := os.WriteFile(to, []byte(read(t, from)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// threeJobs runs prepare, the reviewer's job and publish; reviewer makes the
// result out of the folder of the brief.
func threeJobs(t *testing.T, r *runner, p githubtest.Pull, login string, reviewer func(folder string) []byte) (reviewed, published stepResult, sealed string) {
	t.Helper()
	identity, recipient := handoverKey(t, "handover")
	r.newRun("pull_request_target")
	first, second, third := r.newJob(r.key), r.newJob(""), r.newJob(r.key)

	prepared := first.does(p, login, map[string]string{"operation": "prepare", "handover-key": recipient})
	if prepared.status != 0 {
		t.Fatalf("prepare: exit %d\n%s", prepared.status, prepared.log)
	}
	sealed = read(t, prepared.outputs["brief-path"])
	carried := second.path("familiar-handover.sealed")
	carry(t, prepared.outputs["brief-path"], carried)

	r.server.ResetLog()
	reviewed = second.does(p, login, map[string]string{"operation": "prepare", "arguments": "open\n" + carried, "handover-key": identity})
	if reviewed.status != 0 || reviewed.outputs["brief-path"] == "" {
		t.Fatalf("open: exit %d, outputs %v\n%s", reviewed.status, reviewed.outputs, reviewed.log)
	}
	second.writes(reviewed, reviewer(filepath.Dir(reviewed.outputs["brief-path"])))
	answered := second.does(p, login, map[string]string{"operation": "publish", "arguments": "seal", "handover-key": recipient})
	if answered.status != 0 || r.server.Calls() != 0 {
		t.Fatalf("seal: exit %d, %d calls to GitHub\n%s", answered.status, r.server.Calls(), answered.log)
	}
	back := third.path("answer.sealed")
	carry(t, answered.outputs["result-path"], back)
	published = third.does(p, login, map[string]string{"operation": "publish", "arguments": "answer", "result": back})
	return reviewed, published, sealed + read(t, back)
}

// TestThreeJobs: a fork's change meets a reviewer that holds no secret of
// ours; its hostile result stores nothing and still publishes its findings.
func TestThreeJobs(t *testing.T) {
	t.Run("a maintainer's change, end to end", func(t *testing.T) {
		r := newRunner(t)
		id := r.oneLesson()
		p := r.pull("mara", map[string]string{"services/retry.go": retry})
		_, published, sealed := threeJobs(t, r, p, "mara", func(folder string) []byte {
			return result(t, []string{"services/retry.go"}, oneFinding(), &contract.MemoryUsed{Enabled: true, Read: []contract.MemoryRead{{ID: handed(t, folder)[0].ID, Scope: "repo"}}})
		})
		if published.status != 0 || published.outputs["outcome"] != "reviewed" || published.outputs["findings"] != "1" || published.outputs["memory-read"] != "1" {
			t.Fatalf("exit %d, outputs %v\n%s", published.status, published.outputs, published.log)
		}
		for _, text := range []string{"cancellable", "time.Sleep", id, "cannot be cancelled"} {
			if strings.Contains(sealed, text) {
				t.Errorf("what travels holds %q in the clear", text)
			}
		}
		if said := strings.Join(r.ours(p.Number), "\n"); !strings.Contains(said, id) {
			t.Errorf("said %s", said)
		}
	})
	t.Run("a fork's hostile result stores nothing and publishes its findings", func(t *testing.T) {
		r := newRunner(t)
		r.oneLesson()
		r.server.Push(r.repo, "main", map[string]string{".github/familiar.toml": "[review]\nexternal = \"always\"\n"})
		p := r.fork("stranger")
		saved := len(r.server.Artifacts(r.repo, "familiar-memory-501"))
		reviewed, published, _ := threeJobs(t, r, p, "stranger", func(string) []byte {
			return result(t, []string{"services/retry.go"}, oneFinding(), &contract.MemoryUsed{Enabled: true, Proposed: []contract.MemoryWrite{
				{Key: "repo/lumen/ledger/lessons/a", Summary: "strangers are trusted", Scope: "repo", Approval: contract.ApprovalPending}}})
		})
		if published.status != 0 || published.outputs["findings"] != "1" || published.outputs["trust-scope"] != "fork_pr" || published.outputs["memory-pending"] != "0" || published.outputs["memory-refused"] != "1" {
			t.Fatalf("exit %d, outputs %v\n%s", published.status, published.outputs, published.log)
		}
		if n := len(r.server.Artifacts(r.repo, "familiar-memory-501")); n != saved {
			t.Error("a fork's review saved")
		}
		if reviewed.outputs["memory-read"] == "" || !strings.Contains(strings.Join(r.ours(p.Number), "\n"), "cannot be cancelled") {
			t.Error("the finding was not published")
		}
	})
	t.Run("a fork's change waits for a maintainer's label", func(t *testing.T) {
		_, recipient := handoverKey(t, "handover")
		for name, c := range map[string]struct {
			label func(r *runner, p githubtest.Pull)
			runs  bool
		}{
			"no label":        {func(*runner, githubtest.Pull) {}, false},
			"A29: by triage":  {func(r *runner, p githubtest.Pull) { r.server.Label(r.repo, p.Number, "kim", "familiar:review") }, false},
			"by a maintainer": {func(r *runner, p githubtest.Pull) { r.server.Label(r.repo, p.Number, "mara", "familiar:review") }, true},
		} {
			t.Run(name, func(t *testing.T) {
				r := newRunner(t)
				p := r.fork("stranger")
				c.label(r, p)
				r.newRun("pull_request_target")
				got := r.newJob(r.key).does(p, "stranger", map[string]string{"operation": "prepare", "handover-key": recipient})
				if (got.status == 0) != c.runs || (got.outputs["brief-path"] != "") != c.runs || !c.runs && !strings.Contains(got.log, "familiar:review") {
					t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
				}
			})
		}
	})
	t.Run("the reviewer's job makes no note of its own", func(t *testing.T) {
		r := newRunner(t)
		r.oneLesson()
		p := r.pull("mara", map[string]string{"services/retry.go": retry})
		_, published, _ := threeJobs(t, r, p, "mara", func(folder string) []byte {
			// It knows the identity of the hand-over, and seals with that.
			identity, _ := handoverKey(t, "handover")
			keys, err := vault.ParseKeys(identity)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, "sealed-note.json")
			var n handover.Note
			if err := json.Unmarshal([]byte(read(t, file)), &n); err != nil {
				t.Fatal(err)
			}
			data, err := handover.Seal(n, keys)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
			return result(t, []string{"services/retry.go"}, oneFinding(), nil)
		})
		if published.status != 1 || published.outputs["findings"] != "0" || !strings.Contains(published.log, "was not made with this key") {
			t.Errorf("exit %d, outputs %v\n%s", published.status, published.outputs, published.log)
		}
	})
}

// TestInTheClearOnlyWithoutMemory: a hand-over that is not sealed may travel
// in the outputs of jobs, and never holds a lesson.
func TestInTheClearOnlyWithoutMemory(t *testing.T) {
	identity, _ := handoverKey(t, "handover")
	r := newRunner(t)
	r.oneLesson()
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	r.newRun("pull_request_target")
	with := r.newJob(r.key).does(p, "mara", map[string]string{"operation": "prepare", "arguments": "clear", "handover-key": identity})
	if with.status != 1 || with.outputs["brief-path"] != "" || !strings.Contains(with.log, "does not travel in the clear") {
		t.Errorf("with memory: exit %d, outputs %v\n%s", with.status, with.outputs, with.log)
	}
	first, second, third := r.newJob(""), r.newJob(""), r.newJob("")
	prepared := first.does(p, "mara", map[string]string{"operation": "prepare", "arguments": "clear", "handover-key": identity})
	if prepared.status != 0 || strings.Count(read(t, prepared.outputs["brief-path"]), "\n") != 1 {
		t.Fatalf("exit %d, outputs %v\n%s", prepared.status, prepared.outputs, prepared.log)
	}
	carried := second.path("handover.json")
	carry(t, prepared.outputs["brief-path"], carried)
	opened := second.does(p, "mara", map[string]string{"operation": "prepare", "arguments": "open\n" + carried})
	second.writes(opened, result(t, []string{"services/retry.go"}, oneFinding(), nil))
	answered := second.does(p, "mara", map[string]string{"operation": "publish", "arguments": "seal"})
	if answered.status != 0 {
		t.Fatalf("exit %d\n%s", answered.status, answered.log)
	}
	back := third.path("answer.json")
	carry(t, answered.outputs["result-path"], back)
	published := third.does(p, "mara", map[string]string{"operation": "publish", "arguments": "answer", "result": back, "handover-key": identity})
	if published.status != 0 || published.outputs["findings"] != "1" {
		t.Errorf("exit %d, outputs %v\n%s", published.status, published.outputs, published.log)
	}
	if alone := r.newJob("").does(p, "mara", map[string]string{"operation": "prepare", "arguments": "clear"}); alone.status != 1 || !strings.Contains(alone.log, "nothing could vouch") {
		t.Errorf("without any key: exit %d\n%s", alone.status, alone.log)
	}
}
