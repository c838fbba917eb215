package health

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/config"
)

// needed are the permissions of the token that familiar needs (page 6.7), and
// what each is for.
var needed = []struct{ name, least, without string }{
	{"contents", "read", "neither the configuration nor the change can be read"},
	{"pull-requests", "write", "nothing can be written on lines of a pull request"},
	{"issues", "write", "no comment can be written, no label made or removed"},
	{"actions", "read", "the memory cannot be loaded"},
}

// allowed are the permissions that familiar can use beyond those it needs.
var allowed = map[string]string{"contents": "read", "pull-requests": "write", "issues": "write", "actions": "write", "checks": "write", "metadata": "read"}

var levels = map[string]int{"": 0, "none": 0, "read": 1, "write": 2}

// stated are the permissions that hold for a job: its own, else the
// workflow's.
func (v jobView) stated() *Permissions {
	if v.j.Permissions != nil {
		return v.j.Permissions
	}
	return v.w.Permissions
}

// wide lists the permissions to write that a job's token may have.
func (v jobView) wide() []string {
	p := v.stated()
	switch {
	case p == nil:
		return []string{"whatever the repository gives by default"}
	case p.All == "write-all":
		return []string{"write-all"}
	}
	var out []string
	for _, name := range sortedKeys(p.By) {
		if p.By[name] == "write" {
			out = append(out, name+": write")
		}
	}
	return out
}

// permissionShape: as many as needed, no more (page 6.7).
func permissionShape(v jobView) []Finding {
	if !v.ours || v.keyless() {
		return nil
	}
	p := v.stated()
	f := v.finding(CheckPermissions, Warning, v.j.Line)
	f.Field = "permissions"
	f.Fix = "Write permissions: contents: read, pull-requests: write, issues: write, actions: read at the job (actions: write where it sweeps), and permissions: {} at the top."
	switch {
	case p == nil:
		f.Message = fmt.Sprintf("The job %s states no permissions.", quoted(v.j.ID))
		f.Reason = "It has those that the repository gives by default, which are too many or too few."
		return []Finding{f}
	case p.All != "":
		f.Line = p.Line
		f.Message = fmt.Sprintf("The job %s has %s.", quoted(v.j.ID), quoted(p.All))
		f.Reason = "Its token may do far more than familiar needs, or nothing of what it needs."
		return []Finding{f}
	}
	return append(missing(v, *p), tooWide(v, *p)...)
}

// keyless says whether a step is one of the parts of a hand-over that talk to
// nobody.
func (v jobView) keyless() bool {
	arguments := strings.TrimSpace(v.step.With["arguments"].Value)
	first, _, _ := strings.Cut(arguments, "\n")
	first = strings.TrimSpace(first)
	operation := v.step.With["operation"].Value
	return operation == "prepare" && first == "open" || operation == "publish" && first == "seal"
}

func missing(v jobView, p Permissions) []Finding {
	var out []Finding
	for _, n := range needed {
		if levels[p.By[n.name]] >= levels[n.least] || n.name == "actions" && !v.holds {
			continue
		}
		f := v.finding(CheckPermissions, Error, p.Line)
		f.Field = n.name
		f.Message = fmt.Sprintf("The job %s lacks the permission %s.", quoted(v.j.ID), quoted(n.name+": "+n.least))
		f.Reason = "Without it " + n.without + "."
		f.Fix = fmt.Sprintf("Add %s: %s to its permissions.", n.name, n.least)
		out = append(out, f)
	}
	return out
}

func tooWide(v jobView, p Permissions) []Finding {
	var out []Finding
	for _, name := range sortedKeys(p.By) {
		if levels[p.By[name]] <= levels[allowed[name]] && (name != "checks" || v.actsAsApp()) {
			continue
		}
		f := v.finding(CheckPermissions, Warning, p.Line)
		f.Field = name
		f.Message = fmt.Sprintf("The job %s has the permission %s, which familiar does not use.", quoted(v.j.ID), quoted(name+": "+p.By[name]))
		f.Reason = "What the token cannot do, nobody can make it do."
		if name == "checks" {
			f.Reason += " A check run of its own familiar has as an App alone (familiar init --app)."
		}
		f.Fix = "Remove it, or do what needs it in a job of its own."
		out = append(out, f)
	}
	return out
}

