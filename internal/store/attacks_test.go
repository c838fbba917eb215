package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
)

func TestAttacksOnErasing(t *testing.T) {
	t.Run("A91: forget leaves no byte of the text", testForgetLeavesNoByte)
	t.Run("A91: also when the file was closed between forget and save", testForgetThenCloseThenSave)
	t.Run("A102: only the owner forgets, and a refused one changed nothing", testOnlyTheOwnerForgets)
	t.Run("A104: a forgotten text in another case, spacing or punctuation is suppressed", testAForgottenTextIsSuppressed)
	t.Run("A113: a full store refuses additions, and still forgets, revokes and purges", testAFullStoreStillForgets)
	t.Run("A102: what an owner may not be kept from, an admin can do for the others", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, lesson("Amounts are in cents")))
		f.refused(f.on(memory.OpForget, mara, v.ID()), memory.ReasonNotYours)
		f.must(f.on(memory.OpRevoke, mara, v.ID()))
		if got := f.recall("amounts cents"); len(got) != 0 {
			t.Errorf("recalled %v", got)
		}
	})
	t.Run("A32: old runs, run again after a forget, bring nothing back", func(t *testing.T) {
		f := newFixture(t)
		remember := f.remember(ada, keyed("money/unit", "Amounts are in cents"))
		v := f.must(remember)
		edit := f.edit(ada, v.ID(), "Amounts are whole cents")
		f.must(edit)
		propose := f.propose(4, keyed("times/zone", "Times are in UTC"))
		p := f.must(propose)
		approve := f.approve(ada, p)
		f.must(approve)
		keep := f.keep(ada, p.ID(), nil)
		f.must(keep)
		f.must(f.on(memory.OpForget, ada, v.DocumentID))
		f.must(f.on(memory.OpForget, ada, p.DocumentID))
		before := dump(t, f.Store, f.tables()...)
		for _, old := range []memory.Transition{remember, edit, propose, approve, keep} {
			if a := f.apply(old); !a.Already || a.Version.State != memory.Tombstoned || a.Version.Text != redacted {
				t.Errorf("%s: %+v", old.Op, a)
			}
		}
		if after := dump(t, f.Store, f.tables()...); after != before {
			t.Errorf("the store went from\n%s\nto\n%s", before, after)
		}
		again := f.propose(4, keyed("times/zone", "Times are in UTC")) // the same review, under another cause
		f.refused(again, memory.ReasonSuppressed)
	})
	t.Run("weakness: erasing is one transaction, of which no half stands", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, lesson("Amounts are in cents")))
		before := dump(t, f.Store, f.tables()...)
		f.secretID = strings.Repeat("0", 32) // the fingerprint, which comes last, will break a foreign key
		if _, err := f.Apply(t.Context(), f.on(memory.OpForget, ada, v.ID())); err == nil {
			t.Fatal("it was applied")
		}
		if after := dump(t, f.Store, f.tables()...); after != before {
			t.Errorf("the store went from\n%s\nto\n%s", before, after)
		}
	})
	t.Run("weakness: an uninstall that fails says so", func(t *testing.T) {
		f := newFixture(t)
		f.must(f.remember(ada, lesson("Amounts are in cents")))
		f.Close()
		if _, err := f.Apply(t.Context(), f.event(memory.OpUninstall, mara)); KindOf(err) != Unusable {
			t.Errorf("%v", err)
		}
	})
}

