package health

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func daysAgo(n int) time.Time { return now.AddDate(0, 0, -n) }

// lesson is an active lesson that somebody confirmed today and that a review
// read.
func lesson(id, text string, change ...func(*memory.Version)) memory.Version {
	v := memory.Version{
		DocumentID: id, Number: 1, Key: memory.Key("repo/acme/shop/lessons/" + id), Text: text, State: memory.Active, Class: memory.Standard,
		CreatedAt: now, ConfirmedAt: now, LastUsed: "2026-11-30",
	}
	for _, c := range change {
		c(&v)
	}
	return v
}

func rule1(c memory.Check) func(*memory.Version) {
	return func(v *memory.Version) { v.Check, v.Text = &c, c.Text() }
}

func never(pattern string, in ...string) func(*memory.Version) {
	return rule1(memory.Check{Kind: memory.CheckNever, Pattern: pattern, In: in})
}

func prefer(x, y string, in ...string) func(*memory.Version) {
	return rule1(memory.Check{Kind: memory.CheckPrefer, Prefer: x, Pattern: y, In: in})
}

func at(t time.Time) func(*memory.Version) {
	return func(v *memory.Version) { v.CreatedAt, v.ConfirmedAt = t, t }
}

func messages(list []Finding, c Check) []string {
	var out []string
	for _, f := range list {
		if f.Check == c {
			out = append(out, string(f.Severity)+": "+f.Message)
		}
	}
	return out
}

func TestDuplicates(t *testing.T) {
	pending := func(v *memory.Version) { v.State = memory.ReviewRequired }
	scope := func(s contract.MemoryScope) func(*memory.Version) {
		return func(v *memory.Version) { v.Scope = s }
	}
	for _, c := range []struct {
		name     string
		versions []memory.Version
		want     []string
	}{
		{"A104: texts that differ in case, spaces and punctuation", []memory.Version{lesson("m-a", "Money is rounded half-even."), lesson("m-b", "money  is `rounded` half even", at(daysAgo(1)))},
			[]string{"note: m-a says the same as m-b."}},
		{"three of them, the oldest stays", []memory.Version{lesson("m-c", "x y"), lesson("m-a", "x y", at(daysAgo(3))), lesson("m-b", "x-y")}, []string{"note: m-b and m-c say the same as m-a."}},
		{"a proposal that says what is known", []memory.Version{lesson("m-a", "x y", at(daysAgo(3))), lesson("m-b", "X y", pending)}, []string{"note: m-b says the same as m-a."}},
		{"versions of one lesson", []memory.Version{lesson("m-a", "x y"), lesson("m-a", "x y", func(v *memory.Version) { v.Number = 2 })}, nil},
		{"a sign that changes the meaning", []memory.Version{lesson("m-a", "x < 1"), lesson("m-b", "x > 1")}, nil},
		{"one that is retired", []memory.Version{lesson("m-a", "x y"), lesson("m-b", "x y", func(v *memory.Version) { v.State = memory.Deprecated })}, nil},
		{"one that was revoked", []memory.Version{lesson("m-a", "x y"), lesson("m-b", "x y", func(v *memory.Version) { v.Denied = "repo/acme/shop/lessons/m-b" })}, nil},
		{"a proposal whose key is denied", []memory.Version{lesson("m-a", "x y"), lesson("m-b", "x y", pending, func(v *memory.Version) { v.Denied = "repo/acme/shop/lessons" })}, nil},
		{"one that has ended", []memory.Version{lesson("m-a", "x y", func(v *memory.Version) { v.ValidUntil = daysAgo(1) }), lesson("m-b", "x y")}, nil},
		{"one that ends later", []memory.Version{lesson("m-a", "x y", at(daysAgo(2)), func(v *memory.Version) { v.ValidUntil = daysAgo(-90) }), lesson("m-b", "x y")}, []string{"note: m-b says the same as m-a."}},
		{"one that is kept for the audit alone", []memory.Version{lesson("m-a", "x y"), lesson("m-b", "x y", func(v *memory.Version) { v.Class = memory.SourceOnly })}, nil},
		{"one of another scope", []memory.Version{lesson("m-a", "x y", scope(contract.ScopeRepo)), lesson("m-b", "x y", scope(contract.ScopeTenantShared))}, nil},
		{"one rule in two scopes", []memory.Version{lesson("m-a", "", never("x"), scope(contract.ScopeTenantShared)), lesson("m-b", "", never("x"))}, nil},
		{"two of one scope", []memory.Version{lesson("m-a", "x y", scope(contract.ScopeRepo)), lesson("m-b", "x y", at(daysAgo(1)))}, []string{"note: m-a says the same as m-b."}},
		{"forgotten ones have no text", []memory.Version{lesson("m-a", ""), lesson("m-b", "")}, nil},
		{"punctuation alone", []memory.Version{lesson("m-a", "!!"), lesson("m-b", "??"), lesson("m-c", "!!")}, []string{"note: m-c says the same as m-a."}},
		{"one rule twice", []memory.Version{lesson("m-a", "", never("fmt.Println(", "**/*.go")), lesson("m-b", "", never("fmt.Println(", "cmd/**/*.go"))}, []string{"note: m-b says for other paths what m-a says."}},
		{"one rule twice for the same files, in another order", []memory.Version{lesson("m-a", "", never("fmt.Println(", "a/**", "b/**")), lesson("m-b", "", never("fmt.Println(", "b/**", "a/**"))}, []string{"note: m-b says the same as m-a."}},
		{"one rule for some files and twice for others", []memory.Version{lesson("m-a", "", never("x")), lesson("m-b", "", never("x", "b/**")), lesson("m-c", "", never("x", "b/**"))},
			[]string{"note: m-b says for other paths what m-a says.", "note: m-c says the same as m-b."}},
		{"one text for other paths", []memory.Version{lesson("m-a", "x y"), lesson("m-b", "x y", func(v *memory.Version) { v.Paths = []string{"b/**"} })}, []string{"note: m-b says for other paths what m-a says."}},
		{"one rule for different files", []memory.Version{lesson("m-a", "", never("print", "**/*.go")), lesson("m-b", "", never("print", "**/*.py"))}, nil},
		{"a rule for companions, in another order", []memory.Version{
			lesson("m-a", "", rule1(memory.Check{Kind: memory.CheckWith, In: []string{"api/**"}, With: []string{"a", "b"}})),
			lesson("m-b", "", rule1(memory.Check{Kind: memory.CheckWith, In: []string{"api/**"}, With: []string{"b", "a"}}))}, []string{"note: m-b says the same as m-a."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Lessons(LessonFacts{Now: now, Versions: c.versions})
			if m := messages(got, CheckDuplicate); !slices.Equal(m, c.want) {
				t.Errorf("got %q, want %q", m, c.want)
			}
		})
	}
}

