package store

import (
	"slices"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func (f *fixture) revoke(prefix string) memory.Transition {
	tr := f.event(memory.OpRevoke, mara)
	tr.Prefix = prefix
	return tr
}

func (f *fixture) unrevoke(prefix string) memory.Transition {
	tr := f.event(memory.OpUnrevoke, ada)
	tr.Prefix = prefix
	return tr
}

func (f *fixture) denials() []string {
	f.t.Helper()
	denied, err := f.Denied(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return denied
}

func TestRevoke(t *testing.T) {
	t.Run("from that moment nothing below the prefix is read or written", func(t *testing.T) {
		f := newFixture(t)
		inside, outside := f.must(f.remember(ada, keyed("x/amounts", "Amounts are in cents"))), f.must(f.remember(ada, keyed("xylem/amounts", "Amounts are in mills")))
		p := f.must(f.propose(1, keyed("x/times", "Times are in UTC")))
		f.must(f.revoke("repo/Octocat/LEDGER/x/"))
		if got := f.recall("amounts cents mills"); !slices.Equal(got, []string{outside.ID()}) {
			t.Errorf("recalled %v", got)
		}
		f.refused(f.remember(ada, keyed("x/other", "Names are ASCII")), memory.ReasonRevoked)
		f.refused(f.propose(1, keyed("x/other", "Names are ASCII")), memory.ReasonRevoked)
		f.refused(f.approve(mara, p), memory.ReasonRevoked)
		if v := f.doc(inside.ID())[0]; v.State != memory.Active || v.Text == redacted {
			t.Errorf("the denial changed the lesson: %+v", v)
		}
		f.must(f.on(memory.OpForget, ada, inside.ID())) // a denial keeps nobody from forgetting
	})
	t.Run("a key with a secret or personal data is not kept, since a denial is kept for good", func(t *testing.T) {
		f := newFixture(t)
		r := f.refused(f.revoke("repo/octocat/ledger/lessons/"+"glpat-"+"ab3cd9efgh0x23k5q7z9"), memory.ReasonSecret)
		if want := "The key holds what looks like a credential, and a denial is kept for good, so nothing was stored; revoke a shorter prefix of it, or the lesson by its id."; r.Detail != want {
			t.Errorf("detail %q", r.Detail)
		}
		f.refused(f.revoke("repo/octocat/ledger/people/jane.roe@corp-ledger.net"), memory.ReasonPII)
		if got := f.denials(); len(got) != 0 {
			t.Errorf("denied %v", got)
		}
	})
	t.Run("by the id of a lesson it is its key", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, keyed("x/amounts", "Amounts are in cents")))
		f.must(f.on(memory.OpRevoke, mara, v.ID()))
		if got := f.denials(); !slices.Equal(got, []string{"repo/octocat/ledger/x/amounts"}) {
			t.Errorf("denied %v", got)
		}
	})
	t.Run("the id of a lesson that was forgotten names no key", func(t *testing.T) {
		for _, op := range []memory.Op{memory.OpForget, memory.OpRedact} {
			f := newFixture(t)
			v := f.must(f.remember(ada, keyed("x/amounts", "Amounts are in cents")))
			f.must(f.on(op, ada, v.ID()))
			f.refused(f.on(memory.OpRevoke, mara, v.ID()), memory.ReasonNotAddressable, "It was forgotten, and its key with it", "Name the key itself")
			if got := f.denials(); len(got) != 0 {
				t.Errorf("after %s: denied %v", op, got)
			}
			f.must(f.revoke("repo/octocat/ledger/x/amounts"))
			f.refused(f.on(memory.OpUnrevoke, ada, v.ID()), memory.ReasonNotAddressable, "Name the key itself")
			f.must(f.unrevoke("repo/octocat/ledger/x/amounts"))
		}
	})
	t.Run("a lesson of which one version still has its text names its key", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, keyed("x/amounts", "Amounts are in cents")))
		f.must(f.on(memory.OpRetire, ada, v.ID()))
		f.must(f.on(memory.OpRevoke, mara, v.ID()))
		if got := f.denials(); !slices.Equal(got, []string{"repo/octocat/ledger/x/amounts"}) {
			t.Errorf("denied %v", got)
		}
	})
	t.Run("the whole repository can be denied", func(t *testing.T) {
		f := newFixture(t)
		f.must(f.remember(ada, lesson("Amounts are in cents")))
		f.must(f.revoke("repo/octocat/ledger"))
		if got := f.recall("amounts cents"); len(got) != 0 || !slices.Equal(f.denials(), []string{"repo/octocat/ledger"}) {
			t.Errorf("recalled %v, denied %v", got, f.denials())
		}
	})
	for name, prefix := range map[string]string{
		"an empty prefix": "", "less than the owner": "repo", "less than the name": "repo/octocat", "another repository": "repo/octocat/other/x",
		"a tenant that is not ours": "tenant/5/x", "a parent": "repo/octocat/ledger/../other", "the global scope": "familiar_global/x",
	} {
		t.Run("not "+name, func(t *testing.T) {
			f := newFixture(t)
			f.refused(f.revoke(prefix), memory.ReasonNotAddressable, "repo/octocat/ledger")
		})
	}
	t.Run("not by a maintainer", func(t *testing.T) {
		f := newFixture(t)
		for _, tr := range []memory.Transition{f.revoke("repo/octocat/ledger/x"), f.unrevoke("repo/octocat/ledger/x")} {
			tr.Standing = memory.StandingMaintainer
			f.refused(tr, memory.ReasonNotAllowed, "an admin")
		}
	})
}

