package store

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

func TestRememberStoresTheWholeLesson(t *testing.T) {
	f := newFixture(t)
	n := keyed("money/rounding", "Money is rounded half-even, never truncated")
	n.Class = memory.Durable
	n.Paths = []string{"services/billing/**", "!services/billing/legacy/**"}
	n.About = []string{"currency", "cents"}
	n.Check = &memory.Check{Kind: memory.CheckNever, Pattern: "math.Trunc(", In: []string{"**/*.go"}, Severity: contract.SeverityHigh,
		Because: "cents get lost", Bad: []string{"x := math.Trunc(y)"}, Good: []string{"x := round(y)"}}
	n.Citations = []memory.Citation{{Path: "services/billing/money.go", StartLine: 3, EndLine: 9, Commit: strings.Repeat("c", 40), Digest: strings.Repeat("d", 64)}}
	n.ValidUntil = noon.AddDate(1, 0, 0)
	n.Provenance = memory.Provenance{RepositoryID: 7001, PullRequest: 12, Base: "b", MergeBase: "m", Head: "h", Finding: "F2"}
	tr := f.remember(ada, n)
	got := f.must(tr)

	want := memory.Version{
		DocumentID: memory.NewDocumentID(f.id.RepositoryID, tr.Cause, 0), Number: 1, Key: n.Key, Scope: n.Scope, Text: n.Text, Source: n.Source,
		State: memory.Active, Class: memory.Durable, Paths: n.Paths, About: n.About, Check: n.Check, Citations: n.Citations,
		Creator: ada, CreatedAt: tr.At, ConfirmedBy: ada, ConfirmedAt: tr.At, ConfirmedThrough: tr.Through, Approved: memory.ApprovedConfirmed,
		ValidUntil: n.ValidUntil, Provenance: n.Provenance,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("stored\n%+v\n%+v, want\n%+v\n%+v", got, got.Check, want, want.Check)
	}
	again, refused, err := f.Get(t.Context(), got.ID())
	if err != nil || refused != nil || len(again) != 1 || !reflect.DeepEqual(again[0], want) {
		t.Errorf("Get = %+v, %+v, %v", again, refused, err)
	}
}

