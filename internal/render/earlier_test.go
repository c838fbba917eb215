package render

import (
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/review"
)

func TestWhatEarlierRunsDidIsFoldedBelowTheAnswers(t *testing.T) {
	on := time.Date(2026, 11, 2, 23, 30, 0, 0, time.UTC)
	m := Status{
		Outcome: review.CommandsApplied, Answers: []Answer{{Command: "/familiar retire m-7f3k2q8a", Done: true, Text: "Retired `m-7f3k2q8a`."}},
		Earlier: []Answer{
			{Command: "/familiar remember\nAmounts", Done: true, Text: "Remembered as `m-7f3k2q8a`.", From: "mara", On: on},
			{Command: "/familiar keep m-2xw9d4hc", Done: true, Text: "Kept `m-2xw9d4hc`.", From: "noor", On: on.AddDate(0, 0, -1)},
		},
	}
	const fold = "\n<details><summary>Done here before</summary>\n\n- `/familiar remember` (mara on 2026-11-02) **done:** Remembered as `m-7f3k2q8a`.\n- `/familiar keep m-2xw9d4hc` (noor on 2026-11-01) **done:** Kept `m-2xw9d4hc`.\n"
	for _, x := range []struct {
		name, want string
		more       bool
	}{
		{"all of it", fold + "\n</details>\n", false},
		{"the last of it", fold + "\nOnly the last 2 are shown.\n\n</details>\n", true},
	} {
		m.MoreEarlier = x.more
		body := StatusComment(m).String()
		if !strings.Contains(body, x.want) || strings.Index(body, "### Commands") > strings.Index(body, "Done here before") {
			t.Errorf("%s: the comment is\n%s\nwithout\n%s", x.name, body, x.want)
		}
	}
	if m.Answers = nil; !Quiet(m) {
		t.Error("what was said before is a reason to speak")
	}
	t.Run("a full comment leaves it out first, and says so", func(t *testing.T) {
		m.Answers = []Answer{{Command: "x", Text: strings.Repeat("words ", 9_000)}}
		m.Earlier[1].Text = strings.Repeat("much ", 4_000)
		c := ComposeStatus(m)
		if c.Left != 1 || !strings.Contains(c.Body.String(), "words words") || strings.Contains(c.Body.String(), "much much") {
			t.Errorf("%d left out of\n%.300s", c.Left, c.Body)
		}
	})
}
