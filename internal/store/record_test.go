package store

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestACauseSaysWhatBecameOfIt(t *testing.T) {
	f := newFixture(t)
	in := func(number int, tr memory.Transition) memory.Transition { tr.Number = number; return tr }
	first := in(12, f.remember(ada, lesson("Amounts are in cents")))
	v := f.must(first)
	refused := in(12, f.on(memory.OpForget, mara, v.ID()))
	f.refused(refused, memory.ReasonNotYours)
	for _, want := range []Cause{
		{ID: first.Cause, Op: "remember", Target: v.ID(), Number: 12, At: first.At},
		{ID: refused.Cause, Op: "forget", Reason: memory.ReasonNotYours, Target: v.DocumentID, Number: 12, At: refused.At},
	} {
		if got, ok, err := f.Cause(t.Context(), want.ID); !ok || err != nil || got != want {
			t.Errorf("%+v, want %+v (%v, %v)", got, want, ok, err)
		}
	}
	if _, ok, err := f.Cause(t.Context(), memory.NewCause("never seen")); ok || err != nil {
		t.Errorf("a cause that was never seen: %v, %v", ok, err)
	}
}

func TestDisplays(t *testing.T) {
	f := newFixture(t)
	p, q := f.must(f.propose(12, keyed("a/b", "Amounts are in cents"))), f.must(f.propose(12, keyed("c/d", "Times are in UTC")))
	item := func(v memory.Version) DisplayItem { return DisplayItem{ID: v.ID(), Digest: memory.TextDigest(v.Text)} }
	show := func(minute int, items ...DisplayItem) Display {
		return Display{Number: 12, CommentID: 77, SetDigest: memory.NewCause("set"), At: noon.Add(time.Duration(minute) * time.Minute), Cut: minute == 2, Items: items}
	}
	one, two := show(1, item(p)), show(2, item(p), item(q))
	for _, d := range []Display{one, two, one} {
		if err := f.RecordDisplay(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	got, err := f.Displays(t.Context(), 12)
	if err != nil || !reflect.DeepEqual(got, []Display{two, one}) {
		t.Errorf("%+v, %v", got, err)
	}
	if other, err := f.Displays(t.Context(), 13); err != nil || len(other) != 0 {
		t.Errorf("of another thread: %+v, %v", other, err)
	}
	if rows := dump(t, f.Store, "displays"); strings.Contains(rows, item(p).Digest) {
		t.Error("a display holds a digest of the text, from which a forgotten one could be guessed")
	}
	owned := f.must(f.approve(mara, p))
	f.must(f.on(memory.OpForget, mara, owned.ID()))
	if got, _ = f.Displays(t.Context(), 12); got[1].Items[0] != (DisplayItem{ID: p.ID()}) {
		t.Errorf("what was forgotten is shown as %+v", got[1].Items[0])
	}
	for name, d := range map[string]Display{
		"a text that is not stored": show(3, DisplayItem{ID: q.ID(), Digest: memory.TextDigest("Times are local")}),
		"a document, no version":    show(3, DisplayItem{ID: q.DocumentID, Digest: memory.TextDigest(q.Text)}),
		"no id":                     show(3, DisplayItem{ID: "m-", Digest: memory.TextDigest(q.Text)}),
		"no comment":                {Number: 12, SetDigest: one.SetDigest, At: noon},
		"no thread":                 {CommentID: 7, SetDigest: one.SetDigest, At: noon},
		"no time":                   {Number: 12, CommentID: 7, SetDigest: one.SetDigest},
		"no digest of the set":      {Number: 12, CommentID: 7, At: noon, SetDigest: "abc"},
	} {
		if err := f.RecordDisplay(t.Context(), d); err == nil || KindOf(err) != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, _ := f.Displays(t.Context(), 12); len(got) != 2 {
		t.Errorf("%d displays", len(got))
	}
}

func TestARegisterHasItsLastWriter(t *testing.T) {
	f := newFixture(t)
	write := func(value string, minute int, cause string) {
		t.Helper()
		err := f.SetRegister(t.Context(), Register{Name: "paused/12", Value: value, At: noon.Add(time.Duration(minute) * time.Minute), Cause: memory.NewCause(cause)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := f.Register(t.Context(), "paused/12"); ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	greater, lesser := "x", "y"
	if memory.NewCause(greater) < memory.NewCause(lesser) {
		greater, lesser = lesser, greater
	}
	for _, step := range []struct {
		value  string
		minute int
		cause  string
		want   string
	}{{"yes", 5, lesser, "yes"}, {"no", 4, greater, "yes"}, {"no", 5, greater, "no"}, {"yes", 5, lesser, "no"}, {"yes", 6, lesser, "yes"}} {
		write(step.value, step.minute, step.cause)
		if got, ok, err := f.Register(t.Context(), "paused/12"); err != nil || !ok || got.Value != step.want {
			t.Errorf("after %+v: %+v, %v", step, got, err)
		}
	}
	for name, r := range map[string]Register{
		"no name":            {Value: "x", At: noon, Cause: memory.NewCause("c")},
		"no cause":           {Name: "a", At: noon},
		"no time":            {Name: "a", Cause: memory.NewCause("c")},
		"a value too long":   {Name: "a", Value: strings.Repeat("x", 4001), At: noon, Cause: memory.NewCause("c")},
		"a name too long":    {Name: strings.Repeat("x", 101), At: noon, Cause: memory.NewCause("c")},
		"a cause in capital": {Name: "a", At: noon, Cause: strings.ToUpper(memory.NewCause("c"))},
	} {
		if err := f.SetRegister(t.Context(), r); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestUses(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents")))
	use := Use{Version: v.ID(), Finding: "f1", Day: "2026-11-30", PullRequest: 12, Head: strings.Repeat("a", 40)}
	next := use
	next.Day = "2026-12-01"
	gone := use
	gone.Version = "m-00000000@1"
	for range 2 {
		if err := f.RecordUses(t.Context(), []Use{use, next, gone}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := f.Uses(t.Context(), v.DocumentID)
	if err != nil || !reflect.DeepEqual(got, []Use{next, use}) {
		t.Errorf("%+v, %v", got, err)
	}
	counts, err := f.UseCounts(t.Context())
	if err != nil || !reflect.DeepEqual(counts, map[string]int{v.DocumentID: 2}) {
		t.Errorf("%v, %v", counts, err)
	}
	for _, bad := range []Use{{Version: v.ID(), Day: "2026-11-30"}, {Version: v.ID(), Finding: "f", Day: "today"}, {Version: v.DocumentID, Finding: "f", Day: "2026-11-30"},
		{Version: v.ID(), Finding: "f", Day: "2026-02-30"}, {Version: v.ID(), Finding: "f", Day: "2026-11-30", PullRequest: -1}} {
		if err := f.RecordUses(t.Context(), []Use{bad}); err == nil || KindOf(err) != "" {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestSpending(t *testing.T) {
	f := newFixture(t)
	spend := func(run, day string, tokens int64) error {
		return f.RecordSpending(t.Context(), memory.NewCause("run", run), day, tokens)
	}
	for _, run := range []string{"1", "2", "1"} { // a run counts once
		if err := spend(run, "2026-11-30", 1000); err != nil {
			t.Fatal(err)
		}
	}
	for day, want := range map[string]int64{"2026-11-30": 2000, "2026-12-01": 0} {
		if got, err := f.Spent(t.Context(), day); err != nil || got != want {
			t.Errorf("%s: %d, %v", day, got, err)
		}
	}
	for _, err := range []error{spend("3", "2026-13-01", 1), spend("3", "2026-11-30", -1), spend("3", "2026-11-30", 1<<60), f.RecordSpending(t.Context(), "3", "2026-11-30", 1)} {
		if err == nil {
			t.Error("it was taken")
		}
	}
}

func TestARecordThatAddsNothingIsNoChange(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents")))
	use := []Use{{Version: v.ID(), Finding: "f1", Day: "2026-11-30"}}
	if err := f.RecordUses(t.Context(), use); err != nil {
		t.Fatal(err)
	}
	path := f.path
	f.Close()
	s, err := Open(t.Context(), path, ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.RecordUses(t.Context(), use); err != nil || s.Changed() {
		t.Errorf("changed %v, %v", s.Changed(), err)
	}
}