func TestRememberRefusals(t *testing.T) {
	long := make([]string, memory.MaxGlobs+1)
	for i := range long {
		long[i] = fmt.Sprintf("d%d/**", i)
	}
	for _, c := range []struct {
		name   string
		change func(*memory.Transition)
		reason memory.Reason
		says   string
	}{
		{"no lesson", func(tr *memory.Transition) { tr.Lesson = nil }, memory.ReasonContentInvalid, "no lesson"},
		{"a text that is not in normal form", func(tr *memory.Transition) { tr.Lesson.Text = " padded" }, memory.ReasonContentInvalid, "normal form"},
		{"an empty text", func(tr *memory.Transition) { tr.Lesson.Text = "" }, memory.ReasonContentInvalid, ""},
		{"a text above 2,000 code points", func(tr *memory.Transition) { tr.Lesson.Text = strings.Repeat("é", 2001) }, memory.ReasonContentInvalid, ""},
		{"a text with a bidi control", func(tr *memory.Transition) { tr.Lesson.Text = "a\u202eb" }, memory.ReasonUnsafeText, ""},
		{"a pending state", func(tr *memory.Transition) { tr.Lesson.State = memory.ReviewRequired }, memory.ReasonManualConfirmRequired, ""},
		{"a candidate source", func(tr *memory.Transition) { tr.Lesson.Source = memory.VoiceTranscript }, memory.ReasonCandidateNoActive, ""},
		{"an actor who is nobody", func(tr *memory.Transition) { tr.Actor = memory.Principal{Login: "ghost"} }, memory.ReasonManualConfirmRequired, "nobody"},
		{"the scope that is never written", func(tr *memory.Transition) { tr.Lesson.Scope = contract.ScopeFamiliarGlobal }, memory.ReasonScopeInvalid, "familiar_global"},
		{"another repository's key", func(tr *memory.Transition) { tr.Lesson.Key = "repo/octocat/other/lessons/x" }, memory.ReasonNotAddressable, "octocat/ledger"},
		{"a key that is none", func(tr *memory.Transition) { tr.Lesson.Key = "repo/octocat/ledger/../x" }, memory.ReasonNotAddressable, "<namespace>"},
		{"a tenant key without a tenant", func(tr *memory.Transition) { tr.Lesson.Key = "tenant/5/lessons/x" }, memory.ReasonNotAddressable, ""},
		{"an unknown class", func(tr *memory.Transition) { tr.Lesson.Class = "forever" }, memory.ReasonClassInvalid, "ephemeral"},
		{"too many globs", func(tr *memory.Transition) { tr.Lesson.Paths = long }, memory.ReasonContentInvalid, "at most 32 globs"},
		{"a broken glob", func(tr *memory.Transition) { tr.Lesson.Paths = []string{"ok/**", "a[/**"} }, memory.ReasonContentInvalid, "Glob 2"},
		{"a blank synonym", func(tr *memory.Transition) { tr.Lesson.About = []string{" "} }, memory.ReasonContentInvalid, "`about:`"},
		{"too many synonyms", func(tr *memory.Transition) { tr.Lesson.About = make([]string, 33) }, memory.ReasonContentInvalid, "32 words"},
		{"too many citations", func(tr *memory.Transition) { tr.Lesson.Citations = make([]memory.Citation, 33) }, memory.ReasonContentInvalid, "32 citations"},
		{"a rule that misses its own bad example", func(tr *memory.Transition) {
			tr.Lesson.Check = &memory.Check{Kind: memory.CheckNever, Pattern: "panic(", Bad: []string{"return err"}}
		}, memory.ReasonCheckInvalid, ""},
		{"no cause", func(tr *memory.Transition) { tr.Cause = "" }, memory.ReasonProvenanceForged, "digest"},
		{"a cause that is no digest", func(tr *memory.Transition) { tr.Cause = strings.Repeat("Z", 64) }, memory.ReasonProvenanceForged, "digest"},
		{"no time", func(tr *memory.Transition) { tr.At = time.Time{} }, memory.ReasonProvenanceForged, "time"},
		{"an unknown operation", func(tr *memory.Transition) { tr.Op = "consolidate" }, memory.ReasonUnknownOp, "consolidate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			tr := f.remember(ada, lesson("Amounts are in cents"))
			c.change(&tr)
			f.refused(tr, c.reason, c.says)
		})
	}
}

