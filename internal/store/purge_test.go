package store

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestPurge(t *testing.T) {
	t.Run("A103: a durable lesson that still has its text is refused with the reason", func(t *testing.T) {
		f := newFixture(t)
		n := keyed("money/unit", "Amounts are in cents")
		n.Class = memory.Durable
		v := f.must(f.remember(ada, n))
		f.refused(f.on(memory.OpPurge, ada, v.ID()), memory.ReasonDurableKept, v.ID()+" is durable", "forget it first", "Nothing was purged")
		f.must(f.on(memory.OpRetire, ada, v.ID()))
		f.refused(f.on(memory.OpPurge, ada, v.ID()), memory.ReasonDurableKept)
		f.must(f.on(memory.OpForget, ada, v.ID()))
		f.must(f.on(memory.OpPurge, ada, v.ID()))
		if _, refused, err := f.Get(t.Context(), v.ID()); err != nil || refused == nil || refused.Reason != memory.ReasonUnknownID {
			t.Errorf("it is still there: %+v, %v", refused, err)
		}
	})
	t.Run("the rows are gone and a marker stays, in which nothing can be read", func(t *testing.T) {
		f := newFixture(t)
		kept := f.must(f.remember(ada, lesson("Times are in UTC")))
		v := f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
		f.must(f.edit(ada, v.ID(), "Amounts are in mills"))
		if err := f.RecordUses(t.Context(), []Use{{Version: v.ID(), Finding: "abc", Day: "2026-11-30"}}); err != nil {
			t.Fatal(err)
		}
		purge := f.on(memory.OpPurge, ada, v.ID())
		if a := f.apply(purge); a.Refused != nil || a.Version.DocumentID != "" {
			t.Fatalf("%+v", a)
		}
		rows := dump(t, f.Store, "documents", "versions", "uses", "recall_docsize", "places")
		if strings.Contains(rows, v.DocumentID) || strings.Contains(rows, "cents") || strings.Contains(rows, "mills") || !strings.Contains(rows, kept.DocumentID) {
			t.Errorf("rows\n%s", rows)
		}
		marks := dump(t, f.Store, "purges")
		if strings.Count(marks, "\n") != 1 || strings.Contains(marks, v.DocumentID) || strings.Contains(marks, "money") {
			t.Errorf("markers\n%s", marks)
		}
		if a := f.apply(purge); !a.Already || a.Refused != nil {
			t.Errorf("again: %+v", a)
		}
	})
	t.Run("the key starts anew, and no fingerprint stands in the way", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
		f.must(f.on(memory.OpPurge, ada, v.ID()))
		again := f.must(f.remember(mara, keyed("money/unit", "Amounts are in cents")))
		if again.DocumentID == v.DocumentID || again.Number != 1 || again.Creator != mara {
			t.Errorf("%+v", again)
		}
	})
	t.Run("copies of its text in other documents are overwritten", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, keyed("a/b", "Amounts are in cents")))
		f.must(f.edit(ada, v.ID(), "Amounts are in mills"))
		p := f.must(f.propose(1, lesson("amounts are in cents.")))
		f.must(f.on(memory.OpPurge, ada, v.DocumentID))
		if copied := f.doc(p.ID())[0]; copied.State != memory.Tombstoned || copied.Text != redacted {
			t.Errorf("the copy is %+v", copied)
		}
	})
	for name, c := range map[string]struct {
		by       memory.Principal
		standing memory.Standing
		reason   memory.Reason
		says     string
	}{
		"its owner, who is no admin":     {ada, memory.StandingMaintainer, memory.ReasonNotAllowed, "an admin"},
		"an admin, whose it is not":      {mara, memory.StandingAdmin, memory.ReasonNotYours, "belongs to ada"},
		"an account with the same login": {memory.Principal{ID: 77, Login: "ada"}, memory.StandingAdmin, memory.ReasonNotYours, "ada"},
	} {
		t.Run("not by "+name, func(t *testing.T) {
			f := newFixture(t)
			v := f.must(f.remember(ada, lesson("Amounts are in cents")))
			tr := f.on(memory.OpPurge, c.by, v.ID())
			tr.Standing = c.standing
			f.refused(tr, c.reason, c.says, "Nothing was changed")
		})
	}
	t.Run("an id is asked for by nobody who may not purge at all", func(t *testing.T) {
		f := newFixture(t)
		f.must(f.remember(ada, lesson("Amounts are in cents")))
		tr := f.on(memory.OpPurge, mara, "m-00000000")
		tr.Standing = memory.StandingMaintainer
		if r := f.refused(tr, memory.ReasonNotAllowed); strings.Contains(r.Detail, "m-") && strings.Contains(r.Detail, "there are") {
			t.Errorf("the refusal lists ids: %s", r.Detail)
		}
	})
}

