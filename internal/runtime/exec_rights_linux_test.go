package runtime

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
)

// underAnotherID runs a script as the action would. Where this process may
// switch, ran is true; where it may not, the refusal is held against its text
// and nothing ran: both are what page 7.2 asks for, each on its machine.
func underAnotherID(t *testing.T, script string, change func(*ExecOptions)) (out Output, dir string, ran bool) {
	t.Helper()
	dir, err := os.MkdirTemp("", "familiar-exec-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	o := ExecOptions{Command: []string{"/bin/sh", "-c", script}, Dir: dir, Shape: contract.ShapeNested, Deadline: 20 * time.Second}
	if change != nil {
		change(&o)
	}
	out, err = ExecReviewer{Options: o}.Review(t.Context(), job(t))
	missing := missingCapability()
	if missing == "" {
		if err != nil {
			t.Fatal(err)
		}
		return out, dir, true
	}
	if !errors.Is(err, ErrPrivileges) || !strings.Contains(err.Error(), "cannot switch to another user id (it has no "+missing+")") {
		t.Fatalf("without %s: %v", missing, err)
	}
	if attempts(t, dir) != 0 || out.Outcome != "" {
		t.Fatalf("without %s something ran: %+v", missing, out)
	}
	return out, dir, false
}

// field reads a line of a saved /proc/PID/status.
func field(status, name string) string {
	for line := range strings.Lines(status) {
		if n, rest, _ := strings.Cut(line, ":"); n == name {
			return strings.Join(strings.Fields(rest), " ")
		}
	}
	return "none"
}

func TestAReviewerOfTheActionHasNoneOfOurRights(t *testing.T) {
	out, dir, ran := underAnotherID(t, "cat /proc/self/status >status; cp \"$2\" brief; "+writeGood, nil)
	if !ran {
		return
	}
	if out.Outcome != Finished || len(out.Candidates) != 1 {
		t.Fatalf("%q: %s", out.Outcome, out.Detail)
	}
	status := left(t, dir, "status")
	for name, want := range map[string]string{
		"Groups": "", "NoNewPrivs": "1", "CapEff": "0000000000000000", "CapPrm": "0000000000000000", "CapInh": "0000000000000000", "CapAmb": "0000000000000000",
	} {
		if got := field(status, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"Uid", "Gid"} {
		ids := strings.Fields(field(status, name))
		id, err := strconv.Atoi(ids[0])
		if err != nil || id < firstReviewerID || id > lastReviewerID || len(ids) != 4 || ids[1] != ids[0] || ids[2] != ids[0] || ids[3] != ids[0] {
			t.Errorf("%s is %v", name, ids)
		}
	}
	if left(t, dir, "brief") == "" {
		t.Error("the reviewer cannot read its brief")
	}
}

// A68: what is injected into a reviewer finds no token in any process.
func TestA68AReviewerOfTheActionReadsNoTokenAnywhere(t *testing.T) {
	token := "gh" + "s_" + strings.Repeat("Zk8", 12)
	neighbour := exec.Command("sleep", "600")
	neighbour.Env = []string{"GITHUB_TOKEN=" + token, "ACTIONS_RUNTIME_TOKEN=" + token}
	if err := neighbour.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = neighbour.Process.Kill(); _ = neighbour.Wait() }()
	open, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Close() }()
	if _, err := open.WriteString(token); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "INPUT_MEMORY-KEY", "INPUT_MODEL-API-KEY"} {
		t.Setenv(name, token)
	}
	script := `for f in /proc/self/environ /proc/$PPID/environ /proc/[0-9]*/environ /proc/$PPID/fd/* /proc/self/fd/*; do [ -f "$f" ] && timeout 1 head -c 100000 "$f"; done >seen 2>errors
head -c 1 /proc/$PPID/mem >mem 2>>errors; ls /proc/self/fd >fds; ` + writeGood
	out, dir, ran := underAnotherID(t, script, nil)
	if !ran {
		return
	}
	if out.Outcome != Finished {
		t.Fatalf("%q: %s", out.Outcome, out.Detail)
	}
	seen := left(t, dir, "seen")
	if strings.Contains(seen, token) || left(t, dir, "mem") != "" {
		t.Error("the reviewer reads a token of another process")
	}
	if !strings.Contains(seen, "HOME=") || !strings.Contains(left(t, dir, "errors"), "ermission denied") {
		t.Error("the reviewer did not even look")
	}
}

