package review

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"pgregory.net/rapid"
)

func words(q memory.RecallQuery) string {
	var out []string
	for _, t := range q.Terms {
		out = append(out, fmt.Sprintf("%s:%d", t.Word, t.Count))
	}
	return strings.Join(out, " ")
}

func TestAQueryHoldsWhatTheChangeIsAbout(t *testing.T) {
	f := file(t, "services/billing/retryPolicy.go", "@@ -1,2 +1,4 @@\n contextWord\n-deletedWord\n+func parseHTTPHeader2(maxRetries int) { // backoff of the gateway\n+\treturn \"Invoice overdue\"\n+\tmaxRetries++")
	f.Status, f.OldPath = diff.Renamed, "services/old_name.go"
	q := QueryFrom(diff.Change{Files: []diff.File{f}, Title: "ignored: the caller passes one"}, "Retry invoices")
	if want := []string{"services/billing/retryPolicy.go", "services/old_name.go"}; !slices.Equal(q.Paths, want) {
		t.Errorf("paths %q, want %q", q.Paths, want)
	}
	got := " " + words(q) + " "
	for _, want := range []string{"services:2", "billing:1", "retry:2", "policy:1", "old:1", "name:1", "http:1", "header:1", "parse:1", "max:2", "retries:2", "backoff:1", "gateway:1", "invoice:1", "overdue:1", "invoices:1"} {
		if !strings.Contains(got, " "+want+" ") {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	for _, not := range []string{"func:", "return:", "the:", "of:", "deleted:", "context:", "word:", "ignored:", "2:"} {
		if strings.Contains(got, " "+not) {
			t.Errorf("%q is in %q", not, got)
		}
	}
	if q.Scopes != nil || q.Denied != nil || !q.Now.IsZero() {
		t.Errorf("scopes, denials and time are the caller's: %+v", q)
	}
}

func TestAQueryIsTheSameForTheSameChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z_ ]{0,30}`), 0, 30).Draw(t, "lines")
		title := rapid.String().Draw(t, "title")
		a, b := QueryFrom(added(lines), title), QueryFrom(added(lines), title)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("once %+v, then %+v", a, b)
		}
		if !slices.IsSortedFunc(a.Terms, func(x, y memory.Term) int { return strings.Compare(x.Word, y.Word) }) {
			t.Fatal("terms are not in order")
		}
	})
}

func TestAQueryIsBounded(t *testing.T) {
	var lines []string
	for i := range 30_000 {
		lines = append(lines, "w"+strings.Map(func(c rune) rune { return 'a' + c - '0' }, fmt.Sprint(i)))
	}
	change := added(append([]string{strings.Repeat("dataword ", 1000)}, lines...))
	for i := range maxQueryPaths + 10 {
		change.Files = append(change.Files, diff.File{Path: fmt.Sprintf("p%05d", i)})
	}
	q := QueryFrom(change, "the title counts before the lines")
	if len(q.Terms) != maxQueryTerms || len(q.Paths) != maxQueryPaths {
		t.Errorf("%d terms and %d paths", len(q.Terms), len(q.Paths))
	}
	got := " " + words(q) + " "
	if !strings.Contains(got, " title:1 ") || strings.Contains(got, " dataword:") {
		t.Error("the title must be there, and a line of data not")
	}
	if empty := QueryFrom(diff.Change{}, ""); len(empty.Terms) != 0 || len(empty.Paths) != 0 {
		t.Errorf("nothing asks for %+v", empty)
	}
}
