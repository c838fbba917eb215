package policy

import (
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/trust"
)

// Stricter returns the policy that grants only what both grant (page 3.5: if
// the recomputed policy and the briefed one differ, the stricter holds). Two
// policies of different owners have nothing in common and give memory off.
func Stricter(a, b contract.MemoryPolicy) contract.MemoryPolicy {
	p := contract.MemoryPolicy{
		Enabled:          a.Enabled && b.Enabled && sameOwner(a, b),
		TenantScope:      a.TenantScope,
		RepoScope:        a.RepoScope,
		BranchScope:      stricterBranch(a.BranchScope, b.BranchScope),
		TrustScope:       stricterTrust(a.TrustScope, b.TrustScope),
		ReadScopes:       []contract.MemoryScope{},
		WriteScopes:      []contract.MemoryScope{},
		ApprovalRequired: a.ApprovalRequired || b.ApprovalRequired,
		Retention: contract.Retention{
			MaxAgeDays:        min(a.Retention.MaxAgeDays, b.Retention.MaxAgeDays),
			DeleteOnUninstall: a.Retention.DeleteOnUninstall || b.Retention.DeleteOnUninstall,
			RedactSecrets:     a.Retention.RedactSecrets || b.Retention.RedactSecrets,
		},
		Denied: union(a.Denied, b.Denied),
	}
	if !sameOwner(a, b) {
		p.TenantScope, p.RepoScope = nil, nil
	}
	if !p.Enabled {
		p.ApprovalRequired = true
		return p
	}
	p.ReadScopes = both(a.ReadScopes, b.ReadScopes)
	p.WriteScopes = both(both(a.WriteScopes, b.WriteScopes), p.ReadScopes)
	return p
}

func sameOwner(a, b contract.MemoryPolicy) bool {
	if a.TenantScope == nil || b.TenantScope == nil || a.RepoScope == nil || b.RepoScope == nil {
		return false
	}
	return a.TenantScope.InstallationID == b.TenantScope.InstallationID &&
		a.RepoScope.RepoID == b.RepoScope.RepoID &&
		a.RepoScope.Owner == b.RepoScope.Owner && a.RepoScope.Name == b.RepoScope.Name
}

// stricterTrust is the lesser scope; a scope outside the set stays none.
func stricterTrust(a, b contract.TrustScope) contract.TrustScope {
	if !a.Known() || !b.Known() {
		return ""
	}
	return trust.Min(a, b)
}

func stricterBranch(a, b *contract.BranchScope) *contract.BranchScope {
	if a == nil || b == nil {
		return nil
	}
	branch := *a
	branch.SameRepo = a.SameRepo && b.SameRepo
	if a.BaseRef != b.BaseRef || a.HeadRef != b.HeadRef {
		return nil
	}
	return &branch
}

// both keeps the order of the closed set, so that the order of the arguments
// does not show.
func both(a, b []contract.MemoryScope) []contract.MemoryScope {
	out := []contract.MemoryScope{}
	for _, scope := range []contract.MemoryScope{contract.ScopeRepo, contract.ScopeTenantShared, contract.ScopeFamiliarGlobal} {
		if slices.Contains(a, scope) && slices.Contains(b, scope) {
			out = append(out, scope)
		}
	}
	return out
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