func TestContradictions(t *testing.T) {
	regex := func(pattern string) func(*memory.Version) {
		return rule1(memory.Check{Kind: memory.CheckNever, Pattern: pattern, Regex: true})
	}
	for _, c := range []struct {
		name     string
		versions []memory.Version
		code     *Code
		want     []string
	}{
		{"never what another asks for", []memory.Version{lesson("m-a", "", never("assertEqual")), lesson("m-b", "", prefer("assertEqual", "assertEquals"))}, nil,
			[]string{"warning: m-a reports what m-b asks for: `assertEqual`."}},
		{"never as a regular expression", []memory.Version{lesson("m-a", "", regex(`assert\w+`)), lesson("m-b", "", prefer("assertEqual", "expect"))}, nil,
			[]string{"warning: m-a reports what m-b asks for: `assertEqual`."}},
		{"each prefers what the other replaces", []memory.Version{lesson("m-a", "", prefer("tabs", "spaces")), lesson("m-b", "", prefer("spaces", "tabs"))}, nil,
			[]string{"warning: m-a reports what m-b asks for: `spaces`."}},
		{"two answers for one pattern", []memory.Version{lesson("m-a", "", prefer("log.Print", "fmt.Println")), lesson("m-b", "", prefer("slog.Info", "fmt.Println"))}, nil,
			[]string{"warning: m-a and m-b ask for different things in place of `fmt.Println`."}},
		{"never and prefer on one pattern", []memory.Version{lesson("m-a", "", never("fmt.Println")), lesson("m-b", "", prefer("slog.Info", "fmt.Println"))}, nil,
			[]string{"note: m-a forbids `fmt.Println`, and m-b says what to write in its place."}},
		{"for files that never meet", []memory.Version{lesson("m-a", "", never("assertEqual", "**/*.go")), lesson("m-b", "", prefer("assertEqual", "assertEquals", "**/*.py"))}, nil, nil},
		{"in folders that never meet", []memory.Version{lesson("m-a", "", never("assertEqual", "api/**")), lesson("m-b", "", prefer("assertEqual", "assertEquals", "web/**"))}, nil, nil},
		{"for files that meet in a folder", []memory.Version{lesson("m-a", "", never("assertEqual", "*.go")), lesson("m-b", "", prefer("assertEqual", "assertEquals", "web/**"))},
			&Code{Paths: []string{"web/a.go"}}, []string{"warning: m-a reports what m-b asks for: `assertEqual`."}},
		{"a word within another", []memory.Version{lesson("m-a", "", never("print")), lesson("m-b", "", prefer("sprintf", "concat"))}, nil, nil},
		{"one of them is retired", []memory.Version{lesson("m-a", "", never("assertEqual"), func(v *memory.Version) { v.State = memory.Deprecated }), lesson("m-b", "", prefer("assertEqual", "x"))}, nil, nil},
		{"two current versions of one lesson", []memory.Version{lesson("m-a", "one"), lesson("m-a", "two", func(v *memory.Version) { v.Number, v.ConfirmedAt = 2, now.Add(time.Hour) })}, nil,
			[]string{"warning: m-a@2 and m-a@1 are all current for the key repo/acme/shop/lessons/m-a."}},
		{"two lessons under one key", []memory.Version{lesson("m-a", "one"), lesson("m-b", "two", func(v *memory.Version) { v.Key = "repo/acme/shop/lessons/m-a" })}, nil,
			[]string{"warning: m-a@1 and m-b@1 are all current for the key repo/acme/shop/lessons/m-a."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Lessons(LessonFacts{Now: now, Versions: c.versions, Code: c.code})
			if m := messages(got, CheckContradictory); !slices.Equal(m, c.want) {
				t.Errorf("got %q, want %q", m, c.want)
			}
		})
	}
}

