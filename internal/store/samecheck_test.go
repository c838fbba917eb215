package store

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func checked(pattern, glob string) *memory.NewLesson {
	c := &memory.Check{Kind: memory.CheckNever, Pattern: pattern, In: []string{glob}}
	n := lesson(c.Text())
	n.Check = c
	return n
}

// TestRulesThatDifferInPunctuationAreTwoLessons: words are folded for
// comparison, patterns are not. A rule about one sign must neither replace,
// nor be called a copy of, nor be forgotten with a rule about another.
func TestRulesThatDifferInPunctuationAreTwoLessons(t *testing.T) {
	f := newFixture(t)
	quote := f.must(f.remember(ada, checked("'", "docs/**")))
	tick := f.must(f.remember(ada, checked("`", "docs/**")))
	arrow := f.must(f.remember(ada, checked("->", "docs/**")))
	if quote.DocumentID == tick.DocumentID || tick.DocumentID == arrow.DocumentID || quote.Key == tick.Key {
		t.Fatalf("three rules became %s %s, %s %s, %s", quote.ID(), quote.Key, tick.ID(), tick.Key, arrow.ID())
	}
	f.refused(f.remember(ada, checked("'", "docs/**")), memory.ReasonDuplicate, quote.ID())

	f.must(f.on(memory.OpForget, ada, quote.DocumentID))
	left, err := f.List(t.Context(), Filter{States: []memory.State{memory.Active}})
	if err != nil || len(left) != 2 {
		t.Fatalf("forgetting one rule left %d of 2 others: %v", len(left), err)
	}
	f.refused(f.remember(ada, checked("'", "docs/**")), memory.ReasonSuppressed)
	f.must(f.remember(ada, checked("\"", "docs/**")))

	// A104: in other words, without the check, it stays forgotten as well.
	f.refused(f.propose(7, lesson(strings.ToUpper(quote.Text))), memory.ReasonSuppressed)
}
