package health

import (
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/text"
)

// DefaultKeySecret is the name of the secret that `familiar init` writes.
const DefaultKeySecret = "FAMILIAR_MEMORY_KEY"

// WorkflowFacts is what the checks of workflow files regard.
type WorkflowFacts struct {
	Workflows []Workflow // all files of .github/workflows
	Config    config.Config
	// Visibility is public, internal or private; "": not known.
	Visibility string
	Inputs     []string // names of the step's inputs
}

// Workflows returns what is wrong with the workflow files that start familiar
// or take its key, and with others whose shape endangers it.
func Workflows(f WorkflowFacts) []Finding {
	if !StartsFamiliar(f.Workflows) {
		return append(unreadable(f), Finding{
			Check: CheckWorkflow, Severity: Warning, File: ".github/workflows",
			Message: "No workflow file starts familiar.",
			Reason:  "On GitHub nothing is reviewed and no comment is answered; `familiar local` works without.",
			Fix:     "Run familiar init --public or familiar init --private.",
		})
	}
	out := unreadable(f)
	secrets := f.secrets()
	for _, w := range f.Workflows {
		ours := w.startsFamiliar()
		for _, j := range w.Jobs {
			v := jobView{w: w, j: j, facts: f}
			v.step, v.ours = j.familiar()
			v.holds = v.ours && v.step.With["memory-key"].Value != "" || slices.ContainsFunc(secrets, func(s string) bool { return j.mentions(s) || mentions(w.Env, s) })
			out = append(out, checkoutOfHead(v)...)
			if !v.ours && !v.holds {
				continue
			}
			for _, check := range []func(jobView) []Finding{triggerShape, keyShape, environmentShape, scripts, permissionShape, appShape, runner, inputs} {
				out = append(out, check(v)...)
			}
		}
		if ours {
			out = append(out, filters(w, f)...)
			out = append(out, queues(w)...)
			out = append(out, blockedTrigger(w, f)...)
		}
	}
	out = append(out, request(f)...)
	out = append(out, sweepShape(f)...)
	Sort(out)
	return out
}

// StartsFamiliar says whether any of the workflow files does.
func StartsFamiliar(list []Workflow) bool { return slices.ContainsFunc(list, Workflow.startsFamiliar) }

func (w Workflow) startsFamiliar() bool {
	return slices.ContainsFunc(w.Jobs, func(j Job) bool { _, ok := j.familiar(); return ok })
}

func (w Workflow) event(name string) (Event, bool) {
	i := slices.IndexFunc(w.Events, func(e Event) bool { return e.Name == name })
	if i < 0 {
		return Event{}, false
	}
	return w.Events[i], true
}

// secrets are the names of the secrets that hold the key.
func (f WorkflowFacts) secrets() []string {
	names := map[string]bool{DefaultKeySecret: true}
	for _, w := range f.Workflows {
		for _, j := range w.Jobs {
			for _, s := range j.Steps {
				if name := s.keyName(); name != "" {
					names[name] = true
				}
			}
		}
	}
	return sortedKeys(names)
}

func unreadable(f WorkflowFacts) []Finding {
	var out []Finding
	for _, w := range f.Workflows {
		if w.Problem != "" {
			out = append(out, Finding{
				Check: CheckWorkflow, Severity: Warning, File: w.Path, Message: fmt.Sprintf("%s cannot be read: %s.", w.Path, w.Problem),
				Reason: "What it does cannot be judged, and GitHub may not run it either.", Fix: "Mend the file.",
			})
		}
	}
	return out
}

// jobView is a job with what the checks need around it.
type jobView struct {
	w     Workflow
	j     Job
	step  Step // that is familiar
	ours  bool // the job has such a step
	holds bool // the job can read the memory key
	facts WorkflowFacts
}

func (v jobView) finding(c Check, s Severity, line int) Finding {
	return Finding{Check: c, Severity: s, File: v.w.Path, Line: line}
}

