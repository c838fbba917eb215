package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// chat is a chat endpoint that finds one thing wrong, in the file that it is
// told to, and ends its answers as it is told to.
type chat struct {
	*httptest.Server
	file, end string

	mu    sync.Mutex
	asked []string
	keys  []string
}

const chatEnd = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":80}}\n\ndata: [DONE]\n\n"

func newChat(t *testing.T, file, end string) *chat {
	t.Helper()
	c := &chat{file: file, end: end}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client gave up
		}
		c.mu.Lock()
		c.asked, c.keys = append(c.asked, string(data)), append(c.keys, r.Header.Get("Authorization"))
		c.mu.Unlock()
		answer := fmt.Sprintf(`{"summary":"Waits before a retry.","proposed_lessons":[],"findings":[`+
			`{"severity":"high","file":%q,"line":3,"title":"Sleeps under a lock","body":"Every caller waits.","recommendation":null,"lessons":[]},`+
			`{"severity":"critical","file":"elsewhere/billing.go","line":1,"title":"Justified by what was taught","body":"m-1 says so.","recommendation":null,"lessons":["m-1"]}]}`, c.file)
		text, err := json.Marshal(answer)
		if err != nil {
			return // a string always is JSON
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n%s", text, c.end)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *chat) times() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.asked)
}

