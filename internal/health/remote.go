package health

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/config"
)

// Known is a fact that may not have been told. The zero value is not known.
type Known[T any] struct {
	Value T
	OK    bool
	// Why says why it is not known, a sentence without a full stop; "": nobody
	// asked.
	Why string
}

// Is makes a known fact.
func Is[T any](v T) Known[T] { return Known[T]{Value: v, OK: true} }

// RemoteFacts is what GitHub says of a repository.
type RemoteFacts struct {
	Now           time.Time
	Repository    string // owner/name
	Visibility    string
	DefaultBranch string
	Workflows     []Workflow
	Config        config.Config

	Labels       Known[[]string]
	RepoSecrets  Known[[]string]          // names of the repository's own secrets
	Environments Known[[]Environment]     // those that jobs with the key name; Missing says which are not there
	States       Known[map[string]string] // workflow path to GitHub's state: "active", "disabled_inactivity", ...
	Policy       Known[ActionsPolicy]
	Containers   Known[[]Container]
}

// Environment is an environment of GitHub.
type Environment struct {
	Name    string
	Missing bool
	// Branches are the patterns that may use it. Restricted false: every branch
	// may. Protected: those with a branch protection.
	Restricted bool
	Protected  bool
	Branches   []string
	Secrets    Known[[]string]
}

// ActionsPolicy is what Actions may do here.
type ActionsPolicy struct {
	Enabled  bool
	Allowed  string   // "all", "local_only", "selected"
	Patterns []string // of selected
}

// Container is an artifact of ours.
type Container struct {
	ID      int64
	Created time.Time
	Expires time.Time
	Expired bool
}

// Remote returns what is wrong with how the repository is set up on GitHub,
// and what could not be looked at.
func Remote(f RemoteFacts) []Finding {
	var out []Finding
	out = append(out, labels(f)...)
	out = append(out, secrets(f)...)
	out = append(out, appKeys(f)...)
	out = append(out, environments(f)...)
	out = append(out, states(f)...)
	out = append(out, policy(f)...)
	out = append(out, containers(f)...)
	out = append(out, unknowns(f)...)
	Sort(out)
	return out
}

