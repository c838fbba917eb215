package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

const change = "round the invoice amount to cents"

func TestWhatIsNeverRecalled(t *testing.T) {
	for _, c := range []struct {
		name string
		n    func(*memory.NewLesson)
		q    func(*memory.RecallQuery)
		want int
	}{
		{"an active lesson is", nil, nil, 1},
		{"source_only", func(n *memory.NewLesson) { n.Class = memory.SourceOnly }, nil, 0},
		{"past its end", func(n *memory.NewLesson) { n.ValidUntil = noon.Add(time.Hour) }, nil, 0},
		{"before its end it is", func(n *memory.NewLesson) { n.ValidUntil = noon.AddDate(0, 0, 2) }, nil, 1},
		{"ephemeral without an end after seven days", func(n *memory.NewLesson) { n.Class = memory.Ephemeral }, func(q *memory.RecallQuery) { q.Now = noon.AddDate(0, 0, 8) }, 0},
		{"ephemeral within seven days is", func(n *memory.NewLesson) { n.Class = memory.Ephemeral }, func(q *memory.RecallQuery) { q.Now = noon.AddDate(0, 0, 7) }, 1},
		{"no scope is granted", nil, func(q *memory.RecallQuery) { q.Scopes = nil }, 0},
		{"another scope is granted", nil, func(q *memory.RecallQuery) { q.Scopes = []contract.MemoryScope{contract.ScopeTenantShared} }, 0},
		{"its key is denied", nil, func(q *memory.RecallQuery) { q.Denied = []string{"repo/octocat/ledger/money/unit"} }, 0},
		{"a prefix is denied", nil, func(q *memory.RecallQuery) { q.Denied = []string{"repo/Octocat/Ledger/money/"} }, 0},
		{"a sibling's prefix is denied", nil, func(q *memory.RecallQuery) { q.Denied = []string{"repo/octocat/ledger/money/un"} }, 1},
		{"the change has no words", nil, func(q *memory.RecallQuery) { q.Terms = nil }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			n := keyed("money/unit", "Invoice amounts are rounded to cents")
			if c.n != nil {
				c.n(n)
			}
			f.must(f.remember(ada, n))
			q := query(change)
			if c.q != nil {
				c.q(&q)
			}
			got, err := f.Recall(t.Context(), q)
			if err != nil || len(got.Lessons) != c.want {
				t.Errorf("recalled %d lessons, %v; want %d", len(got.Lessons), err, c.want)
			}
		})
	}
}

func TestADenialInTheStoreHoldsForRecallAndWrites(t *testing.T) {
	f := newFixture(t)
	f.must(f.remember(ada, keyed("hr/pay", "Invoice amounts are rounded to cents")))
	f.must(f.remember(ada, keyed("hrx/pay", "Invoice amounts are rounded to whole cents")))
	pending := f.must(f.propose(1, keyed("hr/leave", "Leave is counted in hours")))
	_, err := f.c.conn.ExecContext(t.Context(), "INSERT INTO revocations VALUES (?, ?, 'repo', 'hr', 1, 'ada', 5)", ledger.RepositoryID, digest(memory.NewCause("r")))
	if err != nil {
		t.Fatal(err)
	}
	if denied, err := f.Denied(t.Context()); err != nil || !slices.Equal(denied, []string{"repo/octocat/ledger/hr"}) {
		t.Errorf("denied %v, %v", denied, err)
	}
	if got := f.recalled(change); len(got) != 1 || got[0].Key != "repo/octocat/ledger/hrx/pay" {
		t.Errorf("recalled %v", got)
	}
	f.refused(f.remember(ada, keyed("hr/new", "Pay is monthly")), memory.ReasonRevoked, "unrevoke")
	f.refused(f.approve(mara, pending), memory.ReasonRevoked)
	_, err = f.c.conn.ExecContext(t.Context(), "INSERT INTO lifts VALUES (?, ?, ?, 1, 'ada', 6)", ledger.RepositoryID, digest(memory.NewCause("r")), digest(memory.NewCause("l")))
	if err != nil {
		t.Fatal(err)
	}
	if denied, err := f.Denied(t.Context()); err != nil || len(denied) != 0 {
		t.Errorf("after the lift denied %v, %v", denied, err)
	}
}

