package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// dispatchable lets the stand-in run the built action for a workflow that is
// started by hand, as the shipped workflow file does.
func (r *runner) dispatchable() {
	r.t.Helper()
	r.server.AddWorkflow(githubtest.Workflow{Repo: r.repo, File: "familiar.yml", Inputs: []string{"operation", "arguments", "dry-run"},
		Run: func(d githubtest.Dispatched) (string, string) {
			r.next = d.RunID
			got := r.step(r.t.TempDir(), 1, "workflow_dispatch", d.Actor, map[string]any{
				"repository": r.repository(), "sender": r.user(d.Actor), "inputs": d.Inputs, "ref": "refs/heads/" + d.Ref, "workflow": workflow,
			}, d.Inputs)
			if got.status != 0 {
				return got.log, "failure"
			}
			return got.log, "success"
		}})
}

// memory runs `familiar memory` with the token of an account, away from every
// clone.
func (r *runner) memory(token, key string, args ...string) (out string, status int) {
	r.t.Helper()
	dir := r.t.TempDir()
	cmd := exec.Command(binary, append([]string{"memory"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "NO_COLOR=1", "GITHUB_TOKEN=" + token, "GITHUB_API_URL=" + r.server.URL(), "FAMILIAR_MEMORY_KEY=" + key}
	said, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok {
		status = exit.ExitCode()
	} else if err != nil {
		r.t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 && !strings.Contains(strings.Join(args, " "), "-o ") {
		r.t.Errorf("memory %v left %v behind", args, left)
	}
	return string(said), status
}

// remembered is a repository in which mara taught one lesson by comment.
func remembered(t *testing.T) (r *runner, id string) {
	t.Helper()
	r = newRunner(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	r.ok(r.comment(issue, "mara", "@familiar remember money is rounded half-even"))
	out, status := r.memory(r.server.UserToken("mara", "contents:read", "actions:read"), r.key, "list", "--repo", r.repo, "--json")
	var list struct{ Lessons []struct{ ID string } }
	if err := json.Unmarshal([]byte(out), &list); err != nil || status != 0 || len(list.Lessons) != 1 {
		t.Fatalf("the lesson is not listed: %v, exit %d\n%s", err, status, out)
	}
	return r, list.Lessons[0].ID
}

// TestMemoryOfARepositoryIsReadByTokenAndKey: what looks downloads and writes
// nothing.
func TestMemoryOfARepositoryIsReadByTokenAndKey(t *testing.T) {
	r, id := remembered(t)
	token := r.server.UserToken("mara", "contents:read", "actions:read")
	writes := r.server.Writes()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"list"}, "money is rounded half-even"},
		{[]string{"show", id}, "taught by mara"},
		{[]string{"search", "rounded"}, "familiar memory --repo lumen/ledger show " + id},
		{[]string{"verify"}, "ok     manifest: its counts are those of the store."},
		{[]string{"export"}, `"text":"money is rounded half-even"`},
		{[]string{"diff", "1"}, "0 differences"},
	} {
		out, status := r.memory(token, r.key, append(c.args, "--repo", r.repo)...)
		if status != 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(c.want), " ")) {
			t.Errorf("memory %v: exit %d\n%s\nwant %q", c.args, status, out, c.want)
		}
	}
	if r.server.Writes() != writes {
		t.Error("what only looks wrote to GitHub")
	}
}

// TestMemoryOfARepositoryIsChangedByItsWorkflow: what changes starts the
// workflow, which looks up who asks.
func TestMemoryOfARepositoryIsChangedByItsWorkflow(t *testing.T) {
	r, id := remembered(t)
	r.dispatchable()
	mara := r.server.UserToken("mara", "contents:read", "actions:write")
	kim := r.server.UserToken("kim", "contents:read", "actions:write")
	list := func() string { out, _ := r.memory(mara, r.key, "list", "--all", "--repo", r.repo); return out }

	out, status := r.memory(kim, "", "retire", id, "--repo", r.repo)
	if status != ExitFailed || !strings.Contains(out, "maintainer") || strings.Contains(list(), "deprecated") {
		t.Errorf("A29: a triage user retires: exit %d\n%s\n%s", status, out, list())
	}
	out, status = r.memory(mara, "", "retire", id, "--repo", r.repo, "--json")
	var answer struct {
		Conclusion string
		Answers    []string
		URL        string
	}
	if err := json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &answer); err != nil || status != 0 || answer.Conclusion != "success" ||
		!strings.HasPrefix(answer.URL, "https://github.com/lumen/ledger/actions/runs/") || !strings.Contains(strings.Join(answer.Answers, " "), id) {
		t.Errorf("retire: %v, exit %d\n%s", err, status, out)
	}
	if !strings.Contains(list(), "(deprecated) money") {
		t.Errorf("it is not retired:\n%s", list())
	}
	if out, status := r.memory(mara, "", "forget", id, "--repo", r.repo); status != ExitUsage || !strings.Contains(out, "give --yes") {
		t.Errorf("forget does not ask: exit %d\n%s", status, out)
	}
	if out, status = r.memory(mara, "", "forget", id, "--repo", r.repo, "--yes"); status != 0 || strings.Contains(list(), "money") {
		t.Errorf("forget: exit %d\n%s\n%s", status, out, list())
	}
	if out, status := r.memory(mara, "", "retire", id, "--repo", r.repo, "--workflow", "other.yml"); status != ExitFailed || !strings.Contains(out, "familiar init") {
		t.Errorf("a workflow that is not there: exit %d\n%s", status, out)
	}
}

