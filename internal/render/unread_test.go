package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestUnreadShowsEachLessonWholeAndHowToApproveIt(t *testing.T) {
	waiting := func(n int) []memory.Version {
		var out []memory.Version
		for i := range n {
			out = append(out, memory.Version{DocumentID: fmt.Sprintf("m-7f3k2q8%d", i), Number: 1, Key: "repo/lumen/ledger/lessons/waits",
				State: memory.ReviewRequired, Text: strings.Repeat("Waits are cancellable. ", 60) + fmt.Sprintf("The end of %d.", i)})
		}
		return out
	}
	two := Unread("approve m-7f3k2q80 m-7f3k2q81", "No comment here shows this lesson whole.", waiting(2), "familiar").String()
	for _, want := range []string{
		"`approve m-7f3k2q80 m-7f3k2q81` **not done:** No comment here shows this lesson whole. Nothing was approved yet; read what it says and approve it again.",
		"The end of 0.", "The end of 1.", "Approve exactly these words: `/familiar approve m-7f3k2q80 m-7f3k2q81`.",
		Whole(waiting(2)[1]).String(),
	} {
		if !strings.Contains(two, want) {
			t.Errorf("it does not hold %q:\n%s", want, two)
		}
	}
	seven := Unread("approve ...", "So.", waiting(7), "familiar").String()
	if strings.Contains(seven, "The end of 5.") || !strings.Contains(seven, "2 more lessons did not fit here") {
		t.Errorf("seven lessons give %s", seven)
	}
}
