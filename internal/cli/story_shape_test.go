package cli

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/health"
)

// A set-up as `familiar init` writes it: every run takes the inputs that its
// job gives to the step, and nothing else.

func shapeSteps() map[string]storyStep {
	return map[string]storyStep{"init": (*story).isSetUp}
}

const workflowsFolder = ".github/workflows"

// setUp is a new clone in which `familiar init` wrote its files.
func setUp(t testing.TB, flags ...string) string {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	if out, err := exec.Command("git", "init", "-q", "-b", "main", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var out bytes.Buffer
	env := Env{Stdout: &out, Stderr: &out, Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }, Dir: dir}
	if status := Run(t.Context(), env, append([]string{"init"}, flags...)); status != 0 {
		t.Fatalf("init: exit %d\n%s", status, out.String())
	}
	return dir
}

// isSetUp has runs take their inputs from what `familiar init` writes: FLAG...
func (s *story) isSetUp(w []string) {
	s.shape = map[string]health.Job{}
	files, err := filepath.Glob(filepath.Join(setUp(s.t, w...), workflowsFolder, "*.yml"))
	if err != nil || len(files) < 2 {
		s.fatalf("init wrote %v (%v)", files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			s.fatalf("%v", err)
		}
		for _, j := range health.ParseWorkflow(filepath.Base(f), data).Jobs {
			s.shape[j.ID] = j
		}
	}
}

// jobOf is the job that an event starts; internal/workflowtest holds the
// filters that say so.
var jobOf = map[string]string{"pull_request_target": "review", "issue_comment": "commands", "issues": "commands", "workflow_dispatch": "operations", "schedule": "sweep"}

var anExpression = regexp.MustCompile(`^\$\{\{ (\S+)(?: \|\| '([^']*)')? \}\}$`)

// shaped are the inputs that the job of an event gives to the step. Where a
// run was started by hand, given is what its form says.
func (s *story) shaped(event string, given map[string]string) map[string]string {
	j := s.shape[jobOf[event]]
	at := slices.IndexFunc(j.Steps, health.Step.Familiar)
	if at < 0 {
		s.fatalf("no job of what init wrote has a step of familiar for %s", event)
	}
	values := map[string]string{
		"secrets.FAMILIAR_MEMORY_KEY": s.runner.key, "vars.FAMILIAR_APP_ID": s.app["app-id"], "secrets.FAMILIAR_APP_PRIVATE_KEY": s.app["app-private-key"],
	}
	for name, value := range given {
		values["inputs."+name] = value
	}
	out := map[string]string{}
	for name, in := range j.Steps[at].With {
		m := anExpression.FindStringSubmatch(strings.TrimSpace(in.Value))
		if m == nil {
			s.fatalf("the input %s is %q, which is no expression that is known here", name, in.Value)
		}
		out[name] = values[m[1]]
		if out[name] == "" {
			out[name] = m[2]
		}
	}
	return out
}

// takesInputs gives a run the inputs of its job.
func (s *story) takesInputs(event string, o *runOptions) {
	if s.shape == nil {
		maps.Copy(o.inputs, s.app)
		return
	}
	o.inputs = s.shaped(event, o.inputs)
}
