package policy

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/trust"
)

var (
	repoOnly  = []contract.MemoryScope{contract.ScopeRepo}
	nothing   = []contract.MemoryScope{}
	trustings = []contract.TrustScope{contract.TrustMaintainer, contract.TrustScheduled, contract.TrustCollaborator, contract.TrustForkPR, contract.TrustExternal}
)

// fullInput is an input under which memory is on and grants all it may.
func fullInput(scope contract.TrustScope) Input {
	return Input{
		Trust:             trust.Verdict{Scope: scope},
		Config:            Config{Enabled: true, Mode: memory.ModeManualWithDrafts, ApprovalRequired: true, MaxAgeDays: 90},
		HasKey:            true,
		StoreOpened:       true,
		TenantStoreOpened: true,
		Tenant:            &contract.TenantScope{InstallationID: 7001, AccountID: 9, AccountLogin: "harbor"},
		Repo:              &contract.RepoScope{RepoID: 42, Owner: "harbor", Name: "quay", Visibility: "private", DefaultBranch: "main"},
	}
}

func codes(reasons []trust.Reason) (out []string) {
	for _, r := range reasons {
		out = append(out, r.Code)
	}
	return out
}

func TestGrantsAreTheTableOfPage32(t *testing.T) {
	for _, tc := range []struct {
		scope       contract.TrustScope
		configured  bool
		read, write []contract.MemoryScope
		approval    bool
		codes       []string
	}{
		{contract.TrustMaintainer, true, []contract.MemoryScope{"repo", "tenant_shared"}, repoOnly, true, nil},
		{contract.TrustMaintainer, false, []contract.MemoryScope{"repo", "tenant_shared"}, repoOnly, false, []string{CodeApprovalOff}},
		{contract.TrustCollaborator, true, repoOnly, repoOnly, true, nil},
		{contract.TrustCollaborator, false, repoOnly, repoOnly, true, []string{CodeApprovalForced}},
		{contract.TrustExternal, true, nothing, nothing, true, []string{CodeGrantsNothing}},
		{contract.TrustExternal, false, nothing, nothing, true, []string{CodeGrantsNothing}},
		{contract.TrustForkPR, true, repoOnly, nothing, true, []string{CodeNoWrites}},
		{contract.TrustForkPR, false, repoOnly, nothing, true, []string{CodeNoWrites}},
		{contract.TrustScheduled, true, repoOnly, repoOnly, true, nil},
		{contract.TrustScheduled, false, repoOnly, repoOnly, false, []string{CodeApprovalOff}},
	} {
		in := fullInput(tc.scope)
		in.Config.ApprovalRequired = tc.configured
		got := Compute(in)
		p := got.Policy
		if !p.Enabled || got.Mode != memory.ModeManualWithDrafts || p.TrustScope != tc.scope ||
			!slices.Equal(p.ReadScopes, tc.read) || !slices.Equal(p.WriteScopes, tc.write) || p.ApprovalRequired != tc.approval {
			t.Errorf("%s, approval %v: %+v", tc.scope, tc.configured, p)
		}
		if !slices.Equal(codes(got.Reasons), tc.codes) {
			t.Errorf("%s, approval %v: reasons %v, want %v", tc.scope, tc.configured, codes(got.Reasons), tc.codes)
		}
		want := contract.Retention{MaxAgeDays: 90, DeleteOnUninstall: true, RedactSecrets: true}
		if p.Retention != want || p.TenantScope != in.Tenant || p.RepoScope != in.Repo {
			t.Errorf("%s: %+v", tc.scope, p)
		}
	}
}

func TestTenantSharedIsLeftOutWithAReasonWhereNoTenantStoreIsOpen(t *testing.T) {
	in := fullInput(contract.TrustMaintainer)
	in.TenantStoreOpened = false
	got := Compute(in)
	if !slices.Equal(got.Policy.ReadScopes, repoOnly) || !slices.Equal(codes(got.Reasons), []string{CodeNoTenantStore}) {
		t.Fatalf("%+v", got)
	}
	if got.Reasons[0].Text != "tenant_shared is left out because no tenant store is configured and opened" {
		t.Errorf("%q", got.Reasons[0].Text)
	}
}

