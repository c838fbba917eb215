package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

func TestTheFirstLineIsTheMarkerAndNothingElseLooksLikeOne(t *testing.T) {
	for _, e := range exhibits() {
		if !strings.HasSuffix(e.file, ".md") || e.title == "" || e.file == "dashboard.md" { // an issue, with boxes of its own
			continue
		}
		first, rest, _ := strings.Cut(e.text(), "\n")
		if first != "<!-- familiar:status v1 octocat/ledger#57 k1.q83vEi0x -->" {
			t.Errorf("%s begins with %q", e.file, first)
		}
		if strings.Contains(rest, "<!--") || strings.Contains(rest, "-->") {
			t.Errorf("%s holds another comment, or the end of one", e.file)
		}
	}
}

func TestMarkerTakesOnlyWhatBelongsInOne(t *testing.T) {
	for _, c := range []struct {
		repo   string
		number int
		tag    string
		want   string
	}{
		{"octocat/hello", 9, "", "<!-- familiar:status v1 octocat/hello#9 -->"},
		{"octocat/hello", 9, "k1.ab_C+/=", "<!-- familiar:status v1 octocat/hello#9 k1.ab_C+/= -->"},
		{"o/r-->x", 1, "a--><script>", "<!-- familiar:status v1 o/r-x#1 a-script -->"},
		{"o/r\n\n# x", 1, "a b", "<!-- familiar:status v1 o/rx#1 ab -->"},
	} {
		if got := Marker(c.repo, c.number, c.tag); got != c.want {
			t.Errorf("Marker(%q, %d, %q) = %q, want %q", c.repo, c.number, c.tag, got, c.want)
		}
	}
}

