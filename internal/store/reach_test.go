package store

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

// What one person says, no other person takes away (page 4.3), though a
// forget takes every copy of its text (page 4.2): it is refused whole.
func TestNobodyForgetsAnothersWordsByACopy(t *testing.T) {
	const taught, copied = "Money is rounded half-even.", "money is rounded half even"
	says := func(t *testing.T, r memory.Refusal, words ...string) {
		t.Helper()
		for _, w := range append(words, "Nothing was changed", "an admin may redact", "retire") {
			if !strings.Contains(r.Detail, w) {
				t.Errorf("the refusal does not say %q: %s", w, r.Detail)
			}
		}
	}
	unchanged := func(t *testing.T, f *fixture, refused memory.Transition, reason memory.Reason) memory.Refusal {
		t.Helper()
		before := f.content()
		got := f.refused(refused, reason)
		if f.content() != before {
			t.Error("something was changed all the same")
		}
		return got
	}

	t.Run("A102: a copy of a lesson that was retired", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(mara, keyed("a/one", taught)))
		f.must(f.on(memory.OpRetire, ada, v.ID()))
		w := f.must(f.remember(ada, keyed("a/two", copied)))
		r := unchanged(t, f, f.on(memory.OpForget, ada, w.DocumentID), memory.ReasonNotYours)
		says(t, r, v.ID()+" (mara)")
	})
	t.Run("A102: a copy of what its owner replaced since", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(mara, keyed("a/one", taught)))
		f.must(f.edit(mara, v.ID(), "Money is rounded half-even, to two places."))
		w := f.must(f.remember(ada, keyed("a/two", copied)))
		says(t, unchanged(t, f, f.on(memory.OpForget, ada, w.DocumentID), memory.ReasonNotYours), v.ID()+" (mara)")
	})
	t.Run("A103: a purge takes no more than a forget", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(mara, keyed("a/one", taught)))
		f.must(f.on(memory.OpRetire, ada, v.ID()))
		w := f.must(f.remember(ada, keyed("a/two", copied)))
		purge := f.on(memory.OpPurge, ada, w.DocumentID)
		purge.Standing = memory.StandingAdmin
		says(t, unchanged(t, f, purge, memory.ReasonNotYours), v.ID()+" (mara)")
	})
	t.Run("a proposal that somebody approved is that person's", func(t *testing.T) {
		f := newFixture(t)
		p := f.must(f.propose(1, keyed("a/one", taught)))
		f.must(f.approve(mara, p))
		f.must(f.on(memory.OpRetire, ada, p.ID()))
		w := f.must(f.remember(ada, keyed("a/two", copied)))
		says(t, unchanged(t, f, f.on(memory.OpForget, ada, w.DocumentID), memory.ReasonNotYours), p.ID()+" (mara)")
	})
	t.Run("an admin's redact takes all that say the same", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(mara, keyed("a/one", taught)))
		f.must(f.on(memory.OpRetire, ada, v.ID()))
		w := f.must(f.remember(ada, keyed("a/two", copied)))
		redact := f.on(memory.OpRedact, ada, w.DocumentID)
		redact.Standing = memory.StandingAdmin
		f.must(redact)
		if f.state(v.ID()) != memory.Tombstoned || f.state(w.ID()) != memory.Tombstoned {
			t.Errorf("%s is %s, %s is %s", v.ID(), f.state(v.ID()), w.ID(), f.state(w.ID()))
		}
	})
	t.Run("one's own other lessons go, and what a runtime said and nobody took up", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, keyed("a/one", taught)))
		f.must(f.on(memory.OpRetire, mara, v.ID()))
		p := f.must(f.propose(1, keyed("a/three", copied)))
		f.must(f.on(memory.OpReject, mara, p.ID()))
		w := f.must(f.remember(ada, keyed("a/two", copied)))
		f.must(f.on(memory.OpForget, ada, w.DocumentID))
		for _, id := range []string{v.ID(), p.ID(), w.ID()} {
			if f.state(id) != memory.Tombstoned {
				t.Errorf("%s is %s", id, f.state(id))
			}
		}
	})
}

// A merge carries out what was allowed, and no more: the one who forgot did
// not see what another run stored at the same time.
func TestAMergeForgetsNobodyElsesWords(t *testing.T) {
	const taught, copied = "Amounts are in quatloos", "amounts are in  QUATLOOS!"
	t.Run("A102: another person's words stay, in whatever order", func(t *testing.T) {
		a := newFixture(t)
		b := a.replica()
		b.events += 50
		v := b.must(b.remember(mara, keyed("b/two", copied)))
		w := a.must(a.remember(ada, keyed("a/one", taught)))
		a.events += 100
		a.must(a.on(memory.OpForget, ada, w.DocumentID))
		m := both(a, b)
		if m.state(v.ID()) != memory.Active || m.state(w.ID()) != memory.Tombstoned {
			t.Errorf("mara's is %s, ada's is %s", m.state(v.ID()), m.state(w.ID()))
		}
	})
	t.Run("one's own words go", func(t *testing.T) {
		a := newFixture(t)
		b := a.replica()
		b.events += 50
		v := b.must(b.remember(ada, keyed("b/two", copied)))
		w := a.must(a.remember(ada, keyed("a/one", taught)))
		a.events += 100
		a.must(a.on(memory.OpForget, ada, w.DocumentID))
		if m := both(a, b); m.state(v.ID()) != memory.Tombstoned {
			t.Errorf("the copy is %s", m.state(v.ID()))
		}
	})
	t.Run("an admin's redact takes them, whosever they are", func(t *testing.T) {
		a := newFixture(t)
		b := a.replica()
		b.events += 50
		v := b.must(b.remember(mara, keyed("b/two", copied)))
		w := a.must(a.remember(ada, keyed("a/one", taught)))
		a.events += 100
		redact := a.on(memory.OpRedact, mara, w.DocumentID)
		redact.Standing = memory.StandingAdmin
		a.must(redact)
		if m := both(a, b); m.state(v.ID()) != memory.Tombstoned {
			t.Errorf("the copy is %s", m.state(v.ID()))
		}
	})
	t.Run("each of two who forget the same words loses only that one's own, and both are suppressed", func(t *testing.T) {
		a := newFixture(t)
		b, c := a.replica(), a.replica()
		b.events, c.events = 50, 70
		v := c.must(c.remember(mara, keyed("c/three", copied)))
		x := b.must(b.remember(mara, keyed("b/two", copied)))
		b.events += 40
		b.must(b.on(memory.OpForget, mara, x.DocumentID))
		w := a.must(a.remember(ada, keyed("a/one", taught)))
		a.events += 100
		a.must(a.on(memory.OpForget, ada, w.DocumentID))
		for _, m := range []*fixture{both(both(a, b), c), both(a, both(b, c)), both(both(a, c), b)} {
			if m.state(v.ID()) != memory.Tombstoned {
				t.Errorf("mara's other copy is %s", m.state(v.ID()))
			}
		}
	})
}
