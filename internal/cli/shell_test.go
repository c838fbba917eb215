package cli

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite generated parts of the documentation, and print the README's story")

// shell runs commands one after the other as a person would type them: the
// working directory goes on from one to the next.
type shell struct{ dir, cwd string }

func newShell(t *testing.T) *shell {
	dir := t.TempDir()
	return &shell{dir: dir, cwd: dir}
}

func (s *shell) run(t *testing.T, command string) string {
	t.Helper()
	mark := filepath.Join(s.dir, ".cwd")
	cmd := exec.Command("sh", "-c", command+"\nstatus=$?; pwd > '"+mark+"'; exit $status")
	cmd.Dir = s.cwd
	cmd.Env = []string{"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH")}
	for name, value := range isolated(s.dir) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("$ %s\n%v\n%s", command, err, out)
	}
	cwd, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	s.cwd = strings.TrimSpace(string(cwd))
	return string(out)
}
