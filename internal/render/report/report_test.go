package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

var made = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// lesson is a version in use.
func lesson(id, text string, change ...func(*memory.Version)) memory.Version {
	mara := memory.Principal{ID: 7, Login: "mara"}
	v := memory.Version{
		DocumentID: id, Number: 1, Key: "repo/acme/shop/lessons/one", Scope: contract.ScopeRepo, Text: text, Source: memory.UserAuthored,
		State: memory.Active, Class: memory.Standard, Creator: mara, CreatedAt: made.AddDate(0, 0, -9), ConfirmedBy: mara, ConfirmedAt: made.AddDate(0, 0, -9),
		ConfirmedThrough: memory.Through{Kind: "issue_comment", ID: "1", URL: "https://github.com/acme/shop/issues/1#issuecomment-1"}, Approved: memory.ApprovedConfirmed,
	}
	for _, f := range change {
		f(&v)
	}
	return v
}

// example is a report with something in every part.
func example() Report {
	old := lesson("m-2aaaaaaa", "retries back off", func(v *memory.Version) { v.State = memory.Superseded })
	now := lesson("m-2aaaaaaa", "retries back off and have an end", func(v *memory.Version) { v.Number = 2 })
	return Report{
		Repository: "acme/shop", StoreID: "0123456789abcdef0123456789abcdef", Generation: 42, Made: made, Tool: "familiar 1.0",
		Versions: []memory.Version{
			old, now,
			lesson("m-1aaaaaaa", "money is rounded half-even"),
			lesson("m-3aaaaaaa", "", func(v *memory.Version) {
				v.Check = &memory.Check{Kind: memory.CheckNever, Pattern: "time.Sleep(", In: []string{"services/**"}, Because: "a wait must be cancellable"}
				v.Text, v.Key, v.Class = v.Check.Text(), "repo/acme/shop/rules/sleep", memory.Durable
			}),
			lesson("m-4aaaaaaa", "vendor is not linted", func(v *memory.Version) {
				v.State, v.Source, v.Approved, v.ConfirmedAt, v.ConfirmedBy = memory.ReviewRequired, memory.ChatExtracted, "", time.Time{}, memory.Principal{}
			}),
			lesson("m-5aaaaaaa", memory.Redacted, func(v *memory.Version) { v.State = memory.Tombstoned }),
		},
		Events: []render.Event{
			{At: made.AddDate(0, 0, -9), Op: "remember", Target: "m-1aaaaaaa@1", Actor: memory.Principal{ID: 7, Login: "mara"}},
			{At: made.AddDate(0, 0, -8), Op: "propose", Target: "m-4aaaaaaa@1"},
			{At: made.AddDate(0, 0, -7), Op: "forget", Target: "m-5aaaaaaa@1", Actor: memory.Principal{ID: 7, Login: "mara"}},
			{At: made.AddDate(0, 0, -1), Op: "forget", Reason: memory.ReasonNotYours, Target: "m-1aaaaaaa", Actor: memory.Principal{ID: 8, Login: "ada"}},
		},
		Uses: map[string]int{"m-1aaaaaaa": 3}, Days: map[string]int{"2026-11-24": 2, "2026-11-30": 1, "2020-01-01": 9},
		Denied:      []string{"repo/acme/shop/old"},
		Generations: []Generation{{Number: 42, Where: "container 4711", Made: made, Expires: made.AddDate(0, 3, 0), Lessons: 5, Active: 3, Pending: 1, By: "familiar/1.0", Digest: strings.Repeat("ab", 32)}},
		Health:      []Finding{{Severity: "warning", Check: "duplicate", Message: "m-1aaaaaaa says what m-3aaaaaaa says.", Fix: "Retire one.", Lessons: []string{"m-1aaaaaaa"}}},
	}
}

