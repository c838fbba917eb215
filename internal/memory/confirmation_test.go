package memory

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
)

func TestG2ADurableActiveWriteNeedsAConfirmation(t *testing.T) {
	for about, c := range map[string]Confirmation{
		"missing":                         {},
		"of the zero time":                VerifiedConfirmation(time.Time{}, mara, comment),
		"not a number":                    VerifiedConfirmationAt(math.NaN(), mara, comment),
		"infinite":                        VerifiedConfirmationAt(math.Inf(1), mara, comment),
		"infinitely long ago":             VerifiedConfirmationAt(math.Inf(-1), mara, comment),
		"beyond every date":               VerifiedConfirmationAt(1e300, mara, comment),
		"negative":                        VerifiedConfirmationAt(-1, mara, comment),
		"five minutes and a second ahead": VerifiedConfirmation(gateNow.Add(MaxClockLead+time.Second), mara, comment),
		"by nobody":                       VerifiedConfirmation(gateNow, Principal{Login: "ghost"}, comment),
		"claimed null":                    ClaimedConfirmation(nil),
		"claimed text":                    ClaimedConfirmation("77"),
		"claimed text NaN":                ClaimedConfirmation("NaN"),
		"claimed truth":                   ClaimedConfirmation(true),
	} {
		got := Gate(with(taught(), func(r *WriteRequest) { r.Confirmation = c }), open())
		if got.Allowed || got.Reason != ReasonManualConfirmRequired || got.Detail == "" {
			t.Errorf("%s: %+v", about, got)
		}
	}
	for about, c := range map[string]Confirmation{
		"at the epoch":            VerifiedConfirmationAt(0, mara, comment),
		"exactly 5 minutes ahead": VerifiedConfirmation(gateNow.Add(MaxClockLead), mara, comment),
	} {
		if got := Gate(with(taught(), func(r *WriteRequest) { r.Confirmation = c }), open()); !got.Allowed {
			t.Errorf("%s: %+v", about, got)
		}
	}
}

func TestG2bAnExtractedLessonIsNotActiveWithoutAConfirmation(t *testing.T) {
	for _, origin := range []Origin{OriginEvent, OriginRuntime, ""} {
		got := Gate(with(proposed(), func(r *WriteRequest) { r.State, r.Origin = "active", origin }), open())
		if got.Allowed || got.Reason != ReasonManualConfirmRequired {
			t.Errorf("%q: %+v", origin, got)
		}
	}
}

func TestG2bDeviationOnlyARuntimesProposalMayWait(t *testing.T) {
	for about, r := range map[string]WriteRequest{
		"from an event":     with(proposed(), func(r *WriteRequest) { r.Origin = OriginEvent }),
		"from nobody":       with(proposed(), func(r *WriteRequest) { r.Origin = "" }),
		"as a draft":        with(proposed(), func(r *WriteRequest) { r.State = "draft" }),
		"as a person's own": with(proposed(), func(r *WriteRequest) { r.Source = "user_authored" }),
	} {
		if got := Gate(r, open()); got.Allowed || got.Reason != ReasonManualConfirmRequired {
			t.Errorf("%s: %+v", about, got)
		}
	}
}

func TestG9AConfirmationOfAnybodyButTheActionIsForged(t *testing.T) {
	past := float64(gateNow.Add(-time.Minute).Unix())
	for about, r := range map[string]WriteRequest{
		"a runtime's claim":                    with(taught(), func(r *WriteRequest) { r.Origin, r.Confirmation = OriginRuntime, ClaimedConfirmation(past) }),
		"a claim in the action's name":         with(taught(), func(r *WriteRequest) { r.Confirmation = ClaimedConfirmation(past) }),
		"a verified one, carried by a runtime": with(taught(), func(r *WriteRequest) { r.Origin = OriginRuntime }),
		"a verified one, carried by nobody":    with(taught(), func(r *WriteRequest) { r.Origin = "" }),
		"a claim beside a proposal":            with(proposed(), func(r *WriteRequest) { r.Confirmation = ClaimedConfirmation(past) }),
		"a claim beside a draft":               with(observed(VoiceTranscript), func(r *WriteRequest) { r.Confirmation = ClaimedConfirmation(past) }),
	} {
		if got := Gate(r, open()); got.Allowed || got.Reason != ReasonProvenanceForged {
			t.Errorf("%s: %+v", about, got)
		}
	}
}

// automatic is a proposal that asks to be active by page 3.7.
func automatic() WriteRequest {
	return with(proposed(), func(r *WriteRequest) {
		r.State, r.Confirmation = "active", VerifiedConfirmation(gateNow, mara, Through{Kind: "pull_request", ID: "3"})
	})
}

func TestApprovalSwitchedOffHoldsForMaintainerAndScheduledOnly(t *testing.T) {
	for _, tc := range []struct {
		trust contract.TrustScope
		off   bool
		want  bool
	}{
		{contract.TrustMaintainer, true, true},
		{contract.TrustScheduled, true, true},
		{contract.TrustCollaborator, true, false},
		{contract.TrustForkPR, true, false},
		{contract.TrustExternal, true, false},
		{"", true, false},
		{contract.TrustMaintainer, false, false},
		{contract.TrustScheduled, false, false},
	} {
		c := open()
		c.AutoApproval, c.Trust = tc.off, tc.trust
		got := Gate(automatic(), c)
		if got.Allowed != tc.want {
			t.Errorf("%s, off %v: %+v", tc.trust, tc.off, got)
			continue
		}
		if got.Allowed && (got.Entry.Approved != ApprovedAuto || got.Entry.ConfirmedBy != mara || got.Entry.ConfirmedThrough.Kind != "pull_request") {
			t.Errorf("%s: not marked as automatic: %+v", tc.trust, got.Entry)
		}
		if !got.Allowed && got.Reason != ReasonProvenanceForged {
			t.Errorf("%s: %s", tc.trust, got.Reason)
		}
	}
	c := open()
	c.AutoApproval, c.Trust = true, contract.TrustScheduled
	byClock := with(automatic(), func(r *WriteRequest) {
		r.Confirmation = VerifiedConfirmation(gateNow, Principal{}, Through{Kind: "schedule"})
	})
	if got := Gate(byClock, c); !got.Allowed || got.Entry.ConfirmedBy.ID != 0 {
		t.Errorf("a run that nobody started: %+v", got)
	}
	if got := Gate(with(automatic(), func(r *WriteRequest) { r.Source = "user_authored" }), c); got.Allowed {
		t.Error("a runtime spoke for a person")
	}
}