func TestRecallFindsWordsInAnyForm(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Use parseHTTPHeader2 for header_values, never split by hand")))
	for _, words := range []string{"parse http header", "PARSE_HTTP", "header values", "headers splitting", "splitHeaderValue"} {
		if got := f.recall(words); !slices.Equal(got, []string{v.ID()}) {
			t.Errorf("%q recalls %v", words, got)
		}
	}
	for _, words := range []string{"", "header", "unrelated words entirely", "hand"} {
		if got := f.recall(words); len(got) != 0 {
			t.Errorf("%q recalls %v; one shared word is below the floor", words, got)
		}
	}
}

func TestWordsAreNeverReadAsQuerySyntax(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents")))
	q := query("amounts cents")
	for _, hostile := range []string{`"`, `a" OR "b`, "*", "NEAR(", "words:amounts", "-", "AND", "OR", "NOT", "(", "^amounts", "a\x00b", strings.Repeat("x", 5000), "{", "'; DROP TABLE versions; --", "\xff"} {
		q.Terms = append(q.Terms, memory.Term{Word: hostile, Count: 1})
	}
	got, err := f.Recall(t.Context(), q)
	if err != nil || len(got.Lessons) != 1 || got.Lessons[0].ID() != v.ID() {
		t.Errorf("recalled %v, %v", got.Lessons, err)
	}
}

func TestGlobs(t *testing.T) {
	f := newFixture(t)
	place := func(key, words string, globs ...string) string {
		n := keyed(key, words)
		n.Paths = globs
		return f.must(f.remember(ada, n)).ID()
	}
	exact := place("g/exact", "Keep this short", "services/billing/tax/vat.go")
	folder := place("g/folder", "Ask the owners", "services/billing/**")
	wide := place("g/wide", "Everything here is deployed twice", "services/**")
	ext := place("g/ext", "Generated by a tool", "**/*.go")
	place("g/other", "Not here", "docs/**")
	place("g/excluded", "Not here either", "services/**", "!services/billing/**")
	text := place("g/text", "The VAT rate of a country comes from the rate table")

	got := f.recall("vat rate country table", "services/billing/tax/vat.go")
	if want := []string{text, exact, folder, wide, ext}; !slices.Equal(got, want) {
		t.Errorf("recalled %v; want %v", got, want)
	}
	if got := f.recall("", "cmd/tool.py"); len(got) != 0 {
		t.Errorf("a path that no glob names recalls %v", got)
	}
	if got := f.recall("", "services/mail/send.py"); len(got) != 2 {
		t.Errorf("recalled %v, want the wide one and the one that excludes billing", got)
	}
}

func TestALessonAboutOtherPlacesNeedsMoreWords(t *testing.T) {
	f := newFixture(t)
	n := lesson("Verify the webhook signature before parsing")
	n.Paths = []string{"services/webhooks/**"}
	v := f.must(f.remember(ada, n))
	if got := f.recall("webhook signature", "docs/api.md"); len(got) != 0 {
		t.Errorf("two words elsewhere recall %v", got)
	}
	if got := f.recall("verify webhook signature", "docs/api.md"); !slices.Equal(got, []string{v.ID()}) {
		t.Errorf("three words elsewhere recall %v", got)
	}
}

func TestARuleIsThereWhereverItApplies(t *testing.T) {
	f := newFixture(t)
	rule := func(key, pattern string, in ...string) string {
		n := keyed(key, "Never "+pattern)
		n.Check = &memory.Check{Kind: memory.CheckNever, Pattern: pattern, In: in}
		return f.must(f.remember(ada, n)).ID()
	}
	everywhere := rule("r/everywhere", "console.log(")
	inGo := rule("r/go", "panic(", "**/*.go")
	notVendor := rule("r/vendor", "os.Exit(", "!vendor/**")
	for _, c := range []struct {
		path string
		want []string
	}{
		{"a/b.go", []string{everywhere, inGo, notVendor}},
		{"a/b.py", []string{everywhere, notVendor}},
		{"vendor/x/y.go", []string{everywhere, inGo}},
	} {
		got := f.recall("", c.path)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: rules %v, want %v", c.path, got, c.want)
		}
	}
}

