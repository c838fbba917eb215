package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

func TestA97TwoRunsThatLoadOneGenerationAndBothSaveLoseNothing(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("base", c.now))
	a, b := c.run(t), c.run(t)
	wantTexts(t, a, "base")
	wantTexts(t, b, "base") // both have loaded before either saves
	does(t, a, teach("from a", c.now))
	does(t, b, teach("from b", c.now))
	after := c.run(t)
	wantTexts(t, after, "base", "from a", "from b")
	if got := after.Seen().Generation; got != 3 {
		t.Errorf("generation %d, want 3: b listed again and merged what a had saved", got)
	}

	t.Run("A97 also where neither sees the other's container", func(t *testing.T) {
		c := newCloud()
		does(t, c.run(t), teach("base", c.now))
		x, y := c.run(t), c.run(t)
		wantTexts(t, x, "base")
		wantTexts(t, y, "base")
		does(t, x, teach("from x", c.now))
		c.lag = 1 // y's listing before its save is late
		does(t, y, teach("from y", c.now))
		third := c.run(t)
		wantTexts(t, third, "base", "from x", "from y")
		if n := len(third.heads.List()); n != 2 {
			t.Errorf("%d heads, want two side by side", n)
		}
		does(t, third, teach("from z", c.now))
		last := c.run(t)
		wantTexts(t, last, "base", "from x", "from y", "from z")
		if heads := last.heads.List(); len(heads) != 1 || heads[0].Manifest.Generation != 3 || len(heads[0].Manifest.Parents) != 2 {
			t.Errorf("heads %+v, want one of generation 3 with two parents", heads)
		}
	})
	t.Run("A97 also where both make the first store", func(t *testing.T) {
		c := newCloud()
		x, y := c.run(t), c.run(t)
		wantTexts(t, x)
		wantTexts(t, y)
		does(t, x, teach("from x", c.now))
		c.lag = 1
		does(t, y, teach("from y", c.now))
		wantTexts(t, c.run(t), "from x", "from y")
	})
}

func TestAStoreThatIsNoTwinIsQuarantined(t *testing.T) {
	c, other := newCloud(), newCloud()
	other.now = c.now.Add(-48 * time.Hour)
	does(t, other.run(t), teach("of an older store", other.now))
	c.put(other.kept[0].data)
	c.pass(time.Minute)
	v := c.run(t, func(v *Vaulted, _ *cloudHome) { v.AcceptEmpty = true })
	wantTexts(t, v, "of an older store")
	// A second store of the same repository, made two days later.
	fresh := newCloud()
	does(t, fresh.run(t), teach("of a younger store", c.now))
	younger := c.put(fresh.kept[0].data)
	v = c.run(t)
	wantTexts(t, v, "of an older store")
	if len(v.Quarantine) != 1 || v.Quarantine[0].Reason != string(vault.WrongStore) || v.Quarantine[0].ID != younger.ID {
		t.Errorf("quarantine %+v, want the younger store", v.Quarantine)
	}
}

