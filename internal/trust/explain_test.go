package trust

import (
	"testing"

	"github.com/familiarhq/familiar/internal/event"
)

func TestExplainSaysAVerdictInOneLine(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict Verdict
		want    string
	}{
		{"a maintainer", Derive(onPull(mara(RoleSender), mara(RoleAuthor))), "trust is maintainer: mara (sender, author) has admin permission"},
		{"a fork", Derive(Facts{Kind: event.PullRequest, Pull: &PullFacts{BaseRepoID: 501}}),
			"trust is fork_pr: the head repository is deleted or has no id, so the head counts as a fork, whoever pushed to it"},
		{"two people", Derive(onPull(mara(RoleSender), cora(RoleAuthor))), "trust is collaborator: cora (author) has the triage role; mara (sender) has admin permission"},
		{"many people", Derive(onPull(mara(RoleSender), cora(RoleAuthor), ada(RoleActor), ghost(RoleCommenter), bot(RoleTriggeringActor))),
			"trust is external: a deleted or unnamed account (commenter) cannot be looked up; dependabot[bot] (triggering actor) is a bot that trust.bots does not name; cora (author) has the triage role; and 2 more"},
		{"nothing", Verdict{}, "trust is external: nothing was derived"},
		{"a scope outside the set", Verdict{Scope: "root", Reasons: []Reason{{"x", "because"}}}, "trust is external: because"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Explain(c.verdict); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