func TestTheStoresOwnDoorAsksTheGateAgain(t *testing.T) {
	lesson := NewLesson{Text: "prefer UTC in logs", Scope: "repo", State: Active, Source: UserAuthored}
	remember := Transition{Op: OpRemember, At: gateNow, Actor: mara, Through: comment, Lesson: &lesson}
	if got := GateTransition(remember, open()); !got.Allowed || got.Entry.ConfirmedBy != mara {
		t.Errorf("remember: %+v", got)
	}
	pending := NewLesson{Text: "prefer UTC in logs", Scope: "repo", State: ReviewRequired, Source: ChatExtracted}
	if got := GateTransition(Transition{Op: OpPropose, At: gateNow, Lesson: &pending}, open()); !got.Allowed {
		t.Errorf("propose: %+v", got)
	}
	forged := lesson
	if got := GateTransition(Transition{Op: OpPropose, At: gateNow, Actor: mara, Lesson: &forged}, open()); got.Allowed {
		t.Errorf("a proposal became active: %+v", got)
	}
	auto := NewLesson{Text: "prefer UTC in logs", Scope: "repo", State: Active, Source: ChatExtracted, Approved: ApprovedAuto}
	t3 := Transition{Op: OpPropose, At: gateNow, Actor: mara, Through: comment, Lesson: &auto}
	if got := GateTransition(t3, open()); got.Allowed {
		t.Errorf("an automatic approval passed where approval is required: %+v", got)
	}
	c := open()
	c.AutoApproval, c.Trust = true, contract.TrustMaintainer
	if got := GateTransition(t3, c); !got.Allowed || got.Entry.Approved != ApprovedAuto {
		t.Errorf("an automatic approval: %+v", got)
	}
	raw := lesson
	raw.Text = " prefer UTC\tin logs"
	if got := GateTransition(Transition{Op: OpRemember, At: gateNow, Actor: mara, Lesson: &raw}, open()); got.Allowed || got.Reason != ReasonContentInvalid {
		t.Errorf("a text out of its normal form: %+v", got)
	}
}

func TestPropertyNothingBecomesActiveWithoutAVerifiedConfirmation(t *testing.T) {
	source := rapid.SampledFrom(append(append(words(DurableSources()), words(CandidateSources())...), "usage_log"))
	content := rapid.OneOf(rapid.Just("use UTC"), rapid.String())
	seconds := rapid.OneOf(rapid.Float64Range(0, float64(gateNow.Unix())), rapid.Float64())
	rapid.Check(t, func(t *rapid.T) {
		verified := rapid.Bool().Draw(t, "verified")
		at := seconds.Draw(t, "seconds")
		r := WriteRequest{
			Content: content.Draw(t, "content"),
			Scope:   rapid.SampledFrom([]string{"repo", "tenant_shared", "familiar_global", ""}).Draw(t, "scope"),
			State:   rapid.SampledFrom([]string{"draft", "review_required", "active", "lapsed"}).Draw(t, "state"),
			Source:  source.Draw(t, "source"),
			Origin:  rapid.SampledFrom([]Origin{OriginEvent, OriginRuntime, ""}).Draw(t, "origin"),
		}
		if verified {
			r.Confirmation = VerifiedConfirmationAt(at, mara, comment)
		} else {
			r.Confirmation = ClaimedConfirmation(at)
		}
		c := GateContext{
			Mode:         rapid.SampledFrom(append(Modes(), "")).Draw(t, "mode"),
			Incognito:    rapid.Bool().Draw(t, "incognito"),
			Now:          gateNow,
			AutoApproval: rapid.Bool().Draw(t, "auto"),
			Trust:        rapid.SampledFrom([]contract.TrustScope{contract.TrustMaintainer, contract.TrustForkPR, ""}).Draw(t, "trust"),
		}
		got := Gate(r, c)
		switch {
		case got.Allowed == (got.Reason != ""):
			t.Fatalf("allowed %v with reason %q", got.Allowed, got.Reason)
		case !got.Allowed:
			if !reflect.DeepEqual(got.Entry, Entry{}) {
				t.Fatalf("a refusal carries an entry: %+v", got)
			}
		case c.Incognito || c.Mode == ModeOff || c.Mode == "" || got.Entry.Scope == contract.ScopeFamiliarGlobal:
			t.Fatalf("%+v in %+v", got, c)
		case got.Entry.State == Active && (!verified || !got.Entry.Source.Durable() || got.Entry.Approved == "" || got.Entry.ConfirmedAt.IsZero()):
			t.Fatalf("active without a confirmation: %+v", got.Entry)
		case got.Entry.State != Active && (got.Entry.Approved != "" || !got.Entry.ConfirmedAt.IsZero() || got.Entry.ConfirmedBy.ID != 0):
			t.Fatalf("pending with a confirmation: %+v", got.Entry)
		}
	})
}