func TestEveryPartOfAReportIsOnThePage(t *testing.T) {
	got := string(HTML(example()))
	for _, want := range []string{
		"What is remembered of acme/shop", "Generation 42, store 01234567.", ">3</strong> in use", ">1</strong> of them shaped a finding", ">1</strong> wait for approval",
		`<article id="m-1aaaaaaa" data-state="active" data-namespace="lessons" data-class="standard" data-owner="mara" data-use="shaped a finding">`,
		`data-state="review_required" data-namespace="lessons" data-class="standard" data-owner="nobody" data-use="never shaped a finding"`,
		"retries back off and have an end", "never time.Sleep( in services/**", "Because a wait must be cancellable.", "Its text was overwritten.",
		`href="https://github.com/acme/shop/issues/1#issuecomment-1"`, "forget refused (not_yours) by ada", "m-1aaaaaaa says what m-3aaaaaaa says.",
		"repo/acme/shop/old", "container 4711", "2027-03-02", "Findings that a lesson shaped: 3", "Operations refused: 1", "Lessons proposed: 1",
		`role="status" aria-live="polite">5 of 5 lessons<`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if again := string(HTML(example())); again != got {
		t.Error("the same report gives two pages")
	}
}

// TestWhatIsMuchFoldsOrIsCounted: a page of a large memory stays one that is
// read from the top.
func TestWhatIsMuchFoldsOrIsCounted(t *testing.T) {
	r := example()
	for i := range 100 {
		r.Health = append(r.Health, Finding{Severity: "note", Message: fmt.Sprintf("Finding %d.", i), Lessons: []string{"m-1aaaaaaa"}})
	}
	for range maxTimeline {
		r.Events = append(r.Events, render.Event{At: made, Op: "approve", Target: "m-1aaaaaaa@1"})
	}
	got := string(HTML(r))
	open, folded, ok := strings.Cut(got, "<summary>And 81 more</summary>")
	if !ok || !strings.Contains(open, "Finding 18.") || strings.Contains(open, "Finding 19.") || !strings.Contains(folded, "Finding 99.") {
		t.Error("101 findings of health are not 20 and 81 folded")
	}
	if !strings.Contains(got, "And 2 earlier ones.") {
		t.Error("the timeline does not count what it leaves out")
	}
	if !strings.Contains(open, `Finding 1. <span class="quiet"></span> <a href="#m-1aaaaaaa">m-1aaaaaaa</a>`) {
		t.Error("a finding does not lead to its lesson")
	}
}

func TestAnEmptyMemoryIsAPageToo(t *testing.T) {
	got := string(HTML(Report{Repository: "acme/shop", Made: made}))
	if !strings.Contains(got, "0 of 0 lessons") || !strings.Contains(got, "Nothing is wrong") {
		t.Error("an empty memory says nothing")
	}
}

func TestThePolicyNamesExactlyWhatIsInThePage(t *testing.T) {
	got := string(HTML(example()))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(got)[1]
	want := "default-src &#39;none&#39;; style-src " + safe(hash(between(t, got, "style"))) + "; script-src " + safe(hash(between(t, got, "script"))) + "; base-uri &#39;none&#39;; form-action &#39;none&#39;"
	if policy != want {
		t.Errorf("policy %s\nwant %s", policy, want)
	}
	for _, forbidden := range []string{"<link", "<img", "<iframe", "@import", "url(", "fetch(", "innerHTML", "onclick="} {
		if strings.Contains(got, forbidden) {
			t.Errorf("the page holds %q", forbidden)
		}
	}
}

// between is the content of the one element of that name.
func between(t *testing.T, page, tag string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "<"+tag+">")
	content, _, ok2 := strings.Cut(rest, "</"+tag+">")
	if !ok || !ok2 || strings.Count(page, "<"+tag) != 1 {
		t.Fatalf("the page has not one element %s", tag)
	}
	return content
}

// hostile are words that break out of every place of a page that lets them.
var hostile = []string{
	`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `<!--`, `]]>`, `</article></style><style>*{}`,
	"&lt;b&gt;", "javascript:alert(1)", "a\u202eb", "line\u2028break", "\x00nul", `<svg onload=alert(1)>`, "{{.}}", "`${alert(1)}`",
}

func TestHostileWordsStayWordsWhereverTheyStand(t *testing.T) {
	want := tags(string(HTML(everywhere("word"))))
	for _, s := range hostile {
		got := string(HTML(everywhere(s)))
		if found := tags(got); !slices.Equal(found, want) {
			t.Errorf("%q changes the markup of the page", s)
		}
		if strings.Contains(between(t, got, "script"), "alert") || strings.ContainsAny(got, "\u202e\u2028\x00") {
			t.Errorf("%q reaches the page as it is", s)
		}
	}
}

func FuzzHostileWords(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	want := tags(string(HTML(everywhere("word"))))
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		if found := tags(string(HTML(everywhere(s)))); !slices.Equal(found, want) {
			t.Errorf("%q changes the markup of the page", s)
		}
	})
}

var (
	tagForm   = regexp.MustCompile(`<[^>]*>`)
	valueForm = regexp.MustCompile(`="[^"]*"`)
)