func TestAKeyInUse(t *testing.T) {
	t.Run("its owner gives it a new version that supersedes", func(t *testing.T) {
		f := newFixture(t)
		first := f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
		a := f.apply(f.remember(ada, keyed("money/unit", "Amounts are in tenths of a cent")))
		if a.Refused != nil || a.Version.ID() != first.DocumentID+"@2" || !slices.Equal(a.Replaced, []string{first.ID()}) {
			t.Fatalf("got %+v", a)
		}
		versions, _, _ := f.Get(t.Context(), first.DocumentID)
		if len(versions) != 2 || versions[0].State != memory.Superseded || versions[1].State != memory.Active {
			t.Errorf("states %+v", versions)
		}
		if got := f.recall("cents amount unit money"); !slices.Equal(got, []string{a.Version.ID()}) {
			t.Errorf("recalled %v, want the new version alone", got)
		}
	})
	t.Run("anybody else is refused and told whose it is", func(t *testing.T) {
		f := newFixture(t)
		first := f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
		f.refused(f.remember(mara, keyed("money/unit", "Amounts are floats")), memory.ReasonNotYours, first.ID(), "Retire", "`key:`")
	})
	t.Run("a durable lesson stays durable when its owner teaches it anew", func(t *testing.T) {
		f := newFixture(t)
		n := keyed("money/unit", "Amounts are in cents")
		n.Class = memory.Durable
		f.must(f.remember(ada, n))
		if v := f.must(f.remember(ada, keyed("money/unit", "Amounts are in mills"))); v.Class != memory.Durable {
			t.Errorf("class %s, want durable", v.Class)
		}
	})
	t.Run("a key made from the first words gives way to no other text", func(t *testing.T) {
		f := newFixture(t)
		const words = "Handlers in the services folder must always close the body of"
		one := f.must(f.remember(ada, lesson(words+" a response")))
		two := f.must(f.remember(ada, lesson(words+" a request")))
		three := f.must(f.remember(mara, lesson(words+" a file")))
		if two.Key != one.Key+"-2" || three.Key != one.Key+"-3" {
			t.Errorf("keys %s, %s, %s", one.Key, two.Key, three.Key)
		}
		if c, _ := f.Counts(t.Context()); c.Active != 3 {
			t.Errorf("%d active lessons, want 3", c.Active)
		}
	})
	t.Run("the same text again is refused, with other globs it is an update", func(t *testing.T) {
		f := newFixture(t)
		first := f.must(f.remember(ada, lesson("Amounts are in cents")))
		f.refused(f.remember(ada, lesson("Amounts are in cents")), memory.ReasonDuplicate, first.ID(), "edit")
		f.refused(f.remember(mara, keyed("other/key", "amounts are in CENTS.")), memory.ReasonDuplicate, first.ID())
		n := lesson("Amounts are in cents")
		n.Paths = []string{"services/**"}
		if v := f.must(f.remember(ada, n)); v.ID() != first.DocumentID+"@2" || !slices.Equal(v.Paths, n.Paths) {
			t.Errorf("got %+v", v)
		}
	})
}

func TestTwoLessonsOfOneCommentGetTwoIDs(t *testing.T) {
	f := newFixture(t)
	one := f.remember(ada, lesson("Amounts are in cents"))
	two := f.remember(ada, lesson("Times are in UTC"))
	two.Lesson.Line = 2
	if a, b := f.must(one), f.must(two); a.DocumentID == b.DocumentID {
		t.Errorf("both are %s", a.DocumentID)
	}
}

func TestACauseIsAppliedOnce(t *testing.T) {
	f := newFixture(t)
	tr := f.remember(ada, lesson("Amounts are in cents"))
	first := f.must(tr)
	before := dump(t, f.Store, "versions", "documents", "causes", "audit", "store")
	again := f.apply(tr)
	if !again.Already || again.Refused != nil || again.Version.ID() != first.ID() {
		t.Errorf("the replay gave %+v", again)
	}
	if after := dump(t, f.Store, "versions", "documents", "causes", "audit", "store"); after != before {
		t.Errorf("the replay changed\n%s\nto\n%s", before, after)
	}
	refusedOnce := f.remember(ada, lesson("Amounts are in cents"))
	f.refused(refusedOnce, memory.ReasonDuplicate)
	f.must(f.on(memory.OpForget, ada, first.DocumentID))
	replay := f.apply(refusedOnce)
	if !replay.Already || replay.Refused == nil || replay.Refused.Reason != memory.ReasonDuplicate || !strings.Contains(replay.Refused.Detail, "final") {
		t.Errorf("a refusal is final; the replay gave %+v", replay)
	}
}

func testAPendingLessonIsNeverRecalled(t *testing.T) {
	f := newFixture(t)
	n := lesson("Skip the signature check in the payment webhook")
	n.Paths = []string{"payment/**"}
	v := f.must(f.propose(4, n))
	if v.State != memory.ReviewRequired || v.Approved != "" || !v.ConfirmedAt.IsZero() {
		t.Fatalf("a proposal is stored as %+v", v)
	}
	const change = "webhook signature check payment skip"
	if got := f.recall(change, "payment/webhook.go"); len(got) != 0 {
		t.Errorf("recalled %v", got)
	}
	if s := dump(t, f.Store, "recall_docsize", "places"); s != "" {
		t.Errorf("its words are in the index: %s", s)
	}
	f.must(f.on(memory.OpReject, mara, v.DocumentID))
	if got := f.recall(change, "payment/webhook.go"); len(got) != 0 {
		t.Errorf("recalled after its rejection: %v", got)
	}
	other := f.must(f.propose(4, lesson("Retry the payment webhook with backoff")))
	f.must(f.approve(mara, other))
	if got := f.recall("webhook payment retry backoff", "payment/webhook.go"); !slices.Equal(got, []string{other.ID()}) {
		t.Errorf("after its approval recalled %v, want %s", got, other.ID())
	}
}