func TestMemoryIsOffUnlessEveryConditionHoldsAndEachIsNamed(t *testing.T) {
	for _, tc := range []struct {
		about  string
		change func(*Input)
		codes  []string
		text   string
	}{
		{"no key", func(in *Input) { in.HasKey = false }, []string{CodeNoKey}, "no memory-key"},
		{"no key, and so no store", func(in *Input) { in.HasKey, in.StoreOpened = false, false }, []string{CodeNoKey}, "no memory-key"},
		{"switched off", func(in *Input) { in.Config.Enabled = false }, []string{CodeDisabled}, "memory.enabled is false"},
		{"mode off", func(in *Input) { in.Config.Mode = memory.ModeOff }, []string{CodeModeOff}, `memory.mode is "off"`},
		{"no mode", func(in *Input) { in.Config.Mode = "" }, []string{CodeModeInvalid}, "none of off"},
		{"an unknown mode", func(in *Input) { in.Config.Mode = "always_on" }, []string{CodeModeInvalid}, "none of off"},
		{"the label", func(in *Input) { in.NoMemoryLabel = true }, []string{CodeNoMemoryLabel}, "familiar:no-memory"},
		{"no trust scope", func(in *Input) { in.Trust.Scope = "" }, []string{CodeTrustUnknown}, "no trust scope"},
		{"an unknown trust scope", func(in *Input) { in.Trust.Scope = "owner" }, []string{CodeTrustUnknown}, "no trust scope"},
		{"no tenant", func(in *Input) { in.Tenant = nil }, []string{CodeTenantMissing}, "tenant is not known"},
		{"a tenant without an id", func(in *Input) { in.Tenant = &contract.TenantScope{AccountLogin: "harbor"} }, []string{CodeTenantMissing}, "tenant"},
		{"a negative tenant", func(in *Input) { in.Tenant = &contract.TenantScope{InstallationID: -1} }, []string{CodeTenantMissing}, "tenant"},
		{"no repository", func(in *Input) { in.Repo = nil }, []string{CodeRepoIncomplete}, "repository"},
		{"a repository without an id", func(in *Input) { in.Repo = &contract.RepoScope{Owner: "o", Name: "n"} }, []string{CodeRepoIncomplete}, "repository"},
		{"a repository without a name", func(in *Input) { in.Repo = &contract.RepoScope{RepoID: 1, Owner: "o"} }, []string{CodeRepoIncomplete}, "repository"},
		{"a store that did not open", func(in *Input) { in.StoreOpened, in.StoreProblem = false, "no identity matches" }, []string{CodeStoreClosed}, "did not open: no identity matches"},
		{"a foreign head with a maintainer's scope", func(in *Input) { in.Branch = &contract.BranchScope{} }, []string{CodeContradiction}, "another repository"},
		{"several at once", func(in *Input) { in.Config.Enabled, in.NoMemoryLabel = false, true }, []string{CodeDisabled, CodeNoMemoryLabel}, "memory.enabled"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			in := fullInput(contract.TrustMaintainer)
			in.Config.ApprovalRequired = false
			tc.change(&in)
			got := Compute(in)
			p := got.Policy
			if p.Enabled || len(p.ReadScopes)+len(p.WriteScopes) > 0 || p.ReadScopes == nil || p.WriteScopes == nil || !p.ApprovalRequired || got.Mode != memory.ModeOff {
				t.Errorf("%+v", got)
			}
			if !slices.Equal(codes(got.Reasons), tc.codes) || !strings.Contains(got.Reasons[0].Text, tc.text) {
				t.Errorf("%+v, want %v: %s", got.Reasons, tc.codes, tc.text)
			}
		})
	}
	if got := Compute(Input{}); got.Policy.Enabled || len(got.Reasons) == 0 {
		t.Errorf("the zero input: %+v", got)
	}
}

