package render

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/review"
)

func largeSummary(deeds int) Summary {
	m := base()
	s := Summary{Outcome: "reviewed", Detail: "It went well.", Said: []string{"One thing was done."}, Warnings: []string{"The key is old."},
		Block: Fenced("a list\n"), Status: &m, Picture: &Picture{Trust: "maintainer", Outcome: "reviewed", Findings: 3}}
	for i := range deeds {
		s.Deeds = append(s.Deeds, Deed{Kind: "reply", What: fmt.Sprintf("answer number %d", i), Result: "done"})
	}
	return s
}

func TestASummaryIsCutSectionBySectionTheLeastImportantFirst(t *testing.T) {
	full := jobSummary(largeSummary(50), MaxSummary).String()
	for _, want := range []string{"## familiar: reviewed", "It went well.", "One thing was done.", "The key is old.", "a list", "answer number 49", "trust: maintainer"} {
		if !strings.Contains(full, want) {
			t.Errorf("%q is not in\n%s", want, full)
		}
	}
	if strings.Contains(full, "too large") {
		t.Error("something was left out of a short summary")
	}
	// upTo is the room that takes the rows of all sections up to a rank.
	upTo := func(rank int) (n int) {
		for _, p := range largeSummary(50).parts(0) {
			if p.rank > rank {
				p.rows = nil
			}
			n += p.size()
		}
		return n
	}
	for _, c := range []struct {
		name        string
		most        int
		want, never []string
	}{
		{"the picture goes first", upTo(rankPicture) - 1, []string{"answer number 49", "*1 picture left out here, for the summary would be too large.*"}, []string{"flowchart"}},
		{"then actions, from the end", upTo(rankDeeds) - 1000, []string{"answer number 0", "answer number 5 ", " actions left out here"}, []string{"answer number 49", "flowchart"}},
		{"then what was asked for", upTo(rankStatus), []string{"**No findings** in 12 files", "One thing was done.", "50 actions left out", "*1 text that was asked for left out"}, []string{"| action |", "a list"}},
		{"what a person must know stays", upTo(rankSaid), []string{"## familiar: reviewed", "It went well."}, []string{"answer number", "a list", "flowchart", "**No findings** in 12 files"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := jobSummary(largeSummary(50), c.most).String()
			if len(got) > c.most {
				t.Errorf("%d bytes, of %d", len(got), c.most)
			}
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is not in\n%s", w, got)
				}
			}
			for _, w := range c.never {
				if strings.Contains(got, w) {
					t.Errorf("%q is in\n%s", w, got)
				}
			}
		})
	}
}

func TestOfManyLooksTheFirstIsCutLast(t *testing.T) {
	s := largeSummary(3)
	const most = 60_000
	for i := range 30 {
		o := largeSummary(50)
		o.Detail = fmt.Sprintf("This is look %d.", i)
		s.Others = append(s.Others, o)
	}
	got := jobSummary(s, most).String()
	if len(got) > most || len(got) < most/3 {
		t.Errorf("%d bytes", len(got))
	}
	for _, want := range []string{"answer number 2 ", "This is look 0.", "This is look 29.", "50 actions left out here"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in it", want)
		}
	}
	s.Others = make([]Summary, 200)
	if got := jobSummary(s, most).String(); len(got) > most || !strings.Contains(got, "more sections left out") {
		t.Errorf("%d bytes of heads", len(got))
	}
}

// TestASummaryOfAnythingFitsAndStaysWhatItIs: whatever is said, the runner
// takes it, and no text opens or closes anything.
func TestASummaryOfAnythingFitsAndStaysWhatItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := func(name string) string { return hostileText().Draw(t, name) }
		m := Status{Repo: repo, Number: 7, Outcome: review.Reviewed, Detail: word("status")}
		s := Summary{Outcome: "reviewed", Detail: word("detail"), Said: []string{word("said")}, Warnings: []string{word("warning")}, Block: Fenced(word("block")),
			Status: &m, Picture: &Picture{Trust: word("trust"), Outcome: word("outcome")}, Deeds: []Deed{{Kind: word("kind"), What: word("what"), Result: word("result")}}}
		most := rapid.IntRange(1200, 4000).Draw(t, "most")
		md := jobSummary(s, most).String()
		if len(md) > most {
			t.Fatalf("%d bytes, of %d", len(md), most)
		}
		kinds, seen := parsed(t, md)
		for k := range kinds {
			switch k {
			case "Paragraph", "Text", "CodeSpan", "Heading", "List", "ListItem", "TextBlock", "FencedCodeBlock", "Emphasis", "Table", "TableHeader", "TableRow", "TableCell", "HTMLBlock":
			default:
				t.Fatalf("a node %s in\n%s", k, md)
			}
		}
		if kinds["Heading"] > 3 || kinds["FencedCodeBlock"] > 2 {
			t.Fatalf("nodes %v in\n%s", kinds, md)
		}
		if hit := acted.FindString(seen); hit != "" {
			t.Fatalf("GitHub acts on %q in\n%s", hit, md)
		}
	})
}

func TestFencedTextIsCutBetweenLinesAndCounted(t *testing.T) {
	got := Fenced(strings.Repeat("a line\n", maxFenced/7+100)).String()
	if !strings.HasSuffix(got, "\n101 more lines did not fit here.\n") && !strings.HasSuffix(got, "\n100 more lines did not fit here.\n") {
		t.Errorf("it ends with %q", got[len(got)-60:])
	}
	if kinds, _ := parsed(t, got); kinds["FencedCodeBlock"] != 1 || kinds["Paragraph"] != 1 {
		t.Errorf("%v", kinds)
	}
}