func TestRecallBudget(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 60 {
		n := keyed(fmt.Sprintf("b/k%d", i), fmt.Sprintf("Number %d %s", i, strings.Repeat("é", 400)))
		n.Paths = []string{"a/**"}
		f.must(f.remember(ada, n))
	}
	q := query("", "a/b.go")
	count := func(bytes, lessons int) (n, size int) {
		q.MaxBytes, q.MaxLessons = bytes, lessons
		got, err := f.Recall(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range got.Lessons {
			size += len(v.Text)
		}
		return len(got.Lessons), size
	}
	if n, size := count(0, 0); n != 30 || size > 24<<10 {
		t.Errorf("by default %d lessons of %d bytes; 24 KiB hold 30", n, size)
	}
	if n, _ := count(1<<20, 0); n != 40 {
		t.Errorf("%d lessons, want 40", n)
	}
	if n, size := count(2000, 7); n != 2 || size > 2000 {
		t.Errorf("%d lessons of %d bytes", n, size)
	}
	if n, _ := count(1<<20, 7); n != 7 {
		t.Errorf("%d lessons, want 7", n)
	}
}

func TestTheSameStoreAndChangeGiveTheSameList(t *testing.T) {
	f, _ := labelled(t)
	q := query("round the price, log the email, cache key session token order status", "services/billing/a.go", "web/src/components/x.tsx")
	first, err := f.Recall(t.Context(), q)
	if err != nil || len(first.Lessons) < 5 {
		t.Fatalf("recalled %d, %v", len(first.Lessons), err)
	}
	ids := func(vs []memory.Version) (out []string) {
		for _, v := range vs {
			out = append(out, v.ID())
		}
		return out
	}
	path := t.TempDir() + "/copy.db"
	if err := f.SaveTo(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	copied, err := Open(t.Context(), path, ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	for i := range 6 {
		slices.Reverse(q.Terms) // the order in which the words came does not matter
		slices.Reverse(q.Paths)
		s := f.Store
		if i%2 == 1 {
			s = copied
		}
		again, err := s.Recall(t.Context(), q)
		if err != nil || !slices.Equal(ids(again.Lessons), ids(first.Lessons)) {
			t.Errorf("run %d gave %v, %v; want %v", i, ids(again.Lessons), err, ids(first.Lessons))
		}
	}
}

func TestOfTwoReplicasOneKeyGivesTheLatestConfirmed(t *testing.T) {
	f := newFixture(t)
	f.must(f.remember(ada, keyed("a/one", "Invoice amounts are rounded to cents")))
	later := f.must(f.remember(mara, keyed("a/two", "Invoice amounts are rounded to whole cents")))
	// As after a merge of two replicas that taught the key at once.
	if _, err := f.c.conn.ExecContext(t.Context(), "UPDATE documents SET key = 'a/one'"); err != nil {
		t.Fatal(err)
	}
	if got := f.recall(change); !slices.Equal(got, []string{later.ID()}) {
		t.Errorf("recalled %v, want %s alone", got, later.ID())
	}
}

func TestHeads(t *testing.T) {
	for glob, want := range map[string]string{
		"services/billing/**": "services/billing", "services/*.go": "services", "services/b*/x.go": "services", "**/*.go": "", "*.go": "", "go.mod": "",
		"a/b/c.go": "a/b", "a/{b,c}/d.go": "a", "{a,b}/c.go": "", `a\*/b`: "", "docs/": "docs", "a/[bc]/d": "a", "a?/b": "",
	} {
		if got := head(glob); got != want {
			t.Errorf("head(%q) = %q, want %q", glob, got, want)
		}
	}
	if got := folders([]string{"a/b/c.go", "a/d.go", "x.go"}); !slices.Equal(got, []string{"", "a", "a/b"}) {
		t.Errorf("folders %v", got)
	}
}