func TestABotsBranchInTheSameRepositoryIsNoContradiction(t *testing.T) {
	in := fullInput(contract.TrustForkPR)
	in.Branch = &contract.BranchScope{SameRepo: true}
	if got := Compute(in); !got.Policy.Enabled || !slices.Equal(got.Policy.ReadScopes, repoOnly) {
		t.Errorf("%+v", got)
	}
}

func TestAnInsaneAgeIsTheDefault(t *testing.T) {
	for days, want := range map[int]int{0: 365, -1: 365, 1: 1, 36_500: 36_500, 36_501: 365, 4_294_967_295: 365} {
		in := fullInput(contract.TrustMaintainer)
		in.Config.MaxAgeDays = days
		if got := Compute(in).Policy.Retention.MaxAgeDays; got != want {
			t.Errorf("%d: %d, want %d", days, got, want)
		}
	}
}

func TestDenialsAreHandedOnAndNotShared(t *testing.T) {
	in := fullInput(contract.TrustForkPR)
	in.Denied = []string{"repo/harbor/quay/people"}
	got := Compute(in)
	in.Denied[0] = "changed"
	if !slices.Equal(got.Policy.Denied, []string{"repo/harbor/quay/people"}) {
		t.Errorf("%v", got.Policy.Denied)
	}
}

// drawInput draws any input; half of the time every condition holds.
func drawInput(t *rapid.T) Input {
	in := fullInput(rapid.SampledFrom(append(trustings, "", "owner")).Draw(t, "trust"))
	in.Config.ApprovalRequired = rapid.Bool().Draw(t, "approval")
	in.TenantStoreOpened = rapid.Bool().Draw(t, "tenant store")
	if rapid.Bool().Draw(t, "branch") {
		in.Branch = &contract.BranchScope{SameRepo: rapid.Bool().Draw(t, "same")}
	}
	if rapid.Bool().Draw(t, "all hold") {
		return in
	}
	in.Config.Enabled = rapid.Bool().Draw(t, "enabled")
	in.HasKey = rapid.Bool().Draw(t, "key")
	in.StoreOpened = rapid.Bool().Draw(t, "store")
	in.NoMemoryLabel = rapid.Bool().Draw(t, "label")
	in.Config.Mode = rapid.SampledFrom(append(memory.Modes(), "")).Draw(t, "mode")
	return in
}

func within(a, b []contract.MemoryScope) bool {
	for _, scope := range a {
		if !slices.Contains(b, scope) {
			return false
		}
	}
	return true
}

func TestPropertyLessTrustNeverGrantsMore(t *testing.T) {
	down := []contract.TrustScope{contract.TrustMaintainer, contract.TrustCollaborator, contract.TrustForkPR, contract.TrustExternal}
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Branch = nil
		i := rapid.IntRange(0, len(down)-2).Draw(t, "more")
		j := rapid.IntRange(i+1, len(down)-1).Draw(t, "less")
		in.Trust.Scope = down[i]
		more := Compute(in).Policy
		in.Trust.Scope = down[j]
		less := Compute(in).Policy
		if !within(less.ReadScopes, more.ReadScopes) || !within(less.WriteScopes, more.WriteScopes) ||
			less.Enabled && !more.Enabled || more.ApprovalRequired && !less.ApprovalRequired {
			t.Fatalf("%s grants more than %s: %+v, %+v", down[j], down[i], less, more)
		}
	})
}

