package cli

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/vault"
)

// runner starts the built action as a container action is started:
// environment, event file, output files, over the stand-in.
type runner struct {
	t      testing.TB
	server *githubtest.Server
	repo   string
	id     int64 // of the repository
	token  string
	key    string // memory-key; "": none
	next   int64  // run id
	pulls  map[int]bool
	tokens map[string]string // of jobs
	// clock is GitHub's time where the action runs in this process and by it;
	// nil: the built binary runs, by the time of the machine.
	clock      func() time.Time
	triggering string // who re-ran; "": the actor
	// through is how a benchmark starts the action; nil: as it is.
	through func(*exec.Cmd) *exec.Cmd
	outside bool // where there is a clock: by a process with that clock
	// starts takes the place of start; nil: nothing does.
	starts func(dir string, env []string) (log string, status int)
}

// step is what a run left behind.
type stepResult struct {
	status  int
	log     string
	outputs map[string]string
	summary string
}

const workflow = ".github/workflows/familiar.yml"

func newRunner(t testing.TB) *runner { return newRunnerOf(t, 501) }

// newRunnerOf is a runner whose repository has that id.
func newRunnerOf(t testing.TB, id int64) *runner {
	t.Helper()
	s := githubtest.New(t)
	s.SetNow(time.Now().Truncate(time.Second))
	s.AddRepo(githubtest.Repo{
		Owner: "lumen", Name: "ledger", ID: id, OwnerID: 77, OwnerType: "Organization", Visibility: "private", DefaultBranch: "main",
		Files: map[string]string{"README.md": "ledger\n", "services/clock.go": "package services\n"},
	})
	s.AddUser("mara", 11, "User")
	s.AddUser("kim", 12, "User")
	s.AddUser("stranger", 13, "User")
	s.Grant("lumen/ledger", "mara", "write")
	s.Grant("lumen/ledger", "kim", "triage")
	for _, l := range []string{"approve", "reject", "review", "no-memory", "skip"} { // as if this were not the first run here
		s.DefineLabel("lumen/ledger", "familiar:"+l)
	}
	key, _, err := vault.NewKey(strings.NewReader(strings.Repeat("a fixed source of test bytes... ", 4)))
	if err != nil {
		t.Fatal(err)
	}
	return &runner{t: t, server: s, repo: "lumen/ledger", id: id, token: s.FullToken(), key: key, next: 9000, pulls: map[int]bool{}}
}

// run starts the action with one event.
func (r *runner) run(name, actor string, payload map[string]any, inputs map[string]string) stepResult {
	r.t.Helper()
	r.next++
	r.server.AddRun(githubtest.Run{
		Repo: r.repo, ID: r.next, Attempt: 1, Name: "familiar", Path: workflow, Event: name, HeadBranch: "main",
		HeadSHA: r.server.Head(r.repo, "main"), Status: "in_progress", Actor: actor, CreatedAt: r.server.Now(),
	})
	return r.step(r.t.TempDir(), 1, name, actor, payload, inputs)
}

// step starts the action as one step of the run's job, whose temporary folder
// is dir.
func (r *runner) step(dir string, attempt int, name, actor string, payload map[string]any, inputs map[string]string) stepResult {
	r.t.Helper()
	data, err := json.Marshal(payload)
	if err != nil {
		r.t.Fatal(err)
	}
	event, output, summary := filepath.Join(dir, "event.json"), filepath.Join(dir, "output"), filepath.Join(dir, "summary.md")
	for path, content := range map[string][]byte{event: data, output: nil, summary: nil} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	env := []string{
		"GITHUB_EVENT_NAME=" + name, "GITHUB_EVENT_PATH=" + event, "GITHUB_OUTPUT=" + output, "GITHUB_STEP_SUMMARY=" + summary,
		"GITHUB_REPOSITORY=" + r.repo, "GITHUB_API_URL=" + r.server.URL(), "GITHUB_SERVER_URL=https://github.com",
		"GITHUB_RUN_ID=" + itoa(r.next), "GITHUB_RUN_ATTEMPT=" + itoa(int64(attempt)), "GITHUB_ACTOR=" + actor, "GITHUB_TRIGGERING_ACTOR=" + cmp.Or(r.triggering, actor),
		"GITHUB_WORKFLOW_REF=" + r.repo + "/" + workflow + "@refs/heads/main", "RUNNER_TEMP=" + dir, "GITHUB_RETENTION_DAYS=90",
		"ACTIONS_RESULTS_URL=" + r.server.ResultsURL(), "ACTIONS_RUNTIME_TOKEN=" + r.jobToken(dir),
		"INPUT_GITHUB-TOKEN=" + r.token,
	}
	if r.key != "" {
		env = append(env, "INPUT_MEMORY-KEY="+r.key)
	}
	for k, v := range inputs {
		env = append(env, "INPUT_"+strings.ToUpper(k)+"="+v)
	}
	res := stepResult{outputs: map[string]string{}}
	res.log, res.status = r.start(dir, env)
	res.summary = read(r.t, summary)
	for _, m := range regexp.MustCompile(`(?s)([a-z-]+)<<(familiar_[0-9a-f]+)\n(.*?)\n(familiar_[0-9a-f]+)\n`).FindAllStringSubmatch(read(r.t, output), -1) {
		res.outputs[m[1]] = m[3]
	}
	return res
}

