package memory

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
)

var (
	gateNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	mara    = Principal{ID: 17, Login: "mara"}
	comment = Through{Kind: "issue_comment", ID: "9001", URL: "https://github.com/harbor/quay/pull/3#issuecomment-9001"}
)

// taught is a remember command that passes every check.
func taught() WriteRequest {
	return WriteRequest{Content: "prefer UTC in logs", Scope: "repo", State: "active", Source: "user_authored",
		Origin: OriginEvent, Confirmation: VerifiedConfirmation(gateNow, mara, comment)}
}

// proposed is a runtime's proposal that passes every check.
func proposed() WriteRequest {
	return WriteRequest{Content: "prefer UTC in logs", Scope: "repo", State: "review_required", Source: "chat_extracted", Origin: OriginRuntime}
}

// observed is a candidate that passes every check.
func observed(source Source) WriteRequest {
	return WriteRequest{Content: "prefer UTC in logs", Scope: "repo", State: "draft", Source: string(source), Origin: OriginEvent}
}

func open() GateContext { return GateContext{Mode: ModeManualWithDrafts, Now: gateNow} }

func with(r WriteRequest, change func(*WriteRequest)) WriteRequest {
	change(&r)
	return r
}

func TestTheGateAcceptsARememberCommandConfirmedByItsOwnComment(t *testing.T) {
	at := gateNow.Add(-time.Hour)
	got := Gate(with(taught(), func(r *WriteRequest) {
		r.Content = "  prefer\tUTC in logs\u200b "
		r.Confirmation = VerifiedConfirmation(at, mara, comment)
	}), open())
	want := Entry{Text: "prefer UTC in logs", Scope: contract.ScopeRepo, State: Active, Source: UserAuthored, Approved: ApprovedConfirmed,
		CreatedAt: at, ConfirmedBy: mara, ConfirmedAt: at, ConfirmedThrough: comment}
	if !got.Allowed || got.Reason != "" || !reflect.DeepEqual(got.Entry, want) {
		t.Errorf("%+v", got)
	}
}

func TestTheGateAcceptsAProposalAsPendingAndUnconfirmed(t *testing.T) {
	got := Gate(proposed(), open())
	want := Entry{Text: "prefer UTC in logs", Scope: contract.ScopeRepo, State: ReviewRequired, Source: ChatExtracted, CreatedAt: gateNow}
	if !got.Allowed || !reflect.DeepEqual(got.Entry, want) {
		t.Errorf("%+v", got)
	}
}

func TestG1ModeOffBlocksEverySourceAndState(t *testing.T) {
	for _, mode := range []Mode{ModeOff, "", "always_on", "Manual_only"} {
		for _, source := range append(DurableSources(), CandidateSources()...) {
			for _, state := range WritableStates() {
				got := Gate(with(taught(), func(r *WriteRequest) { r.Source, r.State = string(source), string(state) }), GateContext{Mode: mode, Now: gateNow})
				if got.Allowed || got.Reason != ReasonModeOff {
					t.Errorf("mode %q, %s, %s: %+v", mode, source, state, got)
				}
			}
		}
	}
}

func TestG1WeaknessAMissingOrUnknownModeIsRefusedAndSaysSo(t *testing.T) {
	for _, mode := range []Mode{"", "always_on"} {
		got := Gate(observed(VoiceTranscript), GateContext{Mode: mode, Now: gateNow})
		if got.Allowed || !strings.Contains(got.Detail, "missing or unknown") {
			t.Errorf("mode %q: %+v", mode, got)
		}
	}
	if got := Gate(taught(), GateContext{}); got.Allowed {
		t.Error("the zero context let a write through")
	}
}

func TestG1WeaknessAnEmptyRequestIsRefusedAndDoesNotPanic(t *testing.T) {
	if got := Gate(WriteRequest{}, open()); got.Allowed || got.Reason != ReasonContentInvalid || got.Detail != "The lesson was refused: its content is no text." {
		t.Errorf("%+v", got)
	}
}

func TestG3ForgettingAndExportingDoNotPassTheGateAsWrites(t *testing.T) {
	for _, op := range []Op{OpForget, OpExport, OpPurge, OpApprove, ""} {
		got := GateTransition(Transition{Op: op, At: gateNow, Actor: mara, Through: comment}, open())
		if got.Allowed {
			t.Errorf("%s without a lesson passed: %+v", op, got)
		}
		if op == OpApprove {
			continue // in other words, which are then the approver's own
		}
		lesson := NewLesson{Text: "x", Scope: "repo", State: Active, Source: UserAuthored}
		if got := GateTransition(Transition{Op: op, At: gateNow, Actor: mara, Lesson: &lesson}, open()); got.Allowed {
			t.Errorf("%s carried a lesson through: %+v", op, got)
		}
	}
}