// TestAListThatHidesTheStoreDoesNotLetAnotherTakeItsPlace: a thread that
// remembers no floor is told, late, that there is no container.
func TestAListThatHidesTheStoreDoesNotLetAnotherTakeItsPlace(t *testing.T) {
	kept := func(t *testing.T) *cloud {
		c := newCloud()
		does(t, c.run(t), teach("one", c.now))
		c.pass(2 * time.Hour)
		return c
	}
	t.Run("for one list: nothing is saved, and the command is repeated", func(t *testing.T) {
		c := kept(t)
		c.lag = 1
		if err := did(t, c.run(t), teach("two", c.now)); WhyUnavailable(err) != Unsaved || !strings.Contains(err.Error(), "is listed only now") || len(c.kept) != 1 {
			t.Errorf("%v, containers %v", err, c.ids())
		}
		does(t, c.run(t), teach("two", c.now))
		wantTexts(t, c.run(t), "one", "two")
	})
	t.Run("for a whole run: the first store stays, and the command is found missing in it", func(t *testing.T) {
		c := kept(t)
		c.lag = 10
		does(t, c.run(t), teach("two", c.now))
		c.lag = 0
		c.pass(time.Minute)
		v := c.run(t)
		wantTexts(t, v, "one")
		if len(v.Quarantine) != 1 || v.Quarantine[0].ID != c.kept[1].ID || v.Quarantine[0].Reason != string(vault.WrongStore) {
			t.Errorf("quarantine %+v, want the second store, named", v.Quarantine)
		}
		if held := openIn(t, v.Dir); len(held) != 1 {
			t.Errorf("of the two stores %q are still open", held)
		}
		does(t, v, teach("two", c.now)) // as the next look does with a command of which the store has no cause
		w := c.run(t)
		wantTexts(t, w, "one", "two")
		if m := w.heads.Newest().Manifest; slices.Contains(m.Seen, 102) || len(w.Quarantine) != 1 {
			t.Errorf("seen %v, quarantine %+v: what only the second store holds is not taken for known", m.Seen, w.Quarantine)
		}
	})
	t.Run("a store that an admin began anew stays", func(t *testing.T) {
		c := kept(t)
		hidden := c.kept
		c.kept = nil
		v := c.run(t, func(v *Vaulted, _ *cloudHome) { v.Heed(vault.Floor{Generation: 1, Digest: hidden[0].Digest}) })
		if report, err := Recover(t.Context(), RecoverRequest{Memory: v, AcceptEmpty: true, Actor: mara, Cause: memory.NewCause("anew"), At: c.now}); err != nil || !report.Saved {
			t.Fatalf("%+v, %v", report, err)
		}
		does(t, c.run(t), teach("anew", c.now))
		c.kept = append(hidden, c.kept...)
		wantTexts(t, c.run(t), "anew")
	})
	t.Run("a store that was uninstalled does not come back", func(t *testing.T) {
		c := kept(t)
		gone := touching(memory.OpUninstall, "", c.now)
		gone.Payload.(*TransitionTask).Transition.Standing = memory.StandingAdmin
		does(t, c.run(t), gone)
		left := c.kept
		c.kept = nil
		c.pass(2 * time.Hour)
		does(t, c.run(t), teach("anew", c.now))
		c.kept = append(left, c.kept...)
		wantTexts(t, c.run(t), "anew")
	})
}

func TestOnlyWhatWasOpenedIsInTheSeenSet(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("one", c.now))
	broken := c.put([]byte("sealed by somebody else"))
	v := c.run(t)
	does(t, v, teach("two", c.now))
	m := v.heads.Newest().Manifest
	if id, _ := strconv.ParseInt(broken.ID, 10, 64); slices.Contains(m.Seen, id) || !slices.Equal(m.Seen, []int64{101}) {
		t.Errorf("seen %v, want the first container alone", m.Seen)
	}
	if len(v.Quarantine) != 1 || v.Quarantine[0].ID != broken.ID || v.Quarantine[0].Reason != "bad_zip" {
		t.Errorf("quarantine %+v", v.Quarantine)
	}
	if !slices.Contains(c.ids(), broken.ID) {
		t.Error("a quarantined container was deleted")
	}
	again := c.run(t)
	wantTexts(t, again, "one", "two")
	if len(again.heads.List()) != 1 {
		t.Errorf("heads %v: the older container is covered", again.heads.List())
	}
}

func TestAContainerWhoseStoreIsBrokenIsQuarantinedAndTheNextGoodOneServes(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("good", c.now))
	v := c.run(t)
	wantTexts(t, v, "good")
	m := v.heads.Newest().Manifest
	for name, data := range map[string][]byte{
		"no database":       []byte("not a database at all, but sealed with the right key"),
		"a cut database":    append([]byte("SQLite format 3\x00"), make([]byte, 500)...),
		"a wrong program's": []byte(strings.Repeat("x", 4096)),
	} {
		zip, _, err := vault.Seal(vault.SealInput{Keys: v.Keys, SQLite: data, Manifest: vault.Manifest{
			RepositoryID: 5, Repository: "acme/shop", StoreID: m.StoreID, Generation: 9, ToolVersion: "x", CreatedAt: c.now}})
		if err != nil {
			t.Fatal(err)
		}
		c.put(zip)
		v := c.run(t)
		wantTexts(t, v, "good")
		last := v.Quarantine[0]
		if !strings.Contains(last.Reason, "its store is refused") {
			t.Errorf("%s: quarantined as %q", name, last.Reason)
		}
	}
}

