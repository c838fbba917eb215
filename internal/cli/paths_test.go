package cli

import (
	"strings"
	"testing"
)

func TestPathsOfTheHostAsAContainerSeesThem(t *testing.T) {
	container := map[string]string{"RUNNER_TEMP": "/github/runner_temp", "GITHUB_REPOSITORY": "lumen/ledger"}
	host := map[string]string{"RUNNER_TEMP": "/home/runner/work/_temp", "GITHUB_REPOSITORY": "lumen/ledger"}
	for name, c := range map[string]struct {
		env        map[string]string
		path, want string
		wrong      string
	}{
		"temp":                       {container, "/home/runner/work/_temp/familiar/brief", "/github/runner_temp/familiar/brief", ""},
		"temp of a job's container":  {container, "/__w/_temp/familiar/brief", "/github/runner_temp/familiar/brief", ""},
		"workspace":                  {container, "/home/runner/work/ledger/ledger/lint.sarif", "/github/workspace/lint.sarif", ""},
		"relative":                   {container, "out/lint.sarif", "/github/workspace/out/lint.sarif", ""},
		"the container's own name":   {container, "/github/runner_temp/x", "/github/runner_temp/x", ""},
		"somewhere else":             {container, "/etc/passwd", "", "not seen from this container"},
		"out of the temp folder":     {container, "/home/runner/work/_temp/../../secret", "", "leads out"},
		"out of the workspace":       {container, "../secret", "", "leads out"},
		"without a container":        {host, "/home/runner/work/_temp/familiar/brief", "/home/runner/work/_temp/familiar/brief", ""},
		"relative without container": {host, "lint.sarif", "/work/lint.sarif", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := located(Env{Dir: "/work", Getenv: func(k string) string { return c.env[k] }})(c.path)
			if got != c.want || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%q, %v; want %q, %q", got, err, c.want, c.wrong)
			}
		})
	}
}