func TestRedactIsForgetForAnAdmin(t *testing.T) {
	f := newFixture(t)
	gone := memory.Principal{ID: 404, Login: "gone"}
	v := f.must(f.remember(gone, lesson("Amounts are in cents")))
	f.refused(f.on(memory.OpForget, ada, v.ID()), memory.ReasonNotYours, "gone")
	tr := f.on(memory.OpRedact, ada, v.ID())
	tr.Standing = memory.StandingMaintainer
	f.refused(tr, memory.ReasonNotAllowed, "an admin")
	if v := f.must(f.on(memory.OpRedact, ada, v.ID())); v.State != memory.Tombstoned || v.Text != redacted {
		t.Errorf("%+v", v)
	}
	f.refused(f.propose(1, lesson("amounts are in CENTS")), memory.ReasonSuppressed)
}

func TestNoWayOfErasingLeavesAByteOfTheText(t *testing.T) {
	for name, erase := range map[string]func(*fixture, memory.Version){
		"A91: forget": func(f *fixture, v memory.Version) { f.must(f.on(memory.OpForget, ada, v.ID())) },
		"A91: redact": func(f *fixture, v memory.Version) { f.must(f.on(memory.OpRedact, mara, v.ID())) },
		"A91: purge":  func(f *fixture, v memory.Version) { f.must(f.on(memory.OpPurge, ada, v.ID())) },
		"A91: forget and then purge": func(f *fixture, v memory.Version) {
			f.must(f.on(memory.OpForget, ada, v.ID()))
			f.must(f.on(memory.OpPurge, ada, v.ID()))
		},
		"A91: the end of an aged lesson": func(f *fixture, v memory.Version) { f.ageOut(v, true) },
		"A91: uninstall":                 func(f *fixture, _ memory.Version) { f.must(f.event(memory.OpUninstall, mara)) },
		"A91: an edit, a refusal of the same text, and then forget": func(f *fixture, v memory.Version) {
			f.must(f.edit(ada, v.ID(), "Something else entirely"))
			n := telling("one")
			n.Text = "x " + n.Text + "\u202e"
			f.refused(f.remember(ada, n), memory.ReasonUnsafeText)
			f.must(f.on(memory.OpForget, ada, v.DocumentID))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			var fillers []*memory.NewLesson
			for _, n := range numbers(120) {
				fillers = append(fillers, keyed("filler/k"+n, "Filler lesson "+n+" about topic "+n))
			}
			f.bulk(fillers...)
			n := telling("one")
			v := f.must(f.remember(ada, n))
			display := Display{Number: 3, CommentID: 9, SetDigest: memory.NewCause("set"), At: noon, Items: []DisplayItem{{ID: v.ID(), Digest: memory.TextDigest(v.Text)}}}
			if err := f.RecordDisplay(t.Context(), display); err != nil {
				t.Fatal(err)
			}
			all := traces(n)
			all["digest of the text"] = []byte(memory.TextDigest(n.Text))
			if before := found(f.saved(), all); len(before) < 20 {
				t.Fatalf("only %v stood in the file before", before)
			}
			erase(f, v)
			saved := f.saved()
			if left := found(saved, all); len(left) > 0 {
				t.Errorf("the saved file still holds %v", left)
			}
			if free := binary.BigEndian.Uint32(saved[36:]); free != 0 {
				t.Errorf("the saved file has %d free pages, whose bytes are nobody's", free)
			}
			tables := f.tables()
			if !slices.Contains(tables, "recall_data") || !slices.Contains(tables, "displays") {
				t.Fatalf("only %v were looked at", tables)
			}
			if left := found([]byte(dump(t, f.Store, tables...)), all); len(left) > 0 {
				t.Errorf("the tables still hold %v", left)
			}
		})
	}
}

func TestEveryWayOfErasingDatesTheContainersBeforeIt(t *testing.T) {
	for _, c := range []struct {
		op     memory.Op
		erases bool
	}{
		{memory.OpForget, true}, {memory.OpRedact, true}, {memory.OpPurge, true}, {memory.OpUninstall, true},
		{memory.OpRetire, false}, {memory.OpKeep, false}, {memory.OpRevoke, false},
	} {
		t.Run(string(c.op), func(t *testing.T) {
			f := newFixture(t)
			v := f.must(f.remember(ada, lesson("Amounts are in cents")))
			f.refused(f.on(memory.OpForget, mara, v.ID()), memory.ReasonNotYours)
			if at, err := f.LastErasure(t.Context()); err != nil || !at.IsZero() {
				t.Fatalf("a refused forget erased something at %v, %v", at, err)
			}
			tr := f.on(c.op, ada, v.ID())
			if a := f.apply(tr); a.Refused != nil {
				t.Fatalf("%+v", a.Refused)
			}
			at, err := f.LastErasure(t.Context())
			if err != nil || at.Equal(tr.At) != c.erases || at.IsZero() == c.erases {
				t.Errorf("erased at %v, %v", at, err)
			}
		})
	}
	t.Run("fade", func(t *testing.T) {
		f := newFixture(t)
		f.ageOut(f.must(f.remember(ada, lesson("Amounts are in cents"))), true)
		if at, err := f.LastErasure(t.Context()); err != nil || !at.Equal(noon.AddDate(0, 0, 402)) {
			t.Errorf("erased at %v, %v", at, err)
		}
	})
}
