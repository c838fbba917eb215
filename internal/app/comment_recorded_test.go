package app

import (
	"slices"
	"testing"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
)

// What an earlier run took out of the store and died before it could answer is
// taken out of what we wrote by whoever gives the answer (page 4.2).
func TestATextWhoseRunDiedBeforeItsAnswerGoesFromOurWordsToo(t *testing.T) {
	for verb, want := range map[intent.Verb]bool{intent.VerbForget: true, intent.VerbRedact: true, intent.VerbPurge: true, intent.VerbRetire: false} {
		c := newCloud()
		taught := teach("a secret habit", c.now)
		does(t, c.run(t), taught)
		id := taught.Payload.(*TransitionTask).Applied.Version.DocumentID
		in := intent.Intent{Verb: verb, IDs: []string{id}, Line: 1}
		s := spoken{Comment: event.Comment{ID: 70, Author: &event.Actor{ID: mara.ID, Login: mara.Login}}, late: true, standing: memory.StandingAdmin, intents: []intent.Intent{in}}
		f := commandFacts{number: 3, repository: event.Repository{ID: shop.RepositoryID}}
		stored := touching(operations[verb], id, c.now)
		stored.Key = commandCause(f, s.ID, in.Line, id)
		done := &stored.Payload.(*TransitionTask).Transition
		done.Cause, done.Standing = stored.Key, memory.StandingAdmin
		does(t, c.run(t), stored)
		d := &dealing{r: ActionRequest{Memory: c.run(t)}, f: f, said: []spoken{s}}
		item := dealt{in: in}
		item.decision, item.recorded = d.asRecorded(t.Context(), s, in)
		item.settle(nil, false)
		d.items = []dealt{item}
		if got := slices.Equal(d.erased(), []string{id}); !item.recorded || item.verdict != wasDone || got != want {
			t.Errorf("%s: recorded %v, %v, %q; it is to be taken away %v, and %v is", verb, item.recorded, item.verdict, item.text, want, d.erased())
		}
	}
}