func TestUnrevokeLiftsExactlyWhatWasRevoked(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, keyed("x/amounts", "Amounts are in cents")))
	f.must(f.revoke("repo/octocat/ledger/x"))
	f.must(f.revoke("repo/octocat/ledger/x/amounts"))
	f.refused(f.revoke("repo/octocat/ledger/x/"), memory.ReasonDuplicate, "revoked already")
	f.refused(f.unrevoke("repo/octocat/ledger"), memory.ReasonUnknownID, "those below it are lifted with `unrevoke x`, `unrevoke x/amounts`. Nothing was changed.")
	f.refused(f.unrevoke("repo/octocat/ledger/x/amounts/deep"), memory.ReasonUnknownID, "what keeps it away is lifted with `unrevoke x` and `unrevoke x/amounts`. Nothing was changed.")
	f.refused(f.unrevoke("repo/octocat/ledger/y"), memory.ReasonUnknownID, "No denial reaches this key or prefix. Nothing was changed.")
	if got, err := f.List(t.Context(), Filter{}); err != nil || got[0].Denied != "repo/octocat/ledger/x" {
		t.Errorf("listed as %+v, %v", got, err)
	}
	if got, _, err := f.Get(t.Context(), v.ID()); err != nil || got[0].Denied != "repo/octocat/ledger/x" {
		t.Errorf("shown as %+v, %v", got, err)
	}
	f.must(f.unrevoke("repo/octocat/ledger/x"))
	if got := f.recall("amounts cents"); len(got) != 0 {
		t.Errorf("recalled %v under the denial that stands", got)
	}
	f.must(f.unrevoke("repo/octocat/ledger/x/amounts"))
	if got := f.recall("amounts cents"); !slices.Equal(got, []string{v.ID()}) || len(f.denials()) != 0 {
		t.Errorf("recalled %v, denied %v", got, f.denials())
	}
	f.must(f.revoke("repo/octocat/ledger/x")) // a lift is no licence: it is revoked anew
	if got := f.denials(); !slices.Equal(got, []string{"repo/octocat/ledger/x"}) {
		t.Errorf("denied %v", got)
	}
	audit, err := f.Audit(t.Context(), 1)
	if err != nil || audit[0].Op != "revoke" || audit[0].Actor != mara {
		t.Errorf("audit %+v, %v", audit, err)
	}
}