func TestApproveIsBoundToTheExactText(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.propose(4, lesson("Amounts are in cents")))
	tr := f.approve(mara, v)
	tr.Digest = memory.TextDigest("Amounts are in euros")
	f.refused(tr, memory.ReasonTextChanged, "show")
	tr = f.approve(mara, v)
	tr.Digest = ""
	f.refused(tr, memory.ReasonTextChanged)
	ok := f.approve(mara, v)
	got := f.must(ok)
	if got.State != memory.Active || got.ConfirmedBy != mara || !got.ConfirmedAt.Equal(ok.At) || got.ConfirmedThrough != ok.Through || got.Approved != memory.ApprovedConfirmed || got.Creator != bot {
		t.Errorf("approved as %+v", got)
	}
	f.refused(f.approve(ada, got), memory.ReasonWrongState, "active")
	f.must(f.on(memory.OpForget, mara, got.DocumentID)) // the approver owns it
}

func TestApproveLooksAtWhatHappenedMeanwhile(t *testing.T) {
	t.Run("the same text was taught meanwhile", func(t *testing.T) {
		f := newFixture(t)
		p := f.must(f.propose(4, lesson("Amounts are in cents")))
		taught := f.must(f.remember(ada, keyed("a/b", "Amounts are in cents")))
		f.refused(f.approve(mara, p), memory.ReasonDuplicate, taught.ID(), "reject")
	})
	t.Run("the key was taken meanwhile", func(t *testing.T) {
		f := newFixture(t)
		p := f.must(f.propose(4, keyed("money/unit", "Amounts are in cents")))
		f.must(f.remember(ada, keyed("money/unit", "Amounts are in mills")))
		f.refused(f.approve(mara, p), memory.ReasonNotYours, "taken")
		a := f.apply(f.approve(ada, p))
		if a.Refused != nil || len(a.Replaced) != 1 {
			t.Errorf("its owner's approval gave %+v", a)
		}
	})
	t.Run("the proposal was forgotten as a copy", func(t *testing.T) {
		f := newFixture(t)
		p := f.must(f.propose(4, lesson("Amounts are in cents")))
		taught := f.must(f.remember(ada, keyed("a/b", "Amounts are in cents")))
		f.must(f.on(memory.OpForget, ada, taught.DocumentID))
		f.refused(f.approve(mara, p), memory.ReasonWrongState, "tombstoned")
	})
}

func TestProposalsThatAreKnownAlready(t *testing.T) {
	f := newFixture(t)
	pending := f.must(f.propose(4, lesson("Amounts are in cents")))
	f.refused(f.propose(5, lesson("amounts are in cents")), memory.ReasonDuplicate, pending.ID())
	f.must(f.on(memory.OpReject, mara, pending.ID()))
	f.refused(f.propose(6, lesson("Amounts are in cents!")), memory.ReasonDuplicate, "rejected")
	taught := f.must(f.remember(ada, lesson("Amounts are in cents"))) // a person may
	f.refused(f.propose(7, lesson("Amounts are in cents")), memory.ReasonDuplicate, taught.ID())
}

