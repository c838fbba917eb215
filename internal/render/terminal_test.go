package render

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

func TestWrapBreaksAtSpacesAndNeverWithinAWord(t *testing.T) {
	for _, c := range []struct {
		name, in, first, rest string
		max                   int
		want                  string
	}{
		{"fits", "a bc", "", "", 4, "a bc\n"},
		{"breaks", "a bc d", "", "  ", 4, "a bc\n  d\n"},
		{"a long word stands alone", "a abcdefgh b", "> ", "  ", 6, "> a\n  abcdefgh\n  b\n"},
		{"wide characters take two columns", "漢字 漢字", "", "", 8, "漢字\n漢字\n"},
		{"combining marks take none", "e\u0301e\u0301 x", "", "", 4, "e\u0301e\u0301 x\n"},
		{"colour takes none", "\x1b[1mab\x1b[0m cd", "", "", 5, "\x1b[1mab\x1b[0m cd\n"},
		{"nothing", "", "  ", "", 5, "  \n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := wrap(c.in, c.first, c.rest, c.max); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestClipCutsAtColumns(t *testing.T) {
	for in, want := range map[string]string{"short": "short", "exactly 10": "exactly 10", "a bit longer": "a bit l...", "漢字漢字漢字": "漢字漢..."} {
		if got := clip(in, 10); got != want {
			t.Errorf("clip(%q) = %q, want %q", in, got, want)
		}
	}
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// tooLong returns a line that is wider than w although it could be broken.
func tooLong(text string, w int) string {
	for _, line := range strings.Split(text, "\n") {
		words := strings.Split(strings.Trim(line, " |"), " ")
		if columns(line) > w && len(words) > 1 {
			return line
		}
	}
	return ""
}

func TestTerminalKeepsToTheWidth(t *testing.T) {
	fewer(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		m := hostileStatus().Draw(t, "status")
		w := rapid.IntRange(minWidth, 120).Draw(t, "width")
		for _, color := range []bool{false, true} {
			opts := TerminalOptions{Width: w, Color: color}
			texts := []string{Terminal(m, opts), TerminalHistory([]HistoryItem{{m.Head, m.Change, m}}, opts),
				LessonList(m.Lessons, opts), LessonDetail(m.Lessons, opts), Remembered(Taught{Version: m.Lessons[0]}, opts)}
			for _, text := range texts {
				if line := tooLong(text, w); line != "" {
					t.Fatalf("width %d, line %q of %d", w, line, columns(line))
				}
				if color {
					text = colour.ReplaceAllString(text, "")
				}
				if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && (r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0)) }); i >= 0 {
					t.Fatalf("a control character at %q", text[i:])
				}
			}
		}
	})
}

func TestTerminalWidthHasALeastAndADefault(t *testing.T) {
	for in, want := range map[int]int{0: 80, -1: 80, 10: 60, 100: 100} {
		if got := (TerminalOptions{Width: in}).width(); got != want {
			t.Errorf("width %d gives %d, want %d", in, got, want)
		}
	}
}

func TestLocalOffersOnlyWhatWorksLocally(t *testing.T) {
	m := local()
	m.Proposals = []memory.Version{waitingLesson()}
	for name, text := range map[string]string{"terminal": Terminal(m, TerminalOptions{}), "markdown": Markdown(m).String()} {
		for _, never := range []string{"/familiar", "@familiar", "dismiss", "familiar:approve", "<!--"} {
			if strings.Contains(text, never) {
				t.Errorf("%s offers %q", name, never)
			}
		}
		if !strings.Contains(text, "`familiar approve m-9d2k4w7c`") {
			t.Errorf("%s does not say how to approve:\n%s", name, text)
		}
	}
}

