package store

import (
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func (f *fixture) edit(actor memory.Principal, target, words string) memory.Transition {
	tr := f.on(memory.OpEdit, actor, target)
	tr.Lesson = &memory.NewLesson{Text: words}
	return tr
}

func (f *fixture) reword(actor memory.Principal, v memory.Version, words string) memory.Transition {
	tr := f.approve(actor, v)
	tr.Lesson = &memory.NewLesson{Text: words}
	return tr
}

func (f *fixture) doc(id string) []memory.Version {
	f.t.Helper()
	versions, refused, err := f.Get(f.t.Context(), id)
	if err != nil || refused != nil {
		f.t.Fatalf("get %s: %+v, %v", id, refused, err)
	}
	return versions
}

func TestEdit(t *testing.T) {
	t.Parallel()
	whole := func() *memory.NewLesson {
		n := keyed("money/unit", "Amounts are in cents")
		n.Class, n.Paths, n.About, n.ValidUntil = memory.Durable, []string{"billing/**"}, []string{"currency"}, noon.AddDate(1, 0, 0)
		n.Provenance = memory.Provenance{RepositoryID: 7001, PullRequest: 12}
		return n
	}
	t.Run("a new version supersedes the old one and keeps what was not named", func(t *testing.T) {
		f := newFixture(t)
		first := f.must(f.remember(ada, whole()))
		a := f.apply(f.edit(ada, first.DocumentID, "Amounts are in mills"))
		v := a.Version
		if a.Refused != nil || v.ID() != first.DocumentID+"@2" || !slices.Equal(a.Replaced, []string{first.ID()}) {
			t.Fatalf("%+v %+v", a, a.Refused)
		}
		if v.Text != "Amounts are in mills" || v.Key != first.Key || v.Class != memory.Durable || !v.ValidUntil.Equal(first.ValidUntil) ||
			!slices.Equal(v.Paths, first.Paths) || !slices.Equal(v.About, first.About) || v.Provenance != first.Provenance ||
			v.State != memory.Active || v.Source != memory.UserAuthored || v.Creator != ada || v.ConfirmedBy != ada {
			t.Errorf("%+v", v)
		}
		if old := f.doc(first.ID())[0]; old.State != memory.Superseded || old.Text != "Amounts are in cents" {
			t.Errorf("the old one is %+v", old)
		}
		if got := f.recall("amounts mills cents currency", "billing/a.go"); !slices.Equal(got, []string{v.ID()}) {
			t.Errorf("recalled %v", got)
		}
	})
	t.Run("paths and words that are named take the place of the old ones, none as well", func(t *testing.T) {
		f := newFixture(t)
		first := f.must(f.remember(ada, whole()))
		tr := f.edit(ada, first.ID(), "Amounts are in mills")
		tr.Lesson.Paths, tr.Lesson.About = []string{"ledger/**"}, []string{}
		if v := f.must(tr); !slices.Equal(v.Paths, []string{"ledger/**"}) || v.About != nil {
			t.Errorf("%+v", v)
		}
	})
	t.Run("the same words with other paths are an edit", func(t *testing.T) {
		f := newFixture(t)
		first := f.must(f.remember(ada, whole()))
		tr := f.edit(ada, first.ID(), first.Text)
		tr.Lesson.Paths = []string{"ledger/**"}
		f.must(tr)
		f.refused(f.edit(ada, first.DocumentID, first.Text), memory.ReasonDuplicate, "@2")
	})
	for _, c := range []struct {
		name   string
		change func(*fixture, *memory.Transition)
		reason memory.Reason
		says   string
	}{
		{"by another maintainer", func(_ *fixture, tr *memory.Transition) { tr.Actor = mara }, memory.ReasonNotYours, "belongs to ada"},
		{"by an admin who does not own it", func(_ *fixture, tr *memory.Transition) { tr.Actor, tr.Standing = mara, memory.StandingAdmin }, memory.ReasonNotYours, "ada"},
		{"by its owner, whose permission is gone", func(_ *fixture, tr *memory.Transition) { tr.Standing = memory.StandingCollaborator }, memory.ReasonNotAllowed, "a maintainer"},
		{"by its owner, whose permission was not looked up", func(_ *fixture, tr *memory.Transition) { tr.Standing = "" }, memory.ReasonNotAllowed, "a maintainer"},
		{"of an id that is unknown", func(_ *fixture, tr *memory.Transition) { tr.Target = "m-00000000" }, memory.ReasonUnknownID, "list shows all"},
		{"of a version that there is not", func(_ *fixture, tr *memory.Transition) { tr.Target += "@7" }, memory.ReasonUnknownID, "no version 7"},
		{"of what was retired", func(f *fixture, tr *memory.Transition) { f.must(f.on(memory.OpRetire, ada, tr.Target)) }, memory.ReasonWrongState, "deprecated cannot be edited"},
		{"of what was forgotten", func(f *fixture, tr *memory.Transition) { f.must(f.on(memory.OpForget, ada, tr.Target)) }, memory.ReasonWrongState, "tombstoned"},
		{"of a version that was superseded", func(f *fixture, tr *memory.Transition) {
			f.must(f.edit(ada, tr.Target, "Amounts are in tenths"))
			tr.Target += "@1"
		}, memory.ReasonWrongState, "superseded cannot be edited"},
		{"without words", func(_ *fixture, tr *memory.Transition) { tr.Lesson = nil }, memory.ReasonContentInvalid, "no new words"},
		{"to a text that is another lesson's", func(f *fixture, tr *memory.Transition) { tr.Lesson.Text = "times are in utc" }, memory.ReasonDuplicate, "remembered already"},
		{"to a text that was forgotten", func(f *fixture, tr *memory.Transition) {
			v := f.must(f.remember(ada, keyed("x/gone", "Names are short")))
			f.must(f.on(memory.OpForget, ada, v.ID()))
			tr.Lesson.Text = "names are SHORT"
		}, memory.ReasonSuppressed, "`again: yes`"},
		{"to a text that is unsafe", func(_ *fixture, tr *memory.Transition) { tr.Lesson.Text = "a\u202eb" }, memory.ReasonUnsafeText, ""},
		{"under a key that was revoked", func(f *fixture, tr *memory.Transition) { f.must(f.revoke("repo/octocat/ledger/money")) }, memory.ReasonRevoked, "unrevoke"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.must(f.remember(ada, lesson("Times are in UTC")))
			v := f.must(f.remember(ada, whole()))
			tr := f.edit(ada, v.DocumentID, "Amounts are in mills")
			c.change(f, &tr)
			f.refused(tr, c.reason, c.says)
		})
	}
}

