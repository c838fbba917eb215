package app

import (
	"testing"

	"github.com/familiarhq/familiar/internal/intent"
)

// The label means its one thread: nothing is written from there, and what was
// to be taken away is said elsewhere (page 6.2).
func TestTheLabelNoMemoryKeepsOutForgetToo(t *testing.T) {
	r := ActionRequest{Memory: new(Vaulted)}
	f := commandFacts{pull: new(pullFacts)}
	f.pull.settings.Familiar.Labels.NoMemory = "familiar:no-memory"
	if no := f.unusable(r, intent.Intent{Verb: intent.VerbForget}); no != nil {
		t.Errorf("without the label: %+v", no)
	}
	f.pull.pull.Labels = []string{"familiar:no-memory"}
	const want = "The label `familiar:no-memory` is on, and keeps the memory out of this pull request. Say it in another thread, or take the label off first."
	for _, verb := range []intent.Verb{intent.VerbForget, intent.VerbPurge, intent.VerbRedact, intent.VerbRevoke, intent.VerbRemember} {
		if no := f.unusable(r, intent.Intent{Verb: verb}); no == nil || no.text != want || no.broken {
			t.Errorf("%s: %+v", verb, no)
		}
	}
}