func TestPropertyEveryPolicyKeepsTheHardRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		got := Compute(in)
		p := got.Policy
		switch {
		case !within(p.WriteScopes, p.ReadScopes):
			t.Fatalf("a write scope without its read scope: %+v", p)
		case slices.Contains(p.ReadScopes, contract.ScopeFamiliarGlobal), slices.Contains(p.WriteScopes, contract.ScopeFamiliarGlobal):
			t.Fatalf("familiar_global: %+v", p)
		case slices.Contains(p.WriteScopes, contract.ScopeTenantShared):
			t.Fatalf("tenant_shared is writable: %+v", p)
		case slices.Contains(p.ReadScopes, contract.ScopeTenantShared) && (!in.TenantStoreOpened || p.TrustScope != contract.TrustMaintainer):
			t.Fatalf("tenant_shared is read: %+v", p)
		case (p.TrustScope == contract.TrustForkPR || p.TrustScope == contract.TrustExternal) && len(p.WriteScopes) > 0:
			t.Fatalf("untrusted work writes: %+v", p)
		case !p.ApprovalRequired && !memory.AutoScope(p.TrustScope):
			t.Fatalf("approval is off for %s", p.TrustScope)
		case !p.Enabled && (len(p.ReadScopes)+len(p.WriteScopes) > 0 || len(got.Reasons) == 0 || got.Mode != memory.ModeOff):
			t.Fatalf("off, and yet: %+v", got)
		case p.Enabled && (!in.HasKey || !in.StoreOpened || in.NoMemoryLabel || !in.Config.Enabled):
			t.Fatalf("on against a condition: %+v", in)
		}
	})
}

func TestTheTenantIsFoundInTheOrderOfPage33(t *testing.T) {
	all := TenantFacts{AppAuth: true, AppInstallation: 1, PayloadInstall: 2, InputInstallation: 3, AccountID: 4, AccountLogin: "harbor"}
	change := func(f func(*TenantFacts)) TenantFacts {
		facts := all
		f(&facts)
		return facts
	}
	for _, tc := range []struct {
		about string
		facts TenantFacts
		id    int64 // 0: none
		code  string
		text  string
	}{
		{"the App first", all, 1, CodeTenantApp, "the App's installation 1"},
		{"a failed look-up is the end", change(func(f *TenantFacts) { f.AppInstallation, f.AppFailure = 0, "404" }), 0, CodeTenantLookup, "could not be looked up: 404"},
		{"without App auth the App's id is not regarded", change(func(f *TenantFacts) { f.AppAuth = false }), 2, CodeTenantPayload, "of the event, 2"},
		{"then the input", change(func(f *TenantFacts) { f.AppAuth, f.PayloadInstall = false, 0 }), 3, CodeTenantInput, "installation-id, 3"},
		{"then the owner account, said so", TenantFacts{AccountID: 4, AccountLogin: "harbor"}, 4, CodeTenantAccount, "the owner account stands in as the tenant, id 4"},
		{"nothing", TenantFacts{AccountLogin: "harbor"}, 0, CodeTenantNotPositive, "no positive id"},
		{"a negative payload id is the end", change(func(f *TenantFacts) { f.AppAuth, f.PayloadInstall = false, -2 }), 0, CodeTenantNotPositive, "no positive id"},
		{"a negative input is the end", TenantFacts{InputInstallation: -3, AccountID: 4}, 0, CodeTenantNotPositive, "no positive id"},
	} {
		got, why := ResolveTenant(tc.facts)
		if (got == nil) != (tc.id == 0) || why.Code != tc.code || !strings.Contains(why.Text, tc.text) {
			t.Errorf("%s: %+v, %+v", tc.about, got, why)
			continue
		}
		if got != nil && (got.InstallationID != tc.id || got.AccountID != 4 || got.AccountLogin != "harbor") {
			t.Errorf("%s: %+v", tc.about, got)
		}
	}
}

