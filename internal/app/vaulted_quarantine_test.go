package app

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/vault"
)

// A thread whose newest container does not open is not told of a rollback: it
// is told which container that is, why it does not open, and both ways on.
func TestAThreadWhoseContainerIsQuarantinedSaysWhichAndWhatToDo(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("money is rounded half-even", flowNow))
	second := c.run(t)
	does(t, second, teach("dates are in UTC", flowNow))
	seen := second.Seen()
	broken := &c.kept[len(c.kept)-1]
	broken.data = append([]byte("torn"), broken.data...)
	third := c.run(t)
	does(t, third, teach("names are sentences", flowNow)) // another thread, which never saw it
	blocked := c.run(t)
	blocked.Heed(vault.Floor{Generation: seen.Generation, Digest: seen.Digest})
	err := blocked.View(t.Context(), nobody)
	if WhyUnavailable(err) != Rollback {
		t.Fatalf("%v, want a refusal", err)
	}
	for _, want := range []string{
		"generation 2, is in the container " + broken.ID + ", which is quarantined", "what it holds is in none of the others",
		"If memory-key was changed, put the line that sealed it back", "`recover` with `accept " + c.kept[len(c.kept)-1].Digest + "`",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q\nlacks %q", err, want)
		}
	}
	if words := quarantineWords(blocked); len(words) != 1 || !strings.Contains(words[0], "The container "+broken.ID+" is quarantined (") {
		t.Errorf("words %q", words)
	}
}
