package runtime

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// A reviewer of these tests is a real process: a shell with a script. In it
// $2 is the brief and $4 the result.

const (
	goodResult = `{"contract_version":"2","status":"success","commits":[],"files_changed":[],"summary":"looked","pr_body":"",
"review":{"mode":"pull_request","evidence_status":"complete","reviewed_files":["a.go"],"supporting_files":[],"findings":[
{"severity":"low","file":"a.go","line":1,"title":"t","body":"b","recommendation":null}],
"tests_run":[],"no_findings_reason":null,"limitations":[]}}`
	writeGood = "cat >\"$4\" <<'JSON'\n" + goodResult + "\nJSON\n"
)

// worded is the good result with another status and summary.
func worded(status, summary string) string {
	r := strings.Replace(goodResult, `"status":"success"`, `"status":"`+status+`"`, 1)
	r = strings.Replace(r, `"summary":"looked"`, `"summary":"`+summary+`"`, 1)
	if status != "partial" {
		r = strings.TrimSuffix(r, "}") + `,"exit_reason":"ambiguous_spec"}`
	}
	return "cat >\"$4\" <<'JSON'\n" + r + "\nJSON\n"
}

func job(t *testing.T) Job {
	t.Helper()
	data, err := os.ReadFile("../../testdata/contract/brief-review-nested-policy.json")
	if err != nil {
		t.Fatal(err)
	}
	brief, err := contract.DecodeBrief(data)
	if err != nil {
		t.Fatal(err)
	}
	return Job{Brief: brief, Snapshot: memory.Snapshot{Lessons: []memory.Version{lesson("m-00000001", "Keep amounts in minor units")}}}
}

func lesson(id, text string) memory.Version {
	return memory.Version{
		DocumentID: id, Number: 1, Key: "repo/acme/shop/lessons/x", Scope: contract.ScopeRepo, Text: text,
		State: memory.Active, Source: memory.UserAuthored, Creator: memory.Principal{ID: 1, Login: "mara"},
		ConfirmedBy: memory.Principal{ID: 1, Login: "mara"},
	}
}

// runReviewer runs a script as the reviewer and returns the folder that its
// attempts lie in.
func runReviewer(t *testing.T, script string, change func(*ExecOptions)) (Output, string) {
	t.Helper()
	dir := t.TempDir()
	o := ExecOptions{Command: []string{"/bin/sh", "-c", script}, Dir: dir, Local: true, Shape: contract.ShapeNested, Deadline: 20 * time.Second}
	if change != nil {
		change(&o)
	}
	out, err := ExecReviewer{Options: o}.Review(t.Context(), job(t))
	if err != nil {
		t.Fatal(err)
	}
	return out, dir
}

// left reads a file that the reviewer wrote into its own folder.
func left(t *testing.T, dir, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "attempt-*", "out", name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: found %v (%v)", name, found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestAResultOfAnotherForm: what reads it decides what it says, and the exit
// code still comes first.
func TestAResultOfAnotherForm(t *testing.T) {
	reads := func(data []byte) (Output, bool, error) {
		switch text := strings.TrimSpace(string(data)); {
		case text == "bad":
			return Output{}, true, errors.New("the result is refused: it is bad")
		case strings.HasPrefix(text, "other"):
			return Output{Outcome: Finished, Reviewed: []string{"a.go"}, Summary: text}, true, nil
		}
		return Output{}, false, nil
	}
	for _, c := range []struct {
		name, script string
		want         Outcome
		detail       string
	}{
		{"one that is known is used", `echo other >"$4"`, Finished, ""},
		{"one of the contract is read as that", writeGood, Finished, ""},
		{"one that is refused is not used", `echo bad >"$4"`, Infra, "the result is refused: it is bad"},
		{"1 gave up, whatever it holds", `echo other >"$4"; echo 3 problems >&2; exit 1`, GaveUp, "the reviewer gave up: its exit code says so, and the SARIF that it wrote is not used; let it end with 0 where it found something. 3 problems"},
		{"2 is infrastructure", `echo other >"$4"; exit 2`, Infra, "the reviewer ended with exit code 2"},
		{"a signal is infrastructure", `echo other >"$4"; kill -9 $$`, Infra, "the reviewer was killed by a signal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := runReviewer(t, c.script, func(o *ExecOptions) { o.Adapt = reads })
			if out.Outcome != c.want || !strings.Contains(out.Detail, c.detail) || (len(out.Reviewed) > 0) != (c.want == Finished) {
				t.Errorf("%+v, want %s and %q", out, c.want, c.detail)
			}
		})
	}
}