// Events that run a copy of the workflow file that a pull request can edit,
// and those that run the default branch's with its secrets while somebody
// else's change is at hand.
var (
	editableEvents   = []string{"pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread"}
	privilegedEvents = []string{"pull_request_target", "workflow_run", "issue_comment", "issues"}
)

// triggerShape: no pull request can change what reads the key (page 6.4).
func triggerShape(v jobView) []Finding {
	if !v.holds {
		return nil
	}
	var out []Finding
	for _, e := range v.w.Events {
		if !slices.Contains(editableEvents, e.Name) {
			continue
		}
		f := v.finding(CheckTrigger, Error, e.Line)
		f.Message = fmt.Sprintf("%s starts the job %s, which reads the memory key.", quoted(e.Name), quoted(v.j.ID))
		f.Reason = "That event runs the pull request's own copy of this file, so whoever opens one from a branch of this repository can print the key and seal memory of their own."
		f.Fix = "Run familiar init: its workflows are started by events that run the default branch's copy."
		if v.j.Environment != "" {
			f.Severity = Warning
			f.Reason += " An environment for the default branch alone keeps the key from it, and then the job fails."
		}
		out = append(out, f)
	}
	return out
}

var headRef = text.Lazy(`(?i)github\.event\.pull_request\.(head\b|merge_commit_sha)|github\.head_ref|refs/pull/|workflow_run\.(head_sha|head_branch|head_commit|head_repository|pull_requests)|github\.event\.(issue|pull_request)\.number[^\n]*/(head|merge)`)

var headCommand = text.Lazy(`(?i)gh\s+pr\s+checkout|git\s+(fetch|checkout|pull|clone|switch)\b[^\n]*(pull/|head|workflow_run)`)

// checkoutOfHead: nobody's change is laid out where secrets or a token that
// may write are at hand.
func checkoutOfHead(v jobView) []Finding {
	trigger := ""
	for _, e := range v.w.Events {
		if slices.Contains(privilegedEvents, e.Name) {
			trigger = e.Name
		}
	}
	if trigger == "" {
		return nil
	}
	var out []Finding
	for _, s := range v.j.Steps {
		action, _, _ := strings.Cut(s.Uses, "@")
		ref, repository := s.With["ref"], s.With["repository"]
		line := 0
		switch {
		case strings.EqualFold(action, "actions/checkout") && headRef.MatchString(ref.Value):
			line = ref.Line
		case strings.EqualFold(action, "actions/checkout") && headRef.MatchString(repository.Value):
			line = repository.Line
		case headCommand.MatchString(s.Run.Value) && (headRef.MatchString(s.Run.Value) || strings.Contains(s.Run.Value, "gh pr checkout") || strings.Contains(s.Run.Value, "pull/")):
			line = s.Run.Line
		default:
			continue
		}
		if f, bad := checkedOut(v, trigger, line); bad {
			out = append(out, f)
		}
	}
	return out
}

// sameRepository finds a filter that lets no fork's change through.
var sameRepository = text.Lazy(`head\.repo\.(id|full_name)\s*==\s*github\.(event\.)?repository\b`)

// checkedOut judges a job that lays out a change. One that holds neither the
// key nor a token that may write is where a change may be looked at.
func checkedOut(v jobView, trigger string, line int) (Finding, bool) {
	f := v.finding(CheckCheckout, Error, line)
	f.Message = fmt.Sprintf("The job %s checks out the change that a pull request makes, on the trigger %s.", quoted(v.j.ID), quoted(trigger))
	f.Fix = "Remove the checkout: familiar reads the change through the API. Whoever needs the files uses a job of its own without the key and without permissions, as examples/reviewers/three-jobs.yml does."
	if v.holds && sameRepository.MatchString(v.j.If.Value) {
		f.Severity = Note
		f.Message = fmt.Sprintf("The job %s checks out changes of this repository's own branches beside the memory key.", quoted(v.j.ID))
		f.Reason = "Whoever may push can reach the key if a tool in this job runs what a change brings along (a build script, a plugin, a configuration in code)."
		f.Fix = "Use tools there that only read, or a job of its own without the key, as examples/reviewers/three-jobs.yml does."
		return f, true
	}
	if v.holds {
		f.Reason = "What the change brings along (a build script, a configuration of a tool) can then run beside the memory key."
		return f, true
	}
	wide := v.wide()
	if len(wide) == 0 {
		return f, false
	}
	f.Severity = Warning
	f.Reason = fmt.Sprintf("What the change brings along can then run with this job's token (%s), which speaks under the same name as familiar's and can edit its comments or delete its memory.", strings.Join(wide, ", "))
	return f, true
}

