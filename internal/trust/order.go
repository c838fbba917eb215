package trust

import (
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
)

// byGrants orders the scopes by what page 3.2 grants them, least first.
// Scheduled is no standing of anybody; it is ordered by its grants alone,
// which are a maintainer's without tenant_shared.
var byGrants = []contract.TrustScope{
	contract.TrustExternal,
	contract.TrustForkPR,
	contract.TrustCollaborator,
	contract.TrustScheduled,
	contract.TrustMaintainer,
}

// Less tells whether a grants less than b. A scope outside the set grants as
// little as external.
func Less(a, b contract.TrustScope) bool {
	return slices.Index(byGrants, Min(a)) < slices.Index(byGrants, Min(b))
}

// Min returns the scope that grants least. A scope outside the set, and an
// empty list, is external.
func Min(scopes ...contract.TrustScope) contract.TrustScope {
	least := len(byGrants)
	for _, s := range scopes {
		least = min(least, max(0, slices.Index(byGrants, s)))
	}
	if least == len(byGrants) {
		least = 0
	}
	return byGrants[least]
}