func TestExitCodeDecidesFirstAndThenTheResult(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         Outcome
		detail       string
	}{
		{"0 with a result is finished", writeGood, Finished, ""},
		{"0 without a result is infrastructure", "exit 0", Infra, "the reviewer wrote no result: result.json does not exist"},
		{"0 and status failure contradict each other: gave up", worded("failure", "too large"), GaveUp, "the reviewer gave up: too large"},
		{"0 and status needs_input asks", worded("needs_input", "which currency?"), NeedsInput, "the reviewer asks: which currency?"},
		{"0 and status partial is finished; coverage is ours to count", worded("partial", "half"), Finished, ""},
		{"1 gave up", worded("failure", "too large") + "exit 1", GaveUp, "the reviewer gave up: too large"},
		{"1 without a result is infrastructure", "echo crashed >&2; exit 1", Infra, "the reviewer ended with exit code 1: crashed; the reviewer wrote no result: result.json does not exist"},
		{"2 without a result says how it ended", "echo no disk >&2; exit 2", Infra, "the reviewer ended with exit code 2: no disk"},
		{"1 with status success gave up: the code outranks the word", writeGood + "exit 1", GaveUp, "the reviewer gave up: looked"},
		{"2 is infrastructure, whatever the result says", writeGood + "echo no disk >&2; exit 2", Infra, "the reviewer ended with exit code 2: no disk"},
		{"3 asks", worded("needs_input", "which currency?") + "exit 3", NeedsInput, "the reviewer asks: which currency?"},
		{"3 without a question is infrastructure", "exit 3", Infra, "the reviewer ended with exit code 3; the reviewer wrote no result: result.json does not exist"},
		{"7 is unknown and so infrastructure", writeGood + "exit 7", Infra, "the reviewer ended with exit code 7"},
		{"a signal is infrastructure, result or not", writeGood + "kill -9 $$", Infra, "the reviewer was killed by a signal"},
		{"A65: a key twice is refused", "echo '{\"contract_version\":\"2\",\"contract_version\":\"2\"}' >\"$4\"", Infra, "duplicate"},
		{"A65: data after the result is refused", writeGood + "echo '{}' >>\"$4\"", Infra, "the result is refused"},
		{"an unknown field is refused", "echo '{\"contract_version\":\"2\",\"approved\":true}' >\"$4\"", Infra, "the result is refused"},
		{"0 with an empty result is infrastructure, and what it said is passed on", "echo lint: not found >&2; : >\"$4\"", Infra, "the reviewer wrote an empty result; it said: lint: not found"},
		{"another form, where nothing reads it, is refused", "echo '{\"version\":\"2.1.0\",\"runs\":[]}' >\"$4\"", Infra, "the result is refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := runReviewer(t, c.script, nil)
			if out.Outcome != c.want {
				t.Errorf("outcome %q, want %q (%s)", out.Outcome, c.want, out.Detail)
			}
			if out.Detail != c.detail && (c.want != Infra || !strings.Contains(out.Detail, c.detail)) {
				t.Errorf("detail %q, want %q", out.Detail, c.detail)
			}
			if c.want != Finished && (out.Candidates != nil || out.MemoryUsed != nil || out.Reviewed != nil) {
				t.Errorf("an unfinished turn hands on %+v", out)
			}
			if c.want == Finished && (len(out.Candidates) != 1 || out.Candidates[0].Path != "a.go") {
				t.Errorf("candidates %+v", out.Candidates)
			}
		})
	}
}

