package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
)

// Shapers that the tables share. Codes of their standings: mara and max are
// maintainers, cora a collaborator, eve a stranger.
func mara(r Role) Shaper {
	return Shaper{Role: r, ID: 11, Login: "mara", Lookup: said("admin", "admin")}
}
func ada(r Role) Shaper {
	return Shaper{Role: r, ID: 12, Login: "ada", Lookup: said("write", "maintain")}
}
func cora(r Role) Shaper {
	return Shaper{Role: r, ID: 13, Login: "cora", Lookup: said("read", "triage")}
}
func eve(r Role) Shaper   { return Shaper{Role: r, ID: 14, Login: "eve", Lookup: said("read", "read")} }
func ghost(r Role) Shaper { return Shaper{Role: r, Ghost: true} }
func bot(r Role) Shaper {
	return Shaper{Role: r, ID: 15, Login: "dependabot[bot]", Bot: true, Lookup: Lookup{Failure: "404"}}
}

var (
	sameRepo = &PullFacts{HeadRepoID: 501, BaseRepoID: 501}
	fork     = &PullFacts{HeadRepoID: 902, BaseRepoID: 501}
)

func onPull(shapers ...Shaper) Facts {
	return Facts{Kind: event.PullRequestTarget, Pull: sameRepo, Visibility: "public", Shapers: shapers}
}

func with(f Facts, change func(*Facts)) Facts {
	change(&f)
	return f
}

func codes(v Verdict) string {
	var out []string
	for _, r := range v.Reasons {
		out = append(out, r.Code)
	}
	return strings.Join(out, " ")
}

