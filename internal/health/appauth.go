package health

import (
	"fmt"
	"slices"
	"strings"
)

// This file is about a step that acts as a GitHub App (page 6.7): its key is
// kept as the memory's is, and `checks: write` is asked for with it alone.

// actsAsApp says whether the step that is familiar is given an App.
func (v jobView) actsAsApp() bool { return v.ours && v.step.app() }

func (s Step) app() bool {
	return s.With["app-id"].Value != "" || s.With["app-private-key"].Value != ""
}

// appShape: both inputs are given, and the key comes from a secret of an
// environment.
func appShape(v jobView) []Finding {
	if !v.actsAsApp() {
		return nil
	}
	id, key := v.step.With["app-id"], v.step.With["app-private-key"]
	f := v.finding(CheckKey, Error, key.Line)
	f.Field = "app-private-key"
	f.Fix = "Store it as a secret of the environment familiar, and write app-private-key: ${{ secrets.FAMILIAR_APP_PRIVATE_KEY }} (familiar init --app)."
	switch {
	case key.Value == "":
		f.Line = id.Line
		f.Message, f.Reason = fmt.Sprintf("The job %s has app-id without app-private-key.", quoted(v.j.ID)), "The step refuses to start with one of the two."
	case id.Value == "":
		f.Field = "app-id"
		f.Message, f.Reason = fmt.Sprintf("The job %s has app-private-key without app-id.", quoted(v.j.ID)), "The step refuses to start with one of the two."
		f.Fix = "Write app-id: ${{ vars.FAMILIAR_APP_ID }} (familiar init --app)."
	case !strings.Contains(strings.ToLower(key.Value), "secrets"):
		f.Message, f.Reason = "The App's private key does not come from a secret.", "Whoever reads it can act as the App, in every repository that it is installed on."
	case v.j.Environment == "" && !v.holds:
		f.Check, f.Line = CheckEnvironment, v.j.Line
		f.Message = fmt.Sprintf("The job %s reads the App's private key without an environment.", quoted(v.j.ID))
		f.Reason = "A plain repository secret can be read by whoever may push a branch, with a workflow of their own."
	default:
		return nil
	}
	return []Finding{f}
}

// appSecrets are the names of the secrets that hold an App's key.
func appSecrets(workflows []Workflow) []string {
	names := map[string]bool{}
	for _, w := range workflows {
		for _, j := range w.Jobs {
			for _, s := range j.Steps {
				if name := secretName(s.With["app-private-key"].Value); name != "" && s.Familiar() {
					names[name] = true
				}
			}
		}
	}
	return sortedKeys(names)
}

// appKeys: the App's key that the jobs name is there, and in an environment.
func appKeys(f RemoteFacts) []Finding {
	var out []Finding
	if !f.RepoSecrets.OK {
		return nil
	}
	for _, name := range appSecrets(f.Workflows) {
		finding := Finding{Check: CheckKey, Severity: Error, Field: name}
		switch {
		case containsFold(f.RepoSecrets.Value, name):
			finding.Check, finding.Severity = CheckEnvironment, Warning
			finding.Message = fmt.Sprintf("%s is a plain secret of the repository.", name)
			finding.Reason = "Whoever may push a branch can read it with a workflow of their own, and act as the App."
			finding.Fix = fmt.Sprintf("Make a new private key for the App, store it with gh secret set %s --env familiar, and delete this one: gh secret delete %s.", name, name)
		case f.Environments.OK && !slices.ContainsFunc(f.Environments.Value, func(e Environment) bool {
			return !e.Missing && (!e.Secrets.OK || containsFold(e.Secrets.Value, name))
		}):
			finding.Message = fmt.Sprintf("There is no secret %s.", name)
			finding.Reason = "The step cannot act as the App, and every run of it fails."
			finding.Fix = fmt.Sprintf("gh secret set %s --env familiar < APP.private-key.pem; or familiar init --app=false.", name)
		default:
			continue
		}
		out = append(out, finding)
	}
	return out
}

// sweepDeletes: somebody deletes what is outdated, and what holds a text that
// is to be gone (page 5.4).
func sweepDeletes(w Workflow, f WorkflowFacts) []Finding {
	for _, j := range w.Jobs {
		v := jobView{w: w, j: j, facts: f}
		v.step, v.ours = j.familiar()
		p := v.stated()
		if !v.ours || v.step.With["memory-key"].Value == "" || v.actsAsApp() || p == nil || p.All != "" || p.By["actions"] != "read" {
			continue
		}
		out := v.finding(CheckPermissions, Warning, p.Line)
		out.Field = "actions"
		out.Message = fmt.Sprintf("The job %s, which sweeps, may not delete artifacts.", quoted(j.ID))
		out.Reason = "Outdated containers of the memory pile up for as long as GitHub keeps them, and with them, sealed, what was forgotten since."
		out.Fix = "Write actions: write at this job; it starts by the clock or by hand alone, and checks nothing out. The other jobs keep actions: read."
		return []Finding{out}
	}
	return nil
}
