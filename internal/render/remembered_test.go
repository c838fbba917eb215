package render

import (
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// TestALessonThatReplacesAnotherSaysWhatItDoesNotTakeOver: a command says a
// lesson whole, so what it leaves out is gone, and its author is told.
func TestALessonThatReplacesAnotherSaysWhatItDoesNotTakeOver(t *testing.T) {
	former := rounding()
	former.Paths, former.About, former.ValidUntil = []string{"billing/**", "api/**"}, []string{"amount"}, time.Date(2027, 3, 31, 0, 0, 0, 0, time.UTC)
	rule := noSleep()
	for _, c := range []struct {
		name        string
		former, now memory.Version
		dryRun      bool
		want        string
	}{
		{"everything", former, memory.Version{}, false, "It replaces m-7f3k2q8a@1. What that had and this has not: paths: billing/**, api/**, about: amount, its end (2027-03-30). Say it again with them to keep them."},
		{"in a dry run", former, memory.Version{About: []string{"amount"}, ValidUntil: former.ValidUntil, Paths: former.Paths[:1]}, true,
			"It would replace m-7f3k2q8a@1. What that had and this has not: paths: api/**. Say it again with them to keep them."},
		{"nothing", former, former, false, "It replaces m-7f3k2q8a@1."},
		{"more than before", rounding(), former, false, "It replaces m-7f3k2q8a@1."},
		{"a rule", rule, memory.Version{}, false, "It replaces m-7f3k2q8a@1. What that had and this has not: its rule (never time.Sleep( in **/*_test.go). Say it again with them to keep them."},
	} {
		if got := Replacing([]string{"m-7f3k2q8a@1"}, c.former, c.now, c.dryRun); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