// start runs the action with exactly this environment.
func (r *runner) start(dir string, env []string) (log string, status int) {
	r.t.Helper()
	if r.starts != nil {
		return r.starts(dir, env)
	}
	if r.clock != nil && !r.outside {
		return here(dir, env, r.clock())
	}
	cmd := actionCommand(r.t, dir, env)
	if r.clock != nil {
		cmd = exec.Command(clockBinary)
		cmd.Dir, cmd.Env = dir, append(env, "FAMILIAR_NOW="+r.clock().Format(time.RFC3339))
	}
	if r.through != nil {
		cmd = r.through(cmd)
	}
	out, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok {
		return string(out), exit.ExitCode()
	} else if err != nil {
		r.t.Fatal(err)
	}
	return string(out), 0
}

// jobToken is the runtime token of one job of the run: its steps share it.
func (r *runner) jobToken(dir string) string {
	job := itoa(r.next) + " " + dir
	if r.tokens[job] == "" {
		if r.tokens == nil {
			r.tokens = map[string]string{}
		}
		r.tokens[job] = r.server.RuntimeToken(r.repo, r.next)
	}
	return r.tokens[job]
}

func itoa(n int64) string { b, _ := json.Marshal(n); return string(b) }

func (r *runner) user(login string) map[string]any {
	id := map[string]int64{"mara": 11, "kim": 12, "stranger": 13}[login]
	return map[string]any{"id": id, "login": login, "type": "User"}
}

func (r *runner) repository() map[string]any {
	return map[string]any{
		"id": r.id, "name": "ledger", "full_name": r.repo, "private": true, "visibility": "private", "default_branch": "main",
		"owner": map[string]any{"id": 77, "login": "lumen", "type": "Organization"},
	}
}

// comment posts a comment on GitHub and runs the action for it.
func (r *runner) comment(number int, login, body string) stepResult {
	r.t.Helper()
	return r.run("issue_comment", login, r.commentPayload(number, login, body), nil)
}

// commentPayload posts a comment on GitHub and is the payload of its event.
func (r *runner) commentPayload(number int, login, body string) map[string]any {
	c := r.server.Comment(r.repo, number, login, body)
	issue := map[string]any{"number": number, "title": "x", "state": "open", "user": r.user(login)}
	if r.isPull(number) {
		issue["pull_request"] = map[string]any{"url": "https://api.github.com/repos/lumen/ledger/pulls/" + itoa(int64(number))}
	}
	return map[string]any{
		"action": "created", "repository": r.repository(), "sender": r.user(login), "issue": issue,
		"comment": map[string]any{
			"id": c.ID, "body": body, "html_url": "https://github.com/lumen/ledger/issues/1#issuecomment-1", "user": r.user(login),
			"created_at": c.CreatedAt.UTC().Format(time.RFC3339), "updated_at": c.CreatedAt.UTC().Format(time.RFC3339),
		},
	}
}

func (r *runner) isPull(n int) bool { return r.pulls[n] }

// pull opens a pull request from this repository and returns its number.
func (r *runner) pull(author string, head map[string]string) githubtest.Pull {
	p := r.server.AddPull(githubtest.PullSpec{Repo: r.repo, Title: "A change", Author: author, BaseRef: "main", HeadRef: "topic", Head: head})
	r.pulls[p.Number] = true
	return p
}

// opened runs the action for a pull request's event.
func (r *runner) opened(p githubtest.Pull, login string) stepResult {
	r.t.Helper()
	return r.run("pull_request_target", login, r.openedPayload(p, login), nil)
}