func TestStaleCitationsAndPaths(t *testing.T) {
	content := []byte("package a\n\nfunc Round() {\n\treturn\n}\n")
	cite := func(path string, start, end int) func(*memory.Version) {
		c, ok := memory.Cite(path, "abc", content, start, end)
		if !ok {
			t.Fatalf("lines %d to %d", start, end)
		}
		return func(v *memory.Version) { v.Citations = []memory.Citation{c} }
	}
	paths := func(globs ...string) func(*memory.Version) { return func(v *memory.Version) { v.Paths = globs } }
	moved := append([]byte("// A comment.\r\n\n"), content...)
	changed := []byte(strings.Replace(string(content), "Round", "Cut", 1))
	for _, c := range []struct {
		name   string
		lesson memory.Version
		code   *Code
		want   []string
	}{
		{"the snippet stands", lesson("m-a", "x", cite("a.go", 3, 5)), &Code{Paths: []string{"a.go"}, Files: map[string][]byte{"a.go": content}}, nil},
		{"it moved in its file", lesson("m-a", "x", cite("a.go", 3, 5)), &Code{Paths: []string{"a.go"}, Files: map[string][]byte{"a.go": moved}}, nil},
		{"it was changed", lesson("m-a", "x", cite("a.go", 3, 5)), &Code{Paths: []string{"a.go"}, Files: map[string][]byte{"a.go": changed}},
			[]string{"note: m-a cites lines 3 to 5 of `a.go`, and they read differently now."}},
		{"the file is gone", lesson("m-a", "x", cite("a.go", 3, 5)), &Code{Paths: []string{"b.go"}}, []string{"note: m-a cites `a.go`, which the default branch does not have."}},
		{"the file cannot be read", lesson("m-a", "x", cite("a.go", 3, 5)), &Code{Paths: []string{"a.go"}}, nil},
		{"which files there are is not known", lesson("m-a", "x", cite("a.go", 3, 5)), &Code{}, nil},
		{"nobody looked", lesson("m-a", "x", cite("a.go", 3, 5), paths("gone/**")), nil, nil},
		{"a file without lines is cited", lesson("m-a", "x", func(v *memory.Version) { v.Citations = []memory.Citation{{Path: "a.go"}} }), &Code{Paths: []string{"a.go"}, Files: map[string][]byte{"a.go": changed}}, nil},
		{"no file for its globs", lesson("m-a", "x", paths("gone/**", "*.rs")), &Code{Paths: []string{"a.go"}}, []string{"note: m-a is for `gone/**` and `*.rs`, and the default branch has no such file."}},
		{"a file for one of them", lesson("m-a", "x", paths("gone/**", "*.go")), &Code{Paths: []string{"x/a.go"}}, nil},
		{"no file for a rule's globs", lesson("m-a", "", never("x", "gone/**")), &Code{Paths: []string{"a.go"}}, []string{"note: m-a is for `gone/**`, and the default branch has no such file."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Lessons(LessonFacts{Now: now, Versions: []memory.Version{c.lesson}, Code: c.code})
			if m := messages(got, CheckStale); !slices.Equal(m, c.want) {
				t.Errorf("got %q, want %q", m, c.want)
			}
		})
	}
	if got := CitedPaths([]memory.Version{lesson("m-a", "x", cite("b.go", 1, 1)), lesson("m-b", "x", cite("a.go", 1, 1)), lesson("m-c", "x", cite("a.go", 1, 1))}); !slices.Equal(got, []string{"a.go", "b.go"}) {
		t.Errorf("cited paths %q", got)
	}
}

