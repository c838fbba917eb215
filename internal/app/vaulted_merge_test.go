package app

import (
	"context"
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// proposing is a run's proposal: the cause is the change's, clock and sender
// are the run's own, and so are the globs.
func proposing(words string, at time.Time, by memory.Principal, paths ...string) plan.Action {
	a := teach(words, at)
	t := &a.Payload.(*TransitionTask).Transition
	t.Op, t.Actor, t.Through, t.Number = memory.OpPropose, by, memory.Through{Kind: "pull_request_target"}, 3
	t.Cause = memory.NewCause("propose", "3", words)
	t.Lesson.Source, t.Lesson.State, t.Lesson.Approved, t.Lesson.Paths = memory.ChatExtracted, memory.ReviewRequired, "", paths
	t.Lesson.Provenance.PullRequest, t.Lesson.Provenance.Head = 3, strings.Repeat("a", 40)
	t.Quotas = memory.Quotas{ProposalsPerRun: 10, PendingPerPull: 10, PendingPerRepo: 10, ActivePerRepo: 100}
	a.Key = t.Cause
	return a
}

func TestA97TwoRunsThatProposeOneLessonLoseNothingAndBringNothingBack(t *testing.T) {
	const both = "amounts are in cents"
	ada := memory.Principal{ID: 8, Login: "ada"}
	for _, lag := range []int{0, 1} { // whether the second sees the first's container before it saves
		c := newCloud()
		does(t, c.run(t), teach("base", c.now), teach("to be forgotten", c.now))
		c.pass(time.Minute)
		a, b := c.run(t), c.run(t)
		gone := idOf(t, a, "to be forgotten")
		wantTexts(t, b, "base", "to be forgotten") // both have loaded before either saves
		at := c.now
		does(t, a, proposing(both, at, mara, "b/**"), teach("from a", at), touching(memory.OpForget, gone, at))
		c.pass(2 * time.Second)
		c.lag = lag
		does(t, b, proposing(both, at.Add(2*time.Second), ada, "a/**"), teach("from b", c.now))
		c.pass(time.Minute)
		want := []string{"base", "from a", "from b"}
		for _, next := range []string{"by the next run", "by the one after it"} {
			v := c.run(t)
			wantTexts(t, v, want...)
			if got := inState(t, v, memory.ReviewRequired); !slices.Equal(got, []string{both}) {
				t.Errorf("lag %d, %s: %q wait, want the proposal once", lag, next, got)
			}
			if len(v.Quarantine) != 0 {
				t.Errorf("lag %d, %s: quarantine %+v", lag, next, v.Quarantine)
			}
			does(t, v, teach(next, c.now))
			want = append(want, next)
		}
	}
}

// contradicting is a container that our key sealed and whose store says
// something else under an id that the other one has.
func contradicting(t *testing.T, c *cloud) home.Entry {
	t.Helper()
	v := c.run(t)
	wantTexts(t, v, "base")
	m := v.heads.Newest().Manifest
	path := v.file()
	if err := v.st.SaveTo(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "UPDATE versions SET pull_request = 9"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	changed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	zip, _, err := vault.Seal(vault.SealInput{Keys: v.Keys, SQLite: changed, Manifest: vault.Manifest{
		RepositoryID: 5, Repository: "acme/shop", StoreID: m.StoreID, Generation: m.Generation + 1, ToolVersion: "x", CreatedAt: c.now}})
	if err != nil {
		t.Fatal(err)
	}
	return c.put(zip)
}

func TestASoundContainerThatDoesNotMergeStopsTheMemoryAndIsNeverLeftOut(t *testing.T) {
	t.Run("it is there from the start", func(t *testing.T) {
		c := newCloud()
		does(t, c.run(t), teach("base", c.now))
		odd := contradicting(t, c)
		v := c.run(t)
		wantOff(t, v, Unmerged, "container 101 and "+odd.ID, "contradict each other", "nothing is read or saved", "`recover` with `accept`", odd.ID+" has "+odd.Digest)
		if err := did(t, v, teach("more", c.now)); WhyUnavailable(err) != Unmerged {
			t.Errorf("a command: %v", err)
		}
		if len(c.kept) != 2 || len(v.Quarantine) != 0 {
			t.Errorf("%d containers, quarantine %+v; want both left as they are", len(c.kept), v.Quarantine)
		}
		c.drop(102)
		wantTexts(t, c.run(t), "base")
	})
	t.Run("an admin accepts one of the two, and the other is set aside for good", func(t *testing.T) {
		for _, which := range []string{"the first", "the one that was changed"} {
			c := newCloud()
			does(t, c.run(t), teach("base", c.now))
			odd := contradicting(t, c)
			right, wrong, pull := c.kept[0].Entry, odd, int64(0)
			if which != "the first" {
				right, wrong, pull = odd, c.kept[0].Entry, 9
			}
			report, err := Recover(t.Context(), RecoverRequest{Memory: c.run(t), Accept: []string{right.Digest}, Actor: mara, Cause: memory.NewCause("r"), At: c.now})
			if err != nil || !report.Saved || report.Problem != "" || report.Generation != 3 {
				t.Fatalf("%s: %+v, %v; want generation 3, above both", which, report, err)
			}
			if len(report.Quarantine) != 1 || report.Quarantine[0].ID != wrong.ID || report.Quarantine[0].Reason != "it contradicts what an admin accepted" {
				t.Errorf("%s: quarantine %+v, want the other", which, report.Quarantine)
			}
			v := c.run(t)
			wantTexts(t, v, "base")
			if len(v.Quarantine) != 0 || len(v.heads.List()) != 1 {
				t.Errorf("%s: the next run still meets it: %+v, heads %+v", which, v.Quarantine, v.heads.List())
			}
			if got := v.heads.Newest().Manifest; !slices.Equal(got.Parents, []string{right.Digest}) || len(got.Seen) != 2 {
				t.Errorf("%s: parents %v, seen %v", which, got.Parents, got.Seen)
			}
			if err := v.View(t.Context(), func(ctx context.Context, st *store.Store) error {
				all, err := st.List(ctx, store.Filter{})
				if len(all) != 1 || int64(all[0].Provenance.PullRequest) != pull {
					t.Errorf("%s: %+v", which, all)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			does(t, v, teach("more", c.now))
			wantTexts(t, c.run(t), "base", "more")
		}
	})
	t.Run("nobody accepts both of two that contradict each other", func(t *testing.T) {
		c := newCloud()
		does(t, c.run(t), teach("base", c.now))
		odd := contradicting(t, c)
		report, err := Recover(t.Context(), RecoverRequest{Memory: c.run(t), Accept: []string{c.kept[0].Digest, odd.Digest}, Actor: mara, Cause: memory.NewCause("r"), At: c.now})
		if err != nil || report.Saved || !strings.Contains(report.Problem, "contradict each other") || len(c.kept) != 2 {
			t.Errorf("%+v, %v, containers %v", report, err, c.ids())
		}
	})
	t.Run("it appears before the save", func(t *testing.T) {
		c := newCloud()
		does(t, c.run(t), teach("base", c.now))
		v := c.run(t)
		wantTexts(t, v, "base")
		contradicting(t, c)
		if err := did(t, v, teach("more", c.now)); WhyUnavailable(err) != Unmerged {
			t.Errorf("a command: %v", err)
		}
		wantOff(t, v, Unmerged) // for the rest of the run
		if len(c.kept) != 2 {
			t.Errorf("%d containers, want nothing saved", len(c.kept))
		}
	})
}
