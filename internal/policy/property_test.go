package policy

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

func TestPropertyValidationNeverAcceptsOutsideTheGrant(t *testing.T) {
	key := rapid.SampledFrom([]string{moneyKey, "repo/HARBOR/quay/rules/money", "repo/harbor/mole/rules/money", "tenant/7001/tone/replies", "tenant/7002/tone/replies",
		"repo/harbor/quay/x", "", "repo/harbor/quay/people/wages", "repo/harbor/quay/../mole/x"})
	scope := rapid.SampledFrom([]string{"repo", "repo", "tenant_shared", "familiar_global", "global", ""})
	approval := rapid.SampledFrom([]contract.Approval{"pending", "pending", "auto", "applied", "Pending"})
	summary := rapid.OneOf(rapid.StringMatching(`[a-z ]{1,12}`), rapid.String(), rapid.Just(fakeToken()))
	rapid.Check(t, func(t *rapid.T) {
		recomputed, briefed := Compute(drawInput(t)).Policy, Compute(drawInput(t)).Policy
		denied := rapid.SampledFrom([][]string{nil, {"repo/harbor/quay/people"}, {"repo/"}}).Draw(t, "denied")
		recomputed.Denied = denied
		v := validation(contract.TrustMaintainer, contract.MemoryUsed{})
		v.Recomputed, v.Briefed = recomputed, &briefed
		v.Mode = rapid.SampledFrom(append(memory.Modes(), memory.ModeManualWithDrafts, "")).Draw(t, "mode")
		v.Used.Enabled = rapid.IntRange(0, 4).Draw(t, "used") > 0
		for range rapid.IntRange(0, 6).Draw(t, "writes") {
			v.Used.Proposed = append(v.Used.Proposed, contract.MemoryWrite{Key: key.Draw(t, "key"), Scope: scope.Draw(t, "scope"),
				Summary: summary.Draw(t, "summary"), Approval: approval.Draw(t, "approval")})
			v.Used.Read = append(v.Used.Read, contract.MemoryRead{ID: key.Draw(t, "id"), Scope: scope.Draw(t, "read scope")})
		}
		r := Validate(v)
		if len(r.Writes) != len(v.Used.Proposed) || len(r.Reads) != len(v.Used.Read) {
			t.Fatalf("verdicts are missing: %+v", r)
		}
		for _, w := range r.AcceptedWrites() {
			checkAcceptedWrite(t, v, recomputed, briefed, w)
		}
		for _, read := range r.AcceptedReads() {
			s := contract.MemoryScope(v.Used.Read[read.Position].Scope)
			_, revoked := memory.CoveredBy(denied, string(read.Key))
			if revoked || !slices.Contains(recomputed.ReadScopes, s) || !slices.Contains(briefed.ReadScopes, s) || !read.Key.Within(coords, s) || len(read.Lessons) == 0 {
				t.Fatalf("read %+v", read)
			}
		}
	})
}

func checkAcceptedWrite(t *rapid.T, v Validation, recomputed, briefed contract.MemoryPolicy, w WriteVerdict) {
	asked := v.Used.Proposed[w.Position]
	l := w.Lesson
	_, revoked := memory.CoveredBy(recomputed.Denied, string(l.Key))
	switch {
	case !v.Used.Enabled || !recomputed.Enabled || !briefed.Enabled || v.Mode != memory.ModeManualWithDrafts:
		t.Fatalf("with memory off: %+v", w)
	case l.Scope != contract.ScopeRepo || !slices.Contains(recomputed.WriteScopes, l.Scope) || !slices.Contains(briefed.WriteScopes, l.Scope):
		t.Fatalf("outside the grant: %+v", w)
	case revoked || !l.Key.Within(coords, l.Scope) || l.Key.Owner() != "harbor":
		t.Fatalf("key: %+v", w)
	case strings.Contains(l.Text, fakeToken()):
		t.Fatalf("a secret: %+v", w)
	case l.State == memory.Active && (asked.Approval != contract.ApprovalAuto || recomputed.ApprovalRequired || briefed.ApprovalRequired || l.Approved != memory.ApprovedAuto):
		t.Fatalf("active without a switched off approval: %+v", w)
	case l.State != memory.Active && (l.State != memory.ReviewRequired || l.Approved != "" || asked.Approval != contract.ApprovalPending):
		t.Fatalf("state: %+v", w)
	}
}