func labels(f RemoteFacts) []Finding {
	if !f.Labels.OK {
		return nil
	}
	l := f.Config.Familiar.Labels
	var gone []string
	for _, name := range []string{l.Approve, l.Reject, l.Review, l.NoMemory, l.Skip} {
		if name != "" && !slices.ContainsFunc(f.Labels.Value, func(have string) bool { return strings.EqualFold(have, name) }) {
			gone = append(gone, name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return []Finding{{
		Check: CheckLabels, Severity: Note, Field: "familiar.labels",
		Message: fmt.Sprintf("The repository has no label %s yet.", and(each(gone, quoted))),
		Reason:  "Nobody can approve or ask by a label that is not there.",
		Fix:     "The first run of a maintainer's pull request makes them.",
	}}
}

// keyed lists the secrets that hold the key and the environments of the jobs
// that take it.
func keyed(workflows []Workflow) (secretNames, environmentNames []string) {
	names := WorkflowFacts{Workflows: workflows}.secrets()
	in := map[string]bool{}
	for _, w := range workflows {
		for _, j := range w.Jobs {
			for _, s := range names {
				if j.mentions(s) && j.Environment != "" {
					in[j.Environment] = true
				}
			}
		}
	}
	return names, sortedKeys(in)
}

// KeyedEnvironments are the environments of the jobs that read the key.
func KeyedEnvironments(workflows []Workflow) []string {
	_, in := keyed(workflows)
	return in
}

func secrets(f RemoteFacts) []Finding {
	names, in := keyed(f.Workflows)
	var out []Finding
	for _, name := range names {
		if !f.RepoSecrets.OK || !containsFold(f.RepoSecrets.Value, name) {
			continue
		}
		finding := Finding{
			Check: CheckEnvironment, Severity: Warning, Field: name,
			Message: fmt.Sprintf("%s is a plain secret of the repository.", name),
			Reason:  "Whoever may push a branch can read it with a workflow of their own, open the memory, and seal one.",
			Fix:     fmt.Sprintf("Make a new key in the environment familiar: %s. Then delete this one: gh secret delete %s.", newKey(name), name),
		}
		if f.Visibility == "public" || len(in) > 0 {
			finding.Severity = Error
		}
		out = append(out, finding)
	}
	return append(out, keyMissing(f, names)...)
}

// keyMissing: a key that the jobs name is somewhere.
func keyMissing(f RemoteFacts, names []string) []Finding {
	if !f.RepoSecrets.OK || !f.Environments.OK || len(names) == 0 {
		return nil
	}
	for _, name := range names {
		if containsFold(f.RepoSecrets.Value, name) {
			return nil
		}
		for _, e := range f.Environments.Value {
			if !e.Missing && (!e.Secrets.OK || containsFold(e.Secrets.Value, name)) {
				return nil
			}
		}
	}
	return []Finding{{
		Check: CheckKey, Severity: Warning, Field: names[0],
		Message: fmt.Sprintf("There is no secret %s.", and(names)),
		Reason:  "Without a key there is no memory: reviews use rules alone, and nothing can be taught.",
		Fix:     "Make one: " + newKey(names[0]) + ".",
	}}
}

// newKey are the commands that put a new key into a secret. It goes through a
// file, since GitHub never shows a secret again, and nobody opens the memory
// without the key.
func newKey(secret string) string {
	return fmt.Sprintf("(umask 077; familiar keygen > ../familiar.key), then gh secret set %s --env familiar < ../familiar.key, and keep that file where you keep such things", secret)
}

func containsFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

func environments(f RemoteFacts) []Finding {
	var out []Finding
	for _, e := range f.Environments.Value {
		finding := Finding{Check: CheckEnvironment, Severity: Error, Field: e.Name,
			Fix: fmt.Sprintf("Let only %s use it (familiar init prints the commands).", quoted(f.DefaultBranch))}
		switch {
		case e.Missing:
			finding.Severity = Warning
			finding.Message = fmt.Sprintf("There is no environment %s.", quoted(e.Name))
			finding.Reason = "GitHub makes one at the first run, that every branch may use."
			finding.Fix = "Make it first, for the default branch alone (familiar init prints the commands)."
		case !e.Restricted:
			finding.Message = fmt.Sprintf("Every branch may use the environment %s.", quoted(e.Name))
			finding.Reason = "Whoever may push a branch can then read the key with a workflow of their own."
		case e.Protected:
			finding.Severity = Note
			finding.Message = fmt.Sprintf("Every protected branch may use the environment %s.", quoted(e.Name))
			finding.Reason = "A protection by a pattern can cover a branch that anybody may make."
		default:
			wide := slices.DeleteFunc(slices.Clone(e.Branches), func(b string) bool { return b == f.DefaultBranch })
			if len(wide) == 0 {
				continue
			}
			finding.Severity = Warning
			finding.Message = fmt.Sprintf("%s may use the environment %s too.", and(each(wide, quoted)), quoted(e.Name))
			finding.Reason = "Whoever may push there can read the key with a workflow of their own."
		}
		out = append(out, finding)
	}
	return out
}

func states(f RemoteFacts) []Finding {
	var out []Finding
	for _, w := range f.Workflows {
		state := f.States.Value[w.Path]
		_, scheduled := w.event("schedule")
		switch {
		case !w.startsFamiliar() || state == "" || state == "active":
			continue
		case state == "disabled_inactivity":
			out = append(out, Finding{
				Check: CheckSchedule, Severity: Error, File: w.Path,
				Message: "GitHub has turned this workflow off, since the repository was quiet for 60 days.",
				Reason:  "Nothing of it runs; the memory is deleted at the end of its lifetime.", Fix: "gh workflow enable " + w.Path[strings.LastIndexByte(w.Path, '/')+1:],
			})
		default:
			check := CheckWorkflow
			if scheduled {
				check = CheckSchedule
			}
			out = append(out, Finding{
				Check: check, Severity: Warning, File: w.Path,
				Message: fmt.Sprintf("The workflow is turned off (%s).", state), Reason: "Nothing of it runs.",
				Fix: "gh workflow enable " + w.Path[strings.LastIndexByte(w.Path, '/')+1:],
			})
		}
	}
	return out
}

func policy(f RemoteFacts) []Finding {
	p := f.Policy.Value
	if !f.Policy.OK {
		return nil
	}
	finding := Finding{Check: CheckActions, Severity: Error, Reason: "No run starts, so nothing is reviewed and no comment is answered.",
		Fix: "Let an admin change it: the repository's settings, Actions, General."}
	switch {
	case !p.Enabled:
		finding.Message = "Actions are off in this repository."
	case p.Allowed == "local_only" && usesRemote(f.Workflows) != "":
		finding.Message = "The Actions policy allows the owner's own actions only."
	case p.Allowed == "selected" && usesRemote(f.Workflows) != "" && !allowedBy(p.Patterns, usesRemote(f.Workflows)):
		finding.Message = fmt.Sprintf("The Actions policy does not allow %s.", quoted(usesRemote(f.Workflows)))
	default:
		return nil
	}
	return []Finding{finding}
}

// usesRemote is the action as the workflows name it, "" for one in the
// repository itself.
func usesRemote(workflows []Workflow) string {
	for _, w := range workflows {
		for _, j := range w.Jobs {
			if s, ours := j.familiar(); ours && !strings.HasPrefix(s.Uses, "./") {
				return s.Uses
			}
		}
	}
	return ""
}

// allowedBy holds an action against the patterns of a policy: names with
// stars, without regard to case.
func allowedBy(patterns []string, action string) bool {
	for _, p := range patterns {
		if starMatch(strings.ToLower(p), strings.ToLower(action)) {
			return true
		}
	}
	return false
}

func starMatch(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	rest, ok := strings.CutPrefix(s, parts[0])
	for _, p := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, p)
		ok, rest = ok && found, after
	}
	return ok && strings.HasSuffix(rest, parts[len(parts)-1])
}

func containers(f RemoteFacts) []Finding {
	var newest *Container
	gone := 0
	for i, c := range f.Containers.Value {
		switch {
		case c.Expired || !c.Expires.IsZero() && !c.Expires.After(f.Now):
			gone++
		case newest == nil || c.Created.After(newest.Created):
			newest = &f.Containers.Value[i]
		}
	}
	if newest == nil {
		if gone == 0 {
			return nil
		}
		return []Finding{{
			Check: CheckStore, Severity: Error, Message: "Every container of the memory has expired.",
			Reason: "GitHub deletes an artifact at its end, and with it every lesson.", Fix: "Restore your last snapshot: familiar memory restore FILE.",
		}}
	}
	return lifetime(StoreFacts{LessonFacts: LessonFacts{Now: f.Now}, SavedAt: newest.Created, ExpiresAt: newest.Expires, SweepEvery: SweepEvery(f.Workflows)})
}

// unknowns says what was not looked at, and why.
func unknowns(f RemoteFacts) []Finding {
	var out []Finding
	for _, u := range []struct {
		what string
		ok   bool
		why  string
	}{
		{"the labels", f.Labels.OK, f.Labels.Why}, {"the repository's secrets", f.RepoSecrets.OK, f.RepoSecrets.Why},
		{"the environment of the key", f.Environments.OK, f.Environments.Why}, {"whether the workflows are turned on", f.States.OK, f.States.Why},
		{"the Actions policy", f.Policy.OK, f.Policy.Why}, {"the containers of the memory", f.Containers.OK, f.Containers.Why},
	} {
		if u.ok || u.why == "" {
			continue
		}
		out = append(out, Finding{
			Check: CheckAccess, Severity: Note, Message: fmt.Sprintf("It was not looked at: %s.", u.what),
			Reason: sentence(u.why), Fix: "Run it with the token of an admin, for example GITHUB_TOKEN=$(gh auth token).",
		})
	}
	return out
}
