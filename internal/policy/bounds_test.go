package policy

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

func TestTheSameTextTwiceInOneReportIsADuplicate(t *testing.T) {
	r := Validate(proposing(contract.TrustMaintainer, write(moneyKey, "use minor units"), write("repo/harbor/quay/rules/other", "Use MINOR units!"), write(moneyKey, "use major units")))
	if got := writeReasons(r); !slices.Equal(got, []memory.Reason{"", memory.ReasonDuplicate, ""}) {
		t.Errorf("%v", got)
	}
}

func TestARetiredLessonIsNoDuplicate(t *testing.T) {
	for _, state := range memory.States() {
		v := proposing(contract.TrustMaintainer, write(moneyKey, "amounts are integers"))
		old := lesson(moneyKey, contract.ScopeRepo)
		old.State = state
		v.Existing = []memory.Version{old}
		duplicate := Validate(v).Writes[0].Refused == memory.ReasonDuplicate
		if duplicate != (state.Pending() || state == memory.Active) {
			t.Errorf("%s: duplicate %v", state, duplicate)
		}
	}
}

func TestARefusedProposalDoesNotMakeALaterOneADuplicate(t *testing.T) {
	first := write(moneyKey, "use minor units")
	first.Approval = contract.ApprovalApplied
	if got := writeReasons(Validate(proposing(contract.TrustMaintainer, first, write(moneyKey, "use minor units")))); got[1] != "" {
		t.Errorf("%v", got)
	}
}

func TestQuotasBoundWhatMayBeAdded(t *testing.T) {
	many := func(n int, approval contract.Approval) []contract.MemoryWrite {
		var writes []contract.MemoryWrite
		for i := range n {
			w := write(moneyKey, fmt.Sprintf("lesson number %d", i))
			w.Approval = approval
			writes = append(writes, w)
		}
		return writes
	}
	for _, tc := range []struct {
		about    string
		approval contract.Approval
		quotas   memory.Quotas
		counts   Counts
		want     int
		text     string
	}{
		{"20 a run by default", "pending", memory.Quotas{}, Counts{}, 20, "A run may propose only so many"},
		{"fewer in a run that already proposed", "pending", memory.Quotas{ProposedInThisRun: 15}, Counts{}, 5, "A run may propose"},
		{"configured", "pending", memory.Quotas{ProposalsPerRun: 3}, Counts{}, 3, "A run may propose"},
		{"20 pending a pull request", "pending", memory.Quotas{}, Counts{PendingInPull: 18}, 2, "on this pull request"},
		{"200 pending a repository", "pending", memory.Quotas{}, Counts{PendingInRepo: 199}, 1, "in this repository"},
		{"2,000 active lessons do not hinder a proposal", "pending", memory.Quotas{}, Counts{Active: 2000}, 20, "A run may propose"},
		{"2,000 active lessons", "auto", memory.Quotas{}, Counts{Active: 1997}, 3, "as many active lessons as it may"},
		{"pending ones do not hinder an automatic approval", "auto", memory.Quotas{}, Counts{PendingInRepo: 200, PendingInPull: 20}, 20, "A run may propose"},
	} {
		v := proposing(contract.TrustMaintainer, many(25, tc.approval)...)
		v.Recomputed.ApprovalRequired, v.Briefed.ApprovalRequired = false, false
		v.Quotas, v.Counts = tc.quotas, tc.counts
		r := Validate(v)
		if len(r.AcceptedWrites()) != tc.want || len(r.Refusals) != 25-tc.want {
			t.Errorf("%s: %d accepted", tc.about, len(r.AcceptedWrites()))
			continue
		}
		if first := r.Refusals[0]; first.Reason != memory.ReasonQuota || !strings.Contains(first.Detail, tc.text) {
			t.Errorf("%s: %+v", tc.about, first)
		}
	}
}

func TestWeaknessAFloodOfEntriesIsCountedAndNotListed(t *testing.T) {
	used := contract.MemoryUsed{Read: make([]contract.MemoryRead, 3000), Proposed: make([]contract.MemoryWrite, 100_000), Rejected: make([]contract.MemoryDecline, 1000)}
	for i := range used.Proposed {
		used.Proposed[i] = write(strings.Repeat("k", 5000), strings.Repeat("deploy ", 50)+fakeToken())
	}
	v := validation(contract.TrustMaintainer, used)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := Validate(v)
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > 50_000 {
		t.Errorf("%d allocations: more than the first entries were looked at", n)
	}
	if len(r.Writes) != 100_000 || len(r.Reads) != 3000 || len(r.AcceptedWrites()) != 0 {
		t.Errorf("%d and %d verdicts", len(r.Writes), len(r.Reads))
	}
	if len(r.Refusals) > 110 {
		t.Fatalf("%d refusals are recorded", len(r.Refusals))
	}
	last := r.Refusals[len(r.Refusals)-1]
	if last.Target != "99980 more" || last.Reason != memory.ReasonQuota || last.Op != "propose" {
		t.Errorf("%+v", last)
	}
	for _, refusal := range r.Refusals {
		if len(refusal.Target) > 4*maxTarget {
			t.Errorf("a target of %d bytes", len(refusal.Target))
		}
	}
	if len(r.Declined) != 20 || r.DeclinedMore != 980 {
		t.Errorf("%d declined, %d more", len(r.Declined), r.DeclinedMore)
	}
}

func TestAnEmptyTargetIsNamedByItsPosition(t *testing.T) {
	r := Validate(proposing(contract.TrustMaintainer, write(moneyKey, "use minor units"), write("", "x")))
	if len(r.Refusals) != 1 || r.Refusals[0].Target != "propose entry 2" {
		t.Errorf("%+v", r.Refusals)
	}
}
