package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// TestSeveralIDsInOneCommand: each id is decided for itself, and one that is
// not there keeps no other from being done.
func TestSeveralIDsInOneCommand(t *testing.T) {
	r := newRunner(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	if got := r.comment(issue, "mara", "@familiar remember handlers return early\n/familiar remember amounts are in minor units\n@familiar remember names are short"); got.status != 0 {
		t.Fatalf("exit %d\n%s", got.status, got.log)
	}
	ids := documentID.FindAllString(r.ours(issue)[0], -1)
	if len(ids) < 3 {
		t.Fatalf("ids %q", ids)
	}
	got := r.comment(issue, "mara", "@familiar forget "+ids[0]+" m-00000000 "+ids[1])
	said := r.ours(issue)[0]
	if got.status != 0 || !strings.Contains(said, "Forgotten `"+ids[0]+"` and `"+ids[1]+"`.") || !strings.Contains(said, "m-00000000") {
		t.Errorf("exit %d, said %q\n%s", got.status, said, got.log)
	}
	// Once more is once: the causes are those of that comment's line and ids.
	listed := r.comment(issue, "mara", "/familiar list")
	all := r.ours(issue)
	last := all[len(all)-1]
	if listed.status != 0 || strings.Contains(last, "early") || strings.Contains(last, "minor units") || !strings.Contains(last, "names are short") {
		t.Errorf("the list says %q", last)
	}
}

// TestConfiguredHandle: a handle of one's own is read from the default branch
// only where somebody may have meant it.
func TestConfiguredHandle(t *testing.T) {
	for _, c := range []struct {
		name, body string
		calls      bool
		stored     bool
	}{
		{"the configured handle", "@rook remember amounts are in minor units", true, true},
		{"in another case, with a slash", "/Rook remember amounts are in minor units", true, true},
		{"the default handle stays", "@familiar remember amounts are in minor units", true, true},
		{"another's handle before a verb of ours", "@someone remember to call her", true, false},
		{"another's handle before any other word", "@someone please have a look", false, false},
		{"a longer name", "@rook-2 says hello", false, false},
		{"in the middle of a sentence", "ask @rook to remember this", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			r.server.Push(r.repo, "main", map[string]string{".github/familiar.toml": "[familiar]\nhandle = \"rook\"\n"})
			issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
			got := r.comment(issue, "mara", c.body)
			if n := len(r.server.Artifacts(r.repo, "familiar-memory-501")); got.status != 0 || (n > 0) != c.stored {
				t.Errorf("exit %d, %d containers, want stored: %v\n%s", got.status, n, c.stored, got.log)
			}
			if called := r.server.Calls() > 0; called != c.calls {
				t.Errorf("%d calls", r.server.Calls())
			}
			if !c.stored && r.server.Writes() > 0 {
				t.Errorf("%d writes for a comment to somebody else", r.server.Writes())
			}
		})
	}
}

// TestConfigInput: the configuration lies where the step says.
func TestConfigInput(t *testing.T) {
	r := newRunner(t)
	r.server.Push(r.repo, "main", map[string]string{"ci/familiar.toml": "[review]\nmin_severity = \"critical\"\n"})
	p := r.pull("mara", map[string]string{"services/a.go": conflict})
	got := r.run("pull_request_target", "mara", r.openedPayload(p, "mara"), map[string]string{"config": "ci/familiar.toml"})
	if got.status != 0 || got.outputs["findings"] != "0" {
		t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
}

// TestExecReviewerInTheAction: its command comes from the step, it runs
// without our rights or not at all, and one that dies is run again as often
// as the step says.
func TestExecReviewerInTheAction(t *testing.T) {
	script := func(t *testing.T, body string) (command, runs string) {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for up := filepath.Dir(dir); up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
			_ = os.Chmod(up, 0o755) // the other user has to reach it
		}
		runs = filepath.Join(dir, "runs")
		path := filepath.Join(dir, "reviewer.sh")
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho run >> "+runs+"\nid -u > "+filepath.Join(dir, "uid")+"\nenv > "+filepath.Join(dir, "env")+"\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
		return path, runs
	}
	t.Run("one that dies is run again, and nothing of it is published", func(t *testing.T) {
		r := newRunner(t)
		command, runs := script(t, "exit 70\n")
		p := r.pull("mara", map[string]string{"services/a.go": conflict})
		got := r.run("pull_request_target", "mara", r.openedPayload(p, "mara"), map[string]string{"runtime": "exec", "exec-command": command, "max-retries": "1"})
		if got.status != 1 || got.outputs["outcome"] != "failed" {
			t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
		if os.Getuid() != 0 {
			if !strings.Contains(got.log+got.summary, "another user id") {
				t.Errorf("it does not say why:\n%s\n%s", got.log, got.summary)
			}
			return
		}
		if n := strings.Count(read(t, runs), "run"); n != 2 {
			t.Errorf("%d runs, want 2\n%s\n%s", n, got.log, got.summary)
		}
		dir := filepath.Dir(runs)
		if uid := strings.TrimSpace(read(t, filepath.Join(dir, "uid"))); uid == "0" {
			t.Error("it ran with our rights")
		}
		env := read(t, filepath.Join(dir, "env"))
		for _, secret := range []string{r.token, r.key, "ACTIONS_RUNTIME_TOKEN", "INPUT_", "GITHUB_"} {
			if strings.Contains(env, secret) {
				t.Errorf("its environment has %q", secret)
			}
		}
	})
	t.Run("a fork's change meets the rules instead, unless a maintainer asks", func(t *testing.T) {
		r := newRunner(t)
		command, runs := script(t, "exit 70\n")
		p := r.forked("stranger", map[string]string{"services/a.go": conflict})
		got := r.run("pull_request_target", "stranger", r.openedPayload(p, "stranger"), map[string]string{"runtime": "exec", "exec-command": command})
		if got.status != 0 || got.outputs["findings"] != "1" || !strings.Contains(got.summary, "the rules reviewed it") {
			t.Errorf("exit %d, outputs %v\n%s\n%s", got.status, got.outputs, got.log, got.summary)
		}
		if _, err := os.Stat(runs); err == nil {
			t.Error("the command ran on a stranger's change")
		}
	})
}
