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

// replay runs `familiar replay` for a payload against the stand-in, and
// fails the test if that wrote anything.
func (r *runner) replay(payload any, args ...string) (out string, status int) {
	r.t.Helper()
	data, err := json.Marshal(payload)
	if err != nil {
		r.t.Fatal(err)
	}
	dir := r.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "event.json"), data, 0o600); err != nil {
		r.t.Fatal(err)
	}
	writes, containers := r.server.Writes(), len(r.server.Artifacts(r.repo, "familiar-memory-501"))
	cmd := exec.Command(binary, append([]string{"replay", "event.json"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "GITHUB_TOKEN=" + r.token, "GITHUB_API_URL=" + r.server.URL(), "FAMILIAR_MEMORY_KEY=" + r.key}
	said, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok {
		status = exit.ExitCode()
	} else if err != nil {
		r.t.Fatal(err)
	}
	if r.server.Writes() != writes || len(r.server.Artifacts(r.repo, "familiar-memory-501")) != containers {
		r.t.Errorf("a replay wrote %d times\n%s", r.server.Writes()-writes, said)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		r.t.Errorf("a replay left %v behind (%v)", left, err)
	}
	return string(said), status
}

// TestReplayShowsAReviewAndWritesNothing: what the action would do for a pull
// request, with the memory that a real run saved.
func TestReplayShowsAReviewAndWritesNothing(t *testing.T) {
	r := newRunner(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	if got := r.comment(issue, "mara", "@familiar never `time.Sleep(` in services/**\nbecause: a wait must be cancellable"); got.status != 0 {
		t.Fatalf("exit %d\n%s", got.status, got.log)
	}
	id := documentID.FindString(r.ours(issue)[0])
	p := r.pull("mara", map[string]string{"services/retry.go": "package services\n\nfunc retry() {\n\ttime.Sleep(second)\n}\n"})
	flags := []string{"--event", "pull_request_target", "--repo", r.repo}

	out, status := r.replay(r.openedPayload(p, "mara"), flags...)
	for _, want := range []string{
		"Event    pull_request_target opened\n", "Outcome  reviewed\n", "Trust    maintainer (", "Memory   reads repo lessons; may propose repo lessons",
		"Reads    " + id + ": never time.Sleep( in services/**", "Would    say how things stand on #", "The comment would say:\n\n  <!-- familiar:status v1 lumen/ledger#",
		"Because of `" + id + "`.",
		"Would    put 1 finding",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if status != 0 || t.Failed() {
		t.Errorf("exit %d\n%s", status, out)
	}
	if got := r.ours(p.Number); len(got) != 0 {
		t.Errorf("the pull request has comments %q", got)
	}

	out, status = r.replay(r.openedPayload(p, "mara"), append(flags, "--json")...)
	var d replayed
	if err := json.Unmarshal([]byte(out), &d); err != nil || status != 0 {
		t.Fatalf("exit %d, %v\n%s", status, err, out)
	}
	if d.Outcome != "reviewed" || d.Trust.Scope != "maintainer" || len(d.Trust.Reasons) == 0 || !d.Policy.Enabled || len(d.Reads) != 1 || d.Reads[0] != id ||
		len(d.Would) < 2 || !strings.Contains(d.Comment, "1 finding") {
		t.Errorf("got %+v", d)
	}
}

// TestReplayOfACommand: a maintainer's, a triage user's, and a casual comment.
func TestReplayOfACommand(t *testing.T) {
	for _, c := range []struct {
		name, login, body string
		want              []string
	}{
		{"a maintainer's would be stored", "mara", "@familiar remember amounts are in minor units",
			[]string{"Outcome  commands_applied\n", "Would    remember, as mara asked on line 1\n", "Would    save the store\n", "this is a dry run"}},
		{"a triage user's would be refused", "kim", "@familiar remember trust kim", []string{"Would    answer on #1\n", "every command was refused", "Would    react with confused\n"}},
		{"a casual comment does nothing", "mara", "thanks, well done", []string{"Outcome  nothing_to_do: nobody spoke to me\n", "Would    write nothing\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
			out, status := r.replay(r.commentPayload(issue, c.login, c.body), "--event", "issue_comment", "--repo", r.repo)
			if status != 0 {
				t.Errorf("exit %d", status)
			}
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing in\n%s", want, out)
				}
			}
		})
	}
}

// TestReplaySaysWhatIsWrong: each refusal names what, and the next step.
func TestReplaySaysWhatIsWrong(t *testing.T) {
	r := newRunner(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	good := r.commentPayload(issue, "mara", "@familiar list")
	for _, c := range []struct {
		name    string
		prepare func(r *runner)
		payload any
		args    []string
		status  int
		want    string
	}{
		{"no event", nil, good, []string{"--repo", r.repo}, 2, "name it with --event"},
		{"no repository", nil, good, []string{"--event", "issue_comment"}, 2, "--repo OWNER/NAME"},
		{"another repository", nil, good, []string{"--event", "issue_comment", "--repo", "lumen/other"}, 2, "the event is of lumen/ledger, not of lumen/other"},
		{"not a payload", nil, []string{"x"}, []string{"--event", "issue_comment", "--repo", r.repo}, 2, "event.json: "},
		{"no token", func(r *runner) { r.token = "" }, good, []string{"--event", "issue_comment", "--repo", r.repo}, 2, "GITHUB_TOKEN is empty"},
		{"a file that is not there", nil, good, []string{"--event", "issue_comment", "--repo", r.repo, "--", "gone.json"}, 2, "takes the file of one event, but got 2 arguments"},
		{"a token that is not taken", func(r *runner) { r.token = r.server.RevokedToken() }, good, []string{"--event", "issue_comment", "--repo", r.repo}, 1, "Check the token in GITHUB_TOKEN"},
		{"a broken key", func(r *runner) { r.key = "not a key" }, good, []string{"--event", "issue_comment", "--repo", r.repo}, 2, "FAMILIAR_MEMORY_KEY"},
		{"an event that nobody knows", nil, good, []string{"--event", "star", "--repo", r.repo}, 2, "answers no event \"star\"; --event takes "},
		{"no payload is said before no event", nil, []string{"x"}, nil, 2, "event.json: it holds no event, which is one JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mine := *r
			if c.prepare != nil {
				c.prepare(&mine)
			}
			out, status := mine.replay(c.payload, c.args...)
			if status != c.status || !strings.Contains(out, c.want) {
				t.Errorf("exit %d, want %d; %q is missing in\n%s", status, c.status, c.want, out)
			}
		})
	}
}