func TestLessonsThatNobodyUsesAndThatEnd(t *testing.T) {
	unusedFor := func(n int) func(*memory.Version) {
		return func(v *memory.Version) { v.ConfirmedAt, v.CreatedAt, v.LastUsed = daysAgo(n), daysAgo(n), "" }
	}
	class := func(c memory.Class) func(*memory.Version) { return func(v *memory.Version) { v.Class = c } }
	until := func(t time.Time) func(*memory.Version) { return func(v *memory.Version) { v.ValidUntil = t } }
	year := memory.Retention{MaxAgeDays: 365}
	for _, c := range []struct {
		name      string
		lesson    memory.Version
		uses      map[string]int
		retention memory.Retention
		check     Check
		want      []string
	}{
		{"never read in sixty days", lesson("m-a", "x", unusedFor(60)), nil, year, CheckUnused, []string{"note: No review has read m-a in 60 days."}},
		{"a day too young to tell", lesson("m-a", "x", unusedFor(59)), nil, year, CheckUnused, nil},
		{"the store counted a use", lesson("m-a", "x", unusedFor(90)), map[string]int{"m-a": 1}, year, CheckUnused, nil},
		{"used once, long ago", lesson("m-a", "x", unusedFor(90), func(v *memory.Version) { v.LastUsed = "2026-09-05" }), nil, year, CheckUnused, nil},
		{"renewed since", lesson("m-a", "x", unusedFor(90), func(v *memory.Version) { v.RenewedAt = daysAgo(1) }), nil, year, CheckUnused, nil},
		{"kept for the record only", lesson("m-a", "x", unusedFor(90), class(memory.SourceOnly)), nil, year, CheckUnused, nil},
		{"over in thirty days by age", lesson("m-a", "x", at(daysAgo(335))), nil, year, CheckExpiring, []string{"note: m-a ends on 2026-12-30."}},
		{"a day before it is told", lesson("m-a", "x", at(daysAgo(334))), nil, year, CheckExpiring, nil},
		{"past its age, waiting for the sweep", lesson("m-a", "x", at(daysAgo(400))), nil, year, CheckExpiring, []string{"note: m-a was to end on 2026-10-26; the next sweep does it."}},
		{"durable ones do not age", lesson("m-a", "x", at(daysAgo(400)), class(memory.Durable)), nil, year, CheckExpiring, nil},
		{"where nothing sweeps, nothing ages", lesson("m-a", "x", at(daysAgo(400))), nil, memory.Retention{}, CheckExpiring, nil},
		{"its own end", lesson("m-a", "x", until(now.AddDate(0, 0, 3))), nil, memory.Retention{}, CheckExpiring, []string{"note: m-a ends on 2026-12-03."}},
		{"an ephemeral one by itself", lesson("m-a", "x", class(memory.Ephemeral)), nil, year, CheckExpiring, []string{"note: m-a ends on 2026-12-07."}},
		{"on the last day of an end, which is kept as the moment after it", lesson("m-a", "x", until(time.Date(2026, 12, 6, 0, 0, 0, 0, time.UTC))), nil, year, CheckExpiring, []string{"note: m-a ends on 2026-12-05."}},
		{"a denial keeps it from being read", lesson("m-a", "x", func(v *memory.Version) { v.Denied = "repo/acme/shop/lessons" }), nil, year, CheckRevoked, []string{"note: The denial of lessons keeps 1 lesson from being read."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Lessons(LessonFacts{Now: now, Versions: []memory.Version{c.lesson}, Uses: c.uses, Retention: c.retention})
			if m := messages(got, c.check); !slices.Equal(m, c.want) {
				t.Errorf("got %q, want %q", m, c.want)
			}
		})
	}
}

