package cli

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// containerEnv names a command that starts the image in place of the built
// binary, such as "docker run --rm --network host {} IMAGE": its words are
// separated by spaces, and {} stands for the options that hand over the
// environment and the run's folder. .ci/run sets it, so that the stories of
// the whole binary are told by the image too.
const containerEnv = "FAMILIAR_ACTION"

// actionCommand starts the action with exactly this environment, in a folder
// that it sees under the same name: the binary, or the image.
func actionCommand(t testing.TB, dir string, env []string) *exec.Cmd {
	t.Helper()
	engine := os.Getenv(containerEnv)
	if engine == "" {
		cmd := exec.Command(actionBinary)
		cmd.Dir, cmd.Env = dir, env
		return cmd
	}
	words := strings.Fields(engine)
	at := slices.Index(words, "{}")
	if at < 1 {
		t.Fatalf("%s is %q; one of its words must be {}, where the options of the run go", containerEnv, engine)
	}
	options := []string{"--volume=" + dir + ":" + dir}
	for _, e := range env {
		options = append(options, "--env="+e)
	}
	words = slices.Concat(words[:at], options, words[at+1:])
	return exec.Command(words[0], words[1:]...)
}
