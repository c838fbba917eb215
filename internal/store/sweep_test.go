package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestTheSweepDoesWhatIsDueAndNothingElse(t *testing.T) {
	f := newFixture(t)
	day := func(n int) time.Time { return noon.AddDate(0, 0, n) }
	short := keyed("a/short", "The canary runs this week")
	short.Class = memory.Ephemeral
	durable := keyed("a/durable", "Amounts are in cents")
	durable.Class = memory.Durable
	e, d, s := f.must(f.remember(ada, short)), f.must(f.remember(ada, durable)), f.must(f.remember(ada, keyed("a/standard", "Times are in UTC")))
	closed, open := f.must(f.propose(4, keyed("b/closed", "Names are ASCII"))), f.must(f.propose(5, keyed("b/open", "Paths are relative")))
	r := memory.Retention{MaxAgeDays: 365}

	for _, step := range []struct {
		day    int
		closed []int
		want   []string
	}{
		{1, nil, nil},
		{2, []int{4}, []string{"lapse " + closed.ID()}},
		{3, []int{4}, nil},
		{9, nil, []string{"expire " + e.ID()}},
		{31, nil, []string{"lapse " + open.ID()}},
		{335, nil, nil},
		{336, nil, []string{"announce " + s.ID()}},
		{340, nil, nil},
		{365, nil, nil},
		{366, nil, []string{"age " + s.ID()}},
		{395, nil, nil},
		{396, nil, []string{"fade " + s.ID()}},
		{4000, nil, nil},
	} {
		got := f.sweepAt(day(step.day), r, step.closed...)
		slices.Sort(got)
		if !slices.Equal(got, step.want) {
			t.Fatalf("on day %d: %v, want %v", step.day, got, step.want)
		}
	}
	for _, c := range []struct {
		v    memory.Version
		want memory.State
		text string
	}{{e, memory.Deprecated, e.Text}, {d, memory.Active, d.Text}, {s, memory.Tombstoned, redacted}, {closed, memory.Lapsed, closed.Text}, {open, memory.Lapsed, open.Text}} {
		if got := f.doc(c.v.ID())[0]; got.State != c.want || got.Text != c.text {
			t.Errorf("%s ends as %s %q, want %s %q", c.v.ID(), got.State, got.Text, c.want, c.text)
		}
	}
	if yes, _ := f.Suppressed(t.Context(), s.Text); yes {
		t.Error("the end of an aged lesson left a fingerprint")
	}
	f.must(f.remember(mara, keyed("a/standard", "Times are in UTC"))) // nobody said that it was unwanted
	f.refused(f.on(memory.OpApprove, mara, open.ID()), memory.ReasonWrongState, "lapsed cannot be approved")
}

func TestAKeepStopsTheEndThatWasAnnounced(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Times are in UTC")))
	r := memory.Retention{MaxAgeDays: 365}
	f.sweepAt(noon.AddDate(0, 0, 340), r)
	if got := f.doc(v.ID())[0].AnnouncedAt; !got.Equal(noon.AddDate(0, 0, 340)) {
		t.Errorf("announced at %v", got)
	}
	keep := f.keep(mara, v.ID(), nil)
	keep.At = noon.AddDate(0, 0, 350)
	f.must(keep)
	for _, n := range []int{371, 400, 680} {
		if got := f.sweepAt(noon.AddDate(0, 0, n), r); len(got) != 0 {
			t.Errorf("on day %d: %v", n, got)
		}
	}
	if got := f.sweepAt(noon.AddDate(0, 0, 686), r); !slices.Equal(got, []string{"announce " + v.ID()}) {
		t.Errorf("it is announced anew: %v", got)
	}
}

func TestASweepLooksAgainAtTheMomentOfTheAct(t *testing.T) {
	f := newFixture(t)
	p := f.must(f.propose(4, keyed("b/x", "Names are ASCII")))
	due, err := f.Sweepable(t.Context(), noon.AddDate(0, 0, 40), memory.Retention{}, nil)
	if err != nil || len(due) != 1 || due[0].Version.ID() != p.ID() {
		t.Fatalf("%+v, %v", due, err)
	}
	f.must(f.approve(mara, p)) // a maintainer was faster
	before := dump(t, f.Store, f.tables()...)
	f.refused(due[0].Transition, memory.ReasonNotDue, "nothing to do")
	if after := dump(t, f.Store, f.tables()...); after != before {
		t.Error("a sweep that was too late left a trace")
	}
}