func TestAnAutomaticProposalIsMarkedAndReplacesNothing(t *testing.T) {
	f := newFixture(t)
	auto := func(n *memory.NewLesson) memory.Transition {
		tr := f.propose(4, n)
		tr.Lesson.State, tr.Lesson.Approved = memory.Active, memory.ApprovedAuto
		return tr
	}
	v := f.must(auto(keyed("a/b", "Amounts are in cents")))
	if v.State != memory.Active || v.Approved != memory.ApprovedAuto {
		t.Errorf("stored as %+v", v)
	}
	if c, _ := f.Counts(t.Context()); c.ActiveByAuto != 1 || c.Active != 1 {
		t.Errorf("counts %+v", c)
	}
	f.must(f.remember(ada, keyed("c/d", "Times are in UTC")))
	f.refused(auto(keyed("c/d", "Times are local")), memory.ReasonNotYours, "never replaces")
	f.refused(f.on(memory.OpForget, bot, v.DocumentID), memory.ReasonNotYours, "nobody")
}

func TestQuotas(t *testing.T) {
	f := newFixture(t)
	q := memory.Quotas{ProposalsPerRun: 3, PendingPerPull: 2, PendingPerRepo: 3, ActivePerRepo: 2}
	with := func(tr memory.Transition) memory.Transition { tr.Quotas = q; return tr }
	f.must(with(f.propose(1, lesson("one"))))
	f.must(with(f.propose(1, lesson("two"))))
	late := with(f.propose(1, lesson("three")))
	f.refused(late, memory.ReasonQuota, "pull request")
	f.must(with(f.propose(2, lesson("four"))))
	f.refused(with(f.propose(3, lesson("five"))), memory.ReasonQuota, "this repository")
	run := with(f.propose(3, lesson("six")))
	run.Quotas.ProposedInThisRun = 3
	f.refused(run, memory.ReasonQuota, "One run")
	pending, _ := f.PendingFor(t.Context(), 1)
	f.must(f.on(memory.OpReject, mara, pending[0].ID()))
	f.must(late) // a proposal that found no room may come back

	f.must(with(f.remember(ada, keyed("a/b", "seven"))))
	f.must(with(f.remember(ada, keyed("c/d", "eight"))))
	full := with(f.remember(ada, keyed("e/f", "nine")))
	f.refused(full, memory.ReasonQuota, "Retire")
	if again := f.apply(full); !again.Already || again.Refused == nil {
		t.Errorf("a refused command is final, its replay gave %+v", again)
	}
	f.must(with(f.remember(ada, keyed("a/b", "seven and a half")))) // replacing takes no room
}

func testAFullStoreStillForgets(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents")))
	p := f.must(f.propose(1, lesson("Times are in UTC")))
	size, err := f.bytes(t.Context(), f.c.conn)
	if err != nil {
		t.Fatal(err)
	}
	f.maxBytes = size
	f.refused(f.remember(ada, lesson("Dates are ISO 8601")), memory.ReasonStoreFull, "forget, revoke and purge still work")
	f.refused(f.propose(1, lesson("Names are ASCII")), memory.ReasonStoreFull)
	f.refused(f.edit(ada, v.ID(), "Amounts are in mills"), memory.ReasonStoreFull)
	f.refused(f.approve(mara, p), memory.ReasonStoreFull)
	f.must(f.on(memory.OpReject, mara, p.ID()))
	f.must(f.keep(ada, v.ID(), nil))
	f.must(f.revoke("repo/octocat/ledger/x"))
	f.must(f.unrevoke("repo/octocat/ledger/x"))
	f.maxBytes = size / 2 // and also where it is far above
	f.must(f.revoke("repo/octocat/ledger/y"))
	f.must(f.on(memory.OpForget, ada, v.DocumentID))
	f.must(f.on(memory.OpRedact, mara, p.DocumentID))
	f.must(f.on(memory.OpPurge, ada, v.DocumentID))
}

