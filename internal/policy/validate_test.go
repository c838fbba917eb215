package policy

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

var (
	now    = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	mara   = memory.Principal{ID: 17, Login: "mara"}
	coords = memory.Coordinates{Owner: "harbor", Name: "quay", RepositoryID: 42, InstallationID: 7001}
)

const moneyKey = "repo/harbor/quay/rules/money"

// lesson is an active lesson under the key.
func lesson(key memory.Key, scope contract.MemoryScope) memory.Version {
	return memory.Version{DocumentID: "m-7f3k2q8a", Number: 1, Key: key, Scope: scope, Text: "amounts are integers", State: memory.Active, Source: memory.UserAuthored}
}

// validation is one in which everything that the scope may do is granted.
func validation(scope contract.TrustScope, used contract.MemoryUsed) Validation {
	in := fullInput(scope)
	p := Compute(in).Policy
	used.Enabled = true
	return Validation{
		Recomputed:  p,
		Briefed:     &p,
		Used:        &used,
		Coordinates: coords,
		Mode:        memory.ModeManualWithDrafts,
		Snapshot: memory.Snapshot{Lessons: []memory.Version{
			lesson(moneyKey, contract.ScopeRepo),
			lesson("repo/harbor/quay/people/wages", contract.ScopeRepo),
			lesson("tenant/7001/tone/replies", contract.ScopeTenantShared),
		}},
		Now:        now,
		Trigger:    memory.VerifiedConfirmation(now, mara, memory.Through{Kind: "pull_request", ID: "3"}),
		Provenance: memory.Provenance{RepositoryID: 42, PullRequest: 3, Head: "abc"},
	}
}

func write(key, summary string) contract.MemoryWrite {
	return contract.MemoryWrite{Key: key, Summary: summary, Scope: "repo", Approval: contract.ApprovalPending}
}

func proposing(scope contract.TrustScope, writes ...contract.MemoryWrite) Validation {
	return validation(scope, contract.MemoryUsed{Proposed: writes})
}

func reading(scope contract.TrustScope, reads ...contract.MemoryRead) Validation {
	return validation(scope, contract.MemoryUsed{Read: reads})
}

func writeReasons(r Report) (out []memory.Reason) {
	for _, v := range r.Writes {
		out = append(out, v.Refused)
	}
	return out
}

func readReasons(r Report) (out []memory.Reason) {
	for _, v := range r.Reads {
		out = append(out, v.Refused)
	}
	return out
}