func TestHeadlineNeverSaysMoreThanWhatHappened(t *testing.T) {
	files := func(reviewed, all int) review.Coverage { return review.Coverage{Files: all, Reviewed: reviewed} }
	for _, c := range []struct {
		name string
		m    Status
		want string
	}{
		{"reviewed whole", Status{Outcome: review.Reviewed, Coverage: files(2, 2)}, "**No findings** in 2 files"},
		{"reviewed, but a file is missing", Status{Outcome: review.Reviewed, Coverage: files(1, 2)}, "**Partly reviewed: no findings** in 1 of 2 files"},
		{"partly, but nothing was read", Status{Outcome: review.PartlyReviewed, Coverage: files(0, 1)}, "**Nothing reviewed** of 1 file"},
		{"nothing to read", Status{Outcome: review.Reviewed}, "**Nothing to review** in this change: it has no file that I read"},
		{"no outcome", Status{Coverage: files(2, 2)}, "**Not reviewed: the run failed**"},
		{"an unknown outcome", Status{Outcome: "approved", Coverage: files(2, 2)}, "**Not reviewed: the run failed**"},
		{"rate limited", Status{Outcome: review.RateLimited, Detail: "wait until 10:42 UTC", Head: "abc"}, "**Not reviewed: rate limited** at `abc`: wait until 10:42 UTC"},
		{"nothing new", Status{Outcome: review.NothingToDo}, "**Nothing new** since the last review"},
		{"a change of binaries alone is not called reviewed before",
			Status{Outcome: review.NothingToDo, Coverage: review.Coverage{Unreviewed: []review.Gap{{Path: "a.bin", Reason: "a binary file"}}}},
			"**Nothing to review** in this change: it has no file that I read"},
		{"nor is one whose paths are all left out", Status{Outcome: review.NothingToDo, Dropped: map[string]int{review.DropIgnoredPath: 1}},
			"**Nothing to review** in this change: it has no file that I read"},
		{"a clone has no last review", Status{Outcome: review.NothingToDo, Local: true}, "**Nothing to review** in this change: it has no file that I read"},
		{"memory alone", Status{Outcome: review.MemoryUnavailable, Detail: "no seal"}, "**Memory unavailable**: no seal"},
		{"no command", Status{Outcome: review.CommandsApplied}, "**No command** to do"},
		{"all commands", Status{Outcome: review.CommandsApplied, Answers: []Answer{{Done: true}}}, "**1 command done**"},
		{"a work tree", Status{Local: true, Outcome: review.Reviewed, Coverage: files(1, 1)}, "**No findings** in 1 file in the work tree"},
		{"an address that is none", Status{Outcome: review.NothingToDo, RunURL: "javascript:x"}, "**Nothing new** since the last review"},
		{"an address that ends a link", Status{Outcome: review.NothingToDo, RunURL: "https://h.test/a)b`<_"}, "**Nothing new** since the last review · [run](https://h.test/a%29b%60%3C%5F)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.m.headline(markdownDialect()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSeveritiesAreCountedGravestFirst(t *testing.T) {
	of := func(list ...contract.Severity) (out []review.Finding) {
		for _, s := range list {
			out = append(out, review.Finding{Candidate: review.Candidate{Severity: s}})
		}
		return out
	}
	for _, c := range []struct {
		in   []review.Finding
		want string
	}{
		{nil, "No findings"},
		{of("low"), "1 finding (low)"},
		{of("low", "low"), "2 findings (all low)"},
		{of("info", "critical", "info"), "3 findings (1 critical, 2 info)"},
		{of("terrible"), "1 finding"},
	} {
		if got := findingsCount(c.in); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestQuietMeansThatThereIsNothingToSay(t *testing.T) {
	clean := Status{Outcome: review.Reviewed, Coverage: review.Coverage{Files: 2, Reviewed: 2}}
	if !Quiet(clean) || !Quiet(Status{Outcome: review.NothingToDo}) {
		t.Error("a clean review and a run with nothing to do are quiet")
	}
	for name, change := range map[string]func(*Status){
		"a finding":            func(m *Status) { m.Findings = findings() },
		"a lesson read":        func(m *Status) { m.Lessons = []memory.Version{rounding()} },
		"a proposal":           func(m *Status) { m.Proposals = []memory.Version{waitingLesson()} },
		"a stored lesson":      func(m *Status) { m.Stored = []memory.Version{waitingLesson()} },
		"a refusal":            func(m *Status) { m.Refusals = []memory.Refusal{{}} },
		"an answer":            func(m *Status) { m.Answers = []Answer{{}} },
		"a reminder":           func(m *Status) { m.Reminders = []memory.Version{rounding()} },
		"a warning":            func(m *Status) { m.Notes = []string{"x"} },
		"a skipped rule":       func(m *Status) { m.Skipped = []Skipped{{}} },
		"the first comment":    func(m *Status) { m.Greeting = true },
		"a file not reviewed":  func(m *Status) { m.Coverage.Reviewed = 1 },
		"a failure":            func(m *Status) { m.Outcome = review.Failed },
		"no outcome":           func(m *Status) { m.Outcome = "" },
		"memory that is out":   func(m *Status) { m.Outcome = review.MemoryUnavailable },
		"a limit that was hit": func(m *Status) { m.Outcome = review.RateLimited },
	} {
		m := clean
		change(&m)
		if Quiet(m) {
			t.Errorf("%s is something to say", name)
		}
	}
}

// The areas of the conformance cases that a comment decides.
func TestConformanceOfTheStatusComment(t *testing.T) {
	t.Run("citation: no reads, no citation line", func(t *testing.T) {
		if body := StatusComment(base()).String(); strings.Contains(body, "lessons read") || strings.Contains(body, "lesson read") {
			t.Errorf("nothing was read, yet: %s", body)
		}
	})
	t.Run("citation: refused read is not cited but review still publishes", func(t *testing.T) {
		m := base()
		m.Findings = findings()[1:2]
		m.Refusals = []memory.Refusal{{Op: "read", Target: "repo/octocat/ledger/lessons/old", Reason: memory.ReasonRevoked, Detail: "This key is revoked."}}
		body := StatusComment(m).String()
		if strings.Contains(body, "lesson read") || !strings.Contains(body, "**F2** high") ||
			!strings.Contains(body, "- read `repo/octocat/ledger/lessons/old`: This key is revoked. (revoked)") {
			t.Error(body)
		}
	})
	t.Run("status-comment: marker text", func(t *testing.T) {
		if got := Marker("lumen/ledger", 9, ""); got != "<!-- familiar:status v1 lumen/ledger#9 -->" {
			t.Error(got)
		}
	})
	t.Run("self-trigger: bot comments its own command", func(t *testing.T) {
		for _, e := range exhibits() {
			if got := intent.Parse(e.text(), intent.Options{}); len(got) > 0 {
				t.Errorf("%s commands %q", e.file, got[0].Raw)
			}
		}
	})
}

func TestA74APendingLessonIsShownWithEverythingThatAnApprovalCovers(t *testing.T) {
	v := waitingLesson()
	v.Text = strings.Repeat("harmless words ", 120) + "and the payload at the end"
	v.Scope = contract.ScopeTenantShared
	v.Key = "tenant/77/lessons/x"
	v.Paths, v.About = []string{"billing/**"}, []string{"cents"}
	v.Class, v.ValidUntil = memory.Ephemeral, month(12, 24)
	v.Check = &memory.Check{Kind: memory.CheckPrefer, Pattern: "err ==", Prefer: "errors.Is(", In: []string{"**/*.go"}, Regex: true,
		Severity: contract.SeverityLow, Because: "wrapped errors", Bad: []string{"if err == io.EOF {"}, Good: []string{"errors.Is(err, io.EOF)"}}
	v.Citations = []memory.Citation{{Path: "a.go", StartLine: 3, EndLine: 5, Commit: "4f2a91c03b77d0a1"}}
	m := base()
	m.Proposals = []memory.Version{v}
	c := ComposeStatus(m)
	for _, want := range []string{
		"and the payload at the end", "key `tenant/77/lessons/x`", "scope `tenant_shared`", "for `billing/**`", "About: `cents`",
		"Class: `ephemeral`", "Valid until 2026-12-24", "prefer `errors.Is(` over the regular expression `err ==` in `**/*.go`",
		"severity low", "Because wrapped errors.", "Found: `if err == io.EOF {`", "Not found: `errors.Is(err, io.EOF)`", "Cites `a.go:3-5 at 4f2a91c03b`",
	} {
		if !strings.Contains(c.Body.String(), want) {
			t.Errorf("%q is not shown in\n%s", want, c.Body.String())
		}
	}
	if !c.Whole || !slices.Equal(c.Displayed, []string{v.DocumentID}) {
		t.Errorf("displayed %v, whole %v", c.Displayed, c.Whole)
	}
}

// big is a status far beyond the limit.
func big(proposals, words int) Status {
	m := withFindings()
	for i := range proposals {
		v := waitingLesson()
		v.DocumentID = fmt.Sprintf("m-%08d", i)
		v.Text = fmt.Sprintf("lesson %d. ", i) + strings.Repeat("wörds ", words) + fmt.Sprintf("end of %d", i)
		m.Proposals = append(m.Proposals, v)
	}
	for i := range 400 {
		f := findings()[0]
		f.ID = fmt.Sprintf("F%d", i+4)
		m.Findings = append(m.Findings, f)
	}
	for range 30 {
		m.Refusals = append(m.Refusals, memory.Refusal{Op: "propose", Target: "x", Reason: memory.ReasonQuota, Detail: "Too many."})
	}
	return m
}

func TestA61WhatDoesNotFitIsLeftOutWholeAndCounted(t *testing.T) {
	m := big(60, 300)
	c := ComposeStatus(m)
	if n := units(c.Body.String()); n > MaxComment || n < MaxComment*8/10 {
		t.Fatalf("the comment has %d characters, want nearly %d and no more", n, MaxComment)
	}
	if !strings.HasPrefix(c.Body.String(), "<!-- familiar:status v1 octocat/ledger#57 k1.q83vEi0x -->\n**403 findings") {
		t.Errorf("it begins with %q", c.Body.String()[:120])
	}
	if c.Whole || len(c.Displayed) == 0 || len(c.Displayed) == 60 {
		t.Errorf("whole %v, displayed %d", c.Whole, len(c.Displayed))
	}
	for i, v := range m.Proposals {
		if !strings.Contains(c.Body.String(), "`"+v.DocumentID+"`") {
			t.Errorf("the id %s is gone", v.DocumentID)
		}
		begins, ends := strings.Contains(c.Body.String(), fmt.Sprintf("> lesson %d. ", i)), strings.Contains(c.Body.String(), fmt.Sprintf("end of %d\n", i))
		if shown := slices.Contains(c.Displayed, v.DocumentID); begins != shown || ends != shown {
			t.Errorf("%s: counted as shown %v, begins %v, ends %v", v.DocumentID, shown, begins, ends)
		}
	}
	left := 60 - len(c.Displayed)
	for _, want := range []string{
		fmt.Sprintf("%d lessons more could not be shown whole, so neither the label nor `all` approves anything here.", left),
		"Read one with `/familiar show m-", " did not fit here; they are in [the summary of the run](https://github.com/octocat/ledger/actions/runs/4242).",
		"And 25 more.", "Details: trust maintainer, memory on",
	} {
		if !strings.Contains(c.Body.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for _, never := range []string{"approve all", "label `familiar:approve`"} {
		if strings.Contains(c.Body.String(), never) {
			t.Errorf("it offers %q although not everything could be read", never)
		}
	}
	if !slices.Equal(DisplayedPending(m), c.Displayed) || StatusComment(m) != c.Body {
		t.Error("DisplayedPending and StatusComment disagree with ComposeStatus")
	}
}

func TestAGiantHidesNothingButItself(t *testing.T) {
	m := base()
	giant := findings()[0]
	giant.Body = strings.Repeat("x", 80_000)
	m.Findings = append([]review.Finding{giant}, findings()[1:]...)
	m.Proposals = []memory.Version{waitingLesson()}
	c := ComposeStatus(m)
	if units(c.Body.String()) > MaxComment || c.Left != 1 || !c.Whole || !strings.Contains(c.Body.String(), "**F2** high") ||
		!strings.Contains(c.Body.String(), "1 more did not fit here") {
		t.Errorf("left out %d, whole %v, %d characters", c.Left, c.Whole, units(c.Body.String()))
	}
}

func TestA61TheLimitHoldsForAnyStatus(t *testing.T) {
	fewer(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		m := base()
		if rapid.Bool().Draw(t, "big") {
			m = big(rapid.IntRange(0, 60).Draw(t, "proposals"), rapid.IntRange(0, 300).Draw(t, "words"))
		}
		m.Detail = strings.Repeat(hostileText().Draw(t, "detail"), rapid.IntRange(1, 500).Draw(t, "times"))
		for range rapid.IntRange(0, 40).Draw(t, "notes") {
			m.Notes = append(m.Notes, m.Detail)
			m.Skipped = append(m.Skipped, Skipped{m.Detail, m.Detail, m.Detail})
			m.Coverage.Unreviewed = append(m.Coverage.Unreviewed, review.Gap{Path: m.Detail, Reason: m.Detail})
		}
		c := ComposeStatus(m)
		if n := units(c.Body.String()); n > MaxComment {
			t.Fatalf("%d characters", n)
		}
		for _, v := range m.Proposals {
			if !strings.Contains(c.Body.String(), v.DocumentID) {
				t.Fatalf("the id %s is gone", v.DocumentID)
			}
		}
	})
}

// hostileStatus puts hostile text in every place that takes any.
func hostileStatus() *rapid.Generator[Status] {
	return rapid.Custom(func(t *rapid.T) Status {
		pool := rapid.SliceOfN(hostileText(), 5, 5).Draw(t, "texts")
		step, at := rapid.IntRange(1, 4).Draw(t, "step"), 0
		s := func() string { at += step; return pool[at%len(pool)] }
		v := waitingLesson()
		v.Text, v.Key, v.Paths, v.About = s(), memory.Key(s()), []string{s()}, []string{s()}
		v.Creator.Login, v.ConfirmedBy.Login, v.ConfirmedAt, v.ConfirmedThrough.URL = s(), s(), month(1, 1), "https://h.test/"+s()
		v.Provenance.Finding, v.Provenance.Head, v.Source = s(), s(), memory.UserAuthored
		v.Check = &memory.Check{Kind: memory.CheckPrefer, Pattern: s(), Prefer: s(), In: []string{s()}, Because: s(), Bad: []string{s()}, Good: []string{s()}}
		m := base()
		m.Detail, m.Change, m.Head, m.RunURL, m.Cost, m.MemoryOff = s(), s(), s(), "https://h.test/"+s(), s(), s()
		m.Findings = []review.Finding{{ID: "F1", Candidate: review.Candidate{Severity: contract.Severity(s()), Path: s(), Line: 1,
			Title: s(), Body: s(), Recommendation: s(), Evidence: s(), Because: []string{s()}}}}
		m.Dropped = map[string]int{s(): 1}
		m.Skipped, m.Notes = []Skipped{{s(), s(), s()}}, []string{s()}
		m.Answers = []Answer{{Command: s(), Text: s()}}
		m.Lessons, m.Proposals, m.Reminders, m.Stored = []memory.Version{v}, []memory.Version{v}, []memory.Version{v}, []memory.Version{v}
		m.Refusals = []memory.Refusal{{Op: s(), Target: s(), Reason: memory.Reason(s()), Detail: s()}}
		m.Versions = []Named{{s(), s()}}
		m.Trust.Reasons[0].Text = s()
		return m
	})
}

var ourHTML = regexp.MustCompile(`^(<!-- familiar:status v1 \S+ \S+ -->|<details><summary>[a-zA-Z0-9_:, ]*</summary>|</details>)$`)

func TestA48A56A98ACommentNeverLeaksWhatSomebodyWrote(t *testing.T) {
	fewer(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		body := StatusComment(hostileStatus().Draw(t, "status")).String()
		src := []byte(body)
		links, folds := 0, 0
		_ = ast.Walk(gfm.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.RawHTML, *ast.Image, *ast.AutoLink, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.ThematicBreak:
				t.Fatalf("a node %s in\n%s", n.Kind(), body)
			case *ast.HTMLBlock:
				for i := range n.Lines().Len() {
					if line := strings.TrimSpace(segment(src, n, i)); line != "" && !ourHTML.MatchString(line) {
						t.Fatalf("HTML %q in\n%s", line, body)
					}
				}
				folds++
			case *ast.Heading:
				if n.Level != 3 {
					t.Fatalf("a heading of level %d in\n%s", n.Level, body)
				}
			case *ast.Link:
				links++
				if !strings.HasPrefix(string(n.Destination), "https://") {
					t.Fatalf("a link to %q", n.Destination)
				}
			case *ast.Text:
				if _, code := n.Parent().(*ast.CodeSpan); !code {
					if hit := acted.FindString(string(unescaped(n.Segment.Value(src)))); hit != "" {
						t.Fatalf("GitHub acts on %q in\n%s", hit, body)
					}
				}
			default:
				switch n.Kind().String() {
				case "Document", "Paragraph", "TextBlock", "List", "ListItem", "Blockquote", "Emphasis", "CodeSpan", "String":
				default:
					t.Fatalf("a node %s in\n%s", n.Kind(), body)
				}
			}
			return ast.WalkContinue, nil
		})
		if links > 6 || folds != 5 {
			t.Fatalf("%d links and %d pieces of HTML in\n%s", links, folds, body)
		}
		if strings.Count(strings.ToLower(body), "<!-- familiar") != 1 {
			t.Fatalf("not one marker in\n%s", body)
		}
		if got := intent.Parse(body, intent.Options{}); len(got) > 0 {
			t.Fatalf("the comment commands %q", got[0].Raw)
		}
	})
}

func segment(src []byte, n ast.Node, i int) string {
	s := n.Lines().At(i)
	return string(s.Value(src))
}

func TestGitHubsParserFindsOnlyOurOwnHTMLInAComment(t *testing.T) {
	rendered := cmark(t, StatusComment(attacked()).String())
	for _, found := range tag.FindAllString(rendered, -1) {
		switch strings.Trim(strings.SplitN(found, " ", 2)[0], "</>") {
		case "p", "code", "strong", "ul", "li", "blockquote", "h3", "details", "summary":
		case "a":
			if !strings.Contains(found, `href="https://github.com/octocat/ledger/`) && found != "</a>" {
				t.Errorf("a link of somebody: %s", found)
			}
		default:
			t.Errorf("cmark-gfm made %s", found)
		}
	}
	if strings.Count(rendered, "<details>") != strings.Count(rendered, "</details>") {
		t.Error("a folded part is open")
	}
}
