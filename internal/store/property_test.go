package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
	"pgregory.net/rapid"
)

// A random sequence of transitions, with replays in between, is held against
// what page 4 says of any of them: a cause is applied once, a state only moves
// right, a refusal changes no lesson, an erased text never comes back, and
// what is recalled is active.
func TestRandomSequences(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		s, err := anotherStore(t.Context(), filepath.Join(dir, fmt.Sprintf("run%d.db", runs)))
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		m := &model{fixture: &fixture{Store: s, t: t}, states: map[string]memory.State{}}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			m.step(rt)
		}
		m.replayAll(rt)
		m.reopen(rt)
	})
}

type model struct {
	*fixture
	done   []memory.Transition
	ids    []string
	states map[string]memory.State
	purged []string
}

var words = []string{"Amounts are in cents", "amounts are in CENTS", "Times are in UTC", "Names are ASCII", "Amounts are in mills"}

func (m *model) step(rt *rapid.T) {
	actor := rapid.SampledFrom([]memory.Principal{ada, mara, {}}).Draw(rt, "actor")
	text := rapid.SampledFrom(words).Draw(rt, "text")
	key := rapid.SampledFrom([]string{"a/b", "c/d", "e/f"}).Draw(rt, "key")
	target := "m-00000000"
	if len(m.ids) > 0 {
		target = rapid.SampledFrom(m.ids).Draw(rt, "target")
	}
	var tr memory.Transition
	switch op := rapid.SampledFrom(stepOps).Draw(rt, "op"); op {
	case memory.OpRemember:
		tr = m.remember(actor, keyed(key, text))
		tr.Lesson.Again = rapid.Bool().Draw(rt, "again")
	case memory.OpPropose:
		tr = m.propose(rapid.IntRange(1, 2).Draw(rt, "pull"), keyed(key, text))
	case memory.OpEdit:
		tr = m.edit(actor, target, text)
	case memory.OpRevoke, memory.OpUnrevoke:
		tr = m.event(op, actor)
		tr.Prefix = rapid.SampledFrom([]string{"repo/octocat/ledger/a", "repo/octocat/ledger/c/d"}).Draw(rt, "prefix")
	case memory.OpKeep:
		tr = m.keep(actor, target, &memory.Keeping{Class: rapid.SampledFrom(memory.Classes()).Draw(rt, "class")})
	case memory.OpDismiss:
		tr = m.event(op, actor)
		tr.Finding, tr.Lesson = "f1", keyed(key, text)
	case "sweep":
		m.sweep(rt)
		return
	case "replay":
		if len(m.done) == 0 {
			return
		}
		m.replay(rt, rapid.SampledFrom(m.done).Draw(rt, "which"))
		return
	default:
		tr = m.on(op, actor, target)
		tr.Digest = memory.TextDigest(text)
		if op == memory.OpApprove && rapid.Bool().Draw(rt, "reworded") {
			tr.Lesson = &memory.NewLesson{Text: rapid.SampledFrom(words).Draw(rt, "other words")}
		}
	}
	before := m.content()
	a, err := m.Apply(m.t.Context(), tr)
	if err != nil {
		rt.Fatal(err)
	}
	m.done = append(m.done, tr)
	if a.Refused != nil {
		if _, err := memory.ParseReason(string(a.Refused.Reason)); err != nil || a.Refused.Detail == "" {
			rt.Fatalf("refusal %+v", *a.Refused)
		}
		if m.content() != before {
			rt.Fatalf("a refused %s changed lessons", tr.Op)
		}
	} else if tr.Op == memory.OpPurge {
		document, _, _ := memory.ParseID(tr.Target)
		m.purged = append(m.purged, document)
	} else if a.Version.DocumentID != "" {
		m.ids = append(m.ids, a.Version.DocumentID)
	}
	m.check(rt)
}

