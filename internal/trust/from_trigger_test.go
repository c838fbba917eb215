package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
)

func trigger(t *testing.T, file string) event.Trigger {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join("../../testdata/events", file+".json"))
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(file, ".")
	got, err := event.Decode(name, payload)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// answered gives every shaper with a login the same live answer.
func answered(f Facts, l Lookup) Facts {
	f.Shapers = slices.Clone(f.Shapers)
	for i := range f.Shapers {
		f.Shapers[i].Lookup = l
	}
	return f
}

func TestFromTriggerNamesWhoShapedTheWork(t *testing.T) {
	codertocat := func(r Role) Shaper { return Shaper{Role: r, ID: 21031067, Login: "Codertocat"} }
	hubot := func(r Role) Shaper { return Shaper{Role: r, ID: 480938, Login: "hubot"} }
	dependabot := func(r Role) Shaper { return Shaper{Role: r, ID: 49699333, Login: "dependabot[bot]", Bot: true} }
	orgMember := func(r Role) Shaper { return Shaper{Role: r, ID: 15669918, Login: "Codertocat"} }
	for _, c := range []struct {
		file, actor, triggering string
		pull                    *PullFacts
		shapers                 []Shaper
	}{
		{"pull_request.opened.fork", "hubot", "mara", &PullFacts{512340077, 186853002},
			[]Shaper{hubot(RoleSender), hubot(RoleAuthor), hubot(RoleActor), {Role: RoleTriggeringActor, Login: "mara"}}},
		{"pull_request.reopened.fork-by-maintainer", "CODERTOCAT", "Codertocat", &PullFacts{512340077, 186853002},
			[]Shaper{codertocat(RoleSender), hubot(RoleAuthor), codertocat(RoleActor), codertocat(RoleTriggeringActor)}},
		{"pull_request.synchronize.head-repo-null", "hubot", "hubot", &PullFacts{0, 186853002},
			[]Shaper{hubot(RoleSender), hubot(RoleAuthor), hubot(RoleActor), hubot(RoleTriggeringActor)}},
		{"pull_request.opened.bot", "dependabot[bot]", "mara", &PullFacts{186853002, 186853002},
			[]Shaper{dependabot(RoleSender), dependabot(RoleAuthor), dependabot(RoleActor), {Role: RoleTriggeringActor, Login: "mara"}}},
		{"pull_request.opened.sender-null", "", "", &PullFacts{186853002, 186853002},
			[]Shaper{ghost(RoleSender), codertocat(RoleAuthor), {Role: RoleActor}, {Role: RoleTriggeringActor}}},
		{"issue_comment.created.pull-of-stranger", "Codertocat", "Codertocat", &PullFacts{},
			[]Shaper{codertocat(RoleSender), hubot(RoleAuthor), codertocat(RoleCommenter), codertocat(RoleActor), codertocat(RoleTriggeringActor)}},
		{"issue_comment.created.issue", "Codertocat", "Codertocat", nil,
			[]Shaper{codertocat(RoleSender), codertocat(RoleAuthor), codertocat(RoleCommenter), codertocat(RoleActor), codertocat(RoleTriggeringActor)}},
		{"issue_comment.created.users-null", "Codertocat", "Codertocat", &PullFacts{},
			[]Shaper{codertocat(RoleSender), ghost(RoleAuthor), ghost(RoleCommenter), codertocat(RoleActor), codertocat(RoleTriggeringActor)}},
		{"workflow_run.completed.fork", "hubot", "hubot", nil,
			[]Shaper{orgMember(RoleSender), hubot(RoleActor), hubot(RoleTriggeringActor), hubot(RoleActor), hubot(RoleTriggeringActor)}},
		{"workflow_dispatch.inputs", "octocat", "mara", nil,
			[]Shaper{{Role: RoleSender, ID: 25328754, Login: "octocat"}, {Role: RoleActor, ID: 25328754, Login: "octocat"}, {Role: RoleTriggeringActor, Login: "mara"}}},
	} {
		t.Run(c.file, func(t *testing.T) {
			f := FromTrigger(trigger(t, c.file), c.actor, c.triggering)
			if !slices.Equal(f.Shapers, c.shapers) {
				t.Errorf("got  %+v\nwant %+v", f.Shapers, c.shapers)
			}
			if (f.Pull == nil) != (c.pull == nil) || (f.Pull != nil && *f.Pull != *c.pull) {
				t.Errorf("pull request is %+v, want %+v", f.Pull, c.pull)
			}
			if f.Resolution != "" || f.LocalOperator || f.Cap != "" || f.Bots != nil || f.Visibility != "public" {
				t.Errorf("facts that no payload can give: %+v", f)
			}
		})
	}
}

