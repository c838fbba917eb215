package store

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func (f *fixture) dispose(op memory.Op, finding string, words string) memory.Transition {
	tr := f.event(op, ada)
	tr.Finding, tr.Number = finding, 12
	if words != "" {
		tr.Lesson = lesson(words)
		tr.Lesson.Provenance = memory.Provenance{RepositoryID: 7001, PullRequest: 12, Finding: finding}
	}
	return tr
}

func (f *fixture) said(finding string) []Disposition {
	f.t.Helper()
	out, err := f.Dispositions(f.t.Context(), finding)
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

func TestADispositionIsNotedWithItsLesson(t *testing.T) {
	f := newFixture(t)
	f.must(f.dispose(memory.OpAccept, "f1", ""))
	v := f.must(f.dispose(memory.OpDismiss, "f2", "Test doubles may panic"))
	if v.Text != "Test doubles may panic" || v.State != memory.Active || v.Source != memory.UserAuthored || v.Creator != ada || v.Provenance.Finding != "f2" {
		t.Errorf("the lesson is %+v", v)
	}
	correct := f.dispose(memory.OpCorrect, "f2", "test doubles may PANIC.")
	if a := f.apply(correct); a.Refused != nil || a.Version.DocumentID != v.DocumentID {
		t.Errorf("a lesson that is known already is named: %+v", a)
	}
	got := f.said("f2")
	if len(got) != 2 || got[0].Kind != memory.OpCorrect || got[1].Kind != memory.OpDismiss || got[0].Document != v.DocumentID || got[1].Document != v.DocumentID ||
		got[0].By != ada || got[0].PullRequest != 12 || !got[0].At.Equal(correct.At) {
		t.Errorf("said %+v", got)
	}
	if one := f.said("f1"); len(one) != 1 || one[0].Kind != memory.OpAccept || one[0].Document != "" {
		t.Errorf("said %+v", one)
	}
	if all := f.said(""); len(all) != 3 {
		t.Errorf("%d in all", len(all))
	}
	if a := f.apply(correct); !a.Already || len(f.said("")) != 3 {
		t.Errorf("again: %+v", a)
	}
}

func TestADispositionWhoseLessonIsRefusedIsRefusedWhole(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fixture, *memory.Transition)
		reason memory.Reason
		says   string
	}{
		"a lesson of more than 700 characters": {func(_ *fixture, tr *memory.Transition) { tr.Lesson.Text = strings.Repeat("é", 701) }, memory.ReasonContentInvalid, "at most 700"},
		"an unsafe lesson":                     {func(_ *fixture, tr *memory.Transition) { tr.Lesson.Text = "a\u202eb" }, memory.ReasonUnsafeText, ""},
		"the reviewer's own words":             {func(_ *fixture, tr *memory.Transition) { tr.Lesson.Source = memory.DailyReview }, memory.ReasonCandidateNoActive, ""},
		"no finding":                           {func(_ *fixture, tr *memory.Transition) { tr.Finding = "" }, memory.ReasonUnknownID, "No finding"},
		"a name that no finding has":           {func(_ *fixture, tr *memory.Transition) { tr.Finding = strings.Repeat("f", 101) }, memory.ReasonUnknownID, "No finding"},
		"nobody":                               {func(_ *fixture, tr *memory.Transition) { tr.Actor.ID = 0 }, memory.ReasonManualConfirmRequired, "no person"},
		"a collaborator":                       {func(_ *fixture, tr *memory.Transition) { tr.Standing = memory.StandingCollaborator }, memory.ReasonNotAllowed, "a maintainer"},
		"what was forgotten": {func(f *fixture, tr *memory.Transition) {
			v := f.must(f.remember(ada, keyed("a/b", tr.Lesson.Text)))
			f.must(f.on(memory.OpForget, ada, v.ID()))
		}, memory.ReasonSuppressed, "`again: yes`"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			tr := f.dispose(memory.OpDismiss, "f2", "Test doubles may panic")
			c.change(f, &tr)
			f.refused(tr, c.reason, c.says)
			if got := f.said(""); len(got) != 0 {
				t.Errorf("said %+v", got)
			}
		})
	}
	t.Run("weakness: a lesson with 32 globs, the most that a lesson has, is taken", func(t *testing.T) {
		f := newFixture(t)
		tr := f.dispose(memory.OpDismiss, "f2", "Test doubles may panic")
		for _, n := range numbers(memory.MaxGlobs) {
			tr.Lesson.Paths = append(tr.Lesson.Paths, "d"+n+"/**")
		}
		if v := f.must(tr); len(v.Paths) != memory.MaxGlobs {
			t.Errorf("%d globs", len(v.Paths))
		}
	})
}

func TestImport(t *testing.T) {
	entry := func(f *fixture, words string) memory.Transition {
		tr := f.event(memory.OpImport, ada)
		tr.Lesson = lesson(words)
		tr.Lesson.Source, tr.Lesson.State = memory.ChatExtracted, memory.ReviewRequired
		return tr
	}
	f := newFixture(t)
	v := f.must(entry(f, "Amounts are in cents"))
	if v.State != memory.ReviewRequired || v.Approved != "" || v.ConfirmedBy.ID != 0 {
		t.Errorf("%+v", v)
	}
	if got := f.recall("amounts cents"); len(got) != 0 {
		t.Errorf("an imported entry was recalled: %v", got)
	}
	f.refused(f.on(memory.OpForget, ada, v.ID()), memory.ReasonNotYours, "nobody") // who imported it does not own it
	approved := f.must(f.approve(mara, v))
	if owner := memory.Owner(f.doc(approved.DocumentID)); owner != mara {
		t.Errorf("it belongs to %+v", owner)
	}
	f.refused(entry(f, "amounts are in CENTS"), memory.ReasonDuplicate, v.DocumentID)
	active := entry(f, "Times are in UTC")
	active.Lesson.State = memory.Active
	f.refused(active, memory.ReasonManualConfirmRequired)
	outsider := entry(f, "Times are in UTC")
	outsider.Standing = memory.StandingCollaborator
	f.refused(outsider, memory.ReasonNotAllowed)
	f.must(f.on(memory.OpForget, mara, v.ID()))
	f.refused(entry(f, "Amounts are in cents"), memory.ReasonSuppressed)
	full := entry(f, "Names are ASCII")
	full.Quotas.PendingPerRepo = 1
	f.must(full)
	full = entry(f, "Names are short")
	full.Quotas.PendingPerRepo = 1
	f.refused(full, memory.ReasonQuota, "1 may")
}
