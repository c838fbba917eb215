package app

import (
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/store"
)

var shownAt = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// TestAWordCoversTheLastDisplayBeforeIt: nothing else is approved by a label
// or by `approve all`, whatever happened to the comment.
func TestAWordCoversTheLastDisplayBeforeIt(t *testing.T) {
	first, second := strings.Repeat("1", 64), strings.Repeat("2", 64)
	comment := func(updated time.Time, digest string, before Display) own {
		return own{
			Comment: github.Comment{Comment: event.Comment{ID: 90, UpdatedAt: updated}}, intact: true,
			state: State{Display: Display{Digest: digest}, Before: before},
		}
	}
	rows := func(d ...store.Display) []store.Display { return d }
	shown := func(digest string, at time.Time) store.Display {
		return store.Display{Number: 7, CommentID: 90, SetDigest: digest, At: at, Items: []store.DisplayItem{{ID: "m-7f3k2q8a@1", Digest: digest}}}
	}
	cut := shown(first, shownAt)
	cut.Cut = true
	elsewhere := shown(first, shownAt)
	elsewhere.CommentID = 91
	later := shownAt.Add(10 * time.Minute)
	edited := comment(shownAt, first, Display{})
	edited.intact = false
	for _, c := range []struct {
		name     string
		own      own
		displays []store.Display
		at       time.Time
		covers   string // digest; "" is none
		why      string
	}{
		{"the display stood for a minute", comment(shownAt, first, Display{}), rows(shown(first, shownAt)), shownAt.Add(time.Minute), first, ""},
		{"the display stood for exactly fifteen seconds", comment(shownAt, first, Display{}), rows(shown(first, shownAt)), shownAt.Add(15 * time.Second), first, ""},
		{"A109: the display stood for fourteen seconds", comment(shownAt, first, Display{}), rows(shown(first, shownAt)), shownAt.Add(14 * time.Second), "", "less than 15 seconds"},
		{"A74: not all of it was shown", comment(shownAt, first, Display{}), rows(cut), shownAt.Add(time.Minute), "", "shown whole"},
		{"A110: somebody edited the comment", edited, rows(shown(first, shownAt)), shownAt.Add(time.Minute), "", "Somebody edited"},
		{"A110: somebody edited it and put it back", comment(later, first, Display{}), rows(shown(first, shownAt)), later.Add(time.Minute), "", "edited after I last wrote it"},
		{"A30: a later run shows more, and the word was for what stood before", comment(later, second, Display{Digest: first, At: shownAt}), rows(shown(first, shownAt), shown(second, later)), shownAt.Add(time.Minute), first, ""},
		{"A30: what stood before was edited before it was replaced", comment(later, second, Display{Digest: first, At: shownAt.Add(time.Minute)}), rows(shown(first, shownAt), shown(second, later)), shownAt.Add(2 * time.Minute), "", "rewritten since"},
		{"A30: the word came before anything was shown", comment(later, second, Display{}), rows(shown(second, later)), shownAt, "", "shown only after that"},
		{"the display was never recorded", comment(shownAt, first, Display{}), nil, shownAt.Add(time.Minute), "", "No lesson is shown here"},
		{"A51: another comment showed it", comment(shownAt, first, Display{}), rows(elsewhere), shownAt.Add(time.Minute), "", "No lesson is shown here"},
		{"the comment shows no lesson any more", comment(later, "", Display{Digest: first, At: shownAt}), rows(shown(first, shownAt)), later.Add(time.Minute), "", "any more"},
		{"the comment shows another set than was recorded", comment(shownAt, second, Display{}), rows(shown(first, shownAt)), shownAt.Add(time.Minute), "", "edited after I last wrote it"},
		{"there is no comment", own{}, rows(shown(first, shownAt)), shownAt.Add(time.Minute), "", "No lesson is shown here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, why := coveredBy(c.own, c.displays, c.at)
			if d.SetDigest != c.covers || (why == "") != (c.covers != "") || !strings.Contains(why, c.why) {
				t.Errorf("it covers %.4q, because %q; want %.4q and %q", d.SetDigest, why, c.covers, c.why)
			}
		})
	}
}

// TestAnApprovalByIDIsBoundToWhatWasShown: A49.
func TestAnApprovalByIDIsBoundToWhatWasShown(t *testing.T) {
	old, young := strings.Repeat("1", 64), strings.Repeat("2", 64)
	displays := []store.Display{
		{At: shownAt.Add(time.Hour), Items: []store.DisplayItem{{ID: "m-7f3k2q8a@2", Digest: young}}},
		{At: shownAt, Items: []store.DisplayItem{{ID: "m-7f3k2q8a@1", Digest: old}}},
	}
	for _, c := range []struct {
		name, document string
		at             time.Time
		want           string
	}{
		{"A49: other words are shown only later", "m-7f3k2q8a", shownAt.Add(time.Minute), old},
		{"A49: the words shown last before it count", "m-7f3k2q8a", shownAt.Add(2 * time.Hour), young},
		{"nothing was shown yet", "m-7f3k2q8a", shownAt.Add(-time.Second), ""},
		{"another lesson", "m-2xw9d4hc", shownAt.Add(time.Hour), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if item, ok := lastShown(displays, c.document, c.at); item.Digest != c.want || ok != (c.want != "") {
				t.Errorf("%+v, %v; want %.4q", item, ok, c.want)
			}
		})
	}
}

