package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/review/record"
	"github.com/familiarhq/familiar/internal/store"
)

func commitID(n int) string { return record.Digest(fmt.Sprint("commit", n))[:40] }

func foundAs(names ...string) []review.Finding {
	var out []review.Finding
	for _, name := range names {
		out = append(out, review.Finding{Candidate: review.Candidate{Path: name + ".go", Line: 3, Because: []string{"m-7f3k2q8a"}}, Fingerprint: record.Digest(name)[:32]})
	}
	return out
}

func idsOf(findings []review.Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, f.ID)
	}
	return strings.Join(out, " ")
}

// TestANumberKeepsItsMeaning: what somebody saw as F2 stays F2 over pushes,
// and is never given to another finding, whatever became of it.
func TestANumberKeepsItsMeaning(t *testing.T) {
	var s shown
	for n, step := range []struct {
		found []review.Finding
		ids   string
	}{
		{foundAs("a", "b"), "F1 F2"},
		{foundAs("c", "b"), "F3 F2"},         // a is fixed, c is new and graver
		{foundAs("d", "a", "c"), "F4 F1 F3"}, // a is back, b is gone
		{foundAs("a", "a"), "F1 F5"},         // two lines that differ in spacing alone
		{foundAs("a", "a", "b"), "F1 F5 F2"}, // and both keep theirs
		{foundAs(), ""},                      // all gone
		{foundAs("b", "d", "e"), "F2 F4 F6"}, // and found again
	} {
		numbered := s.number(step.found)
		if got := idsOf(numbered); got != step.ids {
			t.Fatalf("review %d: %s, want %s", n+1, got, step.ids)
		}
		s = decodeShown(s.with(numbered, commitID(0), commitID(n+1)).encode())
	}
	one, ok := s.find("F1")
	if !ok || !one.gone || s.span(one).head != commitID(5) || one.path != pathDigest("a.go") || !slices.Equal(one.because, []string{"m-7f3k2q8a"}) {
		t.Errorf("F1 is %+v at %+v", one, s.span(one))
	}
	if two, ok := s.find("f2"); !ok || two.gone || s.span(two).head != commitID(7) {
		t.Errorf("F2 is %+v", two)
	}
	for _, id := range []string{"F7", "F0", "F-1", "2", "", "FF", "F99999999999999999999"} {
		if f, ok := s.find(id); ok {
			t.Errorf("%q is %+v", id, f)
		}
	}
}

// TestTheListOfNumbersFitsBesideTheComment: however many there were.
func TestTheListOfNumbersFitsBesideTheComment(t *testing.T) {
	keys := feedbackKeys(t, "a")
	rapid.Check(t, func(t *rapid.T) {
		var s shown
		for n := range rapid.IntRange(1, 12).Draw(t, "reviews") {
			var names []string
			for _, x := range rapid.SliceOfNDistinct(rapid.IntRange(0, 400), 0, 150, rapid.ID[int]).Draw(t, "found") {
				names = append(names, fmt.Sprint("x", x))
			}
			numbered := s.number(foundAs(names...))
			next := s.with(numbered, commitID(0), commitID(n+1))
			again := decodeShown(next.encode())
			if len(again.list) > maxShown || again.next != next.next || fmt.Sprint(again) != fmt.Sprint(next) {
				t.Fatalf("%+v\nbecame\n%+v", next, again)
			}
			state := State{Shown: next.encode(), Head: commitID(n + 1), Inputs: record.Digest("i")}
			if encodeState(keys, 501, 7, 9, state) == "" {
				t.Fatalf("the state of %d findings is not kept", len(next.list))
			}
			s = again
		}
	})
}

func FuzzDecodeShown(f *testing.F) {
	var s shown
	f.Add(s.with(s.number(foundAs("a", "b")), commitID(0), commitID(1)).encode())
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, in string) {
		s := decodeShown(in)
		if len(s.list) > maxShown {
			t.Fatalf("%d findings", len(s.list))
		}
		if again := decodeShown(s.encode()); fmt.Sprint(again.list) != fmt.Sprint(s.list) {
			t.Fatalf("%+v became %+v", s, again)
		}
	})
}

func TestADismissalHoldsWhileItsLessonLives(t *testing.T) {
	now := aMoment
	alive := memory.Version{DocumentID: "m-aaaaaaaa", State: memory.Active, Key: "repo/lumen/ledger/feedback/a"}
	for _, c := range []struct {
		name     string
		said     []store.Disposition // the latest first
		existing []memory.Version
		denied   []string
		away     bool
	}{
		{"dismissed, and the lesson is in use", []store.Disposition{{Finding: "f", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}}, []memory.Version{alive}, nil, true},
		{"the lesson was forgotten", []store.Disposition{{Finding: "f", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}}, nil, nil, false},
		{"the lesson waits for approval", []store.Disposition{{Finding: "f", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}}, []memory.Version{{DocumentID: "m-aaaaaaaa", State: memory.ReviewRequired}}, nil, false},
		{"the lesson has ended", []store.Disposition{{Finding: "f", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}}, []memory.Version{{DocumentID: "m-aaaaaaaa", State: memory.Active, ValidUntil: now.Add(-time.Hour)}}, nil, false},
		{"its key is revoked", []store.Disposition{{Finding: "f", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}}, []memory.Version{alive}, []string{"repo/lumen/ledger/feedback"}, false},
		{"another key is revoked", []store.Disposition{{Finding: "f", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}}, []memory.Version{alive}, []string{"repo/lumen/ledger/feed"}, true},
		{"accepted since", []store.Disposition{{Finding: "f", Kind: memory.OpAccept}, {Finding: "f", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}}, []memory.Version{alive}, nil, false},
		{"dismissed again since", []store.Disposition{{Finding: "f", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}, {Finding: "f", Kind: memory.OpAccept}}, []memory.Version{alive}, nil, true},
		{"dismissed twice, and the later lesson is gone", []store.Disposition{{Finding: "f", Kind: memory.OpDismiss, Document: "m-bbbbbbbb"}, {Finding: "f", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}}, []memory.Version{alive}, nil, true},
		{"corrected", []store.Disposition{{Finding: "f", Kind: memory.OpCorrect, Document: "m-aaaaaaaa"}}, []memory.Version{alive}, nil, false},
		{"another finding", []store.Disposition{{Finding: "g", Kind: memory.OpDismiss, Document: "m-aaaaaaaa"}}, []memory.Version{alive}, nil, false},
		{"nothing was said", nil, []memory.Version{alive}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, away := dismissals(c.said, living(c.existing, c.denied, now))["f"]; away != c.away {
				t.Errorf("away is %t", away)
			}
		})
	}
}