func TestDerive(t *testing.T) {
	run := func(r Resolution, p *PullFacts) Facts {
		return Facts{Kind: event.WorkflowRun, Resolution: r, Pull: p, Visibility: "public", Shapers: []Shaper{mara(RoleSender), mara(RoleAuthor)}}
	}
	for _, c := range []struct {
		name   string
		facts  Facts
		scope  contract.TrustScope
		review bool
		codes  string
		text   string // of the first reason
	}{
		// Rule 0: nothing is known.
		{"zero facts deny", Facts{}, "external", false, "no_memory_work", "this kind of event does no memory work and reviews nothing"},
		{"an unknown event does nothing, whoever sent it", Facts{Kind: event.Unknown, Shapers: []Shaper{mara(RoleSender)}}, "external", false, "no_memory_work", "this kind of event does no memory work and reviews nothing"},
		{"a kind outside the set does nothing", Facts{Kind: "push", Pull: sameRepo, Shapers: []Shaper{mara(RoleSender)}}, "external", false, "no_memory_work", "this kind of event does no memory work and reviews nothing"},
		{"A42: a merge group does nothing and ends well", Facts{Kind: event.MergeGroup, Pull: sameRepo, Shapers: []Shaper{mara(RoleSender)}}, "external", false, "no_memory_work", "this kind of event does no memory work and reviews nothing"},

		// Rule 1.
		{"A43: a schedule is scheduled, whoever edited its line", Facts{Kind: event.Schedule, Shapers: []Shaper{eve(RoleActor), ghost(RoleSender)}}, "scheduled", true, "schedule", "the schedule started this run; whoever edited its line last is not asked"},
		{"a schedule comes before the head's repository", Facts{Kind: event.Schedule, Pull: fork}, "scheduled", true, "schedule", "the schedule started this run; whoever edited its line last is not asked"},

		// Rule 2.
		{"a fork is a fork", with(onPull(eve(RoleSender), eve(RoleAuthor)), func(f *Facts) { f.Pull = fork }), "fork_pr", true, "head_is_fork", "the head repository (id 902) is not the base repository (id 501), so it is a fork, whoever pushed to it"},
		{"A28: a maintainer's fork, and a fork a maintainer reopened, stay forks", with(onPull(mara(RoleSender), mara(RoleActor), mara(RoleAuthor)), func(f *Facts) { f.Pull = fork }), "fork_pr", true, "head_is_fork", "the head repository (id 902) is not the base repository (id 501), so it is a fork, whoever pushed to it"},
		{"a fork of nobody is a fork", Facts{Kind: event.PullRequest, Pull: fork}, "fork_pr", true, "head_is_fork", "the head repository (id 902) is not the base repository (id 501), so it is a fork, whoever pushed to it"},
		{"a comment in a fork's thread", Facts{Kind: event.IssueComment, Pull: fork, Shapers: []Shaper{mara(RoleSender)}}, "fork_pr", true, "head_is_fork", "the head repository (id 902) is not the base repository (id 501), so it is a fork, whoever pushed to it"},
		{"a dispatch about a fork", Facts{Kind: event.WorkflowDispatch, Pull: fork, Shapers: []Shaper{mara(RoleSender)}}, "fork_pr", true, "head_is_fork", "the head repository (id 902) is not the base repository (id 501), so it is a fork, whoever pushed to it"},
		{"A38: a deleted fork", with(onPull(mara(RoleSender), mara(RoleAuthor)), func(f *Facts) { f.Pull = &PullFacts{BaseRepoID: 501} }), "fork_pr", true, "head_repo_missing", "the head repository is deleted or has no id, so the head counts as a fork, whoever pushed to it"},
		{"a base without an id", with(onPull(mara(RoleSender)), func(f *Facts) { f.Pull = &PullFacts{HeadRepoID: 501} }), "fork_pr", true, "base_repo_missing", "the base repository has no id, so the head counts as a fork"},
		{"two missing ids are not the same repository", with(onPull(mara(RoleSender)), func(f *Facts) { f.Pull = &PullFacts{} }), "fork_pr", true, "pull_unknown", "the facts of the pull request are missing, so its head counts as a fork"},
		{"two negative ids are not the same repository", with(onPull(mara(RoleSender)), func(f *Facts) { f.Pull = &PullFacts{HeadRepoID: -1, BaseRepoID: -1} }), "fork_pr", true, "head_repo_missing", "the head repository is deleted or has no id, so the head counts as a fork, whoever pushed to it"},
		{"a pull request event without its facts", Facts{Kind: event.PullRequestTarget, Shapers: []Shaper{mara(RoleSender)}}, "fork_pr", true, "pull_unknown", "the facts of the pull request are missing, so its head counts as a fork"},
		{"A45: a fork's own pull_request run is still reviewed", Facts{Kind: event.PullRequest, Pull: fork, Shapers: []Shaper{eve(RoleSender)}}, "fork_pr", true, "head_is_fork", "the head repository (id 902) is not the base repository (id 501), so it is a fork, whoever pushed to it"},

		// Rule 3 and 4.
		{"a maintainer alone", onPull(mara(RoleSender), mara(RoleActor), mara(RoleTriggeringActor), mara(RoleAuthor)), "maintainer", true, "permission_admin", "mara (sender, actor, triggering actor, author) has admin permission"},
		{"two maintainers", onPull(mara(RoleSender), ada(RoleAuthor)), "maintainer", true, "permission_admin permission_write", "mara (sender) has admin permission"},
		{"the author is a collaborator", onPull(mara(RoleSender), cora(RoleAuthor)), "collaborator", true, "role_triage permission_admin", "cora (author) has the triage role"},
		{"A20: the author is a stranger", onPull(mara(RoleSender), eve(RoleAuthor)), "external", true, "read_alone permission_admin", "eve (author) has read permission only, which on a public repository everybody has"},
		{"the stranger only ran it again", onPull(mara(RoleSender), mara(RoleAuthor), eve(RoleTriggeringActor)), "external", true, "read_alone permission_admin", "eve (triggering actor) has read permission only, which on a public repository everybody has"},
		{"A23: a private member needs no association", with(onPull(cora(RoleSender), eve(RoleAuthor)), func(f *Facts) { f.Visibility = "private" }), "collaborator", true, "role_triage read_private", "cora (sender) has the triage role"},
		{"A24: one failed look-up is enough", onPull(mara(RoleSender), Shaper{Role: RoleAuthor, Login: "ada", Lookup: Lookup{Failure: "502 from GitHub"}}), "external", true, "lookup_failed permission_admin", "ada (author) could not be looked up: 502 from GitHub"},
		{"nobody was looked up", onPull(Shaper{Role: RoleSender, Login: "mara"}), "external", true, "lookup_missing", "mara (sender) was not looked up"},
		{"A39: a ghost author", onPull(mara(RoleSender), ghost(RoleAuthor)), "external", true, "ghost permission_admin", "a deleted or unnamed account (author) cannot be looked up"},
		{"a ghost with a look-up", onPull(Shaper{Role: RoleSender, Ghost: true, Login: "ghost", Lookup: said("admin", "admin")}), "external", true, "ghost", "a deleted or unnamed account (sender) cannot be looked up"},
		{"an actor without a login", onPull(mara(RoleSender), Shaper{Role: RoleActor, Lookup: said("admin", "admin")}), "external", true, "ghost permission_admin", "a deleted or unnamed account (actor) cannot be looked up"},
		{"no shapers at all", onPull(), "external", true, "no_actor", "nobody is known who started this run, so nobody stands behind it"},
		{"an author alone does not start a run", onPull(mara(RoleAuthor)), "external", true, "no_actor permission_admin", "nobody is known who started this run, so nobody stands behind it"},
		{"a role outside the set does not start a run", onPull(mara("root")), "external", true, "no_actor permission_admin", "nobody is known who started this run, so nobody stands behind it"},

		// Rule 3's bots and rule 5.
		{"a dependency updater on its own branch", onPull(bot(RoleSender), bot(RoleActor), bot(RoleAuthor)), "fork_pr", true, "bot_author bot_not_listed", "only a bot or app lacks standing, on a head in this repository: approved lessons are read, nothing is written"},
		{"a bot's pull request that a maintainer reopened", onPull(mara(RoleSender), bot(RoleAuthor)), "fork_pr", true, "bot_author bot_not_listed permission_admin", "only a bot or app lacks standing, on a head in this repository: approved lessons are read, nothing is written"},
		{"an autofix push to a maintainer's branch", onPull(bot(RoleSender), bot(RoleActor), mara(RoleAuthor)), "fork_pr", true, "bot_author bot_not_listed permission_admin", "only a bot or app lacks standing, on a head in this repository: approved lessons are read, nothing is written"},
		{"a bot and a collaborator", onPull(bot(RoleSender), cora(RoleAuthor)), "fork_pr", true, "bot_author bot_not_listed role_triage", "only a bot or app lacks standing, on a head in this repository: approved lessons are read, nothing is written"},
		{"a bot and a stranger", onPull(bot(RoleSender), eve(RoleAuthor)), "external", true, "read_alone bot_not_listed", "eve (author) has read permission only, which on a public repository everybody has"},
		{"a bot and a ghost", onPull(bot(RoleSender), ghost(RoleAuthor)), "external", true, "ghost bot_not_listed", "a deleted or unnamed account (author) cannot be looked up"},
		{"a bot on a fork is a fork first", with(onPull(bot(RoleSender)), func(f *Facts) { f.Pull = fork }), "fork_pr", true, "head_is_fork", "the head repository (id 902) is not the base repository (id 501), so it is a fork, whoever pushed to it"},
		{"a bot without a pull request", Facts{Kind: event.WorkflowDispatch, Shapers: []Shaper{bot(RoleSender)}}, "external", true, "bot_not_listed", "dependabot[bot] (sender) is a bot that trust.bots does not name"},
		{"A26: Copilot, which the look-up does not know", onPull(mara(RoleSender), Shaper{Role: RoleAuthor, Login: "Copilot", Bot: true, Lookup: Lookup{Failure: "404"}}), "fork_pr", true, "bot_author bot_not_listed permission_admin", "only a bot or app lacks standing, on a head in this repository: approved lessons are read, nothing is written"},
		{"A26: Copilot by its login alone", onPull(Shaper{Role: RoleSender, Login: "Copilot", Lookup: Lookup{Failure: "404"}}), "external", true, "lookup_failed", "Copilot (sender) could not be looked up: 404"},
		{"a bot with write permission has no standing by it", onPull(Shaper{Role: RoleSender, Login: "deploy-bot", Bot: true, Lookup: said("admin", "admin")}), "fork_pr", true, "bot_author bot_not_listed", "only a bot or app lacks standing, on a head in this repository: approved lessons are read, nothing is written"},
		{"a listed bot is a collaborator", with(onPull(bot(RoleSender), bot(RoleAuthor)), func(f *Facts) { f.Bots = []string{"dependabot[bot]"} }), "collaborator", true, "bot_listed", "dependabot[bot] (sender, author) is a bot that trust.bots names, and counts as a collaborator"},
		{"a listed bot with admin permission is a collaborator at most", with(onPull(Shaper{Role: RoleSender, Login: "deploy-bot", Bot: true, Lookup: said("admin", "admin")}), func(f *Facts) { f.Bots = []string{"deploy-bot"} }), "collaborator", true, "bot_listed", "deploy-bot (sender) is a bot that trust.bots names, and counts as a collaborator"},
		{"a listed bot beside a stranger", with(onPull(bot(RoleSender), eve(RoleAuthor)), func(f *Facts) { f.Bots = []string{"dependabot[bot]"} }), "external", true, "read_alone bot_listed", "eve (author) has read permission only, which on a public repository everybody has"},
		{"A25: the end of a login grants nothing", onPull(mara(RoleSender), Shaper{Role: RoleAuthor, Login: "evil[bot]", Lookup: said("read", "read")}), "external", true, "read_alone permission_admin", "evil[bot] (author) has read permission only, which on a public repository everybody has"},
		{"A25: a user is no bot by being listed", with(onPull(eve(RoleSender)), func(f *Facts) { f.Bots = []string{"eve"} }), "external", true, "read_alone", "eve (sender) has read permission only, which on a public repository everybody has"},
		{"A25: a list matches exact logins only", with(onPull(bot(RoleSender)), func(f *Facts) { f.Bots = []string{"Dependabot[bot]", "dependabot", "*", "", " dependabot[bot]"} }), "fork_pr", true, "bot_author bot_not_listed", "only a bot or app lacks standing, on a head in this repository: approved lessons are read, nothing is written"},
		{"a listed user counts as a collaborator at most", with(onPull(mara(RoleSender)), func(f *Facts) { f.Bots = []string{"mara"} }), "collaborator", true, "listed_user", "mara (sender) has admin permission, but trust.bots names this login, so it counts as a collaborator at most"},

		// workflow_run, workflow_dispatch, issues.
		{"a run with one pull request", run(ResolutionOne, sameRepo), "maintainer", true, "permission_admin", "mara (sender, author) has admin permission"},
		{"a run whose pull request is a fork", run(ResolutionOne, fork), "fork_pr", true, "head_is_fork", "the head repository (id 902) is not the base repository (id 501), so it is a fork, whoever pushed to it"},
		{"a run without a pull request", run(ResolutionNone, nil), "external", false, "run_unresolved", "no open pull request has the head repository and commit of this workflow run"},
		{"a run with two pull requests", run(ResolutionAmbiguous, sameRepo), "external", false, "run_unresolved", "more than one open pull request has the head repository and commit of this workflow run"},
		{"a run that nobody resolved", run("", sameRepo), "external", false, "run_unresolved", "the workflow run was not matched to a pull request"},
		{"a run with a resolution outside the set", run("two", sameRepo), "external", false, "run_unresolved", "the workflow run was not matched to a pull request"},
		{"a run that was resolved to nothing", run(ResolutionOne, nil), "external", false, "run_unresolved", "the workflow run was matched to a pull request whose facts are missing"},
		{"another kind is held to its resolution", with(onPull(mara(RoleSender)), func(f *Facts) { f.Resolution = ResolutionAmbiguous }), "external", false, "run_unresolved", "more than one open pull request has the head repository and commit of this workflow run"},
		{"A37: a dispatch trusts who dispatched it", Facts{Kind: event.WorkflowDispatch, Shapers: []Shaper{mara(RoleSender), mara(RoleActor), eve(RoleTriggeringActor)}}, "external", true, "read_alone permission_admin", "eve (triggering actor) has read permission only, which on a public repository everybody has"},
		{"a dispatch by a maintainer", Facts{Kind: event.WorkflowDispatch, Shapers: []Shaper{mara(RoleSender), mara(RoleActor)}}, "maintainer", true, "permission_admin", "mara (sender, actor) has admin permission"},
		{"A44: a comment on a plain issue reviews nothing", Facts{Kind: event.IssueComment, Shapers: []Shaper{mara(RoleSender), mara(RoleCommenter), mara(RoleAuthor)}}, "maintainer", false, "permission_admin no_pull_request", "mara (sender, commenter, author) has admin permission"},
		{"A44: an issue reviews nothing", Facts{Kind: event.Issues, Shapers: []Shaper{eve(RoleSender)}}, "external", false, "read_alone no_pull_request", "eve (sender) has read permission only, which on a public repository everybody has"},
		{"a comment on a pull request of this repository", Facts{Kind: event.IssueComment, Pull: sameRepo, Shapers: []Shaper{mara(RoleSender), ada(RoleAuthor)}}, "maintainer", true, "permission_admin permission_write", "mara (sender) has admin permission"},

		// The command line.
		{"the person at the keyboard", Facts{Kind: event.Local, LocalOperator: true}, "maintainer", true, "local_operator", "the person at this command line owns the store file"},
		{"the person at the keyboard, with a head of this repository", Facts{Kind: event.Local, LocalOperator: true, Pull: sameRepo}, "maintainer", true, "local_operator", "the person at this command line owns the store file"},
		{"a fork on the command line", Facts{Kind: event.Local, LocalOperator: true, Pull: fork}, "fork_pr", true, "head_is_fork", "the head repository (id 902) is not the base repository (id 501), so it is a fork, whoever pushed to it"},
		{"the command line with somebody else's work", Facts{Kind: event.Local, LocalOperator: true, Shapers: []Shaper{eve(RoleAuthor)}}, "external", true, "read_alone local_operator", "eve (author) has read permission only, which on a public repository everybody has"},
		{"the command line with nobody at it", Facts{Kind: event.Local}, "external", true, "no_actor", "nobody is known who started this run, so nobody stands behind it"},
		{"an operator on GitHub is nobody", with(onPull(), func(f *Facts) { f.LocalOperator = true }), "external", true, "no_actor", "nobody is known who started this run, so nobody stands behind it"},

		// The cap.
		{"a cap lowers", Facts{Kind: event.Local, LocalOperator: true, Cap: "fork_pr"}, "fork_pr", true, "capped local_operator", "fork_pr was asked for in place of maintainer"},
		{"a cap lowers a schedule", Facts{Kind: event.Schedule, Cap: "collaborator"}, "collaborator", true, "capped schedule", "collaborator was asked for in place of scheduled"},
		{"a cap never raises", with(onPull(eve(RoleSender)), func(f *Facts) { f.Cap = "maintainer" }), "external", true, "read_alone", "eve (sender) has read permission only, which on a public repository everybody has"},
		{"a cap of what it is changes nothing", Facts{Kind: event.Local, LocalOperator: true, Cap: "maintainer"}, "maintainer", true, "local_operator", "the person at this command line owns the store file"},
		{"a cap that is no scope denies", Facts{Kind: event.Local, LocalOperator: true, Cap: "root"}, "external", true, "cap_unknown local_operator", "the trust scope asked for is none that exists, so nothing is granted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Derive(c.facts)
			if got.Scope != c.scope || got.Review != c.review || codes(got) != c.codes || got.Reasons[0].Text != c.text {
				t.Errorf("got  %s, review %v, %s: %s\nwant %s, review %v, %s: %s",
					got.Scope, got.Review, codes(got), got.Reasons[0].Text, c.scope, c.review, c.codes, c.text)
			}
		})
	}
}