// tags are the tags of a page with the names of their attributes, the script,
// the style and the items of lists aside: a text that addresses the reviewer
// has a warning as one more fact.
func tags(page string) []string {
	_, body, _ := strings.Cut(page, "</style>")
	body, _, _ = strings.Cut(body, "<script>")
	var out []string
	for _, tag := range tagForm.FindAllString(body, -1) {
		if tag == "<li>" || tag == "</li>" {
			continue
		}
		out = append(out, valueForm.ReplaceAllString(tag, "="))
	}
	return out
}

// everywhere is a report in which every string that somebody may have written
// is s.
func everywhere(s string) Report {
	p := memory.Principal{ID: 7, Login: s}
	v := memory.Version{
		DocumentID: "d" + s, Number: 1, Key: memory.Key("repo/acme/shop/" + s), Text: s, State: memory.Active, Class: memory.Class("durable"),
		Source: memory.UserAuthored, Creator: p, CreatedAt: made, ConfirmedBy: p, ConfirmedAt: made, Approved: memory.ApprovedConfirmed,
		ConfirmedThrough: memory.Through{URL: "https://github.com/" + "x"}, Paths: []string{s}, About: []string{s},
		Check:     &memory.Check{Kind: memory.CheckPrefer, Pattern: s, Prefer: s, In: []string{s}, Because: s + ".", Bad: []string{s}},
		Citations: []memory.Citation{{Path: s, StartLine: 1, EndLine: 2, Commit: s}}, Provenance: memory.Provenance{PullRequest: 7, Head: s},
	}
	return Report{
		Repository: s, StoreID: s, Tool: s, Made: made, Versions: []memory.Version{v},
		Events: []render.Event{{At: made, Op: "approve", Target: "t" + s, Actor: memory.Principal{ID: 7, Login: "x" + s}, Detail: "x" + s}, {At: made, Op: s, Reason: memory.Reason("x" + s), Detail: "x" + s}},
		Uses:   map[string]int{s: 1}, Days: map[string]int{s: 1}, Denied: []string{s},
		Generations: []Generation{{Where: s, By: s, Digest: s}}, Health: []Finding{{Severity: s, Check: s, Message: s, Fix: s, Lessons: []string{s}}},
	}
}

func TestALinkLeadsToHTTPSOrNowhere(t *testing.T) {
	for address, linked := range map[string]bool{
		"https://github.com/acme/shop/issues/1": true, "javascript:alert(1)": false, "http://github.com/x": false, "data:text/html,x": false, "https://a@github.com": false, "//github.com": false,
	} {
		v := lesson("m-1aaaaaaa", "x", func(v *memory.Version) { v.ConfirmedThrough.URL = address })
		if got := strings.Contains(string(HTML(Report{Made: made, Versions: []memory.Version{v}})), "rel=\"noreferrer\""); got != linked {
			t.Errorf("%s is linked: %v, want %v", address, got, linked)
		}
	}
}

func TestWeeksBeginOnMondaysAndLeaveNoGap(t *testing.T) {
	for _, c := range []struct{ made, first, last string }{
		{"2026-11-30T00:00:00Z", "2026-06-08", "2026-11-30"}, // a Monday
		{"2026-12-06T23:59:59Z", "2026-06-08", "2026-11-30"}, // a Sunday
		{"2026-12-07T00:00:00Z", "2026-06-15", "2026-12-07"},
	} {
		at, _ := time.Parse(time.RFC3339, c.made)
		list := weeks(Report{Made: at})
		if first, last := list[0].from.Format(time.DateOnly), list[len(list)-1].from.Format(time.DateOnly); first != c.first || last != c.last || len(list) != shownWeeks {
			t.Errorf("made %s: from %s to %s in %d weeks, want %s to %s", c.made, first, last, len(list), c.first, c.last)
		}
	}
	list := weeks(Report{Made: made, Days: map[string]int{"2026-11-29": 1, "2026-11-30": 2, "2026-06-07": 4, "2026-06-08": 8, "2027-01-01": 16},
		Events: []render.Event{{At: made.AddDate(-2, 0, 0), Op: "propose"}, {At: made, Op: "import"}, {At: made, Op: "forget", Reason: "x"}}})
	got := fmt.Sprint(list[0].read, list[len(list)-2].read, list[len(list)-1].read, list[len(list)-1].proposed, list[len(list)-1].refused)
	if got != "8 1 2 1 1" {
		t.Errorf("counted %s, want 8 1 2 1 1: what lies outside the weeks counts in none", got)
	}
}
