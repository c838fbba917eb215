package policy

import (
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/trust"
)

// Config is the part of the configuration that the policy depends on (page
// 6.5), read from the default branch alone. Its zero value is memory off.
type Config struct {
	Enabled          bool // memory.enabled; the configuration's default is true
	Mode             memory.Mode
	ApprovalRequired bool
	MaxAgeDays       int // not positive, or beyond a hundred years: 365
}

// Input is everything that decides the policy of one review job.
type Input struct {
	Trust  trust.Verdict
	Config Config

	HasKey            bool   // the step was given memory-key
	StoreOpened       bool   // the repository's store was opened
	StoreProblem      string // why not, in words; shown
	TenantStoreOpened bool   // a tenant's store is configured and was opened
	NoMemoryLabel     bool   // familiar:no-memory is on

	Tenant *contract.TenantScope
	Repo   *contract.RepoScope
	Branch *contract.BranchScope // nil where no pull request is concerned
	Denied []string              // revoked keys and prefixes
}

// Verdict is the policy and why it is what it is. Its zero value is memory
// off.
type Verdict struct {
	Policy  contract.MemoryPolicy
	Mode    memory.Mode // ModeOff unless the policy is enabled
	Reasons []trust.Reason
}

// Codes of the reasons. They are stable: outputs and audit rows carry them.
const (
	CodeNoKey             = "no_key"
	CodeDisabled          = "disabled"
	CodeModeOff           = "mode_off"
	CodeModeInvalid       = "mode_invalid"
	CodeNoMemoryLabel     = "no_memory_label"
	CodeTrustUnknown      = "trust_unknown"
	CodeTenantMissing     = "tenant_missing"
	CodeRepoIncomplete    = "repo_incomplete"
	CodeStoreClosed       = "store_closed"
	CodeContradiction     = "contradiction"
	CodeGrantsNothing     = "grants_nothing"
	CodeNoWrites          = "no_writes"
	CodeNoTenantStore     = "no_tenant_store"
	CodeApprovalForced    = "approval_forced"
	CodeApprovalOff       = "approval_off"
	CodeTenantApp         = "tenant_app"
	CodeTenantPayload     = "tenant_payload"
	CodeTenantInput       = "tenant_input"
	CodeTenantAccount     = "tenant_account"
	CodeTenantLookup      = "tenant_lookup_failed"
	CodeTenantNotPositive = "tenant_not_positive"
)

const (
	defaultMaxAgeDays = 365
	longestMaxAgeDays = 36_500
)

// Compute derives the policy (pages 3.2, 3.3). Memory is on only if every
// condition holds; otherwise the policy says enabled: false with no scope at
// all, and every condition that failed is a reason.
func Compute(in Input) Verdict {
	p := contract.MemoryPolicy{
		TenantScope:      in.Tenant,
		RepoScope:        in.Repo,
		BranchScope:      in.Branch,
		TrustScope:       in.Trust.Scope,
		ReadScopes:       []contract.MemoryScope{},
		WriteScopes:      []contract.MemoryScope{},
		ApprovalRequired: true,
		Retention: contract.Retention{
			MaxAgeDays:        maxAge(in.Config.MaxAgeDays),
			DeleteOnUninstall: true,
			RedactSecrets:     true,
		},
		Denied: append([]string(nil), in.Denied...),
	}
	if why := whyOff(in); len(why) > 0 {
		return Verdict{Policy: p, Mode: memory.ModeOff, Reasons: why}
	}
	p.Enabled = true
	g := grantTo(in.Trust.Scope, in)
	p.ReadScopes, p.WriteScopes, p.ApprovalRequired = g.read, g.write, g.approval
	return Verdict{Policy: p, Mode: in.Config.Mode, Reasons: g.reasons}
}