func TestASweepThatWasPlannedTwiceIsDoneOnce(t *testing.T) {
	f := newFixture(t)
	f.must(f.propose(4, keyed("b/x", "Names are ASCII")))
	one, _ := f.Sweepable(t.Context(), noon.AddDate(0, 0, 40), memory.Retention{}, nil)
	two, _ := f.Sweepable(t.Context(), noon.AddDate(0, 0, 41), memory.Retention{}, nil)
	if len(one) != 1 || len(two) != 1 || one[0].Transition.Cause != two[0].Transition.Cause {
		t.Fatalf("%+v and %+v", one, two)
	}
	f.must(one[0].Transition)
	if a := f.apply(two[0].Transition); !a.Already || a.Refused != nil || a.Version.State != memory.Lapsed {
		t.Errorf("%+v", a)
	}
}

func TestNoPartOfTheSweepIsTakenAtItsWord(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Times are in UTC")))
	for _, op := range memory.SweepOps() {
		tr := f.on(op, memory.Principal{}, v.ID())
		tr.Retention, tr.PullClosed = memory.Retention{MaxAgeDays: 365}, true
		f.refused(tr, memory.ReasonNotDue)
		tr.Target = "m-00000000@1"
		f.refused(tr, memory.ReasonUnknownID)
	}
	f.refused(f.on(memory.OpLapse, memory.Principal{}, v.DocumentID+"@4"), memory.ReasonUnknownID, "no version 4")
	f.refused(f.event(memory.OpHorizon, memory.Principal{}), memory.ReasonNotDue, "No retention")
}

func TestTheAuditHorizonOnlyGrowsAndTakesWhatLiesBeforeIt(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, keyed("a/b", "Times are in UTC"))) // one minute after noon
	second := f.must(f.remember(ada, keyed("c/d", "Amounts are in cents")))
	err := f.RecordUses(t.Context(), []Use{{Version: v.ID(), Finding: "x", Day: "2026-11-29"}, {Version: v.ID(), Finding: "x", Day: "2026-11-30"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{noon, noon.Add(2 * time.Minute)} {
		d := Display{Number: 1, CommentID: 5, SetDigest: memory.NewCause("set"), At: at, Items: []DisplayItem{{ID: v.ID(), Digest: memory.TextDigest(v.Text)}}}
		if err := f.RecordDisplay(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	cutoff := second.CreatedAt // a row exactly there stays
	r := memory.Retention{AuditDays: 30}
	if got := f.sweepAt(cutoff.AddDate(0, 0, 30), r); !slices.Equal(got, []string{"horizon"}) {
		t.Fatalf("swept %v", got)
	}
	rows, _ := f.Audit(t.Context(), 0)
	var ops []string
	for _, row := range rows {
		ops = append(ops, row.Op)
	}
	if !slices.Equal(ops, []string{"horizon", "remember"}) || rows[1].Target != second.ID() || rows[0].Detail != "3 rows gone" {
		t.Errorf("audit %+v", rows)
	}
	uses, _ := f.Uses(t.Context(), v.DocumentID)
	displays, _ := f.Displays(t.Context(), 1)
	if len(uses) != 1 || uses[0].Day != "2026-11-30" || len(displays) != 1 {
		t.Errorf("uses %+v, displays %+v", uses, displays)
	}
	if got := f.sweepAt(cutoff.AddDate(0, 0, 30), r); len(got) != 0 {
		t.Errorf("swept again %v", got)
	}
	before := dump(t, f.Store, "store")
	late := f.event(memory.OpHorizon, memory.Principal{})
	late.At, late.Retention = cutoff.AddDate(0, 0, 20), memory.Retention{AuditDays: 30}
	f.must(late)
	if after := dump(t, f.Store, "store"); after != before {
		t.Errorf("the horizon moved back: %s, %s", before, after)
	}
	if a := f.apply(f.on(memory.OpForget, ada, v.ID())); a.Refused != nil || strings.Contains(dump(t, f.Store, "causes"), "[]") {
		t.Error("causes outlive the audit")
	}
}