func TestWhenNoContainerOpensMemoryIsOff(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("sealed with the first key", c.now))
	v := c.run(t, under(keysNamed(t, "second")))
	wantOff(t, v, NoneOpens, "the only container, 101, does not open (unknown_key)", "the key that sealed it; an earlier key stands on a second line", "begins anew with `recover --accept-empty` (runbook, \"The key is lost\")", "`recover --accept DIGEST` merges")
	if err := did(t, v, teach("lost", c.now)); WhyUnavailable(err) != NoneOpens {
		t.Errorf("a command: %v", err)
	}
	if len(c.kept) != 1 {
		t.Error("something was saved over a store that does not open")
	}
	c.put([]byte("no zip"))
	wantOff(t, c.run(t, under(keysNamed(t, "second"))), NoneOpens, "none of the 2 containers opens (the newest, 102: bad_zip)", "the key that sealed it", "`recover --accept-empty`")
	t.Run("where the seal opens and the store is refused, nobody is sent to look at the key", func(t *testing.T) {
		c := newCloud()
		keys := c.run(t).Keys
		zip, _, err := vault.Seal(vault.SealInput{Keys: keys, SQLite: []byte(strings.Repeat("x", 4096)), Manifest: vault.Manifest{
			RepositoryID: 5, Repository: "acme/shop", StoreID: strings.Repeat("a", 32), Generation: 9, ToolVersion: "x", CreatedAt: c.now}})
		if err != nil {
			t.Fatal(err)
		}
		c.put(zip)
		v := c.run(t)
		wantOff(t, v, NoneOpens, "its store is refused: it is not a SQLite file", "Its seal opened, so memory-key is right", "`restore` a snapshot", "`recover --accept-empty`")
		if said := v.err.Error(); strings.Contains(said, "Check that memory-key") {
			t.Errorf("it says %q", said)
		}
	})
}

func TestAStoreThatWouldNotOpenAgainIsSaidToBeOurDefect(t *testing.T) {
	err := new(Vaulted).notSaved(&store.Error{Kind: store.Unsound, Path: "/tmp/x.db", Detail: "a row of versions is odd", Fix: "Please report it."})
	if WhyUnavailable(err) != Unsaved || err.Error() != "the memory was not saved: a row of versions is odd. Please report it." {
		t.Errorf("it says %q", err)
	}
}

func TestA8AFailedListingOrDownloadSavesNothing(t *testing.T) {
	for _, x := range []struct {
		name string
		fail func(string) error
		why  Unavailable
	}{
		{"A8 the listing fails", onCall("list", 1, errDown), Unlisted},
		{"A8 the listing before the save fails", onCall("list", 2, errDown), Unlisted},
		{"A8 the download fails", onCall("load", 1, errDown), Unreadable},
		{"the upload fails", onCall("save", 1, errDown), Unsaved},
		{"A9 the bound of downloads is reached", onCall("load", 1, &home.Error{Kind: home.Exhausted, Detail: "32 containers were downloaded"}), Flooded},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newCloud()
			does(t, c.run(t), teach("base", c.now))
			v := c.run(t, failing(x.fail))
			if err := did(t, v, teach("more", c.now)); WhyUnavailable(err) != x.why {
				t.Errorf("failed with %v (%s), want %s", err, WhyUnavailable(err), x.why)
			}
			if len(c.kept) != 1 {
				t.Errorf("%d containers, want the one of before", len(c.kept))
			}
			wantOff(t, v, x.why) // for the rest of the run
			does(t, c.run(t), teach("more", c.now))
			wantTexts(t, c.run(t), "base", "more")
		})
	}
}

func TestAContainerThatVanishesIsListedAgain(t *testing.T) {
	gone := &home.Error{Kind: home.Gone, Detail: "deleted meanwhile"}
	c := newCloud()
	does(t, c.run(t), teach("base", c.now))
	n := 0
	v := c.run(t, failing(func(op string) error {
		if op == "load" {
			if n++; n <= relists {
				return gone
			}
		}
		return nil
	}))
	wantTexts(t, v, "base")
	if n != relists+1 {
		t.Errorf("%d downloads, want %d", n, relists+1)
	}
	wantOff(t, c.run(t, failing(onCall("load", 1, gone))), Vanishing, "listed 4 times")

	t.Run("A10 what expired is not listed and the rest serves", func(t *testing.T) {
		c := newCloud()
		does(t, c.run(t), teach("base", c.now))
		c.pass(60 * 24 * time.Hour)
		does(t, c.run(t), teach("more", c.now))
		c.pass(60 * 24 * time.Hour) // the first has expired
		wantTexts(t, c.run(t), "base", "more")
	})
}