// TestADisplayIsItsWordsAndTheirOrder: the digest of a set tells apart all
// that a person can read of it.
func TestADisplayIsItsWordsAndTheirOrder(t *testing.T) {
	a := memory.Version{DocumentID: "m-7f3k2q8a", Number: 1, Key: "repo/lumen/ledger/conventions/waits", Text: "one", State: memory.ReviewRequired}
	b := a
	b.DocumentID, b.Text = "m-2xw9d4hc", "two"
	words, key, number := a, a, a
	words.Text, key.Key, number.Number = "another", "repo/lumen/ledger/conventions/other", 2
	seen := map[string]string{}
	for name, set := range map[string][]memory.Version{
		"one": {a}, "both": {a, b}, "the other way round": {b, a}, "other words": {words}, "another key": {key}, "another version": {number},
	} {
		digest := shownSet(set)
		if other, double := seen[digest]; double || len(digest) != 64 {
			t.Errorf("%s and %s have the digest %q", name, other, digest)
		}
		seen[digest] = name
	}
	if shownSet(nil) != "" {
		t.Error("nothing has a digest")
	}
	d, shown := displayOf(render.Status{Repo: "lumen/ledger", Number: 7, Outcome: review.Reviewed, Proposals: []memory.Version{a, b}})
	if d.Digest != shownSet([]memory.Version{a, b}) || d.Cut || len(shown) != 2 {
		t.Errorf("the display is %+v of %d", d, len(shown))
	}
	if d, shown := displayOf(render.Status{Outcome: review.Reviewed}); d != (Display{}) || shown != nil {
		t.Errorf("a comment without proposals displays %+v", d)
	}
}

// TestAKeptReviewComesBackAsItWas: what a state keeps is the review, and
// nothing of a rules reviewer's.
func TestAKeptReviewComesBackAsItWas(t *testing.T) {
	instead := "wait()"
	s := render.Status{Outcome: review.Reviewed, Head: strings.Repeat("a", 40), Summary: "Waits.", Findings: []review.Finding{
		{ID: "F1", Candidate: review.Candidate{Severity: "high", Path: "a.go", Line: 3, Title: "One", Body: "Two", Replacement: &instead, Because: []string{"m-7f3k2q8a"}}},
		{ID: "F2", FileLevel: true, Reported: 9, Candidate: review.Candidate{Severity: "low", Path: "b.go", Title: "Three"}},
	}}
	packed := keep(runtime.Models, "frame", s, "base", []string{"a.go", "b.go"})
	k, ok := decodeKept(packed)
	if !ok || k.By != "models" || k.Head != s.Head || k.Frame != "frame" || k.Summary != "Waits." || len(k.Reviewed) != 2 || len(k.Findings) != 2 {
		t.Fatalf("%v: %+v", ok, k)
	}
	everything := func(string) bool { return true }
	got := k.candidates(everything, everything)
	if len(got) != 2 || *got[0].Replacement != instead || got[0].Because[0] != "m-7f3k2q8a" || got[1].Line != 9 {
		t.Errorf("%+v", got)
	}
	if left := k.candidates(func(string) bool { return false }, everything); len(left) != 1 || left[0].Title != "Three" {
		t.Errorf("of a forgotten lesson's findings there is left %+v", left)
	}
	if left := k.candidates(everything, func(path string) bool { return path == "a.go" }); len(left) != 1 || left[0].Path != "a.go" {
		t.Errorf("in one file there is %+v", left)
	}
	for name, s := range map[string]string{
		"rules":     keep(runtime.Rules, "frame", s, "base", nil),
		"nobody":    keep("", "", s, "base", nil),
		"a failure": keep(runtime.Models, "frame", render.Status{Outcome: review.Failed}, "base", nil),
		"too much":  keep(runtime.Models, "frame", render.Status{Outcome: review.Reviewed, Summary: noise(40 << 10)}, "base", nil),
	} {
		if s != "" {
			t.Errorf("%s is kept", name)
		}
	}
	for _, bad := range []string{"", "?", "AAAA", packed[:len(packed)/2]} {
		if _, ok := decodeKept(bad); ok {
			t.Errorf("%.10q is believed", bad)
		}
	}
}

// noise is text that does not pack.
func noise(n int) string {
	var b strings.Builder
	x := uint32(7)
	for b.Len() < n {
		x = x*1664525 + 1013904223
		b.WriteByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[x>>26])
	}
	return b.String()
}

// TestOnlyTheSameLookTellsThatAFindingIsGone: a reviewer that knows nothing of
// a finding, or did not read its file, says nothing of it.
func TestOnlyTheSameLookTellsThatAFindingIsGone(t *testing.T) {
	look := func(before, by string, o review.Outcome, missed string) bool {
		g := pullFacts{own: own{state: State{By: before}}}
		out := reviewed{by: runtime.Kind(by), status: render.Status{Outcome: o}}
		if missed != "" {
			out.status.Coverage.Unreviewed = []review.Gap{{Path: missed}}
		}
		return settledLook(g, out, true)("a.go")
	}
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"the same reviewer", look("models", "models", review.Reviewed, ""), true},
		{"the rules after the rules", look("rules", "rules", review.Reviewed, ""), true},
		{"the rules after a model", look("models", "rules", review.Reviewed, ""), false},
		{"a model after nobody knows whom", look("", "models", review.Reviewed, ""), false},
		{"the rules after nobody knows whom", look("", "rules", review.Reviewed, ""), true},
		{"a look that failed", look("rules", "rules", review.Failed, ""), false},
		{"a file that was not read", look("rules", "rules", review.PartlyReviewed, "a.go"), false},
		{"another file that was not read", look("rules", "rules", review.PartlyReviewed, "b.go"), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v", c.name, c.got)
		}
	}
}
