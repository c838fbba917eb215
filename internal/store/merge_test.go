package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// later is when the containers of these tests were sealed.
var later = MergeRules{SealedAt: noon.AddDate(1, 0, 0)}

// replica is a copy of a store with the same history, as a second run would
// load it.
func (f *fixture) replica() *fixture {
	f.t.Helper()
	path := filepath.Join(f.t.TempDir(), "replica.db")
	if err := os.WriteFile(path, f.saved(), 0o600); err != nil {
		f.t.Fatal(err)
	}
	s, err := Open(f.t.Context(), path, ledger)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { s.Close() })
	return &fixture{Store: s, t: f.t, events: f.events}
}

func (f *fixture) merge(other *fixture) MergeReport {
	f.t.Helper()
	r, err := f.Merge(f.t.Context(), other.Store, later)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *fixture) digest() string {
	f.t.Helper()
	d, err := f.Digest(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return d
}

// both merges a and b in either order into copies, proves that the results
// are the same and that merging again changes nothing, and returns one.
func both(a, b *fixture) *fixture {
	a.t.Helper()
	ab, ba := a.replica(), b.replica()
	ab.merge(b)
	ba.merge(a)
	if ab.digest() != ba.digest() {
		a.t.Errorf("merged in one order it is\n%s\nin the other\n%s", ab.content(), ba.content())
	}
	for _, again := range []*fixture{a, b, ba} {
		if r := ab.merge(again); r != (MergeReport{}) {
			a.t.Errorf("merging again did %+v", r)
		}
	}
	ab.sound()
	return ab
}

// sound proves that the index answers for exactly the active versions, and
// that the saved file passes as one from outside.
func (f *fixture) sound() {
	f.t.Helper()
	f.keepsItsFile()
	var wrong int
	err := f.c.conn.QueryRowContext(f.t.Context(), `SELECT count(*) FROM versions v
 WHERE (v.state = 'active') <> (v.id IN (SELECT id FROM recall_docsize))`).Scan(&wrong)
	if err != nil || wrong != 0 {
		f.t.Errorf("%d versions are in the index and not active, or the other way round (%v)", wrong, err)
	}
	if _, err := f.c.conn.ExecContext(f.t.Context(), "INSERT INTO recall(recall) VALUES ('integrity-check')"); err != nil {
		f.t.Errorf("the full-text index: %v", err)
	}
	if r := f.replica(); r.digest() != f.digest() {
		f.t.Error("saved and opened it holds something else")
	}
}

// keepsItsFile proves that what a merge kept for the next one is in the file.
func (f *fixture) keepsItsFile() {
	f.t.Helper()
	kept, err := f.load()
	if err != nil {
		f.t.Fatal(err)
	}
	f.kept = kept
	got, err := kept.digest()
	if err != nil || got != f.digest() {
		f.t.Errorf("a merge keeps for the next one what is not in the file (%v)", err)
	}
	file, err := f.read(nil)
	if err != nil {
		f.t.Fatal(err)
	}
	for uid, r := range file.rows["versions"] {
		if kept.rows["versions"][uid].rowid != r.rowid {
			f.t.Errorf("a version is at row %d and was kept as %d", r.rowid, kept.rows["versions"][uid].rowid)
		}
	}
}

func (f *fixture) state(id string) memory.State {
	f.t.Helper()
	v, refused, err := f.Get(f.t.Context(), id)
	if err != nil || refused != nil {
		f.t.Fatal(id, refused, err)
	}
	return v[len(v)-1].State
}

func TestA97TwoRunsThatLoadedOneGenerationLoseNothing(t *testing.T) {
	a := newFixture(t)
	old := a.must(a.remember(ada, lesson("Amounts are in cents")))
	b := a.replica()
	one := a.must(a.remember(ada, lesson("Times are in UTC")))
	b.events += 100
	two := b.must(b.remember(mara, lesson("Names are in ASCII")))
	m := both(a, b)
	for _, v := range []memory.Version{old, one, two} {
		if m.state(v.ID()) != memory.Active {
			t.Errorf("%s is %s", v.ID(), m.state(v.ID()))
		}
	}
	if got := m.recall("names ascii"); len(got) != 1 || got[0] != two.ID() {
		t.Errorf("recalled %v", got)
	}
	// A replay of either command in the merged store is known.
	replay := b.remember(mara, lesson("Names are in ASCII"))
	replay.Cause, replay.At = memory.NewCause("event", "102"), noon.Add(102*time.Minute)
	if a := m.apply(replay); !a.Already || a.Version.ID() != two.ID() {
		t.Errorf("the replay did %+v", a)
	}
}

// A run merges one head after the other, and a command may come in between:
// what was kept from the merge before is not believed then.
func TestMergesInARowEqualMergesOfFreshlyOpenedStores(t *testing.T) {
	t.Parallel()
	a := newFixture(t)
	forgotten := a.must(a.remember(ada, lesson("Amounts are in cents")))
	var heads []*fixture
	for i := range 4 {
		head := a.replica()
		head.events += 100 * (i + 1)
		head.must(head.remember(mara, lesson(fmt.Sprintf("Times are in UTC, says head %d", i))))
		heads = append(heads, head)
	}
	heads[2].must(heads[2].on(memory.OpForget, ada, forgotten.DocumentID))
	heads[3].must(heads[3].on(memory.OpPurge, ada, heads[3].must(heads[3].remember(ada, lesson("Names are in ASCII"))).DocumentID))
	step := func(into *fixture, i int) {
		if i == 2 {
			into.events = 5000
			into.must(into.remember(ada, lesson("Ids are numbers")))
		}
		into.merge(heads[i])
	}
	row, fresh := a.replica(), a.replica()
	for i := range heads {
		step(row, i)
		row.keepsItsFile()
		step(fresh, i)
		fresh = fresh.replica()
		if row.digest() != fresh.digest() {
			t.Fatalf("after head %d it is\n%s\nand opened anew each time\n%s", i, row.content(), fresh.content())
		}
	}
	if row.state(forgotten.ID()) != memory.Tombstoned {
		t.Errorf("%s is %s", forgotten.ID(), row.state(forgotten.ID()))
	}
	row.sound()
}

func TestMergeReportsWhatItDid(t *testing.T) {
	a := newFixture(t)
	v := a.must(a.propose(3, lesson("Amounts are in cents")))
	b := a.replica()
	b.must(b.approve(mara, v))
	b.must(b.remember(mara, lesson("Times are in UTC")))
	generation := a.generation()
	r := a.merge(b)
	// New: a document, a version, two causes, two audit rows. Moved on: the
	// version that was approved.
	if r != (MergeReport{Added: 6, Changed: 1}) {
		t.Errorf("%+v", r)
	}
	if !a.Changed() || a.generation() != generation {
		t.Errorf("changed %v, generation %d; it was %d, and one opening is one generation", a.Changed(), a.generation(), generation)
	}
	c := b.replica()
	if r := c.merge(b); r != (MergeReport{}) || c.Changed() {
		t.Errorf("a merge of the same did %+v, changed %v", r, c.Changed())
	}
}

func (f *fixture) generation() int64 {
	f.t.Helper()
	info, err := f.Info(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return info.Generation
}

func TestDenialsWinOverWhatHappenedBesideThem(t *testing.T) {
	t.Parallel()
	t.Run("forget against approve: the text is gone in every byte", func(t *testing.T) {
		a := newFixture(t)
		const secret = "Zebrafish ledgers settle on Wednesdays"
		v := a.must(a.propose(3, keyed("lessons/zebrafish", secret)))
		b := a.replica()
		a.must(a.approve(ada, v)) // owned by ada from here on
		c := a.replica()
		a.must(a.on(memory.OpForget, ada, v.DocumentID))
		b.must(b.approve(mara, v))
		for _, m := range []*fixture{both(a, b), both(a, c), both(b, both(c, a))} {
			if m.state(v.ID()) != memory.Tombstoned {
				t.Errorf("it is %s", m.state(v.ID()))
			}
			for _, word := range []string{"ebrafish", "wednesday", "Wednesday"} {
				if bytes.Contains(bytes.ToLower(m.saved()), []byte(strings.ToLower(word))) {
					t.Errorf("the saved file contains %q", word)
				}
			}
			if len(m.recall("zebrafish ledgers wednesdays")) != 0 {
				t.Error("it is recalled")
			}
		}
	})
	t.Run("forget against an edit: the edited text goes with its document", func(t *testing.T) {
		a := newFixture(t)
		v := a.must(a.remember(ada, keyed("money/unit", "Amounts are in cents")))
		b := a.replica()
		a.must(a.on(memory.OpForget, ada, v.DocumentID))
		b.events += 50
		b.must(b.remember(ada, keyed("money/unit", "Amounts are in zorkmids")))
		m := both(a, b)
		if bytes.Contains(m.saved(), []byte("zorkmids")) || len(m.recall("amounts zorkmids cents")) != 0 {
			t.Error("the edited text is there")
		}
	})
	t.Run("forget against a copy that another run proposed before", func(t *testing.T) {
		a := newFixture(t)
		b := a.replica()
		v := a.must(a.remember(ada, keyed("a/one", "Amounts are in quatloos")))
		b.events += 50
		copied := b.must(b.propose(4, keyed("b/two", "amounts are in  QUATLOOS!")))
		a.events += 100
		a.must(a.on(memory.OpForget, ada, v.DocumentID))
		m := both(a, b)
		if m.state(copied.ID()) != memory.Tombstoned || bytes.Contains(bytes.ToLower(m.saved()), []byte("quatloos")) {
			t.Errorf("the copy is %s", m.state(copied.ID()))
		}
	})
	t.Run("forget against the same words taught again later: the later word stays", func(t *testing.T) {
		a := newFixture(t)
		v := a.must(a.remember(ada, keyed("a/one", "Amounts are in quatloos")))
		b := a.replica()
		a.must(a.on(memory.OpForget, ada, v.DocumentID))
		again := keyed("a/two", "Amounts are in quatloos")
		again.Again = true
		b.must(b.on(memory.OpForget, ada, v.DocumentID))
		b.events += 10
		w := b.must(b.remember(ada, again))
		if m := both(a, b); m.state(w.ID()) != memory.Active {
			t.Errorf("it is %s", m.state(w.ID()))
		}
	})
	t.Run("purge against update: nothing comes back, and the key starts anew", func(t *testing.T) {
		a := newFixture(t)
		v := a.must(a.remember(ada, keyed("money/unit", "Amounts are in cents")))
		b := a.replica()
		purge := a.on(memory.OpPurge, ada, v.DocumentID)
		purge.Standing = memory.StandingAdmin
		a.apply(purge)
		b.events += 50
		b.must(b.remember(ada, keyed("money/unit", "Amounts are in zorkmids")))
		m := both(a, b)
		if _, refused, err := m.Get(t.Context(), v.DocumentID); refused == nil || err != nil || bytes.Contains(m.saved(), []byte("zorkmids")) {
			t.Errorf("it is back (%v)", err)
		}
		m.events = 500
		if w := m.must(m.remember(ada, keyed("money/unit", "Amounts are in mills"))); w.Number != 1 || w.DocumentID == v.DocumentID {
			t.Errorf("the key gave %s", w.ID())
		}
	})
	t.Run("A112: a stale sweep against an approval: the approval stands", func(t *testing.T) {
		a := newFixture(t)
		v := a.must(a.propose(3, lesson("Amounts are in cents")))
		b := a.replica()
		lapse := a.on(memory.OpLapse, memory.Principal{}, v.ID())
		lapse.At, lapse.PullClosed = noon.AddDate(0, 2, 0), true
		a.must(lapse)
		b.must(b.approve(mara, v))
		m := both(a, b)
		if m.state(v.ID()) != memory.Active || len(m.recall("amounts cents")) != 1 {
			t.Errorf("it is %s", m.state(v.ID()))
		}
	})
	t.Run("reject against approve: the denial stands", func(t *testing.T) {
		a := newFixture(t)
		v := a.must(a.propose(3, lesson("Amounts are in cents")))
		b := a.replica()
		a.must(a.on(memory.OpReject, ada, v.ID()))
		b.must(b.approve(mara, v))
		if m := both(a, b); m.state(v.ID()) != memory.Rejected || len(m.recall("amounts cents")) != 0 {
			t.Errorf("it is %s", m.state(v.ID()))
		}
	})
	t.Run("revoke against propose: it can no longer be approved or recalled", func(t *testing.T) {
		a := newFixture(t)
		b := a.replica()
		revoke := a.event(memory.OpRevoke, ada)
		revoke.Standing, revoke.Prefix = memory.StandingAdmin, "repo/octocat/ledger/money"
		if got := a.apply(revoke); got.Refused != nil {
			t.Fatal(*got.Refused)
		}
		b.events += 50
		v := b.must(b.propose(3, keyed("money/unit", "Amounts are in cents")))
		b.must(b.approve(mara, v))
		m := both(a, b)
		if got := m.recall("amounts cents"); len(got) != 0 {
			t.Errorf("recalled %v", got)
		}
		m.events = 500
		m.refused(m.propose(4, keyed("money/other", "Amounts are in mills")), memory.ReasonRevoked)
	})
}

// TestOneRevokeThatTwoRunsKnowUnderTwoKeysDeniesBoth: a key made from the
// first words may be free in one run and taken in the other.
func TestOneRevokeThatTwoRunsKnowUnderTwoKeysDeniesBoth(t *testing.T) {
	a := newFixture(t)
	words := "The words by which a lesson without a key of its own gets one are its first "
	b := a.replica()
	b.events += 10
	b.must(b.remember(ada, lesson(words+"ten")))
	a.events += 100
	second := a.remember(ada, lesson(words+"twenty"))
	one, two := a.must(second), b.must(second)
	if one.DocumentID != two.DocumentID || string(two.Key) != string(one.Key)+"-2" {
		t.Fatalf("%s under %s and %s under %s", one.ID(), one.Key, two.ID(), two.Key)
	}
	revoke := a.on(memory.OpRevoke, mara, one.DocumentID)
	a.must(revoke)
	b.must(revoke)
	m := both(a, b)
	if got := m.denials(); !slices.Equal(got, []string{string(one.Key), string(two.Key)}) {
		t.Errorf("denied %v, want %s and %s", got, one.Key, two.Key)
	}
}

func TestTheSameKeyTaughtTwiceStaysTwice(t *testing.T) {
	a := newFixture(t)
	b := a.replica()
	one := a.must(a.remember(ada, keyed("money/unit", "Amounts are in cents")))
	b.events += 10
	two := b.must(b.remember(mara, keyed("money/unit", "Amounts are in mills")))
	m := both(a, b)
	if m.state(one.ID()) != memory.Active || m.state(two.ID()) != memory.Active {
		t.Errorf("they are %s and %s", m.state(one.ID()), m.state(two.ID()))
	}
	if got := m.recall("amounts cents mills"); len(got) != 1 || got[0] != two.ID() {
		t.Errorf("recalled %v, want the latest confirmed, %s", got, two.ID())
	}
}

func TestOneCauseThatTwoRunsDealtWithIsAppliedOnce(t *testing.T) {
	a := newFixture(t)
	v := a.must(a.remember(ada, keyed("money/unit", "Amounts are in cents")))
	b := a.replica()
	again := a.remember(ada, keyed("money/unit", "Amounts are in mills"))
	a.must(again)
	// The other run had taken the key away before the same command came.
	b.events += 20
	b.must(b.on(memory.OpForget, ada, v.DocumentID))
	b.must(again)
	m := both(a, b)
	versions, err := m.List(t.Context(), Filter{Query: "mills"})
	if err != nil || len(versions) > 1 {
		t.Errorf("%d versions say it (%v)", len(versions), err)
	}
	c := a.replica()
	late := a.on(memory.OpRetire, ada, v.DocumentID+"@2")
	c.events += 30
	c.must(c.on(memory.OpForget, ada, v.DocumentID))
	a.must(late)
	c.apply(late) // refused there: it was gone
	if m = both(a, c); m.state(v.DocumentID) != memory.Tombstoned {
		t.Errorf("it is %s", m.state(v.DocumentID))
	}
	if got := m.apply(late); !got.Already || got.Refused != nil {
		t.Errorf("what one run applied reads %+v", got)
	}
}

// sameCause are two runs' dealings with one cause: another clock, another
// sender, and what each looked up itself.
func sameCause(a, b *fixture, tr memory.Transition, change func(*memory.NewLesson)) (one, two memory.Version) {
	one = a.must(tr)
	other := *tr.Lesson
	change(&other)
	tr.Lesson, tr.At, tr.Actor = &other, tr.At.Add(2*time.Second), mara
	return one, b.must(tr)
}

func TestOneCauseOfTwoClocksActorsAndGlobsIsOneVersion(t *testing.T) {
	with := func(paths ...string) func(*memory.NewLesson) { return func(n *memory.NewLesson) { n.Paths = paths } }
	for _, x := range []struct {
		name   string
		a, b   func(*memory.NewLesson)
		then   func(a, b *fixture, v memory.Version)
		paths  []string
		state  memory.State
		gone   bool // the words
		beside bool // b also teaches something
	}{
		{name: "the clock and the actor alone", a: with("a/**"), b: with("a/**"), paths: []string{"a/**"}, state: memory.ReviewRequired, beside: true},
		{name: "other globs: the lesser", a: with("b/**"), b: with("a/**"), paths: []string{"a/**"}, state: memory.ReviewRequired},
		{name: "globs in one alone: they hold", a: with(), b: with("b/**"), paths: []string{"b/**"}, state: memory.ReviewRequired},
		{name: "other globs, and one was approved: what was approved", a: with("b/**"), b: with("a/**"), paths: []string{"b/**"}, state: memory.Active,
			then: func(a, _ *fixture, v memory.Version) { a.must(a.approve(ada, v)) }},
		{name: "one was rejected", a: with("b/**"), b: with("a/**"), paths: []string{"a/**"}, state: memory.Rejected,
			then: func(a, _ *fixture, v memory.Version) { a.must(a.on(memory.OpReject, ada, v.ID())) }},
		{name: "one was forgotten, the other approved", a: with("b/**"), b: with("a/**"), state: memory.Tombstoned, gone: true,
			then: func(a, b *fixture, v memory.Version) {
				a.must(a.approve(ada, v))
				a.must(a.on(memory.OpForget, ada, v.DocumentID))
				b.events += 50
				b.must(b.approve(mara, v))
			}},
	} {
		t.Run(x.name, func(t *testing.T) {
			a := newFixture(t)
			b := a.replica()
			tr := a.propose(3, keyed("money/unit", "Amounts are in zorkmids"))
			x.a(tr.Lesson)
			one, two := sameCause(a, b, tr, x.b)
			if one.ID() != two.ID() {
				t.Fatalf("the ids are %s and %s", one.ID(), two.ID())
			}
			if x.then != nil {
				x.then(a, b, one)
			}
			var beside memory.Version
			if x.beside {
				b.events += 100
				beside = b.must(b.remember(mara, lesson("Times are in UTC")))
			}
			m := both(a, b)
			got, refused, err := m.Get(t.Context(), one.DocumentID)
			if err != nil || refused != nil || len(got) != 1 {
				t.Fatalf("%d versions, %v, %v", len(got), refused, err)
			}
			v := got[0]
			if v.State != x.state || !slices.Equal(v.Paths, x.paths) || v.Creator != bot || !v.CreatedAt.Equal(tr.At) {
				t.Errorf("it is %s with %q, by %v at %v; want %s with %q, by the earlier of both at %v", v.State, v.Paths, v.Creator, v.CreatedAt, x.state, x.paths, tr.At)
			}
			if has := bytes.Contains(bytes.ToLower(m.saved()), []byte("zorkmids")); has == x.gone {
				t.Errorf("the saved file has its words: %v", has)
			}
			if x.beside && m.state(beside.ID()) != memory.Active {
				t.Error("what the other run learned is lost")
			}
		})
	}
}

func TestOneDenialThatTwoRunsDealtWithStands(t *testing.T) {
	a := newFixture(t)
	b := a.replica()
	revoke := a.event(memory.OpRevoke, ada)
	revoke.Standing, revoke.Prefix = memory.StandingAdmin, "repo/octocat/ledger/money"
	a.apply(revoke)
	revoke.At, revoke.Actor = revoke.At.Add(2*time.Second), mara
	b.apply(revoke)
	m := both(a, b)
	m.events = 500
	m.refused(m.propose(4, keyed("money/other", "Amounts are in mills")), memory.ReasonRevoked)
	lift := m.event(memory.OpUnrevoke, ada)
	lift.Standing, lift.Prefix = memory.StandingAdmin, revoke.Prefix
	c := m.replica()
	m.apply(lift)
	lift.At, lift.Actor = lift.At.Add(2*time.Second), mara
	c.apply(lift)
	d := both(m, c)
	d.events = 600
	d.must(d.propose(4, keyed("money/other", "Amounts are in mills")))
}

func TestTheAuditHorizonIsTheLatest(t *testing.T) {
	a := newFixture(t)
	a.must(a.remember(ada, lesson("Amounts are in cents")))
	b := a.replica()
	horizon := a.event(memory.OpHorizon, memory.Principal{})
	horizon.At, horizon.Retention = noon.AddDate(0, 0, 40), memory.Retention{AuditDays: 30}
	a.apply(horizon)
	b.events += 10
	b.must(b.remember(mara, lesson("Times are in UTC")))
	m := both(a, b)
	rows, err := m.Audit(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.At.Before(noon.AddDate(0, 0, 10)) {
			t.Errorf("a row of %s came back", r.At)
		}
	}
	var n int
	if err := m.c.conn.QueryRowContext(t.Context(), "SELECT count(*) FROM causes").Scan(&n); err != nil || n != 3 {
		t.Errorf("%d causes (%v); causes never go", n, err)
	}
}

func TestRowsFromTheFutureAreRefused(t *testing.T) {
	a := newFixture(t)
	b := a.replica()
	good := b.must(b.remember(mara, lesson("Times are in UTC")))
	skewed := b.remember(mara, lesson("Amounts are in cents"))
	skewed.At = noon.AddDate(20, 0, 0)
	v := b.must(skewed)
	sealed := MergeRules{SealedAt: noon.Add(time.Hour)}
	r, err := a.Merge(t.Context(), b.Store, sealed)
	if err != nil || r.Refused != 4 || r.Added != 4 {
		t.Errorf("%+v, %v; want the skewed document, version, cause and audit row refused", r, err)
	}
	if a.state(good.ID()) != memory.Active {
		t.Error("the good row is not there")
	}
	if _, refused, _ := a.Get(t.Context(), v.DocumentID); refused == nil {
		t.Error("the row from the future is there")
	}
	if n, err := b.DropLater(t.Context(), sealed.SealedAt); err != nil || n != 4 || b.digest() != a.digest() {
		t.Errorf("dropping them where they are: %d, %v", n, err)
	}
	if n, err := b.DropLater(t.Context(), sealed.SealedAt); err != nil || n != 0 {
		t.Errorf("again: %d, %v", n, err)
	}
	a.sound()
	b.sound()
	// Five minutes are allowed.
	close := a.remember(ada, lesson("Names are in ASCII"))
	close.At = sealed.SealedAt.Add(5 * time.Minute)
	a.must(close)
	if n, err := a.DropLater(t.Context(), sealed.SealedAt); err != nil || n != 0 {
		t.Errorf("five minutes later: %d, %v", n, err)
	}
	if _, err := a.Merge(t.Context(), b.Store, MergeRules{}); KindOf(err) != Unusable {
		t.Errorf("without the time of sealing: %v", err)
	}
}

func TestOneIdWithTwoTextsIsCorruption(t *testing.T) {
	for name, statement := range map[string]string{
		"another text":         "UPDATE versions SET text = 'Amounts are in mills'",
		"another pull request": "UPDATE versions SET pull_request = 9",
		"another secret":       "UPDATE secrets SET key = x'" + strings.Repeat("00", 32) + "'",
	} {
		t.Run(name, func(t *testing.T) {
			a := newFixture(t)
			a.must(a.remember(ada, lesson("Amounts are in cents")))
			b := a.replica()
			b.must(b.remember(ada, lesson("Times are in UTC")))
			if _, err := b.c.conn.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			before := a.digest()
			_, err := a.Merge(t.Context(), b.Store, later)
			var mine *Error
			if !errors.As(err, &mine) || mine.Kind != Corrupted || mine.Path != b.path || !strings.Contains(mine.Detail, "differ") {
				t.Errorf("%v", err)
			}
			if a.digest() != before || !strings.Contains(fmt.Sprint(err), b.path) {
				t.Error("the store changed")
			}
		})
	}
}

func TestStoresThatAreNotTheSame(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	one := a.must(a.remember(ada, lesson("Amounts are in cents")))
	b.events += 10
	two := b.must(b.remember(ada, lesson("Times are in UTC")))
	if _, err := a.Merge(t.Context(), b.Store, later); KindOf(err) != OtherStore {
		t.Errorf("another store: %v", err)
	}
	elsewhere, err := Create(t.Context(), filepath.Join(t.TempDir(), "x.db"), Identity{RepositoryID: 7, Owner: "a", Name: "b"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	if _, err := a.Merge(t.Context(), elsewhere, MergeRules{SealedAt: noon, AnyStore: true}); KindOf(err) != WrongRepository {
		t.Errorf("another repository: %v", err)
	}
	// Two first runs: the stores become one, and what either knew to be
	// forgotten stays so.
	b.must(b.on(memory.OpForget, ada, two.DocumentID))
	anyStore := later
	anyStore.AnyStore = true
	ab, ba := a.replica(), b.replica()
	for _, m := range []struct{ into, from *fixture }{{ab, b}, {ba, a}} {
		if _, err := m.into.Merge(t.Context(), m.from.Store, anyStore); err != nil {
			t.Fatal(err)
		}
		m.into.sound()
		m.into.events = 100
		m.into.refused(m.into.propose(3, lesson("times are in utc")), memory.ReasonSuppressed)
		m.into.refused(m.into.propose(3, lesson("amounts are in CENTS")), memory.ReasonDuplicate)
		if m.into.state(one.ID()) != memory.Active {
			t.Error("a lesson is lost")
		}
	}
	infoA, _ := ab.Info(t.Context())
	infoB, _ := ba.Info(t.Context())
	if infoA.StoreID != infoB.StoreID || ab.digest() != ba.digest() {
		t.Errorf("store ids %s and %s", infoA.StoreID, infoB.StoreID)
	}
}

func TestMergingAStoreWithItself(t *testing.T) {
	a := newFixture(t)
	a.must(a.remember(ada, lesson("Amounts are in cents")))
	if r := a.merge(a); r != (MergeReport{}) {
		t.Errorf("%+v", r)
	}
	if err := a.Export(t.Context(), io.Discard); err != nil {
		t.Error(err)
	}
}
