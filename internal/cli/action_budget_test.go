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

// callsOfRuns are the calls to the API of each kind of run, as TestCallsOfARun
// counts them; docs/cost.md is made of them.
var callsOfRuns = map[string]int{
	"plain":                                13,
	"with findings":                        15,
	"one that notes which lessons it used": 18,
	"a command that stores":                21,
	"a second look at the same":            12,
	"a sweep with nothing to do":           21,
}

// TestCallsOfARun holds a run over a hundred lessons and twenty files against
// the budget of page 8.3, in calls to the API and in round trips, and against
// what docs/cost.md counts.
func TestCallsOfARun(t *testing.T) {
	for _, c := range []struct {
		name         string
		paths        string // where what was taught holds
		conflicts    int
		noted        bool   // the day's use of the lessons is noted already, so nothing is stored
		comment      string // a command on the pull request in place of its event
		again        bool   // once more what was looked at
		sweep        bool   // the schedule in place of the pull request's event
		calls, depth int    // at most
		findings     string
	}{
		{name: "plain", paths: "web/**", calls: 14, depth: 6, findings: "0"},
		{name: "with findings", paths: "web/**", conflicts: 3, calls: 18, depth: 6, findings: "3"},
		{name: "one that notes which lessons it used", paths: "services/**", conflicts: 3, calls: 22, depth: 6, findings: "3"},
		{name: "a command that stores", paths: "services/**", conflicts: 3, comment: "@familiar remember amounts are in minor units", calls: 22, depth: 6, findings: "3"},
		{name: "a second look at the same", paths: "services/**", conflicts: 3, again: true, calls: 14, depth: 2, findings: "0"},
		{name: "a sweep with nothing to do", paths: "services/**", conflicts: 3, again: true, sweep: true, calls: 24, depth: 9, findings: "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := taughtLedger(t, c.paths)
			p := r.pull("mara", twentyFiles(c.conflicts))
			if c.again {
				if got := r.opened(p, "mara"); got.status != 0 {
					t.Fatalf("exit %d\n%s", got.status, got.log)
				}
			}
			if c.sweep {
				if got := r.scheduled(); got.status != 0 {
					t.Fatalf("exit %d\n%s", got.status, got.log)
				}
			}
			r.server.ResetLog()
			r.server.Latency(200 * time.Millisecond) // so that what is asked side by side overlaps, however busy this machine is
			var got stepResult
			switch {
			case c.sweep:
				got = r.scheduled()
			case c.comment != "":
				got = r.comment(p.Number, "mara", c.comment)
			default:
				got = r.opened(p, "mara")
			}
			if got.status != 0 || got.outputs["findings"] != c.findings {
				t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
			}
			calls, depth := r.server.Calls(), r.server.Depth()
			// No more connections than a client has at once, which each are used again.
			if n := r.server.Connections(githubtest.API); n > 8 || n > calls {
				t.Errorf("%d connections to the API for %d calls: they are not used again", n, calls)
			}
			t.Logf("%d calls to the API of at most %d, %d deep of at most %d", calls, c.calls, depth, c.depth)
			if calls > c.calls || depth > c.depth || calls != callsOfRuns[c.name] {
				begin := r.server.Log()[0].Start
				for _, e := range r.server.Log() {
					t.Logf("%5d to %5d ms %-7s %-6s %s", e.Start.Sub(begin).Milliseconds(), e.End.Sub(begin).Milliseconds(), e.Host, e.Method, e.Path)
				}
				t.Errorf("%d calls, %d deep; at most %d and %d are allowed, and callsOfRuns says %d calls", calls, depth, c.calls, c.depth, callsOfRuns[c.name])
			}
		})
	}
}
