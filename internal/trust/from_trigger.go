package trust

import (
	"strings"

	"github.com/familiarhq/familiar/internal/event"
)

// FromTrigger starts the facts of a trigger with all that its payload and the
// two logins of the runner (GITHUB_ACTOR, GITHUB_TRIGGERING_ACTOR) say. No
// look-up is in it, so everybody derives external until the caller fills
// Shapers[i].Lookup, Resolution and Pull with live answers.
//
// Where the event is about a pull request, Pull is set, with ids of zero where
// the payload has none: an unfilled one derives fork_pr. An empty login stays
// as somebody who cannot be looked up. Inputs of a workflow_dispatch are not
// read (A37). The caller of a workflow_run or a workflow_dispatch about a pull
// request appends that pull request's author.
func FromTrigger(t event.Trigger, actor, triggeringActor string) Facts {
	f := Facts{Kind: t.Kind, Visibility: t.Repository.Visibility}
	switch {
	case t.Pull != nil:
		f.Pull = &PullFacts{HeadRepoID: t.Pull.Head.RepoID, BaseRepoID: t.Pull.Base.RepoID}
	case t.Issue != nil && t.Issue.IsPull:
		f.Pull = &PullFacts{}
	}
	named := shapersNamed(t)
	f.Shapers = append(named,
		runnerShaper(RoleActor, actor, named),
		runnerShaper(RoleTriggeringActor, triggeringActor, named))
	return f
}

// shapersNamed are those that the payload itself names. The author of an
// issue is one of them: its text shapes whatever answers it.
func shapersNamed(t event.Trigger) []Shaper {
	out := []Shaper{shaper(RoleSender, t.Sender)}
	if t.Pull != nil {
		out = append(out, shaper(RoleAuthor, t.Pull.Author))
	}
	if t.Issue != nil {
		out = append(out, shaper(RoleAuthor, t.Issue.Author))
	}
	if t.Comment != nil {
		out = append(out, shaper(RoleCommenter, t.Comment.Author))
	}
	if t.WorkflowRun != nil {
		out = append(out,
			shaper(RoleActor, t.WorkflowRun.Actor),
			shaper(RoleTriggeringActor, t.WorkflowRun.Triggering))
	}
	return out
}

func shaper(role Role, a *event.Actor) Shaper {
	if a == nil {
		return Shaper{Role: role, Ghost: true}
	}
	return Shaper{Role: role, ID: a.ID, Login: a.Login, Bot: a.IsBot()}
}

// runnerShaper is a login from the runner's environment. Id and type are
// unknown there; they are taken from the payload where it names the same
// account, in any case as GitHub compares logins.
func runnerShaper(role Role, login string, named []Shaper) Shaper {
	for _, s := range named {
		if login != "" && strings.EqualFold(s.Login, login) {
			s.Role = role
			return s
		}
	}
	return Shaper{Role: role, Login: login}
}
