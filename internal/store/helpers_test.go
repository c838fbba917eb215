package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

var (
	ledger = Identity{RepositoryID: 7001, Owner: "octocat", Name: "ledger"}
	noon   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	ada    = memory.Principal{ID: 11, Login: "ada"}
	mara   = memory.Principal{ID: 12, Login: "mara"}
	bot    = memory.Principal{ID: 99, Login: "hubot"}
)

// fixture is a store with a counter that gives every event a cause of its
// own.
type fixture struct {
	*Store
	t      testing.TB
	events int
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	s, err := anotherStore(t.Context(), filepath.Join(t.TempDir(), "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &fixture{Store: s, t: t}
}

// anotherStore is what Create makes at noon, in a fifth of the time: a copy of
// the first one with an id and a key of its own.
func anotherStore(ctx context.Context, path string) (*Store, error) {
	empty.Do(func() {
		var s *Store
		first := filepath.Join(os.TempDir(), fmt.Sprintf("empty-%d.db", os.Getpid()))
		if s, empty.err = Create(ctx, first, ledger, noon); empty.err == nil {
			s.Close()
			empty.bytes, empty.err = os.ReadFile(first)
			os.Remove(first)
		}
	})
	if empty.err != nil {
		return nil, empty.err
	}
	if err := os.WriteFile(path, empty.bytes, 0o600); err != nil {
		return nil, err
	}
	random := make([]byte, 64)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	return renamed(ctx, path, random)
}

// renamed opens a store that nothing happened in, with another id and another
// key, which are made of 64 bytes.
func renamed(ctx context.Context, path string, random []byte) (*Store, error) {
	c, err := connect(ctx, path, readWrite)
	if err != nil {
		return nil, err
	}
	_, err = c.conn.ExecContext(ctx, "UPDATE store SET store_id = ?", hex.EncodeToString(random[:16]))
	if err == nil {
		_, err = c.conn.ExecContext(ctx, "UPDATE secrets SET id = ?, key = ?", hex.EncodeToString(random[16:32]), random[32:])
	}
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, c, path, ledger)
	if err == nil {
		s.changed = true
	}
	return s, err
}

var empty struct {
	sync.Once
	bytes []byte
	err   error
}

func (f *fixture) event(op memory.Op, actor memory.Principal) memory.Transition {
	f.events++
	n := f.events
	least, _ := memory.Capability(op)
	return memory.Transition{
		Standing: least, Op: op, Cause: memory.NewCause("event", fmt.Sprint(n)), At: noon.Add(time.Duration(n) * time.Minute), Actor: actor,
		Through: memory.Through{Kind: "issue_comment", ID: fmt.Sprint(9000 + n), URL: fmt.Sprintf("https://github.com/octocat/ledger/issues/3#issuecomment-%d", 9000+n)},
	}
}

// lesson is a lesson with the key that its first words give.
func lesson(words string) *memory.NewLesson {
	key, problem := memory.NewRepoKey(ledger.Coordinates(), "lessons/"+text.Slug(words))
	if problem != nil {
		panic(problem)
	}
	return &memory.NewLesson{Key: key, Scope: contract.ScopeRepo, Text: words, Source: memory.UserAuthored, State: memory.Active, Class: memory.Standard}
}

func keyed(key, words string) *memory.NewLesson {
	n := lesson(words)
	n.Key = memory.Key("repo/octocat/ledger/" + key)
	return n
}

func (f *fixture) remember(actor memory.Principal, n *memory.NewLesson) memory.Transition {
	tr := f.event(memory.OpRemember, actor)
	tr.Lesson = n
	return tr
}

func (f *fixture) propose(pull int, n *memory.NewLesson) memory.Transition {
	tr := f.event(memory.OpPropose, bot)
	n.Source, n.State = memory.ChatExtracted, memory.ReviewRequired
	n.Provenance = memory.Provenance{RepositoryID: ledger.RepositoryID, PullRequest: pull, Head: strings.Repeat("a", 40)}
	tr.Lesson = n
	return tr
}

func (f *fixture) on(op memory.Op, actor memory.Principal, target string) memory.Transition {
	tr := f.event(op, actor)
	tr.Target = target
	return tr
}

func (f *fixture) approve(actor memory.Principal, v memory.Version) memory.Transition {
	tr := f.on(memory.OpApprove, actor, v.ID())
	tr.Digest = memory.TextDigest(v.Text)
	return tr
}

func (f *fixture) apply(tr memory.Transition) memory.Applied {
	f.t.Helper()
	a, err := f.Apply(f.t.Context(), tr)
	if err != nil {
		f.t.Fatalf("%s: %v", tr.Op, err)
	}
	return a
}

// must applies a transition that is not to be refused.
func (f *fixture) must(tr memory.Transition) memory.Version {
	f.t.Helper()
	a := f.apply(tr)
	if a.Refused != nil {
		f.t.Fatalf("%s was refused: %+v", tr.Op, *a.Refused)
	}
	return a.Version
}

// refused applies a transition that is to be refused for that reason, and
// with all of these words in what people read.
func (f *fixture) refused(tr memory.Transition, reason memory.Reason, words ...string) memory.Refusal {
	f.t.Helper()
	before := f.content()
	a := f.apply(tr)
	if a.Refused == nil {
		f.t.Fatalf("%s was not refused, want %s; it gave %+v", tr.Op, reason, a.Version)
	}
	if a.Refused.Reason != reason || a.Refused.Op != string(tr.Op) {
		f.t.Fatalf("%s was refused as %s %q (%s), want %s", tr.Op, a.Refused.Op, a.Refused.Reason, a.Refused.Detail, reason)
	}
	for _, w := range words {
		if !strings.Contains(a.Refused.Detail, w) {
			f.t.Errorf("the refusal says %q, which lacks %q", a.Refused.Detail, w)
		}
	}
	if after := f.content(); after != before {
		f.t.Errorf("a refused %s changed lessons:\n%s\nto\n%s", tr.Op, before, after)
	}
	return *a.Refused
}

// content is everything that lessons consist of, without causes and audit.
func (f *fixture) content() string {
	f.t.Helper()
	return dump(f.t, f.Store, "documents", "versions", "fingerprints", "purges", "revocations", "lifts", "recall_docsize", "places")
}

// dump spells the rows of tables, in a fixed order.
func dump(t testing.TB, s *Store, tables ...string) string {
	t.Helper()
	var b strings.Builder
	for _, table := range tables {
		rows, err := s.c.conn.QueryContext(t.Context(), "SELECT * FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			values := make([]any, len(columns))
			into := make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %q\n", table, values)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func (f *fixture) recall(words string, paths ...string) []string {
	f.t.Helper()
	var out []string
	for _, v := range f.recalled(words, paths...) {
		out = append(out, v.ID())
	}
	return out
}

func (f *fixture) recalled(words string, paths ...string) []memory.Version {
	f.t.Helper()
	snapshot, err := f.Recall(f.t.Context(), query(words, paths...))
	if err != nil {
		f.t.Fatal(err)
	}
	return snapshot.Lessons
}

// query makes the query of a change that has these words and paths.
func query(words string, paths ...string) memory.RecallQuery {
	counts := map[string]int{}
	var order []string
	for _, w := range text.Words(words + "\n" + strings.Join(paths, "\n")) {
		if counts[w] == 0 {
			order = append(order, w)
		}
		counts[w]++
	}
	q := memory.RecallQuery{Paths: paths, Scopes: []contract.MemoryScope{contract.ScopeRepo}, Now: noon.AddDate(0, 0, 1)}
	for _, w := range order {
		q.Terms = append(q.Terms, memory.Term{Word: w, Count: counts[w]})
	}
	return q
}

// saved returns the bytes that a save would keep.
func (f *fixture) saved() []byte {
	f.t.Helper()
	path := filepath.Join(f.t.TempDir(), "saved.db")
	if err := f.SaveTo(f.t.Context(), path); err != nil {
		f.t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.t.Fatal(err)
	}
	return data
}

// bulk teaches many lessons in one SQL transaction, past the checks that
// Apply makes for each, with the cause and the audit row that it leaves.
func (f *fixture) bulk(lessons ...*memory.NewLesson) {
	f.t.Helper()
	tx, err := f.c.conn.BeginTx(f.t.Context(), nil)
	if err != nil {
		f.t.Fatal(err)
	}
	statements := map[string]*sql.Stmt{}
	for _, n := range lessons {
		tr := f.remember(ada, n)
		a := &applying{Store: f.Store, ctx: context.WithoutCancel(f.t.Context()), tx: tx, t: tr, statements: statements}
		done, err := a.add(admitted{n}, memory.NewDocumentID(f.id.RepositoryID, tr.Cause, 0), nil)
		if err == nil {
			err = a.settle(done)
		}
		if err != nil || done.refused != nil && done.refused.Reason != memory.ReasonDuplicate {
			f.t.Fatal(done, err)
		}
	}
	if err := tx.Commit(); err != nil {
		f.t.Fatal(err)
	}
}

// TestMain lets each property run less often than rapid would: one run is a
// whole store, made, used, saved and opened again.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// numbers returns "0" to "n-1".
func numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(i)
	}
	return out
}

// tables are all tables, those of the full-text index with them.
func (f *fixture) tables() []string {
	f.t.Helper()
	var out []string
	rows, err := f.c.conn.QueryContext(f.t.Context(), "SELECT name FROM sqlite_schema WHERE type = 'table'")
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			f.t.Fatal(err)
		}
		out = append(out, name)
	}
	return out
}

// sweepAt does everything that is due at a time, and returns it.
func (f *fixture) sweepAt(now time.Time, r memory.Retention, closed ...int) []string {
	f.t.Helper()
	due, err := f.Sweepable(f.t.Context(), now, r, closed)
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for _, d := range due {
		f.must(d.Transition)
		out = append(out, strings.TrimSpace(string(d.Transition.Op)+" "+d.Transition.Target))
	}
	return out
}

// ageOut lets a lesson reach the end of its age, and of its text if faded.
func (f *fixture) ageOut(v memory.Version, faded bool) {
	f.t.Helper()
	year := memory.Retention{MaxAgeDays: 365}
	f.sweepAt(noon.AddDate(0, 0, 340), year)
	f.sweepAt(noon.AddDate(0, 0, 371), year)
	if got := f.doc(v.DocumentID); got[len(got)-1].State != memory.Deprecated {
		f.t.Fatalf("%s is %s at the end of its age", v.ID(), got[len(got)-1].State)
	}
	if faded {
		f.sweepAt(noon.AddDate(0, 0, 402), year)
	}
}
