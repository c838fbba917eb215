package store

import (
	"slices"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestGoneAreTheDocumentsWhoseWordsWereErased(t *testing.T) {
	f := newFixture(t)
	forgotten := f.must(f.remember(mara, keyed("x/amounts", "Amounts are in cents"))).DocumentID
	purged := f.must(f.remember(mara, keyed("x/times", "Times are in UTC"))).DocumentID
	stays := f.must(f.remember(mara, keyed("x/names", "Names are ASCII"))).DocumentID
	f.must(f.on(memory.OpForget, mara, forgotten))
	f.must(f.on(memory.OpPurge, mara, purged))
	got, err := f.Gone(t.Context(), []string{stays, purged, "m-00000000", forgotten})
	if err != nil || !slices.Equal(got, []string{purged, forgotten}) {
		t.Errorf("gone %v, %v; want %v: one that was never known is not gone", got, err, []string{purged, forgotten})
	}
}
