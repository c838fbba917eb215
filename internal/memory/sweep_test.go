package memory

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var sweepNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func daysAgo(n int) time.Time { return sweepNow.AddDate(0, 0, -n) }

// sweptFor returns the parts of the sweep that are due for a version.
func sweptFor(v Version, f SweepFacts) map[Op]State {
	f.Now = sweepNow
	out := map[Op]State{}
	for _, op := range SweepOps() {
		state, refusal := Sweep(op, v, f)
		if refusal == nil {
			out[op] = state
		} else if refusal.Reason != ReasonNotDue || refusal.Op != string(op) || refusal.Detail == "" {
			out[op] = State("refused as " + refusal.Op + " " + string(refusal.Reason))
		}
	}
	return out
}

func standard(confirmed time.Time) Version {
	return Version{DocumentID: "m-7f3k2q8a", Number: 1, State: Active, Class: Standard, CreatedAt: confirmed, ConfirmedAt: confirmed}
}

func but(v Version, change func(*Version)) Version {
	change(&v)
	return v
}

func TestWhatTheSweepDoesToOneVersion(t *testing.T) {
	year := Retention{MaxAgeDays: 365}
	pending := Version{State: ReviewRequired, Class: Standard, CreatedAt: daysAgo(30)}
	ephemeral := but(standard(daysAgo(7)), func(v *Version) { v.Class = Ephemeral })
	aged := but(standard(daysAgo(400)), func(v *Version) { v.AnnouncedAt = daysAgo(30) })
	for _, c := range []struct {
		name string
		v    Version
		f    SweepFacts
		want string // op=state, in the order of SweepOps
	}{
		{"a proposal of exactly 30 days still waits", pending, SweepFacts{}, ""},
		{"a proposal older than 30 days lapses", but(pending, func(v *Version) { v.CreatedAt = v.CreatedAt.Add(-time.Second) }), SweepFacts{}, "lapse=lapsed"},
		{"a draft lapses as well", but(pending, func(v *Version) { v.State, v.CreatedAt = Draft, daysAgo(31) }), SweepFacts{}, "lapse=lapsed"},
		{"a proposal of a pull request that was closed unmerged lapses at once", but(pending, func(v *Version) { v.CreatedAt = daysAgo(1) }), SweepFacts{PullClosed: true}, "lapse=lapsed"},
		{"an active lesson of a closed pull request stays", standard(daysAgo(90)), SweepFacts{PullClosed: true}, ""},
		{"ephemeral without an end, exactly 7 days old", ephemeral, SweepFacts{}, ""},
		{"ephemeral without an end, older", but(ephemeral, func(v *Version) { v.ConfirmedAt = daysAgo(8) }), SweepFacts{}, "expire=deprecated"},
		{"ephemeral without an end, older but kept since", but(ephemeral, func(v *Version) { v.ConfirmedAt, v.RenewedAt = daysAgo(8), daysAgo(2) }), SweepFacts{}, ""},
		{"ephemeral at its very end", but(ephemeral, func(v *Version) { v.ValidUntil = sweepNow }), SweepFacts{}, ""},
		{"ephemeral a moment past its end", but(ephemeral, func(v *Version) { v.ValidUntil = sweepNow.Add(-time.Millisecond) }), SweepFacts{}, "expire=deprecated"},
		{"ephemeral with an end ahead, however old", but(ephemeral, func(v *Version) { v.ConfirmedAt, v.ValidUntil = daysAgo(900), sweepNow.Add(1) }), SweepFacts{Retention: year}, ""},
		{"standard past its end is not expired by the sweep", but(standard(daysAgo(9)), func(v *Version) { v.ValidUntil = daysAgo(1) }), SweepFacts{}, ""},
		{"335 days: nothing yet", standard(daysAgo(335)), SweepFacts{Retention: year}, ""},
		{"336 days: its end is announced", standard(daysAgo(336)), SweepFacts{Retention: year}, "announce=active"},
		{"past its age but not announced: only announced", standard(daysAgo(900)), SweepFacts{Retention: year}, "announce=active"},
		{"announced 29 days ago", but(aged, func(v *Version) { v.AnnouncedAt = daysAgo(29) }), SweepFacts{Retention: year}, ""},
		{"announced 30 days ago and past its age", aged, SweepFacts{Retention: year}, "age=deprecated"},
		{"announced long ago and exactly at its age", but(aged, func(v *Version) { v.ConfirmedAt = daysAgo(365) }), SweepFacts{Retention: year}, ""},
		{"announced, then kept: nothing", but(aged, func(v *Version) { v.RenewedAt = daysAgo(10) }), SweepFacts{Retention: year}, ""},
		{"announced, kept, and old again: announced anew", but(aged, func(v *Version) { v.AnnouncedAt, v.RenewedAt = daysAgo(390), daysAgo(340) }), SweepFacts{Retention: year}, "announce=active"},
		{"an age of 10 days is still announced 30 days ahead of the end", standard(daysAgo(11)), SweepFacts{Retention: Retention{MaxAgeDays: 10}}, "announce=active"},
		{"no age is set", aged, SweepFacts{}, ""},
		{"a negative age is none", aged, SweepFacts{Retention: Retention{MaxAgeDays: -5}}, ""},
		{"an age beyond reckoning", aged, SweepFacts{Retention: Retention{MaxAgeDays: 1 << 40}}, ""},
		{"a durable lesson never ages", but(aged, func(v *Version) { v.Class = Durable }), SweepFacts{Retention: Retention{MaxAgeDays: 1, MaxUnusedDays: 1}}, ""},
		{"what is kept for audit never ages", but(aged, func(v *Version) { v.Class = SourceOnly }), SweepFacts{Retention: Retention{MaxAgeDays: 1, MaxUnusedDays: 1}}, ""},
		{"deprecated by age 29 days ago", but(aged, func(v *Version) { v.State = Deprecated }), SweepFacts{StateOp: OpAge, StateAt: daysAgo(29)}, ""},
		{"deprecated by age 30 days ago: its text goes", but(aged, func(v *Version) { v.State = Deprecated }), SweepFacts{StateOp: OpAge, StateAt: daysAgo(30)}, "fade=tombstoned"},
		{"retired by a person: its text stays", but(aged, func(v *Version) { v.State = Deprecated }), SweepFacts{StateOp: OpRetire, StateAt: daysAgo(900)}, ""},
		{"never used in 91 days", standard(daysAgo(91)), SweepFacts{Retention: Retention{MaxUnusedDays: 90}}, "idle=deprecated"},
		{"used 90 days ago", but(standard(daysAgo(300)), func(v *Version) { v.LastUsed = "2026-09-01" }), SweepFacts{Retention: Retention{MaxUnusedDays: 90}}, ""},
		{"used 92 days ago", but(standard(daysAgo(300)), func(v *Version) { v.LastUsed = "2026-08-30" }), SweepFacts{Retention: Retention{MaxUnusedDays: 90}}, "idle=deprecated"},
		{"unused, with that part switched off", standard(daysAgo(4000)), SweepFacts{}, ""},
		{"a superseded version is left alone", but(aged, func(v *Version) { v.State, v.Class = Superseded, Ephemeral }), SweepFacts{Retention: year}, ""},
		{"what was forgotten has nothing left", but(aged, func(v *Version) { v.State = Tombstoned }), SweepFacts{Retention: year, StateOp: OpAge, StateAt: daysAgo(900)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			due := sweptFor(c.v, c.f)
			for _, op := range SweepOps() {
				if state, ok := due[op]; ok {
					got = append(got, string(op)+"="+string(state))
				}
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("%q, want %q", s, c.want)
			}
		})
	}
}

