package memory

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func int64String(n int64) string { return strconv.FormatInt(n, 10) }

var idForm = regexp.MustCompile(`^m-[0-9a-hjkmnp-tv-z]{8}$`)

func TestIDsDependOnTheirCauseAndNothingElse(t *testing.T) {
	cause := NewCause("42", "issue_comment", "9001")
	id := NewDocumentID(501, cause, 1)
	if !idForm.MatchString(id) {
		t.Errorf("id %q has not the form of page 4.1", id)
	}
	if id != NewDocumentID(501, cause, 1) {
		t.Error("a replay got another id")
	}
	for about, other := range map[string]string{
		"another repository": NewDocumentID(502, cause, 1),
		"another cause":      NewDocumentID(501, NewCause("42", "issue_comment", "9002"), 1),
		"another line":       NewDocumentID(501, cause, 2),
	} {
		if other == id {
			t.Errorf("%s gave the same id", about)
		}
	}
	p := NewProposalID(501, 7, "head", "repo/o/n/a/b", "text")
	if !idForm.MatchString(p) || p == NewProposalID(501, 7, "head2", "repo/o/n/a/b", "text") ||
		p == NewProposalID(501, 8, "head", "repo/o/n/a/b", "text") ||
		p == NewProposalID(501, 7, "head", "repo/o/n/a/b", "other") {
		t.Errorf("proposal id %q does not depend on pull request, head and text", p)
	}
}

func TestIDsAndDigestsStayWhatTheyWere(t *testing.T) {
	// Ids are stored and quoted by people: these must never change.
	for about, pair := range map[string][2]string{
		"document": {NewDocumentID(501, "cause", 3), "m-v60ztr1z"},
		"proposal": {NewProposalID(501, 12, "abc", "repo/o/n/a/b", "text"), "m-0pm551yx"},
		"cause":    {NewCause("a", "b"), "3c9d591045bc8876f9d0399bbfb05c6a412096e906f73278f98406cd5dca86df"},
		"text":     {TextDigest("use UTC"), "c999514a72887c36bcd24f1d19eaa9d13a652d1a595fb5d8286243f03a0271f7"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s, was %s", about, pair[0], pair[1])
		}
	}
}

func TestPartsOfACauseDoNotRunIntoEachOther(t *testing.T) {
	if NewCause("ab", "c") == NewCause("a", "bc") || NewCause("a") == NewCause("a", "") || NewCause() == NewCause("") {
		t.Error("two lists of parts share a cause")
	}
	if len(NewCause("x")) != 64 {
		t.Errorf("a cause has %d characters", len(NewCause("x")))
	}
}

func TestParseIDTakesAnIDAndItsVersion(t *testing.T) {
	for _, tc := range []struct {
		about, in, doc string
		version        int
		ok             bool
	}{
		{"a document", "m-7f3k2q8a", "m-7f3k2q8a", 0, true},
		{"a version", "m-7f3k2q8a@2", "m-7f3k2q8a", 2, true},
		{"in capitals", "M-7F3K2Q8A@12", "m-7f3k2q8a", 12, true},
		{"letters for digits, as Crockford reads them", "m-7f3k2qoi", "m-7f3k2q01", 0, true},
		{"nothing", "", "", 0, false},
		{"blank", "   ", "", 0, false},
		{"the prefix alone", "m-", "", 0, false},
		{"too short", "m-7f3k2q8", "", 0, false},
		{"too long", "m-7f3k2q8ab", "", 0, false},
		{"a letter that is not in the alphabet", "m-7f3k2q8u", "", 0, false},
		{"a space around it", " m-7f3k2q8a", "", 0, false},
		{"another prefix", "x-7f3k2q8a", "", 0, false},
		{"version zero", "m-7f3k2q8a@0", "", 0, false},
		{"an empty version", "m-7f3k2q8a@", "", 0, false},
		{"a version with a leading zero", "m-7f3k2q8a@02", "", 0, false},
		{"a version with a sign", "m-7f3k2q8a@+2", "", 0, false},
		{"a version beyond the bound", "m-7f3k2q8a@1000000", "", 0, false},
		{"two versions", "m-7f3k2q8a@2@3", "", 0, false},
		{"a line feed in the body", "m-7f3k\n2q8", "", 0, false},
	} {
		doc, version, ok := ParseID(tc.in)
		if doc != tc.doc || version != tc.version || ok != tc.ok {
			t.Errorf("%s: ParseID(%q) = %q, %d, %v", tc.about, tc.in, doc, version, ok)
		}
	}
}

func TestPropertyEveryMadeIDParsesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := NewDocumentID(rapid.Int64().Draw(t, "repository"), rapid.String().Draw(t, "cause"), rapid.Int().Draw(t, "line"))
		n := rapid.IntRange(1, MaxVersion).Draw(t, "version")
		doc, version, ok := ParseID(VersionID(id, n))
		if !ok || doc != id || version != n || !idForm.MatchString(id) {
			t.Fatalf("%q -> %q, %d, %v", id, doc, version, ok)
		}
	})
}

func FuzzParseID(f *testing.F) {
	for _, s := range []string{"", "m-7f3k2q8a", "m-7f3k2q8a@2", "m-7f3k2q8\r", "M-OIL00000@1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc, version, ok := ParseID(s)
		if !ok {
			if doc != "" || version != 0 {
				t.Fatalf("%q was refused with %q, %d", s, doc, version)
			}
			return
		}
		if !idForm.MatchString(doc) || version < 0 || version > MaxVersion {
			t.Fatalf("%q gave %q, %d", s, doc, version)
		}
		if again, _, ok := ParseID(doc); !ok || again != doc {
			t.Fatalf("%q is not stable", doc)
		}
	})
}

func TestFingerprintsOfForgottenTexts(t *testing.T) {
	t.Run("A104: a text is known again by its words", testAFingerprintKnowsWords)
}

func testAFingerprintKnowsWords(t *testing.T) {
	key := []byte(strings.Repeat("k", 32))
	forgotten := Fingerprint(key, "Never log the customer's name.")
	for about, again := range map[string]string{
		"case":        "never LOG the customer's name.",
		"spaces":      "  Never   log the customer's\tname. ",
		"punctuation": "Never log, the customers name!",
	} {
		if !SameFingerprint(forgotten, Fingerprint(key, again)) {
			t.Errorf("reworded in %s only, it was not known again", about)
		}
	}
	if SameFingerprint(forgotten, Fingerprint(key, "Never log the customer's address.")) {
		t.Error("another text was taken for the same")
	}
	if SameFingerprint(forgotten, Fingerprint([]byte("another key"), "Never log the customer's name.")) {
		t.Error("the key makes no difference")
	}
	if Fingerprint(nil, "text") != "" || SameFingerprint("", "") {
		t.Error("no key gave a fingerprint that equals something")
	}
	if a, b := Fingerprint(key, "!!!"), Fingerprint(key, "???"); a == "" || SameFingerprint(a, b) {
		t.Error("texts of punctuation alone are not told apart")
	}
}

// The id of a document is what ParseID gives back as it was.
func TestTheIDOfADocumentIsItsOwnNormalForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.StringMatching(`m-[0-9a-hjkmnp-tv-z]{8}`), rapid.StringMatching(`[mM]-[0-9a-zA-Z@]{7,9}`), rapid.String(),
		).Draw(t, "s")
		document, version, ok := ParseID(s)
		if got := IsDocumentID(s); got != (ok && version == 0 && document == s) {
			t.Fatalf("%q: %v, and ParseID says %q, %d, %v", s, got, document, version, ok)
		}
	})
}
