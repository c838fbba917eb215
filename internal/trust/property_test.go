package trust

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
)

// lookups are answers from the strongest to the weakest, on a public
// repository.
var lookups = []Lookup{
	said("admin", "admin"),
	said("write", "maintain"),
	said("write", "custom"),
	said("read", "triage"),
	confirmed("read", "read"),
	said("read", "read"),
	said("none", "none"),
	said("owner", "owner"),
	{Failure: "timeout"},
	{},
}

var (
	anyKind  = rapid.SampledFrom([]event.Kind{"", "push", event.Unknown, event.PullRequest, event.PullRequestTarget, event.WorkflowRun, event.IssueComment, event.Issues, event.Schedule, event.WorkflowDispatch, event.MergeGroup, event.Local})
	anyRole  = rapid.SampledFrom([]Role{RoleSender, RoleActor, RoleTriggeringActor, RoleAuthor, RoleCommenter})
	anyScope = rapid.SampledFrom([]contract.TrustScope{"", "maintainer", "scheduled", "collaborator", "fork_pr", "external", "root"})
	anyLogin = rapid.SampledFrom([]string{"mara", "ada", "eve", "dependabot[bot]", ""})
)

var anyShaper = rapid.Custom(func(t *rapid.T) Shaper {
	return Shaper{
		Role: anyRole.Draw(t, "role"), Login: anyLogin.Draw(t, "login"),
		Bot: rapid.IntRange(0, 3).Draw(t, "bot") == 0, Ghost: rapid.IntRange(0, 7).Draw(t, "ghost") == 0,
		Lookup: rapid.SampledFrom(lookups).Draw(t, "lookup"),
	}
})

var anyFacts = rapid.Custom(func(t *rapid.T) Facts {
	f := Facts{
		Kind:          anyKind.Draw(t, "kind"),
		Resolution:    rapid.SampledFrom([]Resolution{"", ResolutionOne, ResolutionNone, ResolutionAmbiguous, "odd"}).Draw(t, "resolution"),
		Shapers:       rapid.SliceOfN(anyShaper, 0, 5).Draw(t, "shapers"),
		Visibility:    rapid.SampledFrom([]string{"public", "private", "internal", ""}).Draw(t, "visibility"),
		Bots:          rapid.SliceOfN(anyLogin, 0, 2).Draw(t, "bots"),
		LocalOperator: rapid.Bool().Draw(t, "operator"),
		Cap:           anyScope.Draw(t, "cap"),
	}
	if rapid.IntRange(0, 3).Draw(t, "about a pull request") > 0 {
		ids := rapid.SampledFrom([]int64{501, 501, 501, 902, 0, -1})
		f.Pull = &PullFacts{HeadRepoID: ids.Draw(t, "head"), BaseRepoID: ids.Draw(t, "base")}
	}
	return f
})

func neverMore(t *rapid.T, what string, before, after Facts) {
	b, a := Derive(before), Derive(after)
	if Less(b.Scope, a.Scope) {
		t.Fatalf("%s raised %s to %s: %+v", what, b.Scope, a.Scope, a.Reasons)
	}
	if a.Review && !b.Review {
		t.Fatalf("%s started a review", what)
	}
}

func TestAWeakerLookUpNeverGrantsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts.Filter(func(f Facts) bool { return len(f.Shapers) > 0 }).Draw(t, "facts")
		f.Visibility = rapid.SampledFrom([]string{"public", "internal"}).Draw(t, "visibility")
		weaker := f
		weaker.Shapers = slices.Clone(f.Shapers)
		i := rapid.IntRange(0, len(f.Shapers)-1).Draw(t, "who")
		strong := slices.Index(lookups, f.Shapers[i].Lookup)
		weaker.Shapers[i].Lookup = lookups[rapid.IntRange(strong, len(lookups)-1).Draw(t, "weaker")]
		neverMore(t, "a weaker look-up", f, weaker)
		weaker.Shapers[i] = Shaper{Role: f.Shapers[i].Role, Ghost: true}
		neverMore(t, "a ghost in place of an account", f, weaker)
	})
}

func TestOneMoreShaperNeverGrantsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts.Draw(t, "facts")
		f.Shapers = append(f.Shapers, Shaper{Role: RoleSender, Login: "mara", Lookup: lookups[0]})
		more := f
		more.Shapers = slices.Insert(slices.Clone(f.Shapers), rapid.IntRange(0, len(f.Shapers)).Draw(t, "where"), anyShaper.Draw(t, "shaper"))
		neverMore(t, "one more shaper", f, more)
	})
}

func TestNothingGrantsMoreThanWhatItLacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts.Draw(t, "facts")
		for what, change := range map[string]func(*Facts){
			"a deleted head repository": func(f *Facts) {
				if f.Pull != nil {
					f.Pull = &PullFacts{BaseRepoID: f.Pull.BaseRepoID}
				}
			},
			"a fork": func(f *Facts) {
				if f.Pull != nil {
					f.Pull = &PullFacts{HeadRepoID: 902, BaseRepoID: 501}
				}
			},
			"an unknown kind":   func(f *Facts) { f.Kind = event.Unknown },
			"a public place":    func(f *Facts) { f.Visibility = "public" },
			"nobody at the key": func(f *Facts) { f.LocalOperator = false },
			"no shaper":         func(f *Facts) { f.Shapers = nil },
			"an odd cap":        func(f *Facts) { f.Cap = "root" },
		} {
			if what == "no shaper" && f.LocalOperator && f.Kind == event.Local {
				continue // the operator alone owns the store
			}
			if (what == "a fork" || what == "a deleted head repository") && forkSaysMore(f) {
				continue
			}
			less := f
			change(&less)
			neverMore(t, what, f, less)
		}
	})
}

// forkSaysMore tells facts of a same-repository head with less than fork_pr:
// rule 2 comes before rule 3, so a fork of a stranger reads approved lessons,
// while a stranger's branch in this repository reads none.
func forkSaysMore(f Facts) bool { return Derive(f).Scope == contract.TrustExternal }

func TestEveryVerdictIsKnownCappedAndHasAReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts.Draw(t, "facts")
		v := Derive(f)
		switch {
		case !v.Scope.Known():
			t.Fatalf("scope %q is outside the set", v.Scope)
		case len(v.Reasons) == 0:
			t.Fatal("no reason")
		case f.Cap != "" && Less(f.Cap, v.Scope):
			t.Fatalf("%s is above the cap %s", v.Scope, f.Cap)
		case f.Kind != event.Schedule && v.Scope == contract.TrustScheduled && f.Cap != contract.TrustScheduled:
			t.Fatal("scheduled without a schedule")
		}
		if f.Pull != nil && f.Pull.HeadRepoID != f.Pull.BaseRepoID && f.Kind != event.Schedule && Less(contract.TrustForkPR, v.Scope) {
			t.Fatalf("a fork got %s", v.Scope)
		}
		for _, s := range f.Shapers {
			if s.Bot && f.Kind != event.Schedule && v.Scope == contract.TrustMaintainer {
				t.Fatalf("a bot took part in a maintainer's scope: %+v", s)
			}
		}
	})
}
