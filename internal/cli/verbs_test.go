package cli

import (
	"testing"

	"github.com/familiarhq/familiar/internal/intent"
)

// TestAnswersNameTheCommandThatHasTheVerb: what an answer tells to type is
// there, under `familiar` if it is there, else under `familiar memory`.
func TestAnswersNameTheCommandThatHasTheVerb(t *testing.T) {
	root := newRoot(Env{})
	has := func(path ...string) bool {
		found, _, err := root.Find(path)
		return err == nil && found.Name() == path[len(path)-1]
	}
	only := 0
	for _, row := range intent.Table() {
		verb := string(row.Verb)
		want := !has(verb) && has("memory", verb)
		if got := intent.OnlyInMemory(row.Verb); got != want {
			t.Errorf("%s only in memory: %v, want %v", verb, got, want)
		}
		if want {
			only++
		}
	}
	if only < 5 {
		t.Errorf("%d verbs are under memory alone, want several", only)
	}
}
