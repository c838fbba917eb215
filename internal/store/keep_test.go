package store

import (
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

func (f *fixture) keep(actor memory.Principal, target string, k *memory.Keeping) memory.Transition {
	tr := f.on(memory.OpKeep, actor, target)
	tr.Keep = k
	return tr
}

func TestRetire(t *testing.T) {
	f := newFixture(t)
	first := f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
	second := f.must(f.edit(ada, first.ID(), "Amounts are in mills"))
	waiting := f.must(f.propose(3, keyed("x/y", "Times are in UTC")))

	f.refused(f.on(memory.OpRetire, mara, waiting.ID()), memory.ReasonWrongState, "review_required cannot be retired")
	f.refused(f.on(memory.OpRetire, mara, first.DocumentID+"@9"), memory.ReasonUnknownID, "no version 9")
	if v := f.must(f.on(memory.OpRetire, mara, second.ID())); v.State != memory.Deprecated || v.Text != "Amounts are in mills" {
		t.Errorf("any maintainer retires one version, and its text stays: %+v", v)
	}
	if got := f.recall("amounts mills cents"); len(got) != 0 {
		t.Errorf("recalled %v", got)
	}
	if old := f.doc(first.ID())[0]; old.State != memory.Superseded {
		t.Errorf("the version that was not named is %s", old.State)
	}
	f.must(f.on(memory.OpRetire, mara, first.DocumentID))
	f.refused(f.on(memory.OpRetire, mara, first.DocumentID), memory.ReasonWrongState, "deprecated cannot be retired")
	again := f.must(f.remember(mara, keyed("money/unit", "Amounts are in cents")))
	if again.DocumentID == first.DocumentID {
		t.Error("a retired document took a new lesson in")
	}
}

func TestKeep(t *testing.T) {
	next := noon.AddDate(1, 0, 0)
	t.Run("any maintainer renews, and nothing else changes", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, lesson("Amounts are in cents")))
		tr := f.keep(mara, v.DocumentID, nil)
		kept := f.must(tr)
		if !kept.RenewedAt.Equal(tr.At) {
			t.Errorf("renewed at %v", kept.RenewedAt)
		}
		kept.RenewedAt = time.Time{}
		if kept.Class != v.Class || kept.State != v.State || !kept.ValidUntil.IsZero() || kept.ConfirmedBy != ada {
			t.Errorf("%+v", kept)
		}
	})
	t.Run("its owner sets class and end, and takes the end away", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, lesson("Amounts are in cents")))
		v = f.must(f.keep(ada, v.ID(), &memory.Keeping{Class: memory.Ephemeral, Until: next, SetUntil: true}))
		if v.Class != memory.Ephemeral || !v.ValidUntil.Equal(next) {
			t.Errorf("%+v", v)
		}
		v = f.must(f.keep(ada, v.ID(), &memory.Keeping{SetUntil: true}))
		if v.Class != memory.Ephemeral || !v.ValidUntil.IsZero() {
			t.Errorf("%+v", v)
		}
	})
	t.Run("an older event does not undo a later one", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, lesson("Amounts are in cents")))
		early, late := f.keep(ada, v.ID(), &memory.Keeping{Class: memory.Ephemeral}), f.keep(ada, v.ID(), &memory.Keeping{Class: memory.SourceOnly})
		f.must(late)
		if v := f.must(early); v.Class != memory.SourceOnly || !v.RenewedAt.Equal(late.At) {
			t.Errorf("%+v", v)
		}
	})
	for _, c := range []struct {
		name   string
		by     memory.Principal
		keep   memory.Keeping
		reason memory.Reason
		says   string
	}{
		{"another maintainer does not change the class", mara, memory.Keeping{Class: memory.Durable}, memory.ReasonNotYours, "belongs to ada"},
		{"nor the end", mara, memory.Keeping{Until: next, SetUntil: true}, memory.ReasonNotYours, "belongs to ada"},
		{"an unknown class", ada, memory.Keeping{Class: "forever"}, memory.ReasonClassInvalid, "source_only"},
		{"an end that has passed, and the class that came with it", ada, memory.Keeping{Class: memory.Durable, Until: noon, SetUntil: true}, memory.ReasonContentInvalid, "later day"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			v := f.must(f.remember(ada, lesson("Amounts are in cents")))
			f.refused(f.keep(c.by, v.ID(), &c.keep), c.reason, c.says)
		})
	}
	t.Run("to lower a durable lesson takes its owner and an admin", func(t *testing.T) {
		f := newFixture(t)
		n := lesson("Amounts are in cents")
		n.Class = memory.Durable
		v := f.must(f.remember(ada, n))
		lower := &memory.Keeping{Class: memory.Standard}
		f.refused(f.keep(ada, v.ID(), lower), memory.ReasonNotAllowed, "an admin")
		tr := f.keep(mara, v.ID(), lower)
		tr.Standing = memory.StandingAdmin
		f.refused(tr, memory.ReasonNotYours, "ada")
		tr = f.keep(ada, v.ID(), lower)
		tr.Standing = memory.StandingAdmin
		if v := f.must(tr); v.Class != memory.Standard {
			t.Errorf("class %s", v.Class)
		}
	})
	t.Run("weakness: what is not in use has no class to change", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, lesson("Amounts are in cents")))
		f.must(f.on(memory.OpForget, ada, v.ID()))
		f.refused(f.keep(ada, v.ID(), &memory.Keeping{Class: memory.Durable}), memory.ReasonWrongState, "tombstoned cannot be kept")
	})
}
