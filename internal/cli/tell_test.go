package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestWhatIsSaidOnStderrFitsATerminal: an error is broken into lines where
// somebody reads it in a terminal, and stays on one where a program does.
func TestWhatIsSaidOnStderrFitsATerminal(t *testing.T) {
	const whole = `familiar: GITHUB_TOKEN is empty, and the memory of a repository is not shown without a token; set it, for example to the output of gh auth token` + "\n"
	const broken = "familiar: GITHUB_TOKEN is empty, and the memory of a repository is not shown\n  without a token; set it, for example to the output of gh auth token\n"
	const wide = "familiar: GITHUB_TOKEN is empty, and the memory of a repository is not shown without a token; set\n  it, for example to the output of gh auth token\n"
	for _, x := range []struct {
		name     string
		terminal bool
		columns  int
		json     bool
		want     string
	}{
		{"a pipe", false, 0, false, whole},
		{"a pipe beside a terminal", false, 60, false, whole},
		{"a terminal that does not say how wide it is", true, 0, false, broken},
		{"a terminal", true, 80, false, broken},
		{"a wide terminal, up to what is readable", true, 300, false, wide},
		{"with --json, which is about what is printed", true, 80, true, broken},
	} {
		t.Run(x.name, func(t *testing.T) {
			var out, err bytes.Buffer
			args := []string{"memory", "list", "--repo", "acme/shop"}
			if x.json {
				args = append(args, "--json")
			}
			status := Run(context.Background(), Env{Stdout: &out, Stderr: &err, Getenv: func(string) string { return "" }, Dir: t.TempDir(), ErrTerminal: x.terminal, Width: x.columns}, args)
			if status != ExitUsage || err.String() != x.want || out.Len() > 0 {
				t.Errorf("exit %d, stdout %q, stderr\n%s\nwant\n%s", status, out.String(), err.String(), x.want)
			}
		})
	}
	t.Run("what is said of a lesson too", func(t *testing.T) {
		var err bytes.Buffer
		Env{Stderr: &err, ErrTerminal: true}.tell(strings.Repeat("a lesson that is long ", 8))
		if lines := strings.Count(err.String(), "\n"); lines != 3 {
			t.Errorf("%d lines of\n%s", lines, err.String())
		}
	})
}
