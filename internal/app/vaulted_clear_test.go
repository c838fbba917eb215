package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
)

// crowdedHome is a home that others put containers of our name into, and that
// refuses to delete some.
type crowdedHome struct {
	*cloudHome
	others []home.Entry
	stuck  []int64
	gone   []int64
}

func (h *crowdedHome) Foreign() []home.Entry { return slices.Clone(h.others) }

func (h *crowdedHome) Delete(ctx context.Context, id int64) error {
	if slices.Contains(h.stuck, id) {
		return &home.Error{Kind: home.Unwritable, Detail: "GitHub answered 503"}
	}
	h.gone = append(h.gone, id)
	return h.cloudHome.Delete(ctx, id)
}

// crowded is a run among n containers of others.
func crowded(n int, stuck ...int64) (*crowdedHome, func(*Vaulted, *cloudHome)) {
	h := &crowdedHome{stuck: stuck}
	for i := range n {
		h.others = append(h.others, home.Entry{ID: strconv.Itoa(9000 + i)})
	}
	return h, func(v *Vaulted, c *cloudHome) { h.cloudHome, v.Home = c, h }
}

func TestAForgetDeletesEveryContainerOfOursBeforeThoseOfOthers(t *testing.T) {
	for name, x := range map[string]struct {
		own, others int
		stuck       []int64
		deleted     int
		says        string
	}{
		"many of others":                {own: 2, others: maxCleared, deleted: 2 + maxCleared, says: "The 2 older containers that held it were deleted."},
		"more of others than a run may": {own: 1, others: maxCleared + 9, deleted: 1 + maxCleared, says: "The older container that held it was deleted."},
		"more of ours than a run may":   {own: maxCleared + 3, deleted: maxCleared + 3, says: "The 67 older containers that held it were deleted."},
		"one of others stays":           {own: 1, others: 2, stuck: []int64{9001}, deleted: 2, says: "The older container that held it was deleted."},
		"one of ours stays": {own: 2, others: 2, stuck: []int64{101}, deleted: 3,
			says: "The older container that held it was deleted. Still there with the old text: artifact 101 (GitHub answered 503). The next sweep tries again; a person can delete it under Actions."},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud()
			does(t, c.run(t), teach("a secret habit", c.now))
			for range x.own - 1 {
				v := c.run(t)
				wantTexts(t, v, "a secret habit")
				if err := v.save(t.Context()); err != nil { // a container of its own, with the same text
					t.Fatal(err)
				}
			}
			h, among := crowded(x.others, x.stuck...)
			v := c.run(t, among)
			does(t, v, touching(memory.OpForget, idOf(t, v, "a secret habit"), c.now))
			if got := v.Cleared.Words(); got != x.says {
				t.Errorf("it says %q, want %q", got, x.says)
			}
			if len(h.gone) != x.deleted {
				t.Errorf("deleted %v, want %d", h.gone, x.deleted)
			}
			if first := slices.IndexFunc(h.gone, func(id int64) bool { return id >= 9000 }); slices.ContainsFunc(h.gone[max(first, 0):], func(id int64) bool { return first >= 0 && id < 9000 }) {
				t.Errorf("deleted %v, want ours first", h.gone)
			}
			if want := 1 + len(x.stuck)*min(1, max(0, x.own-1)); name != "one of others stays" && len(c.kept) != want {
				t.Errorf("containers %v, want %d", c.ids(), want)
			}
		})
	}
}

func TestASweepDeletesWhatAForgetThatWasTakenUpLateLeft(t *testing.T) {
	c := newCloud()
	written := c.now
	does(t, c.run(t), teach("a secret habit", c.now))
	for _, later := range []time.Duration{2 * 24 * time.Hour, lookBack - 3*24*time.Hour} {
		c.pass(later)
		does(t, c.run(t), teach(fmt.Sprintf("after %s", later), c.now))
	}
	c.pass(24 * time.Hour)
	v := c.run(t, func(_ *Vaulted, h *cloudHome) { h.refuses = true })
	does(t, v, touching(memory.OpForget, idOf(t, v, "a secret habit"), written)) // found after lookBack-1 day
	c.pass(time.Hour)
	got, err := c.run(t).Prune(t.Context())
	if err != nil || !slices.Equal(got.Deleted, []string{"101", "102", "103"}) || !slices.Equal(c.ids(), []string{"104"}) {
		t.Errorf("%+v, %v; containers %v: each of the older ones holds the text", got, err, c.ids())
	}
}