func TestA11AnOlderStoreThanWasSeenIsRefused(t *testing.T) {
	grown := func(t *testing.T) (*cloud, []vault.Floor) {
		c := newCloud()
		var floors []vault.Floor
		for i := range 3 {
			v := c.run(t)
			does(t, v, teach(lessonNumber(i), c.now))
			floors = append(floors, v.Seen())
			c.pass(2 * time.Hour)
		}
		return c, floors
	}
	t.Run("A11 the newest was deleted", func(t *testing.T) {
		c, floors := grown(t)
		c.drop(103)
		v := c.run(t)
		v.Heed(floors[2])
		wantOff(t, v, Rollback, "generation 3 was seen", "generation 2", "recover", floors[1].Digest)
		if err := did(t, v, teach("on top", c.now)); WhyUnavailable(err) != Rollback {
			t.Errorf("a command: %v", err)
		}
		if got := v.Seen(); got != floors[2] {
			t.Errorf("the run leaves the floor %+v behind, want the one it was told", got)
		}
	})
	t.Run("A108 an older one would bring a forgotten lesson back", func(t *testing.T) {
		c, _ := grown(t)
		v := c.run(t)
		does(t, v, touching(memory.OpForget, idOf(t, v, lessonNumber(0)), c.now))
		floor := v.Seen()
		// Somebody kept a copy of what the forget deleted, and takes the newest away.
		stale, _ := grown(t)
		c.kept = stale.kept[:1]
		w := c.run(t)
		w.Heed(floor)
		wantOff(t, w, Rollback, "refused")
	})
	t.Run("a floor that is told after the store was opened holds too", func(t *testing.T) {
		c, floors := grown(t)
		c.drop(103)
		v := c.run(t)
		wantTexts(t, v, lessonNumber(0), lessonNumber(1))
		v.Heed(floors[2])
		wantOff(t, v, Rollback)
	})
	t.Run("the store that was seen, a child of it and later ones stand", func(t *testing.T) {
		c, floors := grown(t)
		for i, f := range floors {
			v := c.run(t)
			v.Heed(f)
			if err := v.View(t.Context(), nobody); err != nil {
				t.Errorf("floor %d: %v", i, err)
			}
		}
	})
	t.Run("one of two side by side cannot be taken away unseen", func(t *testing.T) {
		c, floors := grown(t)
		x, y := c.run(t), c.run(t)
		wantTexts(t, x, lessonNumber(0), lessonNumber(1), lessonNumber(2))
		wantTexts(t, y, lessonNumber(0), lessonNumber(1), lessonNumber(2))
		does(t, x, teach("x", c.now))
		c.lag = 1
		does(t, y, teach("y", c.now))
		if x.Seen().Generation != y.Seen().Generation {
			t.Fatalf("generations %d and %d", x.Seen().Generation, y.Seen().Generation)
		}
		c.drop(104) // x's
		v := c.run(t)
		v.Heed(x.Seen())
		wantOff(t, v, Rollback)
		w := c.run(t)
		w.Heed(floors[2])
		wantTexts(t, w, lessonNumber(0), lessonNumber(1), lessonNumber(2), "y")
	})
	t.Run("A16 a fresh container that is listed late is waited for", func(t *testing.T) {
		c, floors := grown(t)
		c.lag = 1
		v := c.run(t)
		v.Heed(floors[2])
		wantTexts(t, v, lessonNumber(0), lessonNumber(1), lessonNumber(2))
	})
	t.Run("nothing listed although a store was seen is a loss, and no empty store begins", func(t *testing.T) {
		c, floors := grown(t)
		c.kept = nil
		v := c.run(t)
		v.Heed(floors[2])
		wantOff(t, v, Lost, "lost or expired", "generation 3", "restore")
		if err := did(t, v, teach("anew", c.now)); WhyUnavailable(err) != Lost || len(c.kept) != 0 {
			t.Errorf("a command: %v, %d containers", err, len(c.kept))
		}
	})
}