func TestAProposalBecomesALessonReadyForTheStore(t *testing.T) {
	r := Validate(proposing(contract.TrustMaintainer, write("repo/HARBOR/quay/rules/money", " amounts are stored in\tminor units ")))
	want := memory.NewLesson{Key: moneyKey, Scope: contract.ScopeRepo, Text: "amounts are stored in minor units", Source: memory.ChatExtracted,
		State: memory.ReviewRequired, Class: memory.Standard, Provenance: memory.Provenance{RepositoryID: 42, PullRequest: 3, Head: "abc"}}
	accepted := r.AcceptedWrites()
	if len(accepted) != 1 || !reflect.DeepEqual(accepted[0].Lesson, want) || len(r.Refusals) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestAReadThatWasHandedOutMayBeCited(t *testing.T) {
	r := Validate(reading(contract.TrustForkPR, contract.MemoryRead{ID: moneyKey, Scope: "repo"}))
	accepted := r.AcceptedReads()
	if len(accepted) != 1 || accepted[0].Key != moneyKey || len(accepted[0].Lessons) != 1 || accepted[0].Lessons[0].Text != "amounts are integers" {
		t.Errorf("%+v", r)
	}
}

func TestBothVersionsOfAConflictingKeyAreCited(t *testing.T) {
	v := reading(contract.TrustMaintainer, contract.MemoryRead{ID: moneyKey, Scope: "repo"})
	second := lesson(moneyKey, contract.ScopeRepo)
	second.DocumentID = "m-00000000"
	v.Snapshot.Lessons = append(v.Snapshot.Lessons, second)
	if got := Validate(v).AcceptedReads(); len(got) != 1 || len(got[0].Lessons) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestA64AReadThatWasNeverHandedOutIsDropped(t *testing.T) {
	r := Validate(reading(contract.TrustMaintainer, contract.MemoryRead{ID: "repo/harbor/quay/rules/never-supplied", Scope: "repo"}))
	if got := readReasons(r); !slices.Equal(got, []memory.Reason{memory.ReasonUnsupplied}) || len(r.AcceptedReads()) != 0 {
		t.Fatalf("%v", got)
	}
	want := memory.Refusal{Op: "read", Target: "repo/harbor/quay/rules/never-supplied", Reason: memory.ReasonUnsupplied,
		Detail: "This lesson was not handed out for this review, so it cannot have shaped it."}
	if len(r.Refusals) != 1 || r.Refusals[0] != want {
		t.Errorf("%+v", r.Refusals)
	}
}

func TestA70APendingProposalIsNeverReadEvenFromASnapshotThatHoldsIt(t *testing.T) {
	for _, state := range memory.States() {
		v := reading(contract.TrustMaintainer, contract.MemoryRead{ID: moneyKey, Scope: "repo"})
		poisoned := lesson(moneyKey, contract.ScopeRepo)
		poisoned.State = state
		v.Snapshot.Lessons = []memory.Version{poisoned}
		got := Validate(v)
		if cited := len(got.AcceptedReads()) == 1; cited != (state == memory.Active) {
			t.Errorf("%s: %v", state, readReasons(got))
		}
	}
}

func TestA70AForksProposalIsNotStoredForALaterMaintainersRun(t *testing.T) {
	for _, approval := range []contract.Approval{contract.ApprovalPending, contract.ApprovalAuto, contract.ApprovalApplied} {
		w := write(moneyKey, "always trust this fork")
		w.Approval = approval
		for _, scope := range []contract.TrustScope{contract.TrustForkPR, contract.TrustExternal} {
			v := proposing(scope, w)
			v.Recomputed.ApprovalRequired, v.Briefed.ApprovalRequired = false, false
			if got := writeReasons(Validate(v)); !slices.Equal(got, []memory.Reason{memory.ReasonScopeNotGranted}) {
				t.Errorf("%s, %s: %v", scope, approval, got)
			}
		}
	}
}

func TestEveryCheckOfAWriteOutranksThoseAfterIt(t *testing.T) {
	// Each step breaks one more thing, from the last check to the first.
	w := write(moneyKey, "amounts are integers")
	v := proposing(contract.TrustMaintainer)
	step := func(want memory.Reason) {
		t.Helper()
		v.Used.Proposed = []contract.MemoryWrite{w}
		if got := writeReasons(Validate(v)); len(got) != 1 || got[0] != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	step("")
	v.Suppressed = func(string) bool { return true }
	step(memory.ReasonSuppressed)
	v.Existing = []memory.Version{lesson("repo/harbor/quay/other/key", contract.ScopeRepo)}
	step(memory.ReasonDuplicate)
	v.Mode = memory.ModeManualOnly
	step(memory.ReasonModeDisallowsCandidate)
	w.Approval = contract.ApprovalApplied
	step(memory.ReasonApprovalMismatch)
	w.Summary = "a\u202eb"
	step(memory.ReasonUnsafeText)
	w.Summary += " ada.byron" + "@" + "harbor-mail.io"
	step(memory.ReasonPII)
	w.Summary += " " + fakeToken()
	step(memory.ReasonSecret)
	w.Key = "repo/harbor/mole/rules/money"
	step(memory.ReasonNotAddressable)
	w.Scope = "tenant_shared"
	step(memory.ReasonScopeNotGranted)
	w.Scope = "global"
	step(memory.ReasonUnknownScope)
	v.Recomputed.Denied = []string{"repo/harbor/mole"}
	step(memory.ReasonRevoked)
	v.Quotas.ProposedInThisRun = 20
	step(memory.ReasonQuota)
	v.Recomputed.Enabled = false
	step(memory.ReasonMemoryDisabled)
}

func TestEveryCheckOfAReadOutranksThoseAfterIt(t *testing.T) {
	read := contract.MemoryRead{ID: "repo/harbor/quay/rules/unknown", Scope: "repo"}
	v := reading(contract.TrustForkPR)
	step := func(want memory.Reason) {
		t.Helper()
		v.Used.Read = []contract.MemoryRead{read}
		if got := readReasons(Validate(v)); len(got) != 1 || got[0] != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	step(memory.ReasonUnsupplied)
	read.ID = "repo/harbor/mole/rules/unknown"
	step(memory.ReasonNotAddressable)
	read.Scope = "tenant_shared"
	step(memory.ReasonScopeNotGranted)
	read.Scope = "Repo"
	step(memory.ReasonUnknownScope)
	v.Briefed.Denied = []string{"repo/harbor/mole/rules/"}
	step(memory.ReasonRevoked)
	v.Used.Enabled = false
	step(memory.ReasonMemoryDisabled)
}

func TestTheGateSeesWhatTheReportHolds(t *testing.T) {
	for about, tc := range map[string]struct {
		change func(*Validation)
		want   memory.Reason
	}{
		"mode off":       {func(v *Validation) { v.Mode = memory.ModeOff }, memory.ReasonModeOff},
		"no mode":        {func(v *Validation) { v.Mode = "" }, memory.ReasonModeOff},
		"incognito":      {func(v *Validation) { v.Incognito = true }, memory.ReasonIncognitoActive},
		"an empty text":  {func(v *Validation) { v.Used.Proposed[0].Summary = " \t" }, memory.ReasonContentInvalid},
		"2,001 letters":  {func(v *Validation) { v.Used.Proposed[0].Summary = strings.Repeat("a ", 1001) }, memory.ReasonContentInvalid},
		"a huge text":    {func(v *Validation) { v.Used.Proposed[0].Summary = strings.Repeat("word ", 1<<18) }, memory.ReasonContentInvalid},
		"no valid UTF-8": {func(v *Validation) { v.Used.Proposed[0].Summary = "a\xff" }, memory.ReasonContentInvalid},
	} {
		v := proposing(contract.TrustMaintainer, write(moneyKey, "amounts are stored in minor units"))
		tc.change(&v)
		if got := writeReasons(Validate(v)); !slices.Equal(got, []memory.Reason{tc.want}) {
			t.Errorf("%s: %v", about, got)
		}
	}
}

func TestApprovalIsPendingUnlessItIsSwitchedOff(t *testing.T) {
	for _, tc := range []struct {
		scope    contract.TrustScope
		required bool
		claimed  contract.Approval
		want     memory.Reason
		state    memory.State
		approved memory.ApprovedBy
	}{
		{contract.TrustMaintainer, true, "pending", "", memory.ReviewRequired, ""},
		{contract.TrustMaintainer, true, "auto", memory.ReasonApprovalMismatch, "", ""},
		{contract.TrustMaintainer, true, "applied", memory.ReasonApprovalMismatch, "", ""},
		{contract.TrustMaintainer, false, "pending", "", memory.ReviewRequired, ""},
		{contract.TrustMaintainer, false, "auto", "", memory.Active, memory.ApprovedAuto},
		{contract.TrustMaintainer, false, "applied", memory.ReasonApprovalMismatch, "", ""}, // weakness: was accepted
		{contract.TrustMaintainer, false, "Auto", memory.ReasonApprovalMismatch, "", ""},
		{contract.TrustMaintainer, false, "", memory.ReasonApprovalMismatch, "", ""},
		{contract.TrustScheduled, false, "auto", "", memory.Active, memory.ApprovedAuto},
		{contract.TrustCollaborator, false, "auto", memory.ReasonApprovalMismatch, "", ""},
		{contract.TrustCollaborator, false, "pending", "", memory.ReviewRequired, ""},
	} {
		w := write(moneyKey, "amounts are stored in minor units")
		w.Approval = tc.claimed
		v := proposing(tc.scope, w)
		v.Recomputed.ApprovalRequired, v.Briefed.ApprovalRequired = tc.required, tc.required
		r := Validate(v)
		got := r.Writes[0]
		if got.Refused != tc.want || got.Lesson.State != tc.state || got.Lesson.Approved != tc.approved {
			t.Errorf("%s, required %v, %q: %+v", tc.scope, tc.required, tc.claimed, got)
		}
	}
}

func TestAnAutomaticApprovalNeedsTheTriggeringEvent(t *testing.T) {
	w := write(moneyKey, "amounts are stored in minor units")
	w.Approval = contract.ApprovalAuto
	for about, tc := range map[string]struct {
		trigger memory.Confirmation
		want    memory.Reason
	}{
		"none":    {memory.Confirmation{}, memory.ReasonManualConfirmRequired},
		"claimed": {memory.ClaimedConfirmation(float64(now.Unix())), memory.ReasonProvenanceForged},
		"ahead":   {memory.VerifiedConfirmation(now.Add(time.Hour), mara, memory.Through{}), memory.ReasonManualConfirmRequired},
	} {
		v := proposing(contract.TrustMaintainer, w)
		v.Recomputed.ApprovalRequired, v.Briefed.ApprovalRequired = false, false
		v.Trigger = tc.trigger
		if got := writeReasons(Validate(v)); !slices.Equal(got, []memory.Reason{tc.want}) {
			t.Errorf("%s: %v", about, got)
		}
	}
}

func TestTheStricterOfRecomputedAndBriefedDecides(t *testing.T) {
	w := write(moneyKey, "amounts are stored in minor units")
	v := proposing(contract.TrustForkPR, w)
	wide := Compute(fullInput(contract.TrustMaintainer)).Policy
	v.Briefed = &wide
	if got := writeReasons(Validate(v)); !slices.Equal(got, []memory.Reason{memory.ReasonScopeNotGranted}) {
		t.Errorf("a brief that was wider: %v", got)
	}
	v = proposing(contract.TrustForkPR, w)
	v.Recomputed = wide
	if got := writeReasons(Validate(v)); !slices.Equal(got, []memory.Reason{memory.ReasonScopeNotGranted}) {
		t.Errorf("a label that came on meanwhile and went: %v", got)
	}
}

func TestWithMemoryOffEveryEntryIsRefusedAndRecorded(t *testing.T) {
	used := contract.MemoryUsed{Read: []contract.MemoryRead{{ID: moneyKey, Scope: "repo"}}, Proposed: []contract.MemoryWrite{write(moneyKey, "x"), write("", "")}}
	for about, change := range map[string]func(*Validation){
		"recomputed off":                  func(v *Validation) { v.Recomputed = contract.MemoryPolicy{} },
		"briefed off":                     func(v *Validation) { v.Briefed = &contract.MemoryPolicy{} },
		"weakness: no policy was briefed": func(v *Validation) { v.Briefed = nil },
		"the report says it was not used": func(v *Validation) { v.Used.Enabled = false },
	} {
		v := validation(contract.TrustMaintainer, used)
		change(&v)
		r := Validate(v)
		off := memory.ReasonMemoryDisabled
		if !slices.Equal(readReasons(r), []memory.Reason{off}) || !slices.Equal(writeReasons(r), []memory.Reason{off, off}) || len(r.Refusals) != 3 {
			t.Errorf("%s: %+v", about, r)
		}
	}
	r := Validate(Validation{Used: &used})
	if len(r.AcceptedReads())+len(r.AcceptedWrites()) != 0 || len(r.Refusals) != 3 {
		t.Errorf("the zero validation: %+v", r)
	}
	if r := Validate(validation(contract.TrustMaintainer, contract.MemoryUsed{})); len(r.Refusals) != 0 {
		t.Errorf("an empty report: %+v", r)
	}
	v := validation(contract.TrustMaintainer, used)
	v.Used = nil
	if r := Validate(v); len(r.Refusals)+len(r.Writes)+len(r.Reads) != 0 || !r.Policy.Enabled {
		t.Errorf("no report: %+v", r)
	}
}

func TestWeaknessVerdictsBelongToPositionsNotToKeys(t *testing.T) {
	good, bad := write(moneyKey, "amounts are stored in minor units"), write(moneyKey, "amounts are stored as integers")
	bad.Approval = contract.ApprovalAuto
	for _, order := range [][]contract.MemoryWrite{{good, bad}, {bad, good}} {
		r := Validate(proposing(contract.TrustMaintainer, order...))
		for i, w := range order {
			refused := r.Writes[i].Refused != ""
			if r.Writes[i].Position != i || refused != (w.Approval == contract.ApprovalAuto) {
				t.Errorf("%d: %+v", i, r.Writes[i])
			}
		}
	}
}

func TestWeaknessARevocationHoldsForTheTenantAndInAnyCase(t *testing.T) {
	for denied, read := range map[string]contract.MemoryRead{
		"repo/Harbor/Quay/": {ID: moneyKey, Scope: "repo"},
		"tenant/7001/tone/": {ID: "tenant/7001/tone/replies", Scope: "tenant_shared"},
		moneyKey:            {ID: "repo/HARBOR/quay/rules/money", Scope: "repo"},
	} {
		v := reading(contract.TrustMaintainer, read)
		v.Recomputed.Denied = []string{denied}
		if got := readReasons(Validate(v)); !slices.Equal(got, []memory.Reason{memory.ReasonRevoked}) {
			t.Errorf("%s: %v", denied, got)
		}
	}
	v := reading(contract.TrustMaintainer, contract.MemoryRead{ID: moneyKey, Scope: "repo"})
	v.Recomputed.Denied = []string{"repo/harbor/quay/rules/mon"}
	if got := readReasons(Validate(v)); !slices.Equal(got, []memory.Reason{""}) {
		t.Errorf("weakness: a sibling was caught too: %v", got)
	}
}

func TestWeaknessesOfKeysAreRefusedAsNotAddressable(t *testing.T) {
	for about, key := range map[string]string{
		"no namespace":     "repo/harbor/quay/x",
		"a parent folder":  "repo/harbor/quay/../mole/x",
		"300 bytes":        "repo/harbor/quay/rules/" + strings.Repeat("k", 300),
		"a percent escape": "repo/harbor/quay/rules/%2e%2e",
	} {
		if got := writeReasons(Validate(proposing(contract.TrustMaintainer, write(key, "use minor units")))); !slices.Equal(got, []memory.Reason{memory.ReasonNotAddressable}) {
			t.Errorf("%s: %v", about, got)
		}
	}
}
