package store

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
	"pgregory.net/rapid"
)

// A random sequence of transitions, with replays in between, is held against
// what page 4 says of any of them: a cause is applied once, a state only moves
// right, a refusal changes no lesson, an erased text never comes back, and
// what is recalled is active.
func TestRandomSequences(t *testing.T) {
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		s, err := Create(t.Context(), filepath.Join(dir, fmt.Sprintf("run%d.db", runs)), ledger, noon)
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
	switch op := rapid.SampledFrom([]memory.Op{memory.OpRemember, memory.OpPropose, memory.OpApprove, memory.OpReject, memory.OpForget, "replay"}).Draw(rt, "op"); op {
	case memory.OpRemember:
		tr = m.remember(actor, keyed(key, text))
		tr.Lesson.Again = rapid.Bool().Draw(rt, "again")
	case memory.OpPropose:
		tr = m.propose(rapid.IntRange(1, 2).Draw(rt, "pull"), keyed(key, text))
	case "replay":
		if len(m.done) == 0 {
			return
		}
		m.replay(rt, rapid.SampledFrom(m.done).Draw(rt, "which"))
		return
	default:
		tr = m.on(op, actor, target)
		tr.Digest = memory.TextDigest(text)
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
	} else {
		m.ids = append(m.ids, a.Version.DocumentID)
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
	if !a.Already && !(tr.Op == memory.OpPropose && a.Refused != nil) {
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
	for _, v := range m.recalled("amounts cents times utc names ascii mills") {
		if v.State != memory.Active {
			rt.Fatalf("recalled %s, which is %s", v.ID(), v.State)
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