// runner: a container action needs Linux and an engine, and a machine that
// stays needs a place to remember on.
func runner(v jobView) []Finding {
	if !v.ours {
		return nil
	}
	var out []Finding
	for _, label := range v.j.RunsOn {
		lower := strings.ToLower(label)
		if strings.HasPrefix(lower, "windows") || strings.HasPrefix(lower, "macos") || strings.HasPrefix(lower, "ubuntu-slim") {
			f := v.finding(CheckWorkflow, Error, v.j.Line)
			f.Message = fmt.Sprintf("The job %s runs on %s.", quoted(v.j.ID), quoted(label))
			f.Reason, f.Fix = "familiar is a container, and there is no container engine for it.", "Write runs-on: ubuntu-latest."
			out = append(out, f)
		}
		if lower == "self-hosted" && v.holds && v.step.With["state-dir"].Value == "" {
			f := v.finding(CheckWorkflow, Note, v.j.Line)
			f.Field = "state-dir"
			f.Message = fmt.Sprintf("The job %s runs on a machine that stays, without state-dir.", quoted(v.j.ID))
			f.Reason = "If a reviewer's process outlives its run there, the next run does not learn of it."
			f.Fix = "Give state-dir: a folder of the machine that only the runner may write."
			out = append(out, f)
		}
	}
	return out
}

// inputs: the step takes what is given to it, from a version that stays.
func inputs(v jobView) []Finding {
	if !v.ours {
		return nil
	}
	var out []Finding
	for _, name := range sortedKeys(v.step.With) {
		if len(v.facts.Inputs) == 0 || slices.Contains(v.facts.Inputs, name) {
			continue
		}
		f := v.finding(CheckWorkflow, Error, v.step.With[name].Line)
		f.Field = name
		f.Message = fmt.Sprintf("The step has no input %s.", quoted(name))
		f.Reason, f.Fix = "The action refuses to start with an input that it does not know.", "Remove it."
		if near := config.Nearest(name, v.facts.Inputs); near != "" {
			f.Fix = fmt.Sprintf("Did you mean %s?", near)
		}
		out = append(out, f)
	}
	if _, ref, ok := strings.Cut(v.step.Uses, "@"); ok && slices.Contains([]string{"main", "master", "trunk", "develop", "HEAD"}, ref) {
		f := v.finding(CheckWorkflow, Note, v.step.Line)
		f.Message = fmt.Sprintf("The action is taken from the branch %s.", quoted(ref))
		f.Reason, f.Fix = "What it does changes from one run to the next, without anybody of yours looking.", "Name a release or a commit."
		out = append(out, f)
	}
	return out
}

// blockedTrigger: GitHub blocks pull_request_target in public repositories.
func blockedTrigger(w Workflow, f WorkflowFacts) []Finding {
	e, ok := w.event("pull_request_target")
	if !ok || f.Visibility != "public" {
		return nil
	}
	return []Finding{{
		Check: CheckActions, Severity: Warning, File: w.Path, Line: e.Line,
		Message: "This public repository starts reviews by `pull_request_target`.",
		Reason:  "From 2 December 2026 GitHub blocks that event in public repositories unless an Actions policy allows it for this file; then no pull request is reviewed.",
		Fix:     "Run familiar init --public, or let an admin allow the event for this one file.",
	}}
}

// request: the pair of a public repository fits together.
func request(f WorkflowFacts) []Finding {
	out := idleRequest(f)
	for _, w := range f.Workflows {
		e, ok := w.event("workflow_run")
		if !ok || !w.startsFamiliar() {
			continue
		}
		starts := regexp.MustCompile(`(?m)^\s+workflows:\s*\[?([^\]\n#]+)`).FindStringSubmatch(w.Text)
		if starts == nil {
			continue
		}
		for name := range strings.SplitSeq(starts[1], ",") {
			name = strings.Trim(name, " '\"")
			if name == "" || slices.ContainsFunc(f.Workflows, func(o Workflow) bool { return o.Name == name || o.Name == "" && o.Path == name }) {
				continue
			}
			out = append(out, Finding{
				Check: CheckTrigger, Severity: Error, File: w.Path, Line: e.Line,
				Message: fmt.Sprintf("No workflow file has the name %s, whose runs start this one.", quoted(name)),
				Reason:  "No pull request is reviewed.", Fix: "Run familiar init --public: it writes the pair.",
			})
		}
	}
	return out
}

// requestFile is the first file of the pair for a public repository.
const requestFile = ".github/workflows/familiar-request.yml"

// idleRequest names the first file of the pair where the second is gone: it
// starts runs that nothing waits for.
func idleRequest(f WorkflowFacts) []Finding {
	has := slices.ContainsFunc(f.Workflows, func(w Workflow) bool { return w.Path == requestFile })
	waits := slices.ContainsFunc(f.Workflows, func(w Workflow) bool { _, ok := w.event("workflow_run"); return ok && w.startsFamiliar() })
	if !has || waits {
		return nil
	}
	return []Finding{{
		Check: CheckWorkflow, Severity: Note, File: requestFile, Message: "No workflow of familiar waits for the runs of this one.",
		Reason: "It is half of the pair for a public repository, and runs for nothing.", Fix: "Delete the file.",
	}}
}