// localModels runs `familiar local` in a clone with one new file.
func localModels(t *testing.T, c *chat, config string, args ...string) (output string, status int) {
	t.Helper()
	dir := t.TempDir()
	clone := filepath.Join(dir, "shop")
	files := map[string]string{
		"AGENTS.md": "Money is never a float.\n", "services/retry.go": "package services\n\nfunc retry() { time.Sleep(second) }\n",
	}
	if config != "" {
		files[".github/familiar.toml"] = config
	}
	git := func(arg ...string) {
		cmd := exec.Command("git", arg...)
		cmd.Dir, cmd.Env = clone, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=mara", "GIT_AUTHOR_EMAIL=mara@example.com", "GIT_COMMITTER_NAME=mara", "GIT_COMMITTER_EMAIL=mara@example.com")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", arg, err, out)
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(clone, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(clone, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	for name := range files {
		if name != "services/retry.go" {
			git("add", name)
		}
	}
	git("commit", "-qm", "What we care about")
	cmd := exec.Command(binary, append([]string{"local", "--worktree", "--quiet"}, args...)...)
	cmd.Dir = clone
	cmd.Env = append(os.Environ(), "FAMILIAR_MODEL_ENDPOINT="+c.URL+"/v1", "FAMILIAR_MODEL_KEY=key-of-the-stand-in", "FAMILIAR_MODEL=model-1", "GITHUB_TOKEN=token-of-somebody-else")
	for name, value := range isolated(dir) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	output = strings.Join(strings.Fields(string(out)), " ") // however the lines were wrapped
	if exit, ok := err.(*exec.ExitError); ok {
		return output, exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return output, 0
}

func TestLocalAsksTheModelThatItsPersonNames(t *testing.T) {
	c := newChat(t, "services/retry.go", chatEnd)
	out, status := localModels(t, c, "", "--runtime", "models")
	if status != 0 || !strings.Contains(out, "F1 high · services/retry.go:3 · Sleeps under a lock") {
		t.Fatalf("status %d\n%s", status, out)
	}
	if !strings.Contains(out, "Not published: 1 candidate (file not in change)") { // A100
		t.Errorf("the finding outside of the change is not counted:\n%s", out)
	}
	if !strings.Contains(out, "The change, as the reviewer sums it up: Waits before a retry.") {
		t.Errorf("the summary is not shown:\n%s", out)
	}
	if !strings.Contains(out, "900 tokens read and 80 written by model-1, in 1 request") {
		t.Errorf("the cost is not said:\n%s", out)
	}
	if c.times() != 1 || c.keys[0] != "Bearer key-of-the-stand-in" {
		t.Fatalf("asked %d times, keys %v", c.times(), c.keys)
	}
	for _, want := range []string{"Money is never a float.", "from AGENTS.md at commit", "func retry()"} {
		if !strings.Contains(c.asked[0], want) {
			t.Errorf("the model is not told %q", want)
		}
	}
	if strings.Contains(c.asked[0], "token-of-somebody-else") {
		t.Error("the model is sent a token")
	}
}

func TestA101AnAnswerThatBreaksOffPublishesNothing(t *testing.T) {
	c := newChat(t, "services/retry.go", strings.TrimSuffix(chatEnd, "data: [DONE]\n\n"))
	out, status := localModels(t, c, "", "--runtime", "models")
	if status != 1 || strings.Contains(out, "Sleeps under a lock") || !strings.Contains(out, "broke off before [DONE]") {
		t.Errorf("status %d\n%s", status, out)
	}
}

func TestA114ACloneThatAsksForAModelSendsNothing(t *testing.T) {
	c := newChat(t, "services/retry.go", chatEnd)
	out, status := localModels(t, c, "[runtime]\nkind = \"models\"\n")
	if status != 0 || c.times() != 0 || !strings.Contains(out, "nothing is sent from here unless --runtime models is given") {
		t.Errorf("asked %d times, status %d\n%s", c.times(), status, out)
	}
	out, status = localModels(t, c, "[runtime]\nkind = \"models\"\nendpoint = \"https://models.example.com\"\n")
	if status != 0 || c.times() != 0 || !strings.Contains(out, "endpoint") {
		t.Errorf("asked %d times, status %d\n%s", c.times(), status, out)
	}
}

func TestTheActionAsksAModelAndSaysWhatItCost(t *testing.T) {
	c := newChat(t, "services/retry.go", chatEnd)
	r := newRunner(t)
	p := r.pull("mara", map[string]string{"services/retry.go": "package services\n\nfunc retry() { time.Sleep(second) }\n"})
	inputs := map[string]string{"runtime": "models", "model-endpoint": c.URL + "/v1", "model-api-key": "key-of-the-stand-in", "model": "model-1"}
	got := r.run("pull_request_target", "mara", r.openedPayload(p, "mara"), inputs)
	if got.status != 0 || got.outputs["findings"] != "1" || got.outputs["outcome"] != "reviewed" {
		t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	bodies := r.ours(p.Number)
	if len(bodies) != 1 || !strings.Contains(bodies[0], "Sleeps under a lock") || !strings.Contains(bodies[0], "900 tokens read and 80 written by model-1") || strings.Contains(bodies[0], "Justified by what was taught") {
		t.Fatalf("comments %q", bodies)
	}
	for _, secret := range []string{r.token, r.key} {
		if secret != "" && strings.Contains(c.asked[0], secret) {
			t.Error("the model is sent a credential of the run")
		}
	}
	if c.keys[0] != "Bearer key-of-the-stand-in" {
		t.Errorf("the key is %q", c.keys[0])
	}
}

func TestTheActionPublishesNothingOfAnUnfinishedTurn(t *testing.T) { // A101
	c := newChat(t, "services/retry.go", chatEnd+"data: {}\n\n")
	r := newRunner(t)
	p := r.pull("mara", map[string]string{"services/retry.go": "package services\n\nfunc retry() { time.Sleep(second) }\n"})
	got := r.run("pull_request_target", "mara", r.openedPayload(p, "mara"),
		map[string]string{"runtime": "models", "model-endpoint": c.URL + "/v1", "model-api-key": "key-of-the-stand-in", "model": "model-1", "max-retries": "0"})
	if got.outputs["outcome"] != "failed" || got.outputs["findings"] != "0" {
		t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	for _, body := range r.ours(p.Number) {
		if strings.Contains(body, "Sleeps under a lock") || !strings.Contains(body, "data follows the end of the answer") {
			t.Errorf("the comment says\n%s", body)
		}
	}
	if len(r.server.PullComments(r.repo, p.Number)) != 0 {
		t.Error("something stands on a line")
	}
}

func TestTheActionRefusesToGiveItsTokenToAModel(t *testing.T) {
	c := newChat(t, "services/retry.go", chatEnd)
	r := newRunner(t)
	p := r.pull("mara", map[string]string{"services/retry.go": "package services\n"})
	got := r.run("pull_request_target", "mara", r.openedPayload(p, "mara"),
		map[string]string{"runtime": "models", "model-endpoint": c.URL + "/v1", "model-api-key": r.token, "model": "model-1"})
	if got.status != ExitUsage || !strings.Contains(got.log, "go to no model host") || c.times() != 0 {
		t.Errorf("exit %d, asked %d times\n%s", got.status, c.times(), got.log)
	}
}

func TestTheActionRunsACommandUnderAnotherUserIDOrNotAtAll(t *testing.T) {
	r := newRunner(t)
	p := r.pull("mara", map[string]string{"services/retry.go": "package services\n\nfunc retry() { time.Sleep(second) }\n"})
	result := `{"contract_version":"2","status":"success","commits":[],"files_changed":[],"summary":"looked","pr_body":"","review":{"mode":"pull_request","evidence_status":"complete","reviewed_files":["services/retry.go"],"supporting_files":[],"findings":[{"severity":"high","file":"services/retry.go","line":3,"title":"Found under id '$(id -u)' in groups '$(id -G)'","body":"b","recommendation":null}],"tests_run":[],"no_findings_reason":null,"limitations":[]}}`
	got := r.run("pull_request_target", "mara", r.openedPayload(p, "mara"),
		map[string]string{"runtime": "exec", "max-retries": "0", "exec-command": "/bin/sh\n-c\nprintf '%s' '" + result + "' >\"$4\""})
	body := strings.Join(r.ours(p.Number), "\n")
	if strings.Contains(body, "Found under id 0 ") {
		t.Fatalf("the command ran as root:\n%s", body)
	}
	if strings.Contains(body, "needs to run under another user id") {
		if got.outputs["outcome"] != "failed" || got.outputs["findings"] != "0" || os.Getuid() == 0 {
			t.Errorf("exit %d, outputs %v\n%s\n%s", got.status, got.outputs, body, got.log)
		}
		return
	}
	if got.status != 0 || got.outputs["findings"] != "1" || !strings.Contains(body, "Found under id 6") {
		t.Errorf("exit %d, outputs %v\n%s\n%s", got.status, got.outputs, body, got.log)
	}
}