func TestASweepIsNobodysAct(t *testing.T) {
	for _, op := range append(SweepOps(), OpHorizon) {
		if refusal := May(StandingAdmin, op); !Sweeps(op) || refusal == nil || refusal.Reason != ReasonUnknownOp {
			t.Errorf("%s: %v, %+v", op, Sweeps(op), refusal)
		}
	}
	for _, op := range []Op{OpPurge, OpUnrevoke, OpForget, ""} {
		if _, refusal := Sweep(op, standard(daysAgo(4000)), SweepFacts{Now: sweepNow}); Sweeps(op) || refusal == nil {
			t.Errorf("the sweep does %q", op)
		}
	}
}

func TestTheAuditHorizon(t *testing.T) {
	for _, c := range []struct {
		days int
		want time.Time
		ok   bool
	}{
		{0, time.Time{}, false}, {-1, time.Time{}, false}, {1, daysAgo(1), true}, {365, daysAgo(365), true},
		{1 << 32, time.Time{}, false}, // further back than anything that is stored
	} {
		got, ok := AuditHorizon(Retention{AuditDays: c.days}, sweepNow)
		if ok != c.ok || ok && !got.Equal(c.want) {
			t.Errorf("%d days: %v, %v", c.days, got, ok)
		}
	}
}

func TestPropertyTheSweepOnlyMovesRightAndNeverTouchesTheDurable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := func(name string) time.Time {
			n := rapid.IntRange(-10, 4000).Draw(t, name)
			if n == 0 {
				return time.Time{}
			}
			return daysAgo(n)
		}
		v := Version{
			State: rapid.SampledFrom(States()).Draw(t, "state"), Class: rapid.SampledFrom(Classes()).Draw(t, "class"),
			CreatedAt: daysAgo(4000), ConfirmedAt: at("confirmed"), RenewedAt: at("renewed"), AnnouncedAt: at("announced"), ValidUntil: at("until"),
		}
		f := SweepFacts{Now: sweepNow, StateAt: at("since"), StateOp: rapid.SampledFrom([]Op{OpAge, OpRetire}).Draw(t, "by"),
			PullClosed: rapid.Bool().Draw(t, "closed"),
			Retention:  Retention{MaxAgeDays: rapid.IntRange(-1, 400).Draw(t, "age"), MaxUnusedDays: rapid.IntRange(-1, 400).Draw(t, "unused")}}
		for _, op := range SweepOps() {
			to, refusal := Sweep(op, v, f)
			if refusal != nil {
				continue
			}
			if op != OpAnnounce && to.Rank() <= v.State.Rank() || op == OpAnnounce && to != v.State {
				t.Fatalf("%s moved %s to %s", op, v.State, to)
			}
			if (v.Class == Durable || v.Class == SourceOnly) && v.State == Active {
				t.Fatalf("%s ended a lesson of class %s", op, v.Class)
			}
			if to == Purged || v.State == Rejected || v.State.Erased() {
				t.Fatalf("%s moved %s to %s", op, v.State, to)
			}
		}
	})
}