// whyOff lists every condition of page 3.2 that does not hold.
func whyOff(in Input) (why []trust.Reason) {
	off := func(failed bool, code, text string) {
		if failed {
			why = append(why, trust.Reason{Code: code, Text: text})
		}
	}
	_, modeErr := memory.ParseMode(string(in.Config.Mode))
	off(!in.HasKey, CodeNoKey, "memory is off because the step was given no memory-key")
	off(!in.Config.Enabled, CodeDisabled, "memory is off because memory.enabled is false")
	off(modeErr != nil, CodeModeInvalid, "memory is off because memory.mode is none of off, manual_only and manual_with_drafts")
	off(in.Config.Mode == memory.ModeOff, CodeModeOff, `memory is off because memory.mode is "off"`)
	off(in.NoMemoryLabel, CodeNoMemoryLabel, "memory is off while the label familiar:no-memory is on")
	off(!in.Trust.Scope.Known(), CodeTrustUnknown, "memory is off because no trust scope was derived")
	off(in.Tenant == nil || in.Tenant.InstallationID <= 0, CodeTenantMissing, "memory is off because the tenant is not known")
	off(!repoComplete(in.Repo), CodeRepoIncomplete, "memory is off because id, owner or name of the repository is missing")
	off(contradicts(in.Trust.Scope, in.Branch), CodeContradiction,
		"memory is off because the head is in another repository, yet the trust scope is "+string(in.Trust.Scope))
	off(in.HasKey && !in.StoreOpened, CodeStoreClosed, "memory is off because the store did not open"+because(in.StoreProblem))
	return why
}

func because(problem string) string {
	if problem == "" {
		return ""
	}
	return ": " + problem
}

func repoComplete(r *contract.RepoScope) bool {
	return r != nil && r.RepoID > 0 && r.Owner != "" && r.Name != ""
}

// contradicts says whether the branch names a foreign head for a scope that
// is only ever given to heads in the same repository.
func contradicts(scope contract.TrustScope, branch *contract.BranchScope) bool {
	if branch == nil || branch.SameRepo {
		return false
	}
	return scope == contract.TrustMaintainer || scope == contract.TrustCollaborator || scope == contract.TrustScheduled
}

// grant is one row of the table of page 3.2.
type grant struct {
	read, write []contract.MemoryScope
	approval    bool
	reasons     []trust.Reason
}

// grantTo is the table of page 3.2. familiar_global is in none of its rows,
// and tenant_shared in none that writes. Only a maintainer's and a scheduled
// run follow the configured approval (page 3.7).
func grantTo(scope contract.TrustScope, in Input) grant {
	repo := []contract.MemoryScope{contract.ScopeRepo}
	none := []contract.MemoryScope{}
	switch scope {
	case contract.TrustMaintainer:
		g := grant{read: repo, write: repo}.withApproval(in.Config.ApprovalRequired)
		if in.TenantStoreOpened {
			g.read = []contract.MemoryScope{contract.ScopeRepo, contract.ScopeTenantShared}
			return g
		}
		return g.because(CodeNoTenantStore, "tenant_shared is left out because no tenant store is configured and opened")
	case contract.TrustScheduled:
		return grant{read: repo, write: repo}.withApproval(in.Config.ApprovalRequired)
	case contract.TrustCollaborator:
		g := grant{read: repo, write: repo, approval: true}
		if !in.Config.ApprovalRequired {
			g = g.because(CodeApprovalForced, "a collaborator's proposals always wait for a maintainer, whatever the configuration says")
		}
		return g
	case contract.TrustForkPR:
		return grant{read: repo, write: none, approval: true}.
			because(CodeNoWrites, "nothing is written from a fork's or a bot's change, whatever the configuration says")
	}
	return grant{read: none, write: none, approval: true}.
		because(CodeGrantsNothing, "nothing is read or written, because somebody who shaped this work has no standing here")
}

func (g grant) withApproval(required bool) grant {
	g.approval = required
	if required {
		return g
	}
	return g.because(CodeApprovalOff, "approval is switched off in the configuration: what a reviewer marks as auto becomes a lesson without a person")
}

func (g grant) because(code, text string) grant {
	g.reasons = append(g.reasons, trust.Reason{Code: code, Text: text})
	return g
}

func maxAge(days int) int {
	if days <= 0 || days > longestMaxAgeDays {
		return defaultMaxAgeDays
	}
	return days
}
