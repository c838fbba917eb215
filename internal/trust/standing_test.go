package trust

import (
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
)

func said(permission, role string) Lookup {
	return Lookup{Done: true, Permission: permission, RoleName: role}
}

func confirmed(permission, role string) Lookup {
	l := said(permission, role)
	l.Collaborator = true
	return l
}

func TestStandingFollowsTheLiveLookUp(t *testing.T) {
	const (
		max  = contract.TrustMaintainer
		mid  = contract.TrustCollaborator
		none = contract.TrustExternal
	)
	for _, c := range []struct {
		name       string
		lookup     Lookup
		visibility string
		want       contract.TrustScope
		code, text string
	}{
		{"admin", said("admin", "admin"), "public", max, CodePermissionAdmin, "has admin permission"},
		{"write", said("write", "write"), "public", max, CodePermissionWrite, "has write permission"},
		{"A21: maintain is reported as write", said("write", "maintain"), "public", max, CodePermissionWrite, "has write permission"},
		{"A21: triage is reported as read with its role", said("read", "triage"), "public", mid, CodeRoleTriage, "has the triage role"},
		{"A21: triage on an internal repository", said("read", "triage"), "internal", mid, CodeRoleTriage, "has the triage role"},
		{"A21: triage is no permission of its own", said("triage", "triage"), "private", none, CodePermissionOdd, "has a permission that is none of admin, write, read and none"},
		{"A21: maintain is no permission of its own", said("maintain", "maintain"), "private", none, CodePermissionOdd, "has a permission that is none of admin, write, read and none"},
		{"A22: a custom role based on write", said("write", "release-captain"), "public", max, CodePermissionWrite, "has write permission"},
		{"A22: a custom role that sounds grand", said("read", "super-admin"), "public", none, CodeReadAlone, "has read permission only, which on a public repository everybody has"},
		{"A22: a custom role called Triage in another case", said("read", "Triage"), "public", none, CodeReadAlone, "has read permission only, which on a public repository everybody has"},
		{"A22: a custom role without permission", said("none", "maintain"), "private", none, CodePermissionNone, "has no permission on this repository"},
		{"A20: a stranger on a public repository", said("read", "read"), "public", none, CodeReadAlone, "has read permission only, which on a public repository everybody has"},
		{"a colleague on an internal repository", said("read", "read"), "internal", none, CodeReadAlone, "has read permission only, which on an internal repository the whole enterprise has"},
		{"a reader where the visibility is unknown", said("read", "read"), "", none, CodeReadAlone, "has read permission only, which on a public repository everybody has"},
		{"a reader where the visibility is misspelt", said("read", "read"), "Private", none, CodeReadAlone, "has read permission only, which on a public repository everybody has"},
		{"A23: a reader of a private repository", said("read", "read"), "private", mid, CodeReadPrivate, "has read permission on a private repository"},
		{"a confirmed collaborator on a public repository", confirmed("read", "read"), "public", mid, CodeCollaborator, "has read permission and is a confirmed collaborator"},
		{"a confirmed collaborator on an internal repository", confirmed("read", "read"), "internal", mid, CodeCollaborator, "has read permission and is a confirmed collaborator"},
		{"a collaborator who has no permission", confirmed("none", ""), "public", none, CodePermissionNone, "has no permission on this repository"},
		{"no permission", said("none", "none"), "private", none, CodePermissionNone, "has no permission on this repository"},
		{"an empty permission", said("", "admin"), "private", none, CodePermissionOdd, "has a permission that is none of admin, write, read and none"},
		{"a permission in another case", said("Admin", "admin"), "private", none, CodePermissionOdd, "has a permission that is none of admin, write, read and none"},
		{"A24: a look-up that failed", Lookup{Failure: "timeout"}, "private", none, CodeLookupFailed, "could not be looked up: timeout"},
		{"A24: a look-up that failed and answered", Lookup{Done: true, Failure: "502", Permission: "admin"}, "private", none, CodeLookupFailed, "could not be looked up: 502"},
		{"A24: an answer without its mark", Lookup{Permission: "admin", RoleName: "admin", Collaborator: true}, "private", none, CodeLookupMissing, "was not looked up"},
		{"A26: an app that GitHub does not know as a user", Lookup{Failure: "404"}, "private", none, CodeLookupFailed, "could not be looked up: 404"},
		{"no look-up at all", Lookup{}, "private", none, CodeLookupMissing, "was not looked up"},
	} {
		t.Run(c.name, func(t *testing.T) {
			scope, reason := Standing(c.lookup, c.visibility)
			if scope != c.want || reason != (Reason{c.code, c.text}) {
				t.Errorf("got %s, %+v\nwant %s, %+v", scope, reason, c.want, Reason{c.code, c.text})
			}
		})
	}
}

func TestMinIsTheScopeThatGrantsLeast(t *testing.T) {
	chain := []contract.TrustScope{contract.TrustMaintainer, contract.TrustScheduled, contract.TrustCollaborator, contract.TrustForkPR, contract.TrustExternal}
	for i, high := range chain {
		for j, low := range chain {
			if j >= i && (Min(high, low) != low || Min(low, high) != low) {
				t.Errorf("Min(%s, %s) = %s", high, low, Min(high, low))
			}
			if Less(low, high) != (j > i) {
				t.Errorf("Less(%s, %s) = %v", low, high, Less(low, high))
			}
		}
	}
	for _, odd := range []contract.TrustScope{"", "root", "Maintainer"} {
		if Min(odd, contract.TrustMaintainer) != contract.TrustExternal || Less(odd, contract.TrustExternal) || !Less(odd, contract.TrustForkPR) {
			t.Errorf("%q is not as low as external", odd)
		}
	}
	if Min() != contract.TrustExternal {
		t.Errorf("Min() = %s", Min())
	}
}