func TestResultIsARegularFileOfBoundedSize(t *testing.T) {
	for _, c := range []struct{ name, script, detail string }{
		{"a link to a good result", "cat >good.json <<'JSON'\n" + goodResult + "\nJSON\nln -s good.json \"$4\"", "result.json is a symbolic link"},
		{"a link to nowhere", "ln -s nowhere \"$4\"", "result.json is a symbolic link"},
		{"a folder", "mkdir \"$4\"", "result.json is a folder"},
		{"a named pipe that nobody writes to", "mkfifo \"$4\"", "result.json is a named pipe"},
		{"a sparse file of a terabyte", "truncate -s 1T \"$4\" 2>/dev/null || truncate -s 8G \"$4\"", "at most 16777216 are read"},
		{"one byte too many", "truncate -s 16777217 \"$4\"", "the result is too large: 16777217 bytes"},
		{"as large as may be, but not a result", "truncate -s 16777216 \"$4\"", "the result is refused"},
		{"a file that may not be read", writeGood + "chmod 000 \"$4\"", "cannot be opened"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Contains(c.detail, "opened") && os.Getuid() == 0 {
				c.detail = "" // root may read it, and so does
			}
			out, _ := runReviewer(t, c.script, nil)
			if c.detail == "" {
				if out.Outcome != Finished {
					t.Fatalf("%q: %s", out.Outcome, out.Detail)
				}
				return
			}
			if out.Outcome != Infra || !strings.Contains(out.Detail, c.detail) {
				t.Errorf("%q %q, want infra with %q", out.Outcome, out.Detail, c.detail)
			}
		})
	}
}

func TestA68EnvironmentOfAReviewerIsAnAllowList(t *testing.T) {
	for _, name := range []string{"GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "INPUT_MEMORY-KEY", "SSH_AUTH_SOCK", "DOCKER_HOST", "XDG_STATE_HOME", "LD_PRELOAD_NOT"} {
		t.Setenv(name, "not-for-a-reviewer")
	}
	t.Setenv("TZ", "UTC")
	_, dir := runReviewer(t, "tr '\\0' '\\n' </proc/self/environ >env.txt; pwd >pwd.txt; "+writeGood, nil)
	env := left(t, dir, "env.txt")
	if strings.Contains(env, "not-for-a-reviewer") {
		t.Errorf("the reviewer sees\n%s", env)
	}
	out := strings.TrimSpace(left(t, dir, "pwd.txt"))
	allowed := append([]string{"HOME", "TMPDIR", "PWD", "OLDPWD", "_", "SHLVL"}, allowedEnv...) // the shell adds some of its own
	for line := range strings.Lines(env) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if !slices.Contains(allowed, name) {
			t.Errorf("the reviewer sees %s", name)
		}
		if (name == "HOME" || name == "TMPDIR") && value != out {
			t.Errorf("%s=%s, want the reviewer's own folder %s", name, value, out)
		}
	}
	if !strings.Contains(env, "TZ=UTC\n") || !strings.Contains(env, "PATH=") {
		t.Errorf("the allow-list is not handed on:\n%s", env)
	}
}

// alive says whether a process runs that is not merely waiting to be reaped.
func alive(t *testing.T, pid string) bool {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestNothingOfAReviewerOutlivesIt(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"a child in the background", "sleep 600 & echo $! >pid; "},
		{"a child that ignores polite signals", "(trap '' TERM HUP INT; while :; do sleep 1; done) & echo $! >pid; "},
		{"a child in a session of its own", "setsid sh -c 'echo $$ >pid; exec sleep 600' & while [ ! -s pid ]; do sleep 0.01; done; "},
		{"a daemon that left twice", "setsid sh -c 'setsid sh -c \"echo \\$\\$ >pid; exec sleep 600\" & exit 0' & while [ ! -s pid ]; do sleep 0.01; done; "},
	} {
		for _, end := range []struct{ name, script string }{{"which then finishes", writeGood}, {"which then hangs", "sleep 600"}} {
			t.Run(c.name+" of a reviewer "+end.name, func(t *testing.T) {
				out, dir := runReviewer(t, "exec >/dev/null 2>&1; "+c.script+end.script, func(o *ExecOptions) { o.Deadline = time.Second })
				if pid := left(t, dir, "pid"); alive(t, pid) {
					t.Errorf("process %s is still there", pid)
				}
				want := Finished
				if end.script == "sleep 600" {
					want = Infra
				}
				if out.Outcome != want {
					t.Errorf("%q: %s", out.Outcome, out.Detail)
				}
			})
		}
	}
}