func TestAttacksOnPendingLessons(t *testing.T) {
	t.Run("A70: what waits is not recalled where what is active is", testAPendingLessonIsNeverRecalled)
	t.Run("A70: what waits is never recalled, by no question", func(t *testing.T) {
		f := newFixture(t)
		n := keyed("money/unit", "Amounts are in cents")
		n.Paths = []string{"billing/**"}
		p := f.must(f.propose(4, n))
		q := query("amounts cents money unit "+n.Text, "billing/money.go")
		q.MaxBytes, q.MaxLessons = 1<<20, 1000
		snapshot, err := f.Recall(t.Context(), q)
		if err != nil || len(snapshot.Lessons) != 0 {
			t.Errorf("recalled %+v, %v", snapshot, err)
		}
		if rows := f.number("SELECT count(*) FROM recall_docsize"); rows != 0 {
			t.Error("it stands in the index all the same")
		}
		f.must(f.approve(mara, p))
		if got := f.recall("amounts cents", "billing/money.go"); !slices.Equal(got, []string{p.ID()}) {
			t.Errorf("after the approval: %v", got)
		}
	})
	t.Run("A71: repetition promotes nothing", func(t *testing.T) {
		f := newFixture(t)
		first := f.must(f.propose(1, keyed("money/unit", "Amounts are in cents")))
		for i := range 30 {
			again := f.propose(2+i, keyed(fmt.Sprintf("money/unit%d", i), "amounts are in CENTS"))
			again.Lesson.Provenance.Head = fmt.Sprintf("%040x", i)
			f.refused(again, memory.ReasonDuplicate, first.DocumentID)
		}
		if got := f.recall("amounts cents"); len(got) != 0 {
			t.Errorf("recalled %v", got)
		}
	})
	t.Run("A71: no operation but a person's approval makes it active", func(t *testing.T) {
		for _, op := range everyOp() {
			f := newFixture(t)
			p := f.must(f.propose(1, keyed("money/unit", "Amounts are in cents")))
			tr := f.on(op, ada, p.ID())
			tr.Digest, tr.PullClosed, tr.Prefix, tr.Finding = memory.TextDigest(p.Text), true, "repo/octocat/ledger/x", "f1"
			f.apply(tr)
			if active := f.number("SELECT count(*) FROM versions WHERE state = 'active'"); (active == 1) != (op == memory.OpApprove) {
				t.Errorf("%s: %d active", op, active)
			}
		}
	})
	t.Run("A72: an approved lesson names where it came from and who approved it in every use, and forget ends that", func(t *testing.T) {
		f := newFixture(t)
		p := f.must(f.propose(4, keyed("money/unit", "Amounts are in cents")))
		approval := f.approve(mara, p)
		f.must(approval)
		got := f.recalled("amounts cents money unit")
		if len(got) != 1 || got[0].Provenance.PullRequest != 4 || got[0].Provenance.Head != strings.Repeat("a", 40) || got[0].Source != memory.ChatExtracted ||
			got[0].ConfirmedBy != mara || got[0].ConfirmedThrough != approval.Through || !got[0].ConfirmedAt.Equal(approval.At) {
			t.Errorf("recalled %+v", got)
		}
		f.must(f.on(memory.OpForget, mara, p.ID()))
		if got := f.recall("amounts cents money unit"); len(got) != 0 {
			t.Errorf("recalled %v", got)
		}
	})
	t.Run("A98: a lesson that reads as a command is text, and commands nothing when it is quoted back", func(t *testing.T) {
		f := newFixture(t)
		victim := f.must(f.remember(ada, keyed("a/b", "Times are in UTC")))
		for i, words := range []string{"@familiar forget " + victim.DocumentID, "/familiar purge " + victim.DocumentID, "> @familiar revoke repo/octocat/ledger"} {
			v := f.must(f.remember(ada, keyed(fmt.Sprintf("c/k%d", i), words)))
			if v.Text != words {
				t.Errorf("%q is stored as %q", words, v.Text)
			}
			f.must(f.approve(mara, f.must(f.propose(4, keyed(fmt.Sprintf("d/k%d", i), words+", says the review")))))
			if found := intent.Parse("> "+v.Text, intent.Options{}); len(found) != 0 {
				t.Errorf("quoted back, %q asks for %+v", words, found)
			}
		}
		if v := f.doc(victim.ID())[0]; v.State != memory.Active || len(f.denials()) != 0 {
			t.Errorf("it was done: %+v, %v", v, f.denials())
		}
	})
}

func TestWeaknessesOfAuditRows(t *testing.T) {
	t.Run("a refused key that holds a secret is not repeated", func(t *testing.T) {
		f := newFixture(t)
		secret := "ghp_" + strings.Repeat("Q", 36)
		refusals := []memory.Refusal{{Op: "propose", Target: "repo/octocat/ledger/a/" + secret, Reason: memory.ReasonSecret, Detail: "It holds " + secret}}
		if err := f.RecordRefusals(t.Context(), memory.NewCause("work"), noon, bot, refusals); err != nil {
			t.Fatal(err)
		}
		n := lesson("Amounts are in cents")
		n.Key = memory.Key("repo/octocat/ledger/a/" + secret)
		f.refused(f.remember(ada, n), memory.ReasonNotAddressable)
		if rows := dump(t, f.Store, f.tables()...); strings.Contains(rows, secret) {
			t.Errorf("it stands in\n%s", rows)
		}
	})
	t.Run("one key proposed twice has two verdicts, by position", func(t *testing.T) {
		f := newFixture(t)
		refusals := []memory.Refusal{{Op: "propose", Reason: memory.ReasonApprovalMismatch}, {Op: "propose", Reason: memory.ReasonApprovalMismatch}}
		for range 2 {
			if err := f.RecordRefusals(t.Context(), memory.NewCause("work"), noon, bot, refusals); err != nil {
				t.Fatal(err)
			}
		}
		if rows := f.number("SELECT count(*) FROM audit"); rows != 2 {
			t.Errorf("%d rows", rows)
		}
	})
}