// inspection is a case of the shared areas api-inspect and api-revoke in our
// terms: who reads a repository's memory, and whose memory a denial is of.
type inspection struct {
	Area, Name string
	Input      struct{ Token, Key, Memory, Prefix string }
	Want       struct {
		Exit int
		Says string
	}
}

func inspections(t *testing.T, area string, least int) []inspection {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata/conformance", area+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []inspection
	for line := range strings.Lines(string(data)) {
		var c inspection
		if err := json.Unmarshal([]byte(line), &c); err != nil || c.Area != area {
			t.Fatalf("%v: %s", err, line)
		}
		out = append(out, c)
	}
	if len(out) < least {
		t.Fatalf("%d cases of %s, want at least %d", len(out), area, least)
	}
	return out
}

// TestInspectionConformance: no memory is read without a token that GitHub
// takes and the key of that very repository.
func TestInspectionConformance(t *testing.T) {
	r, _ := remembered(t)
	r.server.AddRepo(githubtest.Repo{Owner: "lumen", Name: "other", Visibility: "private", Files: map[string]string{"README.md": "other\n"}})
	r.server.Grant("lumen/other", "mara", "read")
	tokens := map[string]string{"none": "", "unknown": r.server.RevokedToken(), "reader": r.server.UserToken("mara", "contents:read", "actions:read"),
		"without actions": r.server.UserToken("mara", "contents:read")}
	keys := map[string]string{"none": "", "own": r.key, "another's": otherKey(t)}
	for _, c := range inspections(t, "api-inspect", 6) {
		t.Run(c.Name, func(t *testing.T) {
			out, status := r.memory(tokens[c.Input.Token], keys[c.Input.Key], "list", "--repo", c.Input.Memory)
			if status != c.Want.Exit || !strings.Contains(strings.Join(strings.Fields(out), " "), c.Want.Says) {
				t.Errorf("exit %d, want %d\n%s\nwant %q", status, c.Want.Exit, out, c.Want.Says)
			}
			if status != 0 && strings.Contains(out, "half-even") {
				t.Errorf("a refusal shows a lesson: %s", out)
			}
		})
	}
}

func TestATokenThatIsNotTakenIsNamedByItsVariable(t *testing.T) {
	r, _ := remembered(t)
	out, status := r.memory(r.server.RevokedToken(), r.key, "list", "--repo", r.repo)
	if said := strings.Join(strings.Fields(out), " "); status != ExitFailed || !strings.Contains(said, "Check the token in GITHUB_TOKEN") || strings.Contains(said, "github-token") {
		t.Errorf("exit %d: %s", status, out)
	}
}

// TestDenialConformance: a denial is of the repository whose memory was
// named, whatever the argument says.
func TestDenialConformance(t *testing.T) {
	r, _ := remembered(t)
	r.dispatchable()
	tokens := map[string]string{"admin": r.server.UserToken("mara", "contents:read", "actions:write"), "none": ""}
	r.server.Grant(r.repo, "mara", "admin")
	for _, c := range inspections(t, "api-revoke", 3) {
		t.Run(c.Name, func(t *testing.T) {
			args := []string{"revoke", c.Input.Prefix, "--yes"}
			if c.Input.Memory != "" {
				args = append(args, "--repo", c.Input.Memory)
			}
			out, status := r.memory(tokens[c.Input.Token], "", args...)
			if status != c.Want.Exit || !strings.Contains(strings.Join(strings.Fields(out), " "), c.Want.Says) {
				t.Errorf("exit %d, want %d\n%s\nwant %q", status, c.Want.Exit, out, c.Want.Says)
			}
		})
	}
}