func TestA111ARetiredKeyOpensOnlyWhatIsOlderThanTheRotation(t *testing.T) {
	first, second := keysNamed(t, "first"), keysNamed(t, "second")
	both := keysNamed(t, "second", "first")
	c := newCloud()
	does(t, c.run(t, under(first)), teach("before the rotation", c.now))
	c.pass(time.Hour)
	v := c.run(t, under(both))
	does(t, v, teach("after it", c.now))
	wantTexts(t, c.run(t, under(second)), "after it", "before the rotation")
	c.pass(30 * time.Minute)
	// A run that had loaded before the rotation still saves under the old key.
	slow := c.run(t, under(first), func(v *Vaulted, _ *cloudHome) { v.AcceptEmpty = true })
	slow.Home.(*cloudHome).cloud = &cloud{now: c.now, next: 500, kept: slices.Clone(c.kept[:1])}
	does(t, slow, teach("by a slow run", c.now))
	c.kept = append(c.kept, slow.Home.(*cloudHome).kept[1])
	w := c.run(t, under(both))
	wantTexts(t, w, "after it", "before the rotation", "by a slow run")
	does(t, w, teach("merged", c.now))

	// Days later somebody uses the leaked old key, and the containers of the
	// rotation are long pruned: the store remembers when it was.
	c.kept = c.kept[len(c.kept)-1:]
	for range 2 {
		c.pass(72 * time.Hour)
		leaked := &cloud{now: c.now, next: 900, kept: []cloudEntry{slow.Home.(*cloudHome).kept[1]}}
		does(t, leaked.run(t, under(first)), teach("trust the stranger", c.now))
		c.kept = append(c.kept, leaked.kept[1])
		x := c.run(t, under(both))
		wantTexts(t, x, "after it", "before the rotation", "by a slow run", "merged")
		if len(x.Quarantine) != 1 || x.Quarantine[0].Reason != "retired_key" || x.Quarantine[0].ID != leaked.kept[1].ID {
			t.Fatalf("A111: quarantine %+v, want retired_key", x.Quarantine)
		}
		c.kept = c.kept[:len(c.kept)-1]
		does(t, x, teach("merged", c.now))
	}
	// An admin who knows better names it by its digest.
	c.pass(time.Hour)
	leaked := &cloud{now: c.now, next: 950, kept: []cloudEntry{slow.Home.(*cloudHome).kept[1]}}
	does(t, leaked.run(t, under(first)), teach("by a person after all", c.now))
	c.kept = append(c.kept, leaked.kept[1])
	report, err := Recover(t.Context(), RecoverRequest{Memory: c.run(t, under(both)), Accept: []string{leaked.kept[1].Digest}, Actor: mara, Cause: memory.NewCause("r"), At: c.now})
	if err != nil || !report.Saved || report.Problem != "" {
		t.Fatalf("recover: %+v, %v", report, err)
	}
	wantTexts(t, c.run(t, under(second)), "after it", "before the rotation", "by a slow run", "merged", "by a person after all")
}