func TestApproveInOtherWords(t *testing.T) {
	t.Run("they are the approver's: text, source and document", func(t *testing.T) {
		f := newFixture(t)
		n := keyed("money/unit", "Amounts are in cents")
		n.Paths = []string{"billing/**"}
		p := f.must(f.propose(4, n))
		a := f.apply(f.reword(mara, p, "Amounts are whole cents"))
		v := a.Version
		if a.Refused != nil || v.ID() != p.DocumentID+"@2" || v.State != memory.Active || v.Source != memory.UserAuthored || v.Creator != mara ||
			v.ConfirmedBy != mara || v.Approved != memory.ApprovedConfirmed || !slices.Equal(v.Paths, n.Paths) || v.Provenance != p.Provenance {
			t.Fatalf("%+v %+v", a.Refused, v)
		}
		if old := f.doc(p.ID())[0]; old.State != memory.Superseded || old.Approved != "" || old.ConfirmedBy.ID != 0 {
			t.Errorf("what the runtime proposed stands as %+v", old)
		}
		if got := f.recall("amounts cents", "billing/a.go"); !slices.Equal(got, []string{v.ID()}) {
			t.Errorf("recalled %v", got)
		}
		f.refused(f.on(memory.OpForget, ada, p.DocumentID), memory.ReasonNotYours, "belongs to mara")
		f.must(f.on(memory.OpForget, mara, p.DocumentID))
	})
	t.Run("they are bound to what was shown, as every approval is", func(t *testing.T) {
		f := newFixture(t)
		p := f.must(f.propose(4, keyed("money/unit", "Amounts are in cents")))
		tr := f.reword(mara, p, "Amounts are whole cents")
		tr.Digest = memory.TextDigest("Amounts are floats")
		f.refused(tr, memory.ReasonTextChanged, "Nothing was approved")
		f.must(f.on(memory.OpReject, mara, p.ID()))
		f.refused(f.reword(mara, p, "Amounts are whole cents"), memory.ReasonWrongState, "rejected cannot be approved")
	})
	t.Run("they pass the gate, the fingerprints and the key as any words do", func(t *testing.T) {
		f := newFixture(t)
		gone := f.must(f.remember(ada, keyed("x/gone", "Names are short")))
		f.must(f.on(memory.OpForget, ada, gone.ID()))
		f.must(f.remember(ada, keyed("money/unit", "Times are in UTC")))
		p := f.must(f.propose(4, keyed("other/key", "Amounts are in cents")))
		f.refused(f.reword(mara, p, strings.Repeat("x", 2001)), memory.ReasonContentInvalid)
		f.refused(f.reword(mara, p, "names are short!"), memory.ReasonSuppressed, "`again: yes`")
		f.refused(f.reword(mara, p, "times are in UTC."), memory.ReasonDuplicate, "reject this one")
		q := f.must(f.propose(4, keyed("money/unit", "Amounts are in mills")))
		f.refused(f.reword(mara, q, "Amounts are whole mills"), memory.ReasonNotYours, "Retire")
	})
}

func TestApproveTakesAStandingAndNoRuntimeHasOne(t *testing.T) {
	f := newFixture(t)
	p := f.must(f.propose(4, keyed("money/unit", "Amounts are in cents")))
	for _, standing := range []memory.Standing{"", memory.StandingNone, memory.StandingCollaborator} {
		tr := f.approve(mara, p)
		tr.Standing = standing
		f.refused(tr, memory.ReasonNotAllowed, "a maintainer")
	}
	tr := f.approve(mara, p)
	tr.Actor = memory.Principal{Login: "mara"}
	f.refused(tr, memory.ReasonManualConfirmRequired, "nobody")
}