func TestTheConfiguredHandleAndLabelAreNamed(t *testing.T) {
	m := withProposals()
	m.Handle, m.ApproveLabel = "robin", "memory:ok"
	body := StatusComment(m).String()
	for _, want := range []string{"`/robin approve m-9d2k4w7c m-c41vz0pm`", "the label `memory:ok`"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(body, "/familiar") || strings.Contains(body, "familiar:approve") {
		t.Error("the default is named too")
	}
}

func TestManyProposalsAreApprovedTogether(t *testing.T) {
	m := base()
	for _, id := range []string{"m-00000001", "m-00000002", "m-00000003", "m-00000004"} {
		v := waitingLesson()
		v.DocumentID = id
		m.Proposals = append(m.Proposals, v)
	}
	if body := StatusComment(m).String(); !strings.Contains(body, "`/familiar approve all`") {
		t.Error(body)
	}
}

func TestHistoryTotalsAddUp(t *testing.T) {
	text := TerminalHistory(history(), TerminalOptions{Width: 100})
	for _, want := range []string{
		"5 changes, 20 files: 3 findings (1 high, 1 medium, 1 low) in 1 change; 2 without any, 1 only partly\nreviewed, 1 not reviewed.\n",
		"Shaped by 1 lesson: m-2xw9d4hc.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if got := TerminalHistory(nil, TerminalOptions{}); got != "0 changes, 0 files: no findings.\n" {
		t.Errorf("no changes: %q", got)
	}
}

func TestHistoryResults(t *testing.T) {
	whole := review.Coverage{Files: 1, Reviewed: 1}
	for want, m := range map[string]Status{
		"no findings":  {Outcome: review.Reviewed, Coverage: whole},
		"2 findings":   {Outcome: review.Reviewed, Coverage: whole, Findings: findings()[:2]},
		"partly":       {Outcome: review.Reviewed, Coverage: review.Coverage{Files: 2, Reviewed: 1}},
		"no files":     {Outcome: review.Reviewed},
		"not reviewed": {Coverage: whole},
	} {
		if got := (HistoryItem{Status: m}).result(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLessonListOfNothingSaysHowToTeach(t *testing.T) {
	if got := LessonList(nil, TerminalOptions{}); got != "No lessons. Teach one: `familiar remember TEXT`.\n" {
		t.Errorf("%q", got)
	}
}

func TestLessonListNamesStates(t *testing.T) {
	for state, want := range map[memory.State]string{
		memory.ReviewRequired: "(review_required) Money", memory.Draft: "(draft) Money", memory.Tombstoned: "(tombstoned) Money",
		memory.Deprecated: "(deprecated) Money", memory.Active: "m-7f3k2q8a  Money",
	} {
		v := rounding()
		v.State = state
		if got := LessonList([]memory.Version{v}, TerminalOptions{}); !strings.Contains(got, want) {
			t.Errorf("%s: %q", state, got)
		}
	}
}

func TestRememberedSaysWhatTheRuleWouldHaveFound(t *testing.T) {
	with := noSleep()
	with.Check = &memory.Check{Kind: memory.CheckWith, In: []string{"api/**"}, With: []string{"docs/api.md"}}
	for _, c := range []struct {
		name string
		t    Taught
		want string
	}{
		{"a lesson in words", Taught{Version: rounding(), Matches: []Match{{Where: "this change", Checked: true}}}, "Remembered as m-7f3k2q8a.\n"},
		{"nothing to search", Taught{Version: noSleep(), Matches: []Match{{Where: "this change"}}}, "Remembered as m-2xw9d4hc: never time.Sleep( in **/*_test.go.\n"},
		{"no match", Taught{Version: noSleep(), Matches: []Match{{Where: "this change", Checked: true}}},
			"Remembered as m-2xw9d4hc: never time.Sleep( in **/*_test.go.\nIt matches no added line in this change.\n"},
		{"a rule about two files", Taught{Version: with, Matches: []Match{{Where: "the last 9 commits", Lines: 1, Checked: true}}},
			"Remembered as m-2xw9d4hc: a change in api/** needs one to docs/api.md as well.\nIt matches 1 change in the last 9 commits.\n"},
		{"each place of a history with its commit, and those at hand without", Taught{Version: noSleep(), Matches: []Match{
			{Lines: 1, Places: []Place{{At: "a_test.go:3"}}, Checked: true},
			{Where: "the last 9 commits", Lines: 2, Places: []Place{{"a_test.go:1", "4f2a91c03b77d0a1e5f60c2b9d8e7f6a5b4c3d2e"}, {"a_test.go:1", "9c1e5d2b7a60f48e3d9b1c5a7e2f4d6b8a0c3e5f"}}, Checked: true}}},
			"Remembered as m-2xw9d4hc: never time.Sleep( in **/*_test.go.\nIt matches 1 added line here: a_test.go:3.\n" +
				"It matches 2 added lines in the last 9 commits: a_test.go:1 at 4f2a91c03b,\n  a_test.go:1 at 9c1e5d2b7a.\n"},
		{"again", Taught{Version: rounding(), Already: true}, "Remembered before as m-7f3k2q8a.\n"},
		{"instead of others", Taught{Version: rounding(), Replaced: []string{"m-00000001@1"}}, "Remembered as m-7f3k2q8a.\nIt replaces m-00000001@1.\n"},
		{"with advice", Taught{Version: rounding(), Suggest: []string{"paths: billing/**"}},
			"Remembered as m-7f3k2q8a.\nIt would be found more surely with paths: billing/**.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Remembered(c.t, TerminalOptions{}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRememberedProseKeepsItsCodeInOnePiece(t *testing.T) {
	v := noSleep()
	v.Check.Pattern = "a ` b"
	if got, want := Prose(RememberedProse(Taught{Version: v})), "Remembered as `m-2xw9d4hc`: never `a ' b` in `**/*_test.go`."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJSONHasTheSameFieldsWhateverHappened(t *testing.T) {
	names := func(m Status) (out []string) {
		data, err := JSON(m)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "null") && m.Outcome == "" {
			t.Errorf("null in %s", data)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		return sortedKeys(fields)
	}
	want := []string{"change", "commands", "cost", "coverage", "detail", "dismissed", "findings", "head", "lessons_read", "memory", "not_published", "notes",
		"number", "outcome", "proposals", "refusals", "reminders", "repository", "run_url", "skipped_rules", "stored_without_approval", "trust", "version"}
	for _, m := range []Status{{}, attacked(), withProposals()} {
		if got := names(m); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestJSONSaysWhatTheCommentSays(t *testing.T) {
	data, err := HistoryJSON(history())
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Version int
		Changes []struct {
			Commit, Title string
			Status        struct {
				Outcome  string
				Findings []struct {
					ID      string
					Because []string `json:"because_of"`
				}
			}
		}
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	if out.Version != 1 || len(out.Changes) != 5 || out.Changes[3].Status.Outcome != "partly_reviewed" ||
		out.Changes[1].Title != "Send invoices in the customer's time zone" || out.Changes[1].Status.Findings[0].Because[0] != "m-2xw9d4hc" {
		t.Errorf("%s", data)
	}
	data, err = LessonsJSON(nil)
	if err != nil || string(data) != "{\n  \"version\": 1,\n  \"lessons\": []\n}\n" {
		t.Errorf("%s %v", data, err)
	}
}
