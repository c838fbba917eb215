package trust

import (
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
)

// Derive is the table of page 3.1; the first rule that matches wins. It
// answers for any Facts and always with at least one reason. Where facts are
// missing or contradict each other it denies: zero Facts give external, and
// nothing is reviewed.
func Derive(f Facts) Verdict {
	return capped(derive(f), f.Cap)
}

func derive(f Facts) Verdict {
	if f.Kind == event.Schedule {
		return verdict(contract.TrustScheduled, true, CodeSchedule,
			"the schedule started this run; whoever edited its line last is not asked")
	}
	if !worksOnMemory(f.Kind) {
		return verdict(contract.TrustExternal, false, CodeNoMemoryWork,
			"this kind of event does no memory work and reviews nothing")
	}
	if text := unresolved(f); text != "" {
		return verdict(contract.TrustExternal, false, CodeRunUnresolved, text)
	}
	if code, text := foreignHead(f); code != "" {
		return verdict(contract.TrustForkPR, true, code, text)
	}
	return lowestStanding(f)
}

func verdict(scope contract.TrustScope, review bool, code, text string) Verdict {
	return Verdict{Scope: scope, Review: review, Reasons: []Reason{{code, text}}}
}

// worksOnMemory tells the kinds that do anything. A kind outside the closed
// set does nothing, like an unknown event.
func worksOnMemory(k event.Kind) bool {
	return k.Known() && k != event.Unknown && k != event.MergeGroup
}

// unresolved says why a workflow_run has no pull request; "" where it has one
// or is none. Another kind that carries a resolution is held to it.
func unresolved(f Facts) string {
	if f.Kind != event.WorkflowRun && f.Resolution == "" {
		return ""
	}
	switch f.Resolution {
	case ResolutionOne:
		if f.Pull == nil {
			return "the workflow run was matched to a pull request whose facts are missing"
		}
		return ""
	case ResolutionNone:
		return "no open pull request has the head repository and commit of this workflow run"
	case ResolutionAmbiguous:
		return "more than one open pull request has the head repository and commit of this workflow run"
	}
	return "the workflow run was not matched to a pull request"
}

// foreignHead says why the head is not the same repository (rule 2), or "".
// The flag repository.fork is not among the facts, so it cannot be consulted.
func foreignHead(f Facts) (code, text string) {
	aboutPull := f.Kind == event.PullRequest || f.Kind == event.PullRequestTarget
	switch {
	case f.Pull == nil && !aboutPull:
		return "", ""
	case f.Pull == nil, *f.Pull == PullFacts{}:
		return CodePullUnknown, "the facts of the pull request are missing, so its head counts as a fork"
	case f.Pull.HeadRepoID <= 0:
		return CodeHeadRepoMissing, "the head repository is deleted or has no id, so the head counts as a fork, whoever pushed to it"
	case f.Pull.BaseRepoID <= 0:
		return CodeBaseRepoMissing, "the base repository has no id, so the head counts as a fork"
	case f.Pull.HeadRepoID != f.Pull.BaseRepoID:
		return CodeHeadIsFork, fmt.Sprintf("the head repository (id %d) is not the base repository (id %d), so it is a fork, whoever pushed to it",
			f.Pull.HeadRepoID, f.Pull.BaseRepoID)
	}
	return "", ""
}

// lowestStanding is rule 3, for work whose head, if it has one, is in the same
// repository.
func lowestStanding(f Facts) Verdict {
	all := people(f)
	v := Verdict{Scope: contract.TrustMaintainer, Review: true}
	atKeyboard := f.LocalOperator && f.Kind == event.Local
	botsLack := false
	for _, p := range all {
		v.Reasons = append(v.Reasons, p.said())
		if p.lacks() {
			botsLack = true
			continue
		}
		v.Scope = Min(v.Scope, p.scope)
	}
	if atKeyboard {
		v.Reasons = append(v.Reasons, Reason{CodeLocalOperator, "the person at this command line owns the store file"})
	}
	switch {
	case !atKeyboard && !slices.ContainsFunc(f.Shapers, func(s Shaper) bool { return s.Role.acts() }):
		v.deny(contract.TrustExternal, CodeNoActor, "nobody is known who started this run, so nobody stands behind it")
	case botsLack && f.Pull == nil:
		v.Scope = contract.TrustExternal
	case botsLack && v.Scope != contract.TrustExternal:
		v.deny(Min(v.Scope, contract.TrustForkPR), CodeBotAuthor,
			"only a bot or app lacks standing, on a head in this repository: approved lessons are read, nothing is written")
	}
	if aboutIssue := f.Kind == event.Issues || f.Kind == event.IssueComment; aboutIssue && f.Pull == nil {
		v.Review = false
		v.Reasons = append(v.Reasons, Reason{CodeNoPullRequest, "the event is about an issue, not a pull request, so nothing is reviewed"})
	}
	return v
}

// deny sets a lower scope for a reason that goes before all others.
func (v *Verdict) deny(scope contract.TrustScope, code, text string) {
	v.Scope = scope
	v.Reasons = slices.Insert(v.Reasons, 0, Reason{code, text})
}

// capped lowers a verdict to what was asked for. It never raises one.
func capped(v Verdict, most contract.TrustScope) Verdict {
	switch {
	case most == "":
	case !most.Known():
		v.deny(contract.TrustExternal, CodeCapUnknown, "the trust scope asked for is none that exists, so nothing is granted")
	case Less(most, v.Scope):
		v.deny(most, CodeCapped, fmt.Sprintf("%s was asked for in place of %s", most, v.Scope))
	}
	return v
}
