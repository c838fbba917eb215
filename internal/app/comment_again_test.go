package app

import (
	"testing"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
)

// TestAnUnknownIDIsLookedForOnceMore: a listing may be late by what another
// thread's run saved a moment ago, and a refusal is final.
func TestAnUnknownIDIsLookedForOnceMore(t *testing.T) {
	for _, c := range []struct {
		name  string
		first bool // the container that the listing hides is the only one
		saves bool // the run asked for its second listing beside the first
		lag   int
	}{
		{"one of two containers is listed late", false, false, 1},
		{"also where the second listing was asked for beside the first", false, true, 2},
		{"the only one is", true, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			cloud := newCloud()
			want := []string{"from the other thread"}
			if !c.first {
				does(t, cloud.run(t), teach("base", cloud.now))
				want = append(want, "base")
			}
			saved := teach("from the other thread", cloud.now)
			does(t, cloud.run(t), saved)
			id := saved.Payload.(*TransitionTask).Applied.Version.DocumentID
			cloud.lag = c.lag
			v := cloud.run(t, func(v *Vaulted, _ *cloudHome) { v.Saves, v.run = c.saves, t.Context() })
			d := &dealing{r: ActionRequest{Memory: v}, said: []spoken{{standing: memory.StandingMaintainer, intents: []intent.Intent{{Verb: intent.VerbRetire, IDs: []string{id}}}}}}
			if !d.namesUnknown(t.Context()) {
				t.Fatal("the listing that was late shows the lesson")
			}
			d.lookAgain(t.Context())
			if d.namesUnknown(t.Context()) {
				t.Errorf("%s is unknown after another look", id)
			}
			wantTexts(t, v, want...)
		})
	}
	t.Run("a known one costs no listing", func(t *testing.T) {
		cloud := newCloud()
		saved := teach("base", cloud.now)
		does(t, cloud.run(t), saved)
		var h *cloudHome
		v := cloud.run(t, func(_ *Vaulted, home *cloudHome) { h = home })
		d := &dealing{r: ActionRequest{Memory: v}, said: []spoken{{standing: memory.StandingMaintainer, intents: []intent.Intent{{Verb: intent.VerbRetire, IDs: []string{saved.Payload.(*TransitionTask).Applied.Version.DocumentID}}}}}}
		if d.lookAgain(t.Context()); h.listed != 1 {
			t.Errorf("%d listings, want one", h.listed)
		}
	})
	t.Run("where it cannot be listed again nothing is refused", func(t *testing.T) {
		cloud := newCloud()
		does(t, cloud.run(t), teach("base", cloud.now))
		n := 0
		v := cloud.run(t, failing(func(op string) error {
			if n++; op == "list" && n > 1 {
				return errKilled
			}
			return nil
		}))
		d := &dealing{r: ActionRequest{Memory: v}, said: []spoken{{standing: memory.StandingMaintainer, intents: []intent.Intent{{Verb: intent.VerbRetire, IDs: []string{"m-00000000"}}}}}}
		d.lookAgain(t.Context())
		wantOff(t, v, Unlisted, "cannot be listed")
	})
}