func TestContainersArePrunedByAgeAndNumber(t *testing.T) {
	c := newCloud()
	for i := range 14 {
		does(t, c.run(t), teach(lessonNumber(i), c.now))
		c.pass(10 * time.Minute)
	}
	// The last save was 130 minutes after the first: what is older than an hour
	// and beyond the last ten is gone.
	if got, want := c.ids(), 10; len(got) != want || got[0] != "105" {
		t.Errorf("%d containers %v, want the last %d", len(got), got, want)
	}
	wantTexts(t, c.run(t), func() (all []string) {
		for i := range 14 {
			all = append(all, lessonNumber(i))
		}
		return all
	}()...)

	t.Run("young ones stay however many they are", func(t *testing.T) {
		c := newCloud()
		for i := range 13 {
			does(t, c.run(t), teach(lessonNumber(i), c.now))
			c.pass(time.Minute)
		}
		if len(c.kept) != 13 {
			t.Errorf("%d containers, want all", len(c.kept))
		}
	})
	t.Run("what is not in the store stays", func(t *testing.T) {
		c := newCloud()
		odd := c.put([]byte("quarantined"))
		for i := range 13 {
			v := c.run(t, func(v *Vaulted, _ *cloudHome) { v.AcceptEmpty = i == 0 })
			does(t, v, teach(lessonNumber(i), c.now))
			c.pass(time.Hour)
		}
		if !slices.Contains(c.ids(), odd.ID) {
			t.Error("a quarantined container was pruned")
		}
	})
	t.Run("without the permission it is said once and the save stands", func(t *testing.T) {
		c := newCloud()
		for i := range 13 {
			does(t, c.run(t, func(_ *Vaulted, h *cloudHome) { h.refuses = true }), teach(lessonNumber(i), c.now))
			c.pass(time.Hour)
		}
		v := c.run(t, func(_ *Vaulted, h *cloudHome) { h.refuses = true })
		outcomes := v.Execute(t.Context(), []plan.Action{teach("the last", c.now), saveAction}, nil)
		last := outcomes[len(outcomes)-1]
		if last.Action.Kind != plan.Prune || last.Err != nil || !strings.Contains(last.Skipped, "actions: write") {
			t.Errorf("outcomes %+v, want a skipped pruning that names the permission", outcomes)
		}
		if len(v.Cleared.Left) != 1 || len(c.kept) != 14 {
			t.Errorf("left %+v, %d containers", v.Cleared.Left, len(c.kept))
		}
	})
}

func TestA103OlderContainersGoAtOnceAfterAForget(t *testing.T) {
	c := newCloud()
	for i := range 4 {
		does(t, c.run(t), teach(lessonNumber(i), c.now))
	}
	v := c.run(t)
	does(t, v, touching(memory.OpForget, idOf(t, v, lessonNumber(1)), c.now))
	if got := c.ids(); !slices.Equal(got, []string{"105"}) {
		t.Errorf("containers %v, want the last alone: the older ones hold the text", got)
	}
	if says := v.Cleared.Words(); !strings.Contains(says, "4 older containers") {
		t.Errorf("it says %q", says)
	}
	wantTexts(t, c.run(t), lessonNumber(0), lessonNumber(2), lessonNumber(3))

	t.Run("A103 the answer names those that could not be deleted, and the sweep tries again", func(t *testing.T) {
		c := newCloud()
		does(t, c.run(t), teach("a secret habit", c.now))
		does(t, c.run(t), teach("another", c.now))
		asked := 0
		v := c.run(t, func(_ *Vaulted, h *cloudHome) { h.refuses, h.refused = true, &asked })
		does(t, v, touching(memory.OpForget, idOf(t, v, "a secret habit"), c.now))
		const want = "Still there, sealed, with the old text: artifact 101, 102. This job may not delete artifacts; the sweep may, where its job has `actions: write`: at its next time, or as soon as somebody starts its workflow under Actions."
		if says := v.Cleared.Words(); says != want {
			t.Errorf("it says %q, want %q", says, want)
		}
		if asked != 1 {
			t.Errorf("it asked %d times to delete, want once: what may not be done to one may be done to none", asked)
		}
		c.pass(time.Minute)
		sweep := c.run(t)
		got, err := sweep.Prune(t.Context())
		if err != nil || len(got.Deleted) != 2 || !slices.Equal(c.ids(), []string{"103"}) {
			t.Errorf("the sweep: %+v, %v; containers %v", got, err, c.ids())
		}
		if got, err := c.run(t).Prune(t.Context()); err != nil || len(got.Deleted)+len(got.Left) != 0 {
			t.Errorf("a second sweep: %+v, %v", got, err)
		}
	})
	t.Run("a forget that was refused deletes nothing", func(t *testing.T) {
		c := newCloud()
		does(t, c.run(t), teach("one", c.now))
		does(t, c.run(t), touching(memory.OpForget, "m-00000000", c.now), teach("two", c.now))
		if len(c.kept) != 2 {
			t.Errorf("containers %v", c.ids())
		}
	})
}