// openedPayload is the payload of a pull request that login opened.
func (r *runner) openedPayload(p githubtest.Pull, login string) map[string]any {
	headRepo := any(map[string]any{"id": r.id})
	if p.HeadRepo == "" || p.HeadRepo != r.repo {
		headRepo = map[string]any{"id": 999}
	}
	return map[string]any{
		"action": "opened", "number": p.Number, "repository": r.repository(), "sender": r.user(login),
		"pull_request": map[string]any{
			"number": p.Number, "title": "A change", "state": "open", "user": r.user(login), "draft": false, "merged": false,
			"base":   map[string]any{"ref": p.BaseRef, "sha": p.BaseSHA, "repo": map[string]any{"id": r.id}},
			"head":   map[string]any{"ref": p.HeadRef, "sha": p.HeadSHA, "repo": headRepo},
			"labels": []any{},
		},
	}
}

// ours are the bodies of the comments that the action wrote.
func (r *runner) ours(number int) []string {
	var out []string
	for _, c := range r.server.CommentsBy(r.repo, number, "github-actions[bot]") {
		out = append(out, c.Body)
	}
	return out
}

// TestMaintainerTeachesAndTheNextReviewCitesIt is the story of the product,
// over real HTTP and a real sealed artifact: a maintainer's command in one
// run is a cited finding in the next.
func TestMaintainerTeachesAndTheNextReviewCitesIt(t *testing.T) {
	r := newRunner(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})

	taught := r.comment(issue, "mara", "@familiar never `time.Sleep(` in services/**\nbecause: a wait must be cancellable")
	if taught.status != 0 || taught.outputs["outcome"] != "commands_applied" {
		t.Fatalf("exit %d, outputs %v\n%s", taught.status, taught.outputs, taught.log)
	}
	bodies := r.ours(issue)
	if len(bodies) != 1 || !strings.Contains(bodies[0], "Remembered as `m-") {
		t.Fatalf("comments %q", bodies)
	}
	id := documentID.FindString(bodies[0])
	if got := r.server.Artifacts(r.repo, "familiar-memory-501"); len(got) != 1 {
		t.Fatalf("%d containers, want 1\n%s", len(got), taught.log)
	} else if strings.Contains(string(got[0].Data), "cancellable") {
		t.Error("A18: the artifact holds a lesson in the clear")
	}

	p := r.pull("mara", map[string]string{"services/retry.go": "package services\n\nfunc retry() {\n\ttime.Sleep(second)\n}\n"})
	r.server.ResetLog()
	r.server.Latency(25 * time.Millisecond) // so that what is asked side by side overlaps
	reviewed := r.opened(p, "mara")
	if reviewed.status != 0 || reviewed.outputs["findings"] != "1" || reviewed.outputs["memory-read"] != "1" || reviewed.outputs["trust-scope"] != "maintainer" {
		t.Fatalf("exit %d, outputs %v\n%s", reviewed.status, reviewed.outputs, reviewed.log)
	}
	if got := r.server.Artifacts(r.repo, "familiar-memory-501"); len(got) != 2 {
		t.Errorf("%d containers, want the command's and that of the review, which noted what it used", len(got))
	}
	bodies = r.ours(p.Number)
	if len(bodies) != 1 || !strings.Contains(bodies[0], "Because of `"+id+"`") || !strings.HasPrefix(bodies[0], "<!-- familiar:status v1 lumen/ledger#") {
		t.Fatalf("comments %q", bodies)
	}
	lines := r.server.PullComments(r.repo, p.Number)
	if len(lines) != 1 || lines[0].Line != 4 || !strings.Contains(lines[0].Body, "a wait must be cancellable") {
		t.Fatalf("line comments %+v", lines)
	}
	r.server.Latency(0)
	t.Logf("%d calls to the API, %d deep", r.server.CallsTo(githubtest.API), r.server.Depth())

	// A second look at the same head writes nothing.
	writes := r.server.Writes()
	again := r.opened(p, "mara")
	if again.status != 0 || r.server.Writes() != writes {
		t.Logf("first:\n%s\nthen:\n%s", bodies[0], r.ours(p.Number)[0])
		t.Errorf("a second look wrote %d times, exit %d\n%s", r.server.Writes()-writes, again.status, again.log)
	}

	// Forgotten, it is gone from the next review.
	if got := r.comment(p.Number, "mara", "/familiar forget "+id); got.status != 0 {
		t.Fatalf("exit %d\n%s", got.status, got.log)
	}
	after := r.opened(p, "mara")
	if after.status != 0 || after.outputs["findings"] != "0" || after.outputs["memory-read"] != "0" {
		t.Errorf("after forgetting: exit %d, outputs %v\n%s", after.status, after.outputs, after.log)
	}
}