var stepOps = []memory.Op{
	memory.OpRemember, memory.OpRemember, memory.OpPropose, memory.OpPropose, memory.OpApprove, memory.OpReject, memory.OpForget,
	memory.OpEdit, memory.OpRetire, memory.OpKeep, memory.OpRedact, memory.OpPurge, memory.OpRevoke, memory.OpUnrevoke, memory.OpDismiss,
	"sweep", "replay",
}

// sweep does what is due at some day, as far as it still is when its turn
// comes.
func (m *model) sweep(rt *rapid.T) {
	now := noon.AddDate(0, 0, rapid.IntRange(0, 350).Draw(rt, "day"))
	due, err := m.Sweepable(m.t.Context(), now, memory.Retention{MaxAgeDays: 100, AuditDays: 1000}, nil)
	if err != nil {
		rt.Fatal(err)
	}
	for _, d := range due {
		a, err := m.Apply(m.t.Context(), d.Transition)
		if err != nil {
			rt.Fatal(err)
		}
		if a.Refused == nil {
			m.done = append(m.done, d.Transition)
		}
	}
	m.check(rt)
}

// replay applies a transition again: nothing at all may change.
func (m *model) replay(rt *rapid.T, tr memory.Transition) {
	before := m.content() + dump(m.t, m.Store, "causes", "audit", "store")
	a, err := m.Apply(m.t.Context(), tr)
	if err != nil {
		rt.Fatal(err)
	}
	if !a.Already && !(memory.Sweeps(tr.Op) && a.Refused != nil) && !(tr.Op == memory.OpPropose && a.Refused != nil) {
		rt.Fatalf("the replay of %s was not known: %+v", tr.Op, a)
	}
	if after := m.content() + dump(m.t, m.Store, "causes", "audit", "store"); after != before {
		rt.Fatalf("the replay of %s changed\n%s\nto\n%s", tr.Op, before, after)
	}
}

func (m *model) replayAll(rt *rapid.T) {
	for _, tr := range m.done {
		m.replay(rt, tr)
	}
}

func (m *model) check(rt *rapid.T) {
	versions, err := m.List(m.t.Context(), Filter{States: memory.States()})
	if err != nil {
		rt.Fatal(err)
	}
	active := map[memory.Key]int{}
	for _, v := range versions {
		if was := m.states[v.ID()]; was.Rank() > v.State.Rank() {
			rt.Fatalf("%s went from %s to %s", v.ID(), was, v.State)
		}
		m.states[v.ID()] = v.State
		if slices.Contains(m.purged, v.DocumentID) {
			rt.Fatalf("%s was purged and is back", v.ID())
		}
		if (v.State == memory.Tombstoned) != (v.Text == redacted) {
			rt.Fatalf("%s is %s and says %q", v.ID(), v.State, v.Text)
		}
		if v.State == memory.Active {
			active[v.Key]++
			if v.ConfirmedAt.IsZero() || v.ConfirmedBy.ID == 0 || v.Approved == "" {
				rt.Fatalf("%s is active without a confirmation", v.ID())
			}
		}
	}
	for key, n := range active {
		if n > 1 {
			rt.Fatalf("%d active lessons have the key %s", n, key)
		}
	}
	denied := m.denials()
	for _, v := range m.recalled("amounts cents times utc names ascii mills") {
		if v.State != memory.Active {
			rt.Fatalf("recalled %s, which is %s", v.ID(), v.State)
		}
		if prefix, covered := memory.CoveredBy(denied, string(v.Key)); covered {
			rt.Fatalf("recalled %s, which %s denies", v.ID(), prefix)
		}
	}
}

// reopen saves, opens the saved file as one from outside, and finds the same.
func (m *model) reopen(rt *rapid.T) {
	path := m.path + ".saved"
	if err := m.SaveTo(m.t.Context(), path); err != nil {
		rt.Fatal(err)
	}
	s, err := Open(m.t.Context(), path, ledger)
	if err != nil {
		rt.Fatal(err)
	}
	defer s.Close()
	if got, want := (&fixture{Store: s, t: m.t}).content(), m.content(); got != want {
		rt.Fatalf("saved and opened it is\n%s\nwant\n%s", got, want)
	}
}