func TestTheStoreIsSavedAgainBeforeItExpires(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("one", c.now))
	for _, x := range []struct {
		after time.Duration
		saves bool
	}{{29 * 24 * time.Hour, false}, {24 * time.Hour, true}, {time.Hour, false}} {
		c.pass(x.after)
		v := c.run(t)
		saved, err := v.Refresh(t.Context())
		if err != nil || saved != x.saves {
			t.Errorf("after %s: saved %v, %v", x.after, saved, err)
		}
		if want := c.kept[len(c.kept)-1].ExpiresAt; !v.Expiry().Equal(want) {
			t.Errorf("expiry %s, want %s", v.Expiry(), want)
		}
	}
	wantTexts(t, c.run(t), "one")
	if saved, err := newCloud().run(t).Refresh(t.Context()); saved || err != nil {
		t.Errorf("a repository without a store: %v, %v", saved, err)
	}
}

func TestNothingIsSavedUnlessSomethingChanged(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("one", c.now))
	v := c.run(t)
	does(t, v, teach("one", c.now)) // the same command again
	if len(c.kept) != 1 {
		t.Errorf("%d containers, want one", len(c.kept))
	}
	does(t, v, teach("two", c.now))
	does(t, v, teach("two", c.now)) // again in the same run, after its save
	if len(c.kept) != 2 || v.Seen().Generation != 2 {
		t.Errorf("%d containers of generation %d, want two", len(c.kept), v.Seen().Generation)
	}
	does(t, v, teach("three", c.now))
	if got := c.run(t); len(c.kept) != 3 || v.Seen().Generation != 3 {
		t.Errorf("%d containers, generation %d", len(c.kept), v.Seen().Generation)
	} else {
		wantTexts(t, got, "one", "two", "three")
	}
}

func TestRowsThatClaimALaterTimeThanTheirContainerAreDropped(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("now", c.now), teach("from the future", c.now.Add(time.Hour)))
	wantTexts(t, c.run(t), "now")
}

func TestAStoreOfALaterReleaseIsLeftAlone(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("one", c.now))
	v := c.run(t)
	wantTexts(t, v, "one")
	m := v.heads.Newest().Manifest
	var newer []byte
	if err := v.View(t.Context(), func(ctx context.Context, st *store.Store) error {
		var b strings.Builder
		err := st.Export(ctx, &b)
		newer = []byte(b.String())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	newer[63] = 99 // user_version
	zip, _, err := vault.Seal(vault.SealInput{Keys: v.Keys, SQLite: newer, Manifest: vault.Manifest{
		RepositoryID: 5, Repository: "acme/shop", StoreID: m.StoreID, Generation: 2, ToolVersion: "later", CreatedAt: c.now}})
	if err != nil {
		t.Fatal(err)
	}
	c.put(zip)
	w := c.run(t)
	wantOff(t, w, Newer, "later release")
	if len(w.Quarantine) != 0 {
		t.Errorf("quarantine %+v: an older one must not be used in its place", w.Quarantine)
	}
}

func TestManyHeadsBecomeOne(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("base", c.now))
	base := slices.Clone(c.kept)
	var want []string
	for i := range 9 {
		side := &cloud{now: c.now, next: int64(200 + 10*i), kept: slices.Clone(base)}
		does(t, side.run(t), teach(fmt.Sprintf("side %d", i), c.now))
		c.kept = append(c.kept, side.kept[1])
		want = append(want, fmt.Sprintf("side %d", i))
	}
	v := c.run(t)
	wantTexts(t, v, append(slices.Clone(want), "base")...)
	if len(v.heads.List()) != 9 {
		t.Errorf("%d heads, want 9", len(v.heads.List()))
	}
	does(t, v, teach("together", c.now))
	w := c.run(t)
	wantTexts(t, w, append(slices.Clone(want), "base", "together")...)
	if n := w.heads.Newest(); len(w.heads.List()) != 1 || len(n.Manifest.Parents) != 9 || len(n.Manifest.Seen) != 10 {
		t.Errorf("heads %d, parents %d, seen %d", len(w.heads.List()), len(n.Manifest.Parents), len(n.Manifest.Seen))
	}
}

// openIn are the stores in a folder that this process has open.
func openIn(t *testing.T, dir string) (out []string) {
	t.Helper()
	const all = "/proc/self/fd"
	held, err := os.ReadDir(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range held {
		if at, err := os.Readlink(filepath.Join(all, f.Name())); err == nil && filepath.Dir(at) == dir {
			out = append(out, filepath.Base(at))
		}
	}
	return out
}