func TestWhatIsSavedADayAfterAForgetStaysAsABackup(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("a secret habit", c.now))
	c.pass(time.Hour)
	v := c.run(t, func(_ *Vaulted, h *cloudHome) { h.refuses = true })
	does(t, v, touching(memory.OpForget, idOf(t, v, "a secret habit"), c.now))
	c.pass(23 * time.Hour) // a run that began before the forget may still save
	does(t, c.run(t), teach("within the day", c.now))
	c.pass(2 * time.Hour)
	for i := range 3 {
		does(t, c.run(t), teach(lessonNumber(i), c.now))
		c.pass(time.Hour)
	}
	got, err := c.run(t).Prune(t.Context())
	if err != nil || !slices.Equal(got.Deleted, []string{"101", "102", "103"}) || !got.Erasing || !slices.Equal(c.ids(), []string{"104", "105", "106"}) {
		t.Errorf("%+v, %v; containers %v: want those of the day after gone and the later ones kept", got, err, c.ids())
	}
}

func TestASweepDeletesWhatARunSavedBesideAForget(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("a secret habit", c.now), teach("another", c.now))
	a, b := c.run(t), c.run(t)
	gone := idOf(t, a, "a secret habit")
	wantTexts(t, b, "a secret habit", "another") // both have loaded before either saves
	does(t, a, touching(memory.OpForget, gone, c.now))
	c.lag = 1
	does(t, b, teach("beside it", c.now)) // with the text, and in no seen set
	c.pass(time.Minute)
	for n := range 2 { // nobody saves any more but the sweep
		v := c.run(t)
		if _, err := v.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := c.ids(); !slices.Equal(got, []string{"104"}) {
			t.Errorf("sweep %d leaves %v, want the one that it made of both: 103 holds the text", n+1, got)
		}
	}
	wantTexts(t, c.run(t), "another", "beside it")

	t.Run("heads without anything forgotten stay as they are", func(t *testing.T) {
		c := newCloud()
		does(t, c.run(t), teach("one", c.now))
		a, b := c.run(t), c.run(t)
		wantTexts(t, a, "one")
		wantTexts(t, b, "one")
		does(t, a, teach("two", c.now))
		c.lag = 1
		does(t, b, teach("three", c.now))
		if _, err := c.run(t).Prune(t.Context()); err != nil || len(c.kept) != 3 {
			t.Errorf("containers %v (%v), want no new one", c.ids(), err)
		}
	})
}

func TestTheEmptyContainerStaysWhileAnotherOfOursDoes(t *testing.T) {
	for name, x := range map[string]struct {
		others int
		stuck  []int64
		kept   []string
		says   []string
	}{
		"nothing is left": {others: 1},
		"an old one cannot be deleted": {others: 1, stuck: []int64{101}, kept: []string{"101", "103"},
			says: []string{"with the lessons as they were", "101 (GitHub answered 503)", "The empty container 103 was kept", "that one last"}},
		"one of others cannot be": {others: 1, stuck: []int64{9000}, says: []string{"the containers 9000 (GitHub answered 503)", "None of them holds a lesson"}},
		"the empty one cannot be": {stuck: []int64{103}, kept: []string{"103"}, says: []string{"the containers 103 (GitHub answered 503)", "None of them holds a lesson"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud()
			does(t, c.run(t), teach("one", c.now))
			does(t, c.run(t), teach("two", c.now))
			_, among := crowded(x.others, append([]int64{101, 102}, x.stuck...)...)
			v := c.run(t, among)
			taken := touching(memory.OpUninstall, "", c.now)
			taken.Payload.(*TransitionTask).Transition.Standing = memory.StandingAdmin
			does(t, v, taken)
			h := v.Home.(*crowdedHome)
			h.stuck = x.stuck
			gone, err := v.deleteAll(t.Context())
			if err != nil || !slices.Equal(c.ids(), x.kept) {
				t.Fatalf("containers %v, want %v (%+v, %v)", c.ids(), x.kept, gone, err)
			}
			if len(gone.left) != len(x.stuck) {
				t.Errorf("left %+v, want %v", gone.left, x.stuck)
			}
			for _, w := range x.says {
				if got := gone.stillThere(); !strings.Contains(got, w) {
					t.Errorf("it says %q, want %q in it", got, w)
				}
			}
			wantTexts(t, c.run(t)) // nothing comes back
		})
	}
}

func TestWhatOneRunDeletesIsBoundedAndTheRestIsSaid(t *testing.T) {
	held := make([]home.Entry, maxErased+44)
	v := &Vaulted{}
	if got := v.atMost(held); len(got) != maxErased || v.Cleared.Later != 44 {
		t.Errorf("%d are deleted and %d left, want %d and 44", len(got), v.Cleared.Later, maxErased)
	}
	var left []Left
	for i := range maxNamed + 3 {
		left = append(left, Left{ID: strconv.Itoa(100 + i), Lacking: true})
	}
	for want, c := range map[string]Clearance{
		"44 more containers may hold it: one run deletes 256 at most, and each sweep goes on.":                                                     {Erasing: true, Later: 44},
		"artifact 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119 and 3 more. This job may not": {Erasing: true, Left: left},
	} {
		if got := c.Words(); !strings.Contains(got, want) {
			t.Errorf("it says %q, want %q in it", got, want)
		}
	}
}