func TestG3AnImportedEntryWaitsAndIsNeverActive(t *testing.T) {
	entry := NewLesson{Text: "use UTC", Scope: "repo", State: ReviewRequired, Source: ChatExtracted}
	tr := Transition{Op: OpImport, At: gateNow, Actor: mara, Through: comment, Lesson: &entry}
	if got := GateTransition(tr, open()); !got.Allowed || got.Entry.State != ReviewRequired || got.Entry.Approved != "" || got.Entry.ConfirmedBy.ID != 0 {
		t.Errorf("%+v", got)
	}
	manual := open()
	manual.Mode = ModeManualOnly
	if got := GateTransition(tr, manual); !got.Allowed {
		t.Errorf("manual_only refuses a person's own import: %+v", got)
	}
	entry.State = Active
	auto := open()
	auto.AutoApproval, auto.Trust = true, "maintainer"
	if got := GateTransition(tr, auto); got.Allowed || got.Reason != ReasonManualConfirmRequired {
		t.Errorf("an active import: %+v", got)
	}
	entry.State, entry.Source = ReviewRequired, UserAuthored
	if got := GateTransition(tr, open()); got.Allowed || got.Reason != ReasonManualConfirmRequired {
		t.Errorf("an import in a person's name: %+v", got)
	}
}

func TestG4IncognitoBlocksEveryValidWrite(t *testing.T) {
	c := open()
	c.Incognito = true
	for _, r := range []WriteRequest{taught(), proposed(), observed(VoiceTranscript)} {
		if got := Gate(r, c); got.Allowed || got.Reason != ReasonIncognitoActive {
			t.Errorf("%s: %+v", r.Source, got)
		}
	}
}

func TestG5NoSourceExistsForAutomaticConsolidation(t *testing.T) {
	want := []Source{UserAuthored, ChatExtracted, VoiceTranscript, ActivityObservation, CUObservation, SearchRecall, DailyReview}
	if got := append(DurableSources(), CandidateSources()...); !reflect.DeepEqual(got, want) {
		t.Fatalf("the sources are %v: adding one means changing page 3.6 and this test", got)
	}
	for _, name := range []string{"consolidation", "sleep", "summary", "merge", "auto", "reflection"} {
		if got := Gate(with(taught(), func(r *WriteRequest) { r.Source = name }), open()); got.Reason != ReasonUnknownSource {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestG6ThereIsNoSilentUse(t *testing.T) {
	if got := UsePolicies(); !reflect.DeepEqual(got, []UsePolicy{"never", "cited_only"}) {
		t.Errorf("%v", got)
	}
}

func TestG7ACandidateNeverBecomesActive(t *testing.T) {
	for _, source := range CandidateSources() {
		for _, mode := range []Mode{ModeManualOnly, ModeManualWithDrafts} {
			got := Gate(with(taught(), func(r *WriteRequest) { r.Source = string(source) }), GateContext{Mode: mode, Now: gateNow})
			if got.Allowed || got.Reason != ReasonCandidateNoActive {
				t.Errorf("%s in %s: %+v", source, mode, got)
			}
		}
		if got := Gate(observed(source), open()); !got.Allowed || got.Entry.State != Draft || got.Entry.Approved != "" {
			t.Errorf("%s as a draft: %+v", source, got)
		}
	}
}

func TestG8NoTypeHasAFieldForEmbeddingsOrAProvider(t *testing.T) {
	if found := fieldsNaming([]string{"embed", "provider", "vector"}); len(found) > 0 {
		t.Errorf("fields %v: page 3.6 and gate G8 know no embeddings and no provider", found)
	}
}

// fieldsNaming returns the fields of the domain's types whose name holds one
// of the words.
func fieldsNaming(words []string) (found []string) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			walk(typ.Elem())
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			for i := range typ.NumField() {
				field := typ.Field(i)
				for _, word := range words {
					if strings.Contains(strings.ToLower(field.Name), word) {
						found = append(found, typ.Name()+"."+field.Name)
					}
				}
				walk(field.Type)
			}
		}
	}
	for _, v := range []any{Version{}, NewLesson{}, Transition{}, Applied{}, Snapshot{}, RecallQuery{}, WriteRequest{}, GateContext{}, GateVerdict{}, CompiledCheck{}} {
		walk(reflect.TypeOf(v))
	}
	return found
}

func TestG8TheSearchForSuchFieldsFindsOneWhereItIs(t *testing.T) {
	if found := fieldsNaming([]string{"confirmedthrough"}); len(found) != 2 { // Version and Entry
		t.Errorf("%v", found)
	}
}