func TestFactsFromATriggerAloneGrantNothing(t *testing.T) {
	files, err := filepath.Glob("../../testdata/events/*.json")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d payloads, error %v", len(files), err)
	}
	for _, path := range files {
		file := strings.TrimSuffix(filepath.Base(path), ".json")
		v := Derive(FromTrigger(trigger(t, file), "octocat", "octocat"))
		if strings.HasPrefix(file, "schedule") {
			if v.Scope != contract.TrustScheduled {
				t.Errorf("%s: %s", file, v.Scope)
			}
			continue
		}
		if Less(contract.TrustForkPR, v.Scope) {
			t.Errorf("%s grants %s without a look-up: %+v", file, v.Scope, v.Reasons)
		}
	}
}

func TestPayloadsWithEveryoneAMaintainer(t *testing.T) {
	for _, c := range []struct {
		file, codes string
		scope       contract.TrustScope
		review      bool
	}{
		{"pull_request.opened", "permission_admin", "maintainer", true},
		{"pull_request.opened.fork", "head_is_fork", "fork_pr", true},
		{"pull_request_target.opened.fork", "head_is_fork", "fork_pr", true},
		{"pull_request.reopened.fork-by-maintainer", "head_is_fork", "fork_pr", true},
		{"pull_request.synchronize.head-repo-null", "head_repo_missing", "fork_pr", true},
		{"pull_request.opened.head-repo-without-id", "head_repo_missing", "fork_pr", true},
		{"pull_request.opened.internal-org-fork", "head_is_fork", "fork_pr", true},
		{"pull_request.opened.ids-above-2-53", "head_is_fork", "fork_pr", true},
		{"pull_request.opened.author-null", "ghost permission_admin", "external", true},
		{"pull_request.opened.sender-missing", "ghost permission_admin", "external", true},
		{"pull_request.opened.bot", "bot_author bot_not_listed permission_admin", "fork_pr", true},
		{"issue_comment.created.pull", "pull_unknown", "fork_pr", true},
		{"issue_comment.created.issue", "permission_admin no_pull_request", "maintainer", false},
		{"issues.opened", "permission_admin no_pull_request", "maintainer", false},
		{"workflow_run.completed.fork", "run_unresolved", "external", false},
		{"workflow_dispatch.inputs", "permission_admin", "maintainer", true},
		{"merge_group.checks_requested", "no_memory_work", "external", false},
		{"schedule", "schedule", "scheduled", true},
		{"push", "no_memory_work", "external", false},
	} {
		t.Run(c.file, func(t *testing.T) {
			tr := trigger(t, c.file)
			login := "octocat"
			if tr.Sender != nil && !tr.Sender.IsBot() {
				login = tr.Sender.Login
			}
			v := Derive(answered(FromTrigger(tr, login, login), said("admin", "admin")))
			if got := strings.Join(distinct(v), " "); v.Scope != c.scope || v.Review != c.review || got != c.codes {
				t.Errorf("got %s, review %v, %s; want %s, review %v, %s", v.Scope, v.Review, got, c.scope, c.review, c.codes)
			}
		})
	}
}

func distinct(v Verdict) []string {
	var out []string
	for _, r := range v.Reasons {
		if !slices.Contains(out, r.Code) {
			out = append(out, r.Code)
		}
	}
	return out
}

func TestA37_AnInputNamesNobody(t *testing.T) {
	tr := trigger(t, "workflow_dispatch.inputs")
	tr.Inputs["actor"] = "mara"
	for _, s := range FromTrigger(tr, "octocat", "octocat").Shapers {
		if s.Login != "octocat" {
			t.Errorf("an input became a shaper: %+v", s)
		}
	}
}

func TestA28_AMaintainerInAForksThreadDoesNotLiftTheFork(t *testing.T) {
	f := answered(FromTrigger(trigger(t, "pull_request.reopened.fork-by-maintainer"), "Codertocat", "Codertocat"), said("admin", "admin"))
	v := Derive(f)
	if v.Scope != contract.TrustForkPR || v.Reasons[0].Code != CodeHeadIsFork {
		t.Errorf("got %s, %+v", v.Scope, v.Reasons)
	}
}