func TestAReviewersEndLeavesOurOwnProcessesAlone(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	var ours *exec.Cmd
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			if _, err := os.Stat(started); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		ours = exec.Command("sleep", "600")
		if err := ours.Start(); err != nil {
			t.Error(err)
		}
		overwrite(t, filepath.Join(dir, "go"), "")
	}()
	out, _ := runReviewer(t, "touch "+started+"; while [ ! -e "+dir+"/go ]; do sleep 0.01; done; "+writeGood, nil)
	<-done
	defer func() { _ = ours.Process.Kill(); _ = ours.Wait() }()
	if out.Outcome != Finished {
		t.Fatalf("%q: %s", out.Outcome, out.Detail)
	}
	if !alive(t, strconv.Itoa(ours.Process.Pid)) {
		t.Error("a process that we started ourselves meanwhile was ended with the reviewer")
	}
}

func overwrite(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Error(err)
	}
}

func TestReviewersSideBySideDoNotEndEachOther(t *testing.T) {
	type ended struct {
		out Output
		err error
	}
	results := make(chan ended)
	for range 4 {
		dir, j := t.TempDir(), job(t)
		go func() {
			out, err := ExecReviewer{Options: ExecOptions{
				Command: []string{"/bin/sh", "-c", "sleep 0.2; " + writeGood}, Dir: dir, Local: true, Shape: contract.ShapeNested, Deadline: 20 * time.Second,
			}}.Review(t.Context(), j)
			results <- ended{out, err}
		}()
	}
	for range 4 {
		if r := <-results; r.err != nil || r.out.Outcome != Finished {
			t.Errorf("%q %s %v", r.out.Outcome, r.out.Detail, r.err)
		}
	}
}

func TestDeadlineEndsAReviewer(t *testing.T) {
	start := time.Now()
	out, _ := runReviewer(t, writeGood+"sleep 600", func(o *ExecOptions) { o.Deadline = 300 * time.Millisecond })
	if out.Outcome != Infra || out.Detail != "the reviewer did not end before its deadline" {
		t.Errorf("%q %q", out.Outcome, out.Detail)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestACancelledRunEndsItsReviewerAndDoesNotRetry(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	dir := t.TempDir()
	out, err := ExecReviewer{Options: ExecOptions{Command: []string{"/bin/sh", "-c", "sleep 600"}, Dir: dir, Local: true, Shape: contract.ShapeNested, Retries: 5}}.Review(ctx, job(t))
	if err != nil || out.Outcome != Infra {
		t.Errorf("%q %v", out.Outcome, err)
	}
	if n := attempts(t, dir); n != 1 {
		t.Errorf("%d attempts", n)
	}
}

func attempts(t *testing.T, dir string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "attempt-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func TestOnlyInfrastructureFailuresAreRetried(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         Outcome
		attempts     int
	}{
		{"finished at once", writeGood, Finished, 1},
		{"gave up", worded("failure", "no") + "exit 1", GaveUp, 1},
		{"asks", worded("needs_input", "?") + "exit 3", NeedsInput, 1},
		{"fails each time", "exit 2", Infra, 3},
		{"killed each time", "kill -9 $$", Infra, 3},
		{"an unusable result each time", "echo no >\"$4\"", Infra, 3},
		{"works the second time", "[ -e ../../failed ] || { touch ../../failed; exit 2; }; " + writeGood, Finished, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, dir := runReviewer(t, c.script, func(o *ExecOptions) { o.Retries = 2 })
			if out.Outcome != c.want || attempts(t, dir) != c.attempts {
				t.Errorf("%q after %d attempts, want %q after %d", out.Outcome, attempts(t, dir), c.want, c.attempts)
			}
		})
	}
}

func TestAFloodOfOutputIsCutAndScrubbed(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("Zk8", 12)
	out, _ := runReviewer(t, "echo "+token+" >&2; yes flood | head -c 50000000; yes flood | head -c 50000000 >&2; exit 2", nil)
	if out.Outcome != Infra || !strings.HasPrefix(out.Detail, "the reviewer ended with exit code 2: ") {
		t.Errorf("%q %q", out.Outcome, out.Detail)
	}
	if len(out.Detail) > 500 {
		t.Errorf("the detail has %d bytes", len(out.Detail))
	}
	if strings.Contains(out.Detail, token) {
		t.Error("the detail shows a token")
	}
}

