package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/health"
	"github.com/familiarhq/familiar/internal/render"
)

// doctor runs `familiar doctor` in a clone of the stand-in's repository that
// was set up by `familiar init --private`.
func (r *runner) doctor(dir, token string, args ...string) (doctorJSON, int) {
	r.t.Helper()
	writes := r.server.Writes()
	cmd := exec.Command(binary, append([]string{"doctor", "--json", "--pushed"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "GH_TOKEN=" + token, "GITHUB_API_URL=" + r.server.URL(), "FAMILIAR_MEMORY_KEY=" + r.key}
	out, err := cmd.Output()
	status := 0
	if exit, ok := err.(*exec.ExitError); ok {
		status = exit.ExitCode()
		if status == ExitUsage {
			r.t.Fatalf("%s", exit.Stderr)
		}
	} else if err != nil {
		r.t.Fatal(err)
	}
	var d doctorJSON
	if err := json.Unmarshal(out, &d); err != nil {
		r.t.Fatalf("%v: %s, exit %d", err, out, status)
	}
	if r.server.Writes() != writes {
		r.t.Errorf("the doctor wrote to GitHub")
	}
	if strings.Contains(string(out), r.key) || strings.Contains(string(out), token) {
		r.t.Errorf("the doctor shows a secret: %s", out)
	}
	return d, status
}

// clone makes a clone with the files of init, committed.
func clone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"git", "init", "-q", "-b", "main"}, {"git", "remote", "add", "origin", "https://github.com/lumen/ledger.git"},
		{binary, "init", "--private"}, {"git", "add", "."}, {"git", "commit", "-q", "-m", "familiar"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = os.Environ()
		for name, value := range isolated(dir) {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func told(list []health.Finding) []string {
	var out []string
	for _, f := range list {
		out = append(out, string(f.Severity)+" "+string(f.Check)+" "+f.Message)
	}
	return out
}

// soundSetup is a repository as the documentation asks for it.
func soundSetup() githubtest.Setup {
	return githubtest.Setup{
		Environments: map[string]githubtest.Environment{"familiar": {Branches: []string{"main"}, Secrets: []string{"FAMILIAR_MEMORY_KEY"}}},
		Workflows:    map[string]string{".github/workflows/familiar.yml": "active", ".github/workflows/familiar-sweep.yml": "active"},
	}
}

func TestDoctorAsksGitHub(t *testing.T) {
	r := newRunner(t)
	dir := clone(t)
	admin := r.server.UserToken("mara", "contents:read", "issues:read", "actions:read", "secrets:read", "environments:read", "administration:read")
	r.server.SetUp(r.repo, soundSetup())

	t.Run("nothing is wrong", func(t *testing.T) {
		d, status := r.doctor(dir, admin)
		if status != 0 || len(d.Findings) > 0 || !d.Online || d.Repository != "lumen/ledger" || d.Files != "the default branch" {
			t.Errorf("exit %d, %+v", status, d)
		}
	})
	t.Run("the key as a plain secret, an environment for everybody, a sweep that sleeps", func(t *testing.T) {
		s := soundSetup()
		s.Secrets = []string{"FAMILIAR_MEMORY_KEY"}
		s.Environments["familiar"] = githubtest.Environment{Secrets: []string{"FAMILIAR_MEMORY_KEY"}}
		s.Workflows[".github/workflows/familiar-sweep.yml"] = "disabled_inactivity"
		s.Allowed, s.Patterns = "selected", []string{"actions/*"}
		r.server.SetUp(r.repo, s)
		d, status := r.doctor(dir, admin)
		want := []string{
			"error environment FAMILIAR_MEMORY_KEY is a plain secret of the repository.",
			"error environment Every branch may use the environment `familiar`.",
			"error schedule GitHub has turned this workflow off, since the repository was quiet for 60 days.",
			"error actions The Actions policy does not allow `familiarhq/familiar@v1`.",
		}
		if got := told(d.Findings); status != ExitFailed || !slices.Equal(got, want) || d.Errors != 4 {
			t.Errorf("exit %d, %q", status, got)
		}
	})
	t.Run("what a workflow's token may not see is told, and costs that alone", func(t *testing.T) {
		r.server.SetUp(r.repo, soundSetup())
		d, status := r.doctor(dir, r.token)
		want := []string{
			"note access It was not looked at: the Actions policy.",
			"note access It was not looked at: the repository's secrets.",
		}
		if got := told(d.Findings); status != 0 || !slices.Equal(got, want) || d.Notes != 2 {
			t.Errorf("exit %d, %q", status, got)
		}
	})
	t.Run("a token that GitHub does not take", func(t *testing.T) {
		d, status := r.doctor(dir, r.server.RevokedToken())
		if got := told(d.Findings); status != 0 || len(got) == 0 || got[0] != "warning access GitHub was asked, and did not tell about this repository." {
			t.Errorf("exit %d, %q", status, got)
		}
		if said := fmt.Sprint(d.Findings); !strings.Contains(said, "Check the token in GH_TOKEN") || strings.Contains(said, "github-token") {
			t.Errorf("the variable is not named: %s", said)
		}
	})
	t.Run("an outage", func(t *testing.T) {
		r.server.Fault("GET /repos/{owner}/{repo}/labels", githubtest.Fault{Status: 422}, 1)
		d, _ := r.doctor(dir, admin)
		if got := told(d.Findings); !slices.Equal(got, []string{"note access It was not looked at: the labels."}) {
			t.Errorf("%q", got)
		}
	})
}

func TestDoctorOpensTheMemoryOnGitHub(t *testing.T) {
	r := newRunner(t)
	r.server.SetUp(r.repo, soundSetup())
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	for _, text := range []string{"never `assertEquals` in services/**", "prefer `assertEquals` over `assertThat` in services/**"} {
		if got := r.comment(issue, "mara", "@familiar "+text); got.status != 0 {
			t.Fatalf("exit %d\n%s", got.status, got.log)
		}
	}
	d, status := r.doctor(clone(t), r.token, "--check", "contradictory,store")
	if got := told(d.Findings); status != 0 || len(got) != 1 || !strings.HasSuffix(got[0], " asks for: `assertEquals`.") || len(d.Findings[0].Lessons) != 2 {
		t.Errorf("exit %d, %q", status, got)
	}
	r.key = "AGE-" + "SECRET-KEY-" + "1QQQ"
	if d, status := r.doctor(clone(t), r.token, "--check", "key"); status != ExitFailed || d.Errors != 1 || !strings.HasPrefix(d.Findings[0].Message, "The memory key is no age identity: ") {
		t.Errorf("a key that is none: exit %d, %q", status, told(d.Findings))
	}
}

func TestDoctorInColour(t *testing.T) {
	report := app.DoctorReport{Repository: "acme/shop", Files: "the work tree", Findings: []health.Finding{
		{Severity: health.Error, File: "a.yml", Line: 3, Message: "The job `x` is \x1b[31mwrong.", Reason: "Because.", Fix: "Mend it."},
		{Severity: health.Note, Message: "Look.", Reason: "Once."},
	}}
	plain := doctorText(report, nil, false, doctorFlags{offline: true}, render.TerminalOptions{})
	coloured := doctorText(report, nil, false, doctorFlags{offline: true}, render.TerminalOptions{Color: true})
	if strings.Contains(plain, "\x1b") || !strings.Contains(coloured, "\x1b[31merror\x1b[0m    \x1b[36ma.yml:3\x1b[0m\n") || strings.Contains(coloured, "\x1b[31mwrong") {
		t.Errorf("plain %q\ncoloured %q", plain, coloured)
	}
	want := "Looked at the work tree of acme/shop.\n\nerror    a.yml:3\n"
	if !strings.HasPrefix(plain, want) || !strings.HasSuffix(plain, "\n1 error, 1 note.\n") {
		t.Errorf("plain %s", plain)
	}
}