func TestIfRecomputedAndBriefedDifferTheStricterHolds(t *testing.T) {
	base := func() contract.MemoryPolicy { return Compute(fullInput(contract.TrustMaintainer)).Policy }
	open := base()
	open.ApprovalRequired = false
	other := base()
	other.RepoScope = &contract.RepoScope{RepoID: 43, Owner: "harbor", Name: "quay"}
	tenant := base()
	tenant.TenantScope = &contract.TenantScope{InstallationID: 7002}
	denied := base()
	denied.Denied = []string{"repo/harbor/quay/a"}
	fork := Compute(fullInput(contract.TrustForkPR)).Policy
	for _, tc := range []struct {
		about string
		a, b  contract.MemoryPolicy
		check func(contract.MemoryPolicy) bool
	}{
		{"the same", base(), base(), func(p contract.MemoryPolicy) bool {
			return p.Enabled && len(p.ReadScopes) == 2 && len(p.WriteScopes) == 1
		}},
		{"approval", open, base(), func(p contract.MemoryPolicy) bool { return p.Enabled && p.ApprovalRequired }},
		{"approval off in both", open, open, func(p contract.MemoryPolicy) bool { return p.Enabled && !p.ApprovalRequired }},
		{"a fork's", base(), fork, func(p contract.MemoryPolicy) bool {
			return p.TrustScope == contract.TrustForkPR && slices.Equal(p.ReadScopes, repoOnly) && len(p.WriteScopes) == 0
		}},
		{"off", base(), contract.MemoryPolicy{}, func(p contract.MemoryPolicy) bool { return !p.Enabled && len(p.ReadScopes) == 0 && p.ApprovalRequired }},
		{"another repository", base(), other, func(p contract.MemoryPolicy) bool { return !p.Enabled && p.RepoScope == nil }},
		{"another tenant", base(), tenant, func(p contract.MemoryPolicy) bool { return !p.Enabled && p.TenantScope == nil }},
		{"denials of either", denied, base(), func(p contract.MemoryPolicy) bool { return slices.Equal(p.Denied, []string{"repo/harbor/quay/a"}) }},
	} {
		if got := Stricter(tc.a, tc.b); !tc.check(got) {
			t.Errorf("%s: %+v", tc.about, got)
		}
		if got := Stricter(tc.b, tc.a); !tc.check(got) {
			t.Errorf("%s, the other way round: %+v", tc.about, got)
		}
	}
}

func TestPropertyTheStricterGrantsNoMoreThanEither(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := Compute(drawInput(t)).Policy, Compute(drawInput(t)).Policy
		p, q := Stricter(a, b), Stricter(b, a)
		if !reflect.DeepEqual(p.ReadScopes, q.ReadScopes) || !reflect.DeepEqual(p.WriteScopes, q.WriteScopes) ||
			p.Enabled != q.Enabled || p.ApprovalRequired != q.ApprovalRequired || p.TrustScope != q.TrustScope {
			t.Fatalf("the order shows: %+v, %+v", p, q)
		}
		for _, side := range []contract.MemoryPolicy{a, b} {
			if !within(p.ReadScopes, side.ReadScopes) || !within(p.WriteScopes, side.WriteScopes) || p.Enabled && !side.Enabled ||
				side.ApprovalRequired && !p.ApprovalRequired || !within(p.WriteScopes, p.ReadScopes) {
				t.Fatalf("%+v grants more than %+v", p, side)
			}
		}
		if again := Stricter(p, p); again.Enabled != p.Enabled || !reflect.DeepEqual(again.ReadScopes, p.ReadScopes) {
			t.Fatalf("not idempotent: %+v, %+v", p, again)
		}
	})
}

func TestAnEmptyListOfDenialsIsLeftOutOfTheBrief(t *testing.T) {
	raw, err := json.Marshal(Compute(fullInput(contract.TrustMaintainer)).Policy)
	if err != nil || strings.Contains(string(raw), "denied") {
		t.Errorf("%s, %v", raw, err)
	}
	if !strings.Contains(string(raw), `"write_scopes":["repo"]`) || !strings.Contains(string(raw), `"branch_scope":null`) {
		t.Errorf("%s", raw)
	}
}