func TestIDs(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents")))
	get := func(id string) ([]memory.Version, *memory.Refusal) {
		t.Helper()
		versions, refused, err := f.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return versions, refused
	}
	for _, id := range []string{v.DocumentID, v.ID(), v.DocumentID[:6], strings.ToUpper(v.DocumentID), " " + v.ID() + " "} {
		if got, refused := get(id); refused != nil || len(got) != 1 || got[0].ID() != v.ID() {
			t.Errorf("Get(%q) = %v, %+v", id, got, refused)
		}
	}
	for _, c := range []struct{ id, says string }{
		{"", "No id was given"}, {"  ", "No id was given"}, {"m-zzzzzzzz", v.DocumentID}, {"m-", v.DocumentID}, {"F2", v.DocumentID},
		{v.DocumentID + "@9", "no version 9"}, {"m-%", v.DocumentID}, {"m-' OR 1=1 --", v.DocumentID},
	} {
		if got, refused := get(c.id); refused == nil || refused.Reason != memory.ReasonUnknownID || !strings.Contains(refused.Detail, c.says) {
			t.Errorf("Get(%q) = %v, %+v; want unknown_id saying %q", c.id, got, refused, c.says)
		}
	}
}

func TestAnAmbiguousIDIsRefusedWithItsCandidates(t *testing.T) {
	f := newFixture(t)
	var lessons []*memory.NewLesson
	for i := range 200 {
		lessons = append(lessons, keyed(fmt.Sprintf("twin/k%d", i), fmt.Sprintf("Twin number %d", i)))
	}
	f.bulk(lessons...)
	versions, err := f.List(t.Context(), Filter{})
	if err != nil {
		t.Fatal(err)
	}
	byPrefix := map[string]string{}
	for _, v := range versions {
		prefix := v.DocumentID[:4]
		if other := byPrefix[prefix]; other != "" {
			if r := f.refused(f.on(memory.OpForget, ada, prefix), memory.ReasonAmbiguousID, prefix); r.Target != prefix || !strings.Contains(r.Detail, v.DocumentID) && !strings.Contains(r.Detail, "and more") {
				t.Errorf("refused as %+v; want %s and %s among the candidates", r, v.DocumentID, other)
			}
			return
		}
		byPrefix[prefix] = v.DocumentID
	}
	t.Fatal("no two of 200 ids begin alike")
}

func TestAuditHasOneRowForEachOutcomeAndNoText(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, keyed("secretive/passphrase", "The passphrase is zanzibar")))
	f.refused(f.on(memory.OpForget, mara, v.DocumentID), memory.ReasonNotYours, "ada")
	f.must(f.on(memory.OpForget, ada, v.DocumentID))
	rows, err := f.Audit(t.Context(), 0)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	got := fmt.Sprintf("%s/%s %s/%s %s/%s", rows[0].Op, rows[0].Reason, rows[1].Op, rows[1].Reason, rows[2].Op, rows[2].Reason)
	if got != "forget/ forget/not_yours remember/" {
		t.Errorf("rows %s", got)
	}
	for _, r := range rows {
		if s := fmt.Sprintf("%+v", r); strings.Contains(s, "zanzibar") || strings.Contains(s, "passphrase") {
			t.Errorf("a row holds text or key: %s", s)
		}
		if r.Target == "" || r.Actor.ID == 0 {
			t.Errorf("row %+v", r)
		}
	}
}

