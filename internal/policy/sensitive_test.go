package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
)

// fakeToken is put together at run time, so that no scanner takes this file
// for a leak.
func fakeToken() string { return "ghp" + "_" + strings.Repeat("Qz7", 12) }

func TestA87ASecretInAProposalIsRefusedAndNeverEchoed(t *testing.T) {
	token := fakeToken()
	live := "correct-horse-battery"
	for about, w := range map[string]contract.MemoryWrite{
		"in the text":                       write(moneyKey, "deploy with "+token),
		"split by a zero-width character":   write(moneyKey, "deploy with "+token[:12]+"\u200b"+token[12:]),
		"split by an invisible tag":         write(moneyKey, "deploy with "+token[:12]+"\U000E0041"+token[12:]),
		"in text that is too long to store": write(moneyKey, strings.Repeat("word ", 1000)+token),
		"in the key and the text":           write("repo/harbor/quay/rules/"+live, "about "+token),
		"a live token of this run":          write(moneyKey, "use "+live),
		"a live token in the key":           write("repo/harbor/quay/rules/"+live, "amounts are integers of minor units"),
	} {
		v := proposing(contract.TrustMaintainer, w)
		v.Finder = redact.NewFinder(live)
		r := Validate(v)
		if got := writeReasons(r); !slices.Equal(got, []memory.Reason{memory.ReasonSecret}) {
			t.Errorf("%s: %v", about, got)
		}
		if shown := fmt.Sprintf("%+v", r); strings.Contains(shown, token) || strings.Contains(shown, live) || strings.Contains(shown, token[12:]) {
			t.Errorf("%s: echoed in %s", about, shown)
		}
	}
}

func TestWeaknessASecretInARefusedKeyOrReadIDIsNotRecorded(t *testing.T) {
	token := fakeToken()
	v := validation(contract.TrustMaintainer, contract.MemoryUsed{
		Read:     []contract.MemoryRead{{ID: "repo/harbor/quay/rules/" + token, Scope: "repo"}},
		Proposed: []contract.MemoryWrite{write("repo/harbor/quay/rules/"+token, "x"), write(token[:9]+"\u200b"+token[9:], "x")},
		Rejected: []contract.MemoryDecline{{Summary: "the token " + token, Scope: token, Reason: contract.DeclineSecret}, {Summary: token[:9] + "\u2060" + token[9:], Reason: contract.DeclineSecret}},
	})
	r := Validate(v)
	if !slices.Equal(readReasons(r), []memory.Reason{memory.ReasonNotAddressable}) || len(r.Refusals) != 3 {
		t.Errorf("%+v", r.Refusals)
	}
	if shown := fmt.Sprintf("%+v", r); strings.Contains(shown, token[4:]) || strings.Contains(shown, token[9:]) {
		t.Errorf("echoed in %s", shown)
	}
	if r.Refusals[0].Target != "repo/harbor/quay/rules/"+redact.SecretMarker || r.Refusals[2].Target != "[withheld]" {
		t.Errorf("targets %q, %q", r.Refusals[0].Target, r.Refusals[2].Target)
	}
}

func TestPersonalDataIsRefused(t *testing.T) {
	mail := "ada.byron" + "@" + "harbor-mail.io"
	r := Validate(proposing(contract.TrustMaintainer, write(moneyKey, "ask "+mail), write(moneyKey, "ask "+mail+" for "+fakeToken())))
	if got := writeReasons(r); !slices.Equal(got, []memory.Reason{memory.ReasonPII, memory.ReasonSecret}) {
		t.Errorf("%v", got)
	}
	if shown := fmt.Sprintf("%+v", r); strings.Contains(shown, mail) {
		t.Errorf("echoed in %s", shown)
	}
}

func TestA104AForgottenTextThatComesBackRewordedInCaseOnlyIsSuppressed(t *testing.T) {
	key := []byte(strings.Repeat("k", 32))
	forgotten := memory.Fingerprint(key, "Amounts are stored in minor units.")
	for about, again := range map[string]string{"case": "AMOUNTS are stored in minor units.", "spaces": "Amounts  are stored in minor  units", "punctuation": "Amounts: are stored in minor-units!"} {
		v := proposing(contract.TrustMaintainer, write(moneyKey, again))
		v.Suppressed = func(s string) bool { return memory.SameFingerprint(forgotten, memory.Fingerprint(key, s)) }
		r := Validate(v)
		if got := writeReasons(r); !slices.Equal(got, []memory.Reason{memory.ReasonSuppressed}) {
			t.Errorf("%s: %v", about, got)
		}
		if !strings.Contains(r.Refusals[0].Detail, "again: yes") {
			t.Errorf("%q does not name the next step", r.Refusals[0].Detail)
		}
	}
}

func TestWhatTheRuntimeRefusedItselfKeepsItsReason(t *testing.T) {
	mail := "ada.byron" + "@" + "harbor-mail.io"
	r := Validate(validation(contract.TrustMaintainer, contract.MemoryUsed{Rejected: []contract.MemoryDecline{
		{Summary: "ask " + mail, Scope: "repo", Reason: contract.DeclinePII},
		{Summary: "perhaps a convention", Scope: "repo", Reason: contract.DeclineLowConfidence},
	}}))
	want := []Declined{
		{Text: "ask " + redact.PIIMarker, Scope: "repo", Reason: contract.DeclinePII},
		{Text: "perhaps a convention", Scope: "repo", Reason: contract.DeclineLowConfidence},
	}
	if !slices.Equal(r.Declined, want) || r.DeclinedMore != 0 {
		t.Errorf("%+v", r.Declined)
	}
}