func TestCappedKeepsTheFirstBytesOnly(t *testing.T) {
	var c capped
	for range 3 {
		if n, err := c.Write(make([]byte, maxOutput/2+1)); n != maxOutput/2+1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(c.buf) != maxOutput {
		t.Errorf("kept %d bytes, want %d", len(c.buf), maxOutput)
	}
}

func TestATamperedHandoverVoidsTheResult(t *testing.T) {
	in := `in=$(dirname "$2"); chmod -R u+w "$in"; `
	for _, c := range []struct{ name, script, detail string }{
		{"a snapshot with other lessons", in + `echo '{"lessons":[]}' >"$in/memory.json"; `, "memory.json was changed while the reviewer ran"},
		{"a brief with another policy", in + `echo '{}' >"$in/session-brief.json"; `, "session-brief.json was changed while the reviewer ran"},
		{"a file that is gone", in + `rm "$in/memory.md"; `, "memory.md is gone after the review"},
		{"a link to an equal copy", in + `cp "$in/diff.patch" copy; ln -sf "$PWD/copy" "$in/diff.patch"; `, "diff.patch was replaced by something that is not a file"},
		{"a file grown to a terabyte", in + `truncate -s 1T "$in/memory.json" || truncate -s 8G "$in/memory.json"; `, "memory.json was changed while the reviewer ran"},
		{"a folder that is gone", in + `rm -r "$in"; `, "is gone after the review"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := runReviewer(t, c.script+writeGood, nil)
			if out.Outcome != Infra || !strings.Contains(out.Detail, "tampered") || !strings.Contains(out.Detail, c.detail) {
				t.Errorf("%q %q, want %q", out.Outcome, out.Detail, c.detail)
			}
			if out.MemoryUsed != nil || out.Candidates != nil {
				t.Error("something of the result is used")
			}
		})
	}
}

func TestAReviewerIsNotStartedWhereItMayNotBe(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	touch := []string{"/bin/sh", "-c", "touch " + ran}
	bad := job(t)
	bad.Brief.Repo.CloneURL = "https://x-access-token:" + strings.Repeat("Zk8", 12) + "@example.com/acme/shop.git"
	for _, c := range []struct {
		name    string
		options ExecOptions
		job     Job
		want    string
	}{
		{"without a command", ExecOptions{Dir: dir, Local: true, Shape: contract.ShapeNested}, job(t), "no command"},
		{"with a blank command", ExecOptions{Command: []string{" "}, Dir: dir, Local: true, Shape: contract.ShapeNested}, job(t), "no command"},
		{"with a credential in the brief", ExecOptions{Command: touch, Dir: dir, Local: true, Shape: contract.ShapeNested}, bad, "the brief is not written"},
		{"without a folder", ExecOptions{Command: touch, Dir: filepath.Join(dir, "none"), Local: true, Shape: contract.ShapeNested}, job(t), "no such file"},
		{"by a program that is not there", ExecOptions{Command: []string{"/nowhere/reviewer"}, Dir: t.TempDir(), Local: true, Shape: contract.ShapeNested}, job(t), `the reviewer "/nowhere/reviewer" cannot be started`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := ExecReviewer{Options: c.options}.Review(t.Context(), c.job)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if out.Outcome != "" {
				t.Errorf("outcome %q beside an error", out.Outcome)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("the command ran")
			}
		})
	}
}

func TestAReviewerHasItsOwnSessionAndNoTerminal(t *testing.T) {
	_, dir := runReviewer(t, "cat /proc/self/stat >stat; "+writeGood, nil)
	_, rest, _ := strings.Cut(left(t, dir, "stat"), ") ")
	fields := strings.Fields(rest) // state, parent, group, session, terminal
	ours, err := syscall.Getpgid(0)
	if err != nil {
		t.Fatal(err)
	}
	if fields[2] == strconv.Itoa(ours) || fields[2] != fields[3] {
		t.Errorf("group %s, session %s; ours is group %d", fields[2], fields[3], ours)
	}
	if fields[4] != "0" {
		t.Errorf("the reviewer has terminal %s", fields[4])
	}
}