func TestEveryReasonIsASentenceWithoutAFullStop(t *testing.T) {
	for _, f := range []Facts{
		{}, {Kind: event.Schedule, Cap: "external"}, onPull(), onPull(bot(RoleSender), eve(RoleAuthor), ghost(RoleActor)),
		with(onPull(), func(f *Facts) { f.Pull = fork }), {Kind: event.WorkflowRun}, {Kind: event.Issues},
	} {
		for _, r := range Derive(f).Reasons {
			if r.Code == "" || r.Text == "" || strings.HasSuffix(r.Text, ".") || strings.Contains(r.Text, "\n") {
				t.Errorf("reason %+v", r)
			}
		}
	}
}

func TestEqualShapersAreNamedOnceWithTheirRoles(t *testing.T) {
	v := Derive(onPull(mara(RoleSender), eve(RoleCommenter), mara(RoleSender), mara(RoleTriggeringActor)))
	want := []string{
		"eve (commenter) has read permission only, which on a public repository everybody has",
		"mara (sender, triggering actor) has admin permission",
	}
	var got []string
	for _, r := range v.Reasons {
		got = append(got, r.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	odd := Derive(onPull(mara(RoleSender), mara("root")))
	if text := odd.Reasons[0].Text; text != "mara (sender, unknown role) has admin permission" {
		t.Errorf("a role outside the set reads %q", text)
	}
}

func TestDeriveLeavesItsFactsAlone(t *testing.T) {
	f := onPull(mara(RoleSender), eve(RoleAuthor), bot(RoleActor))
	before := slices.Clone(f.Shapers)
	Derive(f)
	if !slices.Equal(f.Shapers, before) {
		t.Errorf("the shapers are now %+v", f.Shapers)
	}
}

func TestTheZeroVerdictDenies(t *testing.T) {
	var v Verdict
	if v.Review || v.Scope.Known() || Min(v.Scope, contract.TrustMaintainer) != contract.TrustExternal {
		t.Errorf("the zero verdict grants something: %+v", v)
	}
}
