package memory

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEveryMemberParsesAndNothingElse(t *testing.T) {
	sets := map[string]struct {
		members []string
		parse   func(string) (string, error)
		reason  Reason
	}{
		"mode":       {words(Modes()), asWord(ParseMode), ReasonModeInvalid},
		"source":     {append(words(DurableSources()), words(CandidateSources())...), asWord(ParseSource), ReasonUnknownSource},
		"state":      {words(States()), asWord(ParseState), ReasonStateInvalid},
		"new state":  {words(WritableStates()), asWord(ParseWritableState), ReasonStateInvalid},
		"class":      {words(Classes()), asWord(ParseClass), ReasonClassInvalid},
		"use policy": {words(UsePolicies()), asWord(ParseUsePolicy), ReasonUsePolicyInvalid},
		"scope":      {words(Scopes()), asWord(ParseScope), ReasonScopeInvalid},
		"standing":   {words(Standings()), asWord(ParseStanding), ReasonNotAllowed},
		"check kind": {words(CheckKinds()), asWord(ParseCheckKind), ReasonCheckInvalid},
		"reason":     {words(Reasons()), asWord(ParseReason), ReasonStateInvalid},
	}
	for name, set := range sets {
		for _, member := range set.members {
			if got, err := set.parse(member); err != nil || got != member {
				t.Errorf("%s %q: %q, %v", name, member, got, err)
			}
			for _, other := range []string{strings.ToUpper(member), " " + member, member + "\n", ""} {
				got, err := set.parse(other)
				var problem *EnumProblem
				if got != "" || !errors.As(err, &problem) || problem.Reason != set.reason {
					t.Errorf("%s %q was not refused as %s: %q, %v", name, other, set.reason, got, err)
				}
			}
		}
	}
}

func words[T ~string](members []T) (out []string) {
	for _, m := range members {
		out = append(out, string(m))
	}
	return out
}

func asWord[T ~string](parse func(string) (T, error)) func(string) (string, error) {
	return func(s string) (string, error) {
		v, err := parse(s)
		return string(v), err
	}
}

func TestAnUnknownWordIsNamedWithWhatTheSetTakes(t *testing.T) {
	_, err := ParseMode("always_on")
	if want := `unknown mode "always_on": it is one of off, manual_only, manual_with_drafts`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = ParseMode(strings.Repeat("x", 10_000))
	if len(err.Error()) > 300 {
		t.Errorf("the message repeats %d bytes", len(err.Error()))
	}
}

func TestStatesHaveOneTotalOrder(t *testing.T) {
	for i, s := range States() {
		if s.Rank() != i+1 {
			t.Errorf("%s has rank %d", s, s.Rank())
		}
		if Max(s, "") != s || Max("", s) != s || Max(s, "archived") != s {
			t.Errorf("a word that is no state won against %s", s)
		}
	}
	if State("").Rank() != 0 || State("archived").Rank() != 0 {
		t.Error("a word that is no state has a rank")
	}
}

func TestPropertyMaxIsAMerge(t *testing.T) {
	state := rapid.SampledFrom(States())
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := state.Draw(t, "a"), state.Draw(t, "b"), state.Draw(t, "c")
		if Max(a, b) != Max(b, a) || Max(a, Max(b, c)) != Max(Max(a, b), c) || Max(a, a) != a {
			t.Fatalf("%s %s %s", a, b, c)
		}
	})
}

func TestWhatMayReachAReviewer(t *testing.T) {
	t.Run("A70: only an active version", testOnlyAnActiveVersionIsRecallable)
}

func testOnlyAnActiveVersionIsRecallable(t *testing.T) {
	for _, s := range append(States(), "", "approved") {
		if s.Recallable() != (s == Active) {
			t.Errorf("%q recallable: %v", s, s.Recallable())
		}
	}
	for _, s := range States() {
		if s.Pending() != slices.Contains([]State{Draft, ReviewRequired}, s) || s.Erased() != slices.Contains([]State{Tombstoned, Purged}, s) {
			t.Errorf("%s: pending %v, erased %v", s, s.Pending(), s.Erased())
		}
	}
}

func TestSourcesAreDurableOrCandidateNeverBoth(t *testing.T) {
	for _, s := range append(DurableSources(), CandidateSources()...) {
		if s.Durable() == s.Candidate() {
			t.Errorf("%s", s)
		}
	}
	if Source("").Durable() || Source("").Candidate() || Source("usage_log").Candidate() {
		t.Error("a word that is no source counts as one")
	}
}

func TestQuotasTakeTheDefaultForWhatIsNotSet(t *testing.T) {
	want := Quotas{ProposalsPerRun: 20, PendingPerPull: 20, PendingPerRepo: 200, ActivePerRepo: 2000}
	if got := (Quotas{}).WithDefaults(); got != want {
		t.Errorf("%+v", got)
	}
	if got := (Quotas{ProposalsPerRun: -1, PendingPerPull: 5, ProposedInThisRun: 3}).WithDefaults(); got.ProposalsPerRun != 20 ||
		got.PendingPerPull != 5 || got.ProposedInThisRun != 3 {
		t.Errorf("%+v", got)
	}
}

func TestARefusalIsFilledInWithoutChangingTheOriginal(t *testing.T) {
	original := &Refusal{Reason: ReasonUnknownID}
	filled := original.For("forget", "m-7f3k2q8a")
	if filled.Op != "forget" || filled.Target != "m-7f3k2q8a" || filled.Reason != ReasonUnknownID || original.Op != "" {
		t.Errorf("%+v from %+v", filled, original)
	}
	if (*Refusal)(nil).For("forget", "x") != nil {
		t.Error("no refusal became one")
	}
}
