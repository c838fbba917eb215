package store

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

// TestARehearsalSaysWhatApplyWouldAndLeavesTheStoreAsItIs: the same answer, and
// afterwards no row, no cause and nothing to save.
func TestARehearsalSaysWhatApplyWouldAndLeavesTheStoreAsItIs(t *testing.T) {
	f := newFixture(t)
	first := keyed("lessons/rounding", "money is rounded half-even")
	first.About = []string{"amount", "price"}
	was := f.must(f.remember(ada, first))
	saved := filepath.Join(t.TempDir(), "saved.db")
	if err := f.SaveTo(t.Context(), saved); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(t.Context(), saved, ledger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	f.Store = opened
	before := f.content()

	for name, tr := range map[string]memory.Transition{
		"a lesson that replaces another": f.remember(ada, keyed("lessons/rounding", "money is rounded half-down")),
		"a forget":                       f.on(memory.OpForget, ada, was.DocumentID),
		"a refusal: not yours":           f.on(memory.OpForget, mara, was.DocumentID),
		"a refusal: said already":        f.remember(mara, keyed("lessons/other", "money is rounded half-even")),
	} {
		t.Run(name, func(t *testing.T) {
			rehearsed, err := f.Rehearse(t.Context(), tr)
			if err != nil {
				t.Fatal(err)
			}
			if after := f.content(); after != before || f.Changed() {
				t.Errorf("changed %v, and the store holds\n%s\nafter\n%s", f.Changed(), after, before)
			}
			again, err := f.Rehearse(t.Context(), tr)
			if err != nil || again.Already {
				t.Errorf("a second rehearsal: %+v, %v", again, err)
			}
			if (again.Refused == nil) != (rehearsed.Refused == nil) || again.Refused != nil && *again.Refused != *rehearsed.Refused {
				t.Errorf("refused %+v, then %+v", rehearsed.Refused, again.Refused)
			}
		})
	}

	tr := f.remember(ada, keyed("lessons/rounding", "money is rounded half-down"))
	rehearsed, err := f.Rehearse(t.Context(), tr)
	if err != nil {
		t.Fatal(err)
	}
	done := f.apply(tr)
	for what, a := range map[string]memory.Applied{"rehearsed": rehearsed, "applied": done} {
		if !slices.Equal(a.Replaced, []string{was.ID()}) || a.Former.ID() != was.ID() || !slices.Equal(a.Former.About, first.About) || a.Version.Text != "money is rounded half-down" {
			t.Errorf("%s: it replaces %v, which was %+v, and is %+v", what, a.Replaced, a.Former, a.Version)
		}
	}
	if !f.Changed() {
		t.Error("the lesson that was applied is not to be saved")
	}
}
