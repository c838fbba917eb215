package render

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

func TestOnlyLinesOfOursAreHidden(t *testing.T) {
	text := Line("All is well.")
	for line, want := range map[string]bool{
		"<!-- familiar:state v1 eyJoZWFkIjoi+/== 0a1b -->": true,
		"<!-- familiar:status v1 lumen/le-d.ger_x#7 -->":   true,
		"<!-- familiar:reply v1 42 -->":                    true,
		"<!-- familiar:reply v1 42 --> @octocat":           false,
		"<!-- familiar:reply --> <img src=x> <!-- x -->":   false,
		"<!-- familiar:reply > @octocat -->":               false,
		"<!-- familiar:reply\n@octocat -->":                false,
		"<!-- another:state v1 -->":                        false,
		"@octocat":                                         false,
		"":                                                 false,
	} {
		got := text.Under(line, line+"\n").String()
		if want {
			line += "\n"
			if got != line+line+"All is well." {
				t.Errorf("%q gives %q", line, got)
			}
		} else if got != "All is well." {
			t.Errorf("%q is taken: %q", line, got)
		}
	}
}

func TestPartsOfMarkupAreJoinedAsTheyAre(t *testing.T) {
	m := Words("**Ours** ").Then(Line("@octocat"), Words("\n"), Sentences("Say `x` @org/team"))
	if got, want := m.String(), "**Ours** `@octocat`\nSay `x` `@org/team`\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !(Markup{}).Empty() || m.Empty() || (Markup{" \n a\n\n"}).Trimmed().String() != "a\n" {
		t.Error("emptiness or trimming is told wrongly")
	}
}

// TestA56EveryMarkupOfATextIsHarmless: each function that makes Markup of a
// plain string, in one table; internal/arch proves that the table is whole.
func TestA56EveryMarkupOfATextIsHarmless(t *testing.T) {
	fewer(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText().Draw(t, "text")
		for name, m := range ofText(s) {
			harmless(t, name, m)
		}
	})
}

// fewer has the properties of a test tried on n texts where the race detector
// makes each dear.
func fewer(t *testing.T, n int) {
	t.Helper()
	if !raced {
		return
	}
	checks := flag.Lookup("rapid.checks")
	was := checks.Value.String()
	if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(was) })
}

// ofText is what every function makes of a text that stands for all its
// strings.
func ofText(s string) map[string]Markup {
	version := memory.Version{DocumentID: "m-7f3k2q8a", Number: 1, Key: memory.Key(s), Text: s, State: memory.ReviewRequired, Paths: []string{s}, About: []string{s}, Creator: memory.Principal{Login: s}}
	said := Disposition{Kind: memory.OpCorrect, Finding: "a1", Lesson: s, By: s, Text: s}
	finding := review.Finding{ID: s, Fingerprint: said.Finding, Candidate: review.Candidate{Severity: contract.Severity(s), Path: s, Line: 3, Title: s, Body: s, Recommendation: s, Rule: s, Because: []string{s}, Replacement: &s}}
	status := Status{Repo: s, Number: 7, Handle: s, Outcome: review.Reviewed, Detail: s, Summary: s, Change: s, Head: s, RunURL: s, Findings: []review.Finding{finding}, Cost: s, Notes: []string{s},
		Proposals: []memory.Version{version}, Answers: []Answer{{Command: s, Text: s, From: s}}, Refusals: []memory.Refusal{{Op: s, Target: s, Detail: s}}, MemoryOff: s, Versions: []Named{{s, s}},
		Said: []Disposition{said}, Earlier: []Answer{{Command: s, Text: s, From: s, Done: true, On: time.Unix(1, 0)}}, MoreEarlier: true}
	board, _ := DashboardBody(Dashboard{Repo: s, Handle: s, Versions: []memory.Version{version}, Denied: []string{s}, Notices: []Notice{{s, s}}, Problem: s})
	checkTitle, checkSummary := CheckText(status)
	return map[string]Markup{
		"CheckText": checkTitle, "CheckText, the summary": checkSummary,
		"StatusComment": StatusComment(status), "Markdown": Markdown(status), "DashboardBody": board, "SecondDashboard": SecondDashboard(12),
		"TakenAway": TakenAway([]string{s}), "WithoutLessons": withoutLessons(TakenAway([]string{s}).String()),
		"ReplyComment": ReplyComment(Reply{To: s, Notes: []string{s}, Late: true, Answers: status.Answers, Blocks: []Shown{{Command: s, Body: Sentences(s)}}}, MaxComment), "LineComment": LineComment(finding),
		"Standing":   Standing(StandingFacts{Pull: true, Who: s, Standing: s, Head: s, Reviewed: s, MemoryOff: s, Skipped: s}),
		"JobSummary": JobSummary(Summary{Outcome: s, Detail: s, Said: []string{s}, Deeds: []Deed{{s, s, s}}, Picture: &Picture{Trust: s, Outcome: s}}),
		"Line":       Line(s), "Sentences": Sentences(s), "Fenced": Fenced(s), "RefusedTicks": RefusedTicks(s, []string{s, s}), "FixedIn": FixedIn(s), "SaidOnLine": SaidOnLine(said), "BackIn": BackIn(s),
		"Folded": Folded(s, s), "Help": Help(s, s), "Whole": Whole(version), "Unread": Unread(s, s, []memory.Version{version}, s), "Under": Line(s).Under(s, "<!-- familiar:"+s+" -->"),
	}
}

// harmless fails where GitHub's other parser makes something of a text that
// notifies, links, loads or leaves its place.
func harmless(t failer, name string, m Markup) {
	t.Helper()
	kinds, seen := parsed(t, m.String())
	if name == "Help" { // its tables and line breaks are ours: as many as ever
		usual, _ := parsed(t, Help("familiar", "").String())
		if fmt.Sprint(kinds) != fmt.Sprint(usual) && kinds["FencedCodeBlock"] != 1 {
			t.Fatalf("Help makes %v, and usually %v", kinds, usual)
		}
		return
	}
	ours := map[string]string{"JobSummary": "Table", "StatusComment": "Blockquote", "Markdown": "Blockquote", "CheckText, the summary": "Blockquote", "DashboardBody": "Blockquote", "Whole": "Blockquote", "Unread": "Blockquote"}
	for _, k := range []string{"Link", "Image", "AutoLink", "RawHTML", "Table", "FootnoteLink", "ThematicBreak", "Blockquote", "Strikethrough"} {
		if kinds[k] > 0 && ours[name] != k {
			t.Fatalf("%s makes a %s:\n%s", name, k, m.String())
		}
	}
	if hit := acted.FindString(seen); hit != "" && name != "SecondDashboard" { // which refers to the first
		t.Fatalf("%s shows %q, in which GitHub acts on %q", name, seen, hit)
	}
	if strings.Contains(seen, "-->") && name == "Under" && kinds["HTMLBlock"] > 0 && strings.Contains(m.String(), "\n-->") {
		t.Fatalf("%s closes its comment:\n%s", name, m.String())
	}
}

// FuzzMarkup attacks every function that makes Markup, with goldmark, and one
// after another with GitHub's own parser.
func FuzzMarkup(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.in)
	}
	for _, s := range []string{"www", ":sta", "a:A"} { // which punctuation of ours behind it would complete
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, m := range ofText(s) {
			harmless(t, name, m)
		}
	})
}

func withoutLessons(comment string) Markup {
	out, _ := WithoutLessons(comment, Cited(comment))
	return out
}