func TestListAndCounts(t *testing.T) {
	f := newFixture(t)
	n := lesson("Money is rounded half-even")
	n.Paths, n.About = []string{"billing/**"}, []string{"currency"}
	money := f.must(f.remember(ada, n))
	clock := f.must(f.remember(ada, lesson("The clock is injected, see newFakeClock")))
	gone := f.must(f.remember(ada, lesson("This goes")))
	f.must(f.on(memory.OpForget, ada, gone.DocumentID))
	wait := f.must(f.propose(8, lesson("Names are ASCII")))
	for _, c := range []struct {
		name string
		f    Filter
		want []string
	}{
		{"everything with a text, latest first", Filter{}, []string{wait.ID(), clock.ID(), money.ID()}},
		{"by state", Filter{States: []memory.State{memory.ReviewRequired}}, []string{wait.ID()}},
		{"tombstones when asked for", Filter{States: []memory.State{memory.Tombstoned}}, []string{gone.ID()}},
		{"all words, any case, synonyms too", Filter{Query: "CURRENCY rounded"}, []string{money.ID()}},
		{"a part of an identifier", Filter{Query: "fake clock"}, []string{clock.ID()}},
		{"a word that is not there", Filter{Query: "rounded up"}, nil},
		{"by path", Filter{Path: "billing/tax/vat.go"}, []string{money.ID()}},
		{"another path", Filter{Path: "cmd/main.go"}, nil},
		{"by pull request", Filter{PullRequest: 8}, []string{wait.ID()}},
		{"a limit", Filter{Limit: 2}, []string{wait.ID(), clock.ID()}},
		{"a limit of some states", Filter{States: []memory.State{memory.Active, memory.ReviewRequired}, Limit: 1}, []string{wait.ID()}},
		{"a limit above what there is", Filter{PullRequest: 8, Limit: 2}, []string{wait.ID()}},
		{"a limit counts what matches", Filter{Query: "is", Limit: 2}, []string{clock.ID(), money.ID()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			versions, err := f.List(t.Context(), c.f)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range versions {
				got = append(got, v.ID())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	counts, err := f.Counts(t.Context())
	if err != nil || counts.Active != 2 || counts.Pending != 1 || counts.PendingByPull[8] != 1 || counts.Tombstoned != 1 || counts.Documents != 4 || counts.StoredVersions != 4 {
		t.Errorf("counts %+v, %v", counts, err)
	}
	if p, err := f.PendingFor(t.Context(), 8); err != nil || len(p) != 1 || p[0].ID() != wait.ID() {
		t.Errorf("pending %v, %v", p, err)
	}
	if p, _ := f.PendingFor(t.Context(), 9); len(p) != 0 {
		t.Errorf("pending on another pull request: %v", p)
	}
}

func TestMarkUsed(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents")))
	used := func() string {
		got, _, err := f.Get(t.Context(), v.ID())
		if err != nil {
			t.Fatal(err)
		}
		return got[0].LastUsed
	}
	for _, c := range []struct{ day, want string }{{"2026-11-30", "2026-11-30"}, {"2026-12-01", "2026-12-01"}, {"2026-11-29", "2026-12-01"}} {
		if err := f.MarkUsed(t.Context(), []string{v.ID(), "m-zzzzzzzz", "nonsense"}, c.day); err != nil || used() != c.want {
			t.Errorf("after %s: %q, %v; want %s", c.day, used(), err, c.want)
		}
	}
	for _, day := range []string{"", "yesterday", "2026-13-01", "2026-1-1"} {
		if err := f.MarkUsed(t.Context(), []string{v.ID()}, day); err == nil {
			t.Errorf("%q passed as a day", day)
		}
	}
}

func TestLessonsFollowARename(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), f.path, Identity{RepositoryID: ledger.RepositoryID, Owner: "Octo-Org", Name: "Books"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, _, err := s.Get(t.Context(), v.ID())
	if err != nil || got[0].Key != "repo/Octo-Org/Books/money/unit" {
		t.Errorf("key %v, %v", got, err)
	}
}

func TestGenerationGrowsOnceInEachOpeningThatChanges(t *testing.T) {
	f := newFixture(t)
	path := f.path
	generation := func(s *Store) int64 {
		info, err := s.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.Generation
	}
	f.must(f.remember(ada, lesson("one")))
	f.must(f.remember(ada, lesson("two")))
	if g := generation(f.Store); g != 1 || !f.Changed() {
		t.Errorf("a new store is generation %d, changed %v", g, f.Changed())
	}
	f.Close()
	for i, change := range []bool{false, true, true, false} {
		s, err := Open(t.Context(), path, ledger)
		if err != nil {
			t.Fatal(err)
		}
		before := generation(s)
		f.Store = s
		if change {
			f.must(f.remember(ada, lesson(fmt.Sprintf("more %d", i))))
			f.must(f.remember(ada, lesson(fmt.Sprintf("and more %d", i))))
		}
		want := before
		if change {
			want++
		}
		if g := generation(s); g != want || s.Changed() != change {
			t.Errorf("opening %d: generation %d after %d, changed %v", i, g, before, s.Changed())
		}
		s.Close()
	}
}
