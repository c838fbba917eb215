package render

import (
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

func TestWhatAMaintainerSaidOfAFindingStandsBelowIt(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		name, below, line, json string
		said                    Disposition
	}{
		{"corrected, with the words of the lesson", "Corrected by noor on 2026-11-02 (`m-7f3k2q8a`): amounts are in cents",
			"**Corrected** by noor on 2026-11-02: the status comment says what it should have been (`m-7f3k2q8a`).", `"text": "amounts are in cents"`,
			Disposition{Kind: memory.OpCorrect, Finding: "a1", By: "noor", At: at, Lesson: "m-7f3k2q8a", Text: "amounts are in cents"}},
		{"accepted, with nothing more to say", "Accepted by noor on 2026-11-02.", "**Accepted** by noor on 2026-11-02.", `"kind": "accept"`,
			Disposition{Kind: memory.OpAccept, Finding: "a1", By: "noor", At: at}},
		{"accepted, with a lesson", "Accepted by noor on 2026-11-02 (`m-7f3k2q8a`): we wait nowhere", "**Accepted** by noor on 2026-11-02, with the lesson `m-7f3k2q8a`.", `"on": "2026-11-02"`,
			Disposition{Kind: memory.OpAccept, Finding: "a1", By: "noor", At: at, Lesson: "m-7f3k2q8a", Text: "we wait nowhere"}},
		{"words that would call somebody call nobody", "Corrected by noor on 2026-11-02 (`m-7f3k2q8a`): ask `@ada` \\<b\\>first\\</b\\>",
			"**Corrected** by noor on 2026-11-02: the status comment says what it should have been (`m-7f3k2q8a`).", `"lesson": "m-7f3k2q8a"`,
			Disposition{Kind: memory.OpCorrect, Finding: "a1", By: "noor", At: at, Lesson: "m-7f3k2q8a", Text: "ask @ada <b>first</b>"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			finding := review.Finding{ID: "F1", Fingerprint: "a1", Candidate: review.Candidate{Severity: contract.SeverityMedium, Path: "a.go", Line: 3, Title: "A wait", Body: "It blocks."}}
			other := finding
			other.ID, other.Fingerprint = "F2", "b2"
			m := Status{Outcome: review.Reviewed, Coverage: review.Coverage{Files: 1, Reviewed: 1}, Findings: []review.Finding{finding, other}, Said: []Disposition{x.said}}
			body := StatusComment(m).String()
			if want := "A wait\n  It blocks.\n  " + x.below + "\n- **F2**"; !strings.Contains(body, want) {
				t.Errorf("the comment is\n%s\nwithout\n%s", body, want)
			}
			if got := SaidOnLine(x.said).String(); got != x.line {
				t.Errorf("on the line stands %s, want %s", got, x.line)
			}
			data, err := JSON(m)
			if err != nil || !strings.Contains(string(data), x.json) || strings.Count(string(data), `"said"`) != 1 {
				t.Errorf("JSON (%v) is %s\nwant %s, once", err, data, x.json)
			}
		})
	}
}