var ageKey = text.Lazy(`AGE-SECRET-KEY-(PQ-)?1`)

// keyShape: the key comes from a secret and from nothing else.
func keyShape(v jobView) []Finding {
	var out []Finding
	for _, s := range v.j.Steps {
		in, given := s.With["memory-key"]
		if !given || s.keyName() != "" {
			continue
		}
		f := v.finding(CheckKey, Error, in.Line)
		f.Field = "memory-key"
		f.Fix = "Make a new key (familiar keygen), store it as the secret " + DefaultKeySecret + " of the environment familiar, and write memory-key: ${{ secrets." + DefaultKeySecret + " }}."
		switch {
		case ageKey.MatchString(in.Value):
			f.Message, f.Reason = "The memory key itself stands in the file.", "Everybody who can read the repository can open the memory and seal one of their own."
		case strings.Contains(in.Value, "vars."):
			f.Message, f.Reason = "The memory key is a variable, not a secret.", "Variables are shown in settings and in logs."
		case strings.TrimSpace(in.Value) == "":
			f.Severity, f.Message, f.Reason = Warning, "memory-key is empty.", "Without a key there is no memory."
			f.Fix = "Write memory-key: ${{ secrets." + DefaultKeySecret + " }}."
		case !strings.Contains(strings.ToLower(in.Value), "secrets"):
			f.Message, f.Reason = "The memory key does not come from a secret.", "Only secrets are kept out of logs and settings."
		default:
			continue // an expression over secrets
		}
		out = append(out, f)
	}
	return out
}

// environmentShape: the key lies in an environment (page 5.1).
func environmentShape(v jobView) []Finding {
	if !v.holds || v.j.Environment != "" || v.j.Uses != "" {
		return nil
	}
	f := v.finding(CheckEnvironment, Error, v.j.Line)
	f.Message = fmt.Sprintf("The job %s reads the memory key without an environment.", quoted(v.j.ID))
	f.Reason = "A plain repository secret can be read by whoever may push a branch, with a workflow of their own."
	f.Fix = "Put the secret into an environment familiar that only the default branch may use, and write environment: familiar at the job (familiar init prints the commands)."
	if v.facts.Visibility != "public" {
		f.Severity = Warning
		f.Reason += " On GitHub's Free plan a private repository has no environments; there you trust everybody who may push."
	}
	return []Finding{f}
}

var untrusted = text.Lazy(`\$\{\{[^}]*(github\.event\.(comment|issue|pull_request|review|discussion|head_commit|workflow_run)\.(body|title|head\.ref|head\.label|head\.repo\.default_branch|head_branch|display_title|message|user\.login|page_name)|github\.head_ref|github\.event\.label\.name)[^}]*\}\}`)

// scripts: no text that a stranger writes is put into a shell's script.
func scripts(v jobView) []Finding {
	var out []Finding
	for _, s := range v.j.Steps {
		found := untrusted.FindString(s.Run.Value)
		if found == "" {
			continue
		}
		f := v.finding(CheckTrigger, Error, s.Run.Line)
		f.Message = fmt.Sprintf("A script of the job %s holds %s.", quoted(v.j.ID), quoted(found))
		f.Reason = "GitHub puts that text into the script before the shell reads it, so whoever writes it runs commands beside the job's secrets."
		f.Fix = "Hand it over in env: and use \"$NAME\" in the script."
		out = append(out, f)
	}
	return out
}
