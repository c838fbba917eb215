package cli

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// What every story holds without saying so: the calls of each of its runs, and
// at the end every word of ours that no step of it held.

// The files of a story that the runner keeps by itself.
const (
	callsFile = "calls"
	endFile   = "end"
)

// running are the steps that start the action.
var running = []string{"run", "say", "open", "sweep", "dispatch", "review", "tick", "rerun-tick", "scrawl", "sweep-bare", "ask"}

// heed notes the calls of a step that started the action, under the words of
// the step.
func (s *story) heed(step, line string) {
	if slices.Contains(running, step) {
		s.called = append(s.called, "# "+strings.TrimSpace(line)+"\n"+s.calls())
	}
}

// calls are those of the last run to the API. What is asked side by side comes
// in no certain order, so they are sorted and counted.
func (s *story) calls() string {
	count := map[string]int{}
	for _, e := range s.server.Log() {
		if e.Host != githubtest.API {
			continue
		}
		line := strings.TrimPrefix(e.Route, e.Method+" ")
		line = fmt.Sprintf("%-6s %s", e.Method, strings.NewReplacer("/repos/{owner}/{repo}", "", "_number}", "}").Replace(line))
		if e.Status == 0 {
			line += " (cut)"
		} else if e.Status >= 400 {
			line += fmt.Sprintf(" (%d)", e.Status)
		}
		count[line]++
	}
	if len(count) == 0 {
		return "(none)\n"
	}
	var lines []string
	for line, n := range count {
		if n > 1 {
			line += fmt.Sprintf(" x%d", n)
		}
		lines = append(lines, line+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int {
		ra, rb := strings.HasPrefix(a, http.MethodGet), strings.HasPrefix(b, http.MethodGet)
		if ra != rb {
			if ra {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return strings.Join(lines, "")
}

// said is all that the action said on a thread. Comments are separated by a
// line of dashes.
func (s *story) said(number int) string {
	var all []string
	for _, body := range s.ours(number) {
		all = append(all, strings.TrimRight(body, "\n")+"\n")
	}
	if len(all) == 0 {
		all = []string{"(nothing)\n"}
	}
	return s.told(strings.Join(statusFirst(all), "\n----------\n\n"))
}

// ending is what stands on the threads at the end, but for those whose words
// of now a step held.
func (s *story) ending() string {
	names := slices.Collect(maps.Keys(s.threads))
	slices.SortFunc(names, func(a, b string) int { return s.threads[a] - s.threads[b] })
	out := ""
	for _, name := range names {
		n := s.threads[name]
		if now := s.said(n); s.held[n] != now {
			out += "# " + name + "\n" + now
		}
	}
	return out
}

// concludes holds the calls and the end against the files of the story.
func (s *story) concludes() {
	for name, got := range map[string]string{callsFile: strings.Join(s.called, ""), endFile: s.ending()} {
		at := slices.IndexFunc(s.file.Files, func(f txtar.File) bool { return f.Name == name })
		switch {
		case got != "":
			s.golden(name, got)
		case at >= 0 && *update:
			s.file.Files, s.changed = slices.Delete(s.file.Files, at, at+1), true
		case at >= 0:
			s.t.Errorf("the story has a file %s, and nothing of it happens", name)
		}
	}
}