func TestManualOnlyTakesAPersonsCommandAndNothingThatWaits(t *testing.T) {
	c := GateContext{Mode: ModeManualOnly, Now: gateNow, AutoApproval: true, Trust: contract.TrustMaintainer}
	if got := Gate(taught(), c); !got.Allowed {
		t.Errorf("a remember command: %+v", got)
	}
	for about, r := range map[string]WriteRequest{
		"a candidate":           observed(VoiceTranscript),
		"a proposal":            proposed(),
		"an automatic approval": automatic(),
	} {
		if got := Gate(r, c); got.Allowed || got.Reason != ReasonModeDisallowsCandidate {
			t.Errorf("%s: %+v", about, got)
		}
	}
}

func TestEveryCheckOutranksThoseAfterIt(t *testing.T) {
	// Each step breaks one more thing, from the last check to the first; the
	// answer is always the newest, which stands earlier in the order.
	r := with(taught(), func(r *WriteRequest) { r.Confirmation = ClaimedConfirmation(float64(gateNow.Unix())) })
	c := open()
	step := func(want Reason) {
		t.Helper()
		if got := Gate(r, c); got.Allowed || got.Reason != want {
			t.Errorf("got %s, want %s", got.Reason, want)
		}
	}
	step(ReasonProvenanceForged)
	r.Confirmation = Confirmation{}
	step(ReasonManualConfirmRequired)
	r.Origin, c.Mode = OriginRuntime, ModeManualOnly
	step(ReasonModeDisallowsCandidate)
	r.Source = string(VoiceTranscript)
	step(ReasonCandidateNoActive)
	r.Source = "usage_log"
	step(ReasonUnknownSource)
	r.State = "kept"
	step(ReasonStateInvalid)
	r.Scope = "planet"
	step(ReasonScopeInvalid)
	r.Content = "a\u202eb"
	step(ReasonUnsafeText)
	r.Content = "  "
	step(ReasonContentInvalid)
	c.Incognito = true
	step(ReasonIncognitoActive)
	c.Mode = ModeOff
	step(ReasonModeOff)
}

func TestTheScopeOfALessonIsNeverFamiliarGlobal(t *testing.T) {
	for scope, want := range map[string]bool{"repo": true, "tenant_shared": true, "familiar_global": false, "Repo": false, "": false} {
		got := Gate(with(taught(), func(r *WriteRequest) { r.Scope = scope }), open())
		if got.Allowed != want || !want && got.Reason != ReasonScopeInvalid {
			t.Errorf("%q: %+v", scope, got)
		}
	}
}

func TestOnlyThreeStatesMayBeAskedFor(t *testing.T) {
	for _, state := range States() {
		got := Gate(with(observed(VoiceTranscript), func(r *WriteRequest) { r.State = string(state) }), open())
		if want := state == Draft || state == ReviewRequired; got.Allowed != want {
			t.Errorf("%s: %+v", state, got)
		}
		if got.Allowed || state == Active {
			continue
		}
		if got.Reason != ReasonStateInvalid {
			t.Errorf("%s: %s", state, got.Reason)
		}
	}
}

func TestWeaknessCharactersThatHideTextAreUnsafe(t *testing.T) {
	for name, hidden := range map[string]string{
		"right-to-left override": "\u202e", "left-to-right mark": "\u200e", "tag letter": "\U000E0041", "line separator": "\u2028",
		"hangul filler": "\u3164", "mongolian vowel separator": "\u180e", "stray variation selector": "\ufe0f",
	} {
		got := Gate(with(taught(), func(r *WriteRequest) { r.Content = "a" + hidden + "b" }), open())
		if got.Allowed || got.Reason != ReasonUnsafeText {
			t.Errorf("%s: %+v", name, got)
		}
		if strings.Contains(got.Detail, hidden) {
			t.Errorf("%s: the detail repeats it", name)
		}
	}
	if got := Gate(with(taught(), func(r *WriteRequest) { r.Content = "a\u2060b" }), open()); !got.Allowed || got.Entry.Text != "ab" {
		t.Errorf("a word joiner is removed: %+v", got)
	}
	if got := Gate(with(taught(), func(r *WriteRequest) { r.Content = "a\xed\xa0\x80b" }), open()); got.Allowed || got.Reason != ReasonContentInvalid {
		t.Errorf("a lone surrogate: %+v", got)
	}
}

func TestAVerdictThatNobodySetIsARefusal(t *testing.T) {
	if r := (GateVerdict{}).Refusal("propose", "k"); r == nil || r.Reason != ReasonProvenanceForged || r.Op != "propose" || r.Target != "k" {
		t.Errorf("%+v", r)
	}
	if r := Gate(taught(), open()).Refusal("remember", "k"); r != nil {
		t.Errorf("%+v", r)
	}
}