// TestHealthOfLessonsIsAFunctionOfTheSet holds for any lessons: their order
// changes nothing, and what is named exists.
func TestHealthOfLessonsIsAFunctionOfTheSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []memory.Version
		for i := range rapid.IntRange(0, 8).Draw(t, "lessons") {
			word := rapid.SampledFrom([]string{"a", "b", "A", "c.d"}).Draw(t, "word")
			other := rapid.SampledFrom([]string{"x", "y", "b", "A"}).Draw(t, "other")
			globs := rapid.SampledFrom([][]string{nil, {"*.go"}, {"web/**"}, {"api/*.py"}}).Draw(t, "globs")
			made := rapid.SampledFrom([]func(*memory.Version){func(*memory.Version) {}, never(word, globs...), prefer(other+"1", word, globs...)}).Draw(t, "check")
			all = append(all, lesson(fmt.Sprintf("m-%d", i), word, at(daysAgo(rapid.IntRange(0, 400).Draw(t, "age"))), made))
		}
		facts := LessonFacts{Now: now, Versions: all, Retention: memory.Retention{MaxAgeDays: 365}}
		first := Lessons(facts)
		facts.Versions = rapid.Permutation(all).Draw(t, "order")
		second := Lessons(facts)
		for _, list := range [][]Finding{first, second} {
			for _, f := range list {
				if f.Message == "" || f.Reason == "" || f.Fix == "" || f.Severity.rank() < 0 || len(f.Lessons) == 0 {
					t.Fatalf("finding %+v", f)
				}
			}
		}
		if !reflect.DeepEqual(Concerning(first, CheckDuplicate), Concerning(second, CheckDuplicate)) {
			t.Fatalf("%v\n%v", lines(first), lines(second))
		}
		if len(messages(first, CheckContradictory)) != len(messages(second, CheckContradictory)) {
			t.Fatalf("%v\n%v", lines(first), lines(second))
		}
	})
}

func TestManyRulesAreComparedInBoundedWork(t *testing.T) {
	var all []memory.Version
	for i := range maxRules + 500 {
		all = append(all, lesson(fmt.Sprintf("m-%d", i), "", prefer(fmt.Sprintf("new%d", i), fmt.Sprintf("old%d", i)), at(now.Add(-time.Duration(i)*time.Minute))))
	}
	all[7].Check.Prefer = "old9"
	got := messages(Lessons(LessonFacts{Now: now, Versions: all}), CheckContradictory)
	if !slices.Equal(got, []string{"warning: m-9 reports what m-7 asks for: `old9`."}) {
		t.Errorf("got %q", got)
	}
}

func TestSnippetDigests(t *testing.T) {
	content := []byte("a\r\nb\nc")
	c, ok := memory.Cite("f", "abc", content, 1, 2)
	if !ok || c.Digest != memory.SnippetDigest([]string{"a", "b"}) || c.Path != "f" || c.Commit != "abc" || c.EndLine != 2 {
		t.Errorf("cited %+v, %v", c, ok)
	}
	for _, lines := range [][2]int{{0, 1}, {2, 1}, {3, 4}} {
		if _, ok := memory.Cite("f", "abc", content, lines[0], lines[1]); ok {
			t.Errorf("lines %v of a file of three", lines)
		}
	}
	if c.Stands([]byte("c\nb\n")) || !c.Stands([]byte("x\na\nb")) || c.Stands(nil) {
		t.Error("a snippet is found where it is not, or not where it is")
	}
}
