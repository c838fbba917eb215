package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// taughtLedger is a repository whose memory holds a hundred lessons for paths.
func taughtLedger(t testing.TB, paths string) *runner {
	r := newRunner(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	for part := range 2 {
		var body strings.Builder
		for n := range 50 {
			fmt.Fprintf(&body, "@familiar remember convention %d-%d: handlers of kind %d%d return early\npaths: %s\n", part, n, part, n, paths)
		}
		if got := r.comment(issue, "mara", body.String()); got.status != 0 || got.outputs["outcome"] != "commands_applied" {
			t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
	}
	return r
}

// twentyFiles is a change of twenty files; the marker of a conflict in some
// of them is a finding.
func twentyFiles(conflicts int) map[string]string {
	files := map[string]string{}
	for n := range 20 {
		text := fmt.Sprintf("package services\n\nfunc handler%d() int {\n\treturn %d\n}\n", n, n)
		if n < conflicts {
			text += "<<<<<<< HEAD\nvar a = 1\n=======\nvar a = 2\n>>>>>>> topic\n"
		}
		files[fmt.Sprintf("services/handler%d.go", n)] = text
	}
	return files
}

// TestCallsOfARun holds a run over a hundred lessons and twenty files against
// the budget of page 8.3, in calls to the API and in round trips.
func TestCallsOfARun(t *testing.T) {
	for _, c := range []struct {
		name         string
		paths        string // where what was taught holds
		conflicts    int
		noted        bool   // the day's use of the lessons is noted already, so nothing is stored
		comment      string // a command on the pull request in place of its event
		again        bool   // the same event once more
		calls, depth int
		findings     string
	}{
		{name: "plain", paths: "web/**", calls: 14, depth: 6, findings: "0"},
		{name: "with findings", paths: "web/**", conflicts: 3, calls: 18, depth: 6, findings: "3"},
		{name: "one that notes which lessons it used", paths: "services/**", conflicts: 3, calls: 22, depth: 6, findings: "3"},
		{name: "a command that stores", paths: "services/**", conflicts: 3, comment: "@familiar remember amounts are in minor units", calls: 22, depth: 6, findings: "3"},
		{name: "a second look at the same", paths: "services/**", conflicts: 3, again: true, calls: 14, depth: 2, findings: "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := taughtLedger(t, c.paths)
			p := r.pull("mara", twentyFiles(c.conflicts))
			if c.again {
				if got := r.opened(p, "mara"); got.status != 0 {
					t.Fatalf("exit %d\n%s", got.status, got.log)
				}
			}
			r.server.ResetLog()
			r.server.Latency(200 * time.Millisecond) // so that what is asked side by side overlaps, however busy this machine is
			var got stepResult
			if c.comment == "" {
				got = r.opened(p, "mara")
			} else {
				got = r.comment(p.Number, "mara", c.comment)
			}
			if got.status != 0 || got.outputs["findings"] != c.findings {
				t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
			}
			calls, depth := r.server.Calls(), r.server.Depth()
			t.Logf("%d calls to the API of at most %d, %d deep of at most %d", calls, c.calls, depth, c.depth)
			if calls > c.calls || depth > c.depth {
				begin := r.server.Log()[0].Start
				for _, e := range r.server.Log() {
					t.Logf("%5d to %5d ms %-7s %-6s %s", e.Start.Sub(begin).Milliseconds(), e.End.Sub(begin).Milliseconds(), e.Host, e.Method, e.Path)
				}
				t.Errorf("%d calls, %d deep", calls, depth)
			}
		})
	}
}