func TestAReviewerOfTheActionReachesNothingButItsOwn(t *testing.T) {
	private := t.TempDir()
	overwrite(t, filepath.Join(private, "secret"), "ours alone")
	// A program of root's that keeps its owner's rights.
	suid, err := os.MkdirTemp("", "familiar-suid-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(suid) }()
	if err := os.Chmod(suid, 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("id")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(suid, "id"), data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(suid, "id"), 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(private), 0o700); err != nil {
		t.Fatal(err)
	}
	script := `in=$(dirname "$2"); {
cat ` + private + `/secret; echo x >"$in/memory.json"; chmod u+w "$in/memory.json"; rm -f "$in/memory.md"; mv "$in" "$in.moved"; touch ../beside ../../beside
ls ..; kill -0 $PPID && echo reached; chown 0 .; } >tried 2>&1; ` + suid + `/id -u >uid; ` + writeGood
	out, dir, ran := underAnotherID(t, script, nil)
	if !ran {
		return
	}
	if out.Outcome != Finished {
		t.Fatalf("%q: %s", out.Outcome, out.Detail)
	}
	tried := left(t, dir, "tried")
	if strings.Contains(tried, "ours alone") || strings.Contains(tried, "reached") || strings.Count(tried, "ermission denied")+strings.Count(tried, "not permitted") < 8 {
		t.Errorf("the reviewer got at something:\n%s", tried)
	}
	if id := strings.TrimSpace(left(t, dir, "uid")); id == "0" {
		t.Error("a program of root's made the reviewer root")
	}
	for _, name := range []string{"beside", "attempt-*/beside"} {
		if found, _ := filepath.Glob(filepath.Join(dir, name)); len(found) > 0 {
			t.Errorf("the reviewer wrote %v", found)
		}
	}
}

func TestNothingOfAReviewerOfTheActionOutlivesIt(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"a child in the background", "sleep 600 & echo $! >pid; "},
		{"a daemon that left twice", "setsid sh -c 'setsid sh -c \"echo \\$\\$ >pid; exec sleep 600\" & exit 0' & while [ ! -s pid ]; do sleep 0.01; done; "},
		{"a family that breeds", "echo $$ >pid; b() { [ $1 -gt 0 ] && { b $(($1-1)) & b $(($1-1)) & }; sleep 600; }; b 5 & sleep 0.2; "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, dir, ran := underAnotherID(t, "exec >/dev/null 2>&1; cat /proc/self/status >status; "+c.script+"sleep 600", func(o *ExecOptions) { o.Deadline = time.Second })
			if !ran {
				return
			}
			if pid := left(t, dir, "pid"); alive(t, pid) {
				t.Errorf("process %s is still there", pid)
			}
			id, err := strconv.ParseUint(strings.Fields(field(left(t, dir, "status"), "Uid"))[0], 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			if running, known := (rights{id: uint32(id)}).running(); !known || len(running) > 0 {
				t.Errorf("under id %d there still run %v (known: %v)", id, running, known)
			}
		})
	}
}

func TestAReviewerIsRefusedWhereSomethingLendsItOurRights(t *testing.T) {
	dir, err := os.MkdirTemp("", "familiar-lends-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "env")
	overwrite(t, file, "")
	missing := missingCapability()
	refused := func(t *testing.T, at, want string) {
		t.Helper()
		if missing != "" {
			want = "it has no " + missing
		}
		if _, err := otherRights(at); !errors.Is(err, ErrPrivileges) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "familiar local") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	t.Run("a file of the runner that everybody may write to", func(t *testing.T) {
		t.Setenv("GITHUB_ENV", file)
		if err := os.Chmod(file, 0o666); err != nil {
			t.Fatal(err)
		}
		refused(t, t.TempDir(), "everybody may write to the file that GITHUB_ENV names")
	})
	t.Run("a folder that the runner shares", func(t *testing.T) {
		t.Setenv("RUNNER_TEMP", dir)
		refused(t, filepath.Join(dir, "in", "it"), "would lie in "+dir)
	})
	t.Run("a link into a folder that the runner shares", func(t *testing.T) {
		t.Setenv("GITHUB_WORKSPACE", dir)
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(dir, link); err != nil {
			t.Fatal(err)
		}
		refused(t, link, "would lie in "+dir)
	})
	t.Run("writable looks at the way as well as at the file", func(t *testing.T) {
		if err := os.Chmod(file, 0o666); err != nil {
			t.Fatal(err)
		}
		if !writable(file) {
			t.Error("a file for everybody counts as ours")
		}
		if err := os.Chmod(dir, 0o750); err != nil {
			t.Fatal(err)
		}
		if writable(file) || writable(filepath.Join(dir, "none")) {
			t.Error("a file that nobody else reaches counts as everybody's")
		}
	})
}

func TestRightsThatWereNeverDrawnStartAndEndNothing(t *testing.T) {
	cmd := exec.Command("/bin/true")
	if _, err := (rights{}).start(cmd); !errors.Is(err, ErrPrivileges) || cmd.Process != nil {
		t.Errorf("error %v", err)
	}
	for _, w := range []rights{{}, {id: 1000}, {id: firstReviewerID - 1}, {id: lastReviewerID + 1}} {
		if running, known := w.running(); len(running) != 0 || known {
			t.Errorf("id %d: %v %v", w.id, running, known)
		}
	}
}
