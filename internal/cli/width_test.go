package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/render"
)

// TestHelpFitsATerminal: the help of every command is at most 80 columns wide.
func TestHelpFitsATerminal(t *testing.T) {
	seen := 0
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		var out bytes.Buffer
		env := Env{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }, Dir: t.TempDir()}
		if status := Run(context.Background(), env, append(path, "--help")); status != ExitOK {
			t.Errorf("%v --help: exit %d", path, status)
		}
		if !strings.Contains(out.String(), "Usage:") {
			t.Errorf("%v --help shows no usage:\n%s", path, out.String())
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if n := len([]rune(line)); n > render.DefaultWidth {
				t.Errorf("%v --help has %d columns: %s", path, n, line)
			}
		}
		seen++
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && sub.Parent().Name() != "completion" { // those of cobra
				walk(sub, append(append([]string{}, path...), sub.Name()))
			}
		}
	}
	walk(newRoot(Env{Getenv: func(string) string { return "" }}), nil)
	if seen < 40 {
		t.Errorf("only %d commands were looked at", seen)
	}
}
