package artifact_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/home/artifact"
)

func TestA16_AFreshUploadThatIsListedLateIsWaitedForAndThenAnError(t *testing.T) {
	w := newWorld(t)
	w.ListLag(4)
	h := w.home(w.run)
	e := save(t, h, "late")
	if entries, err := h.List(t.Context()); err != nil || !slices.Equal(ids(entries), []string{e.ID}) {
		t.Errorf("List = %v, %v", entries, err)
	}
	if w.total() != 15*time.Second {
		t.Errorf("waited %s, want 15s", w.total())
	}
	w.ListLag(100)
	before := w.total()
	_, err := h.Save(t.Context(), []byte("never listed"))
	if home.KindOf(err) != home.Unwritable || !strings.Contains(err.Error(), "does not list it") {
		t.Errorf("never listed: %v", err)
	}
	if d := w.total() - before; d > time.Minute {
		t.Errorf("waited %s", d)
	}
}

func TestARunUsesItsTwoNamesInTurn(t *testing.T) {
	w := newWorld(t)
	h := w.home(w.run)
	var saved []home.Entry
	for i := range 5 {
		saved = append(saved, save(t, h, fmt.Sprintf("generation %d", i)))
		entries, err := w.home(w.run).List(t.Context())
		want := []string{saved[i].ID}
		if i > 0 {
			want = append(want, saved[i-1].ID)
		}
		if err != nil || !slices.Equal(ids(entries), want) {
			t.Fatalf("after save %d: List = %v, %v, want %v", i, ids(entries), err, want)
		}
	}
	names := artifact.Names(w.repo.ID)
	if len(w.Artifacts(where, names[0])) != 1 || len(w.Artifacts(where, names[1])) != 1 {
		t.Error("the names were not used in turn")
	}
}

func TestAnotherJobsContainerOfTheSameRunIsNotReplacedUntilANewerOneHasIt(t *testing.T) {
	w := newWorld(t)
	first := save(t, w.home(w.run), "job 1")
	second := save(t, w.home(w.run), "job 2") // 409, the other name
	h := w.home(w.run)
	_, err := h.Save(t.Context(), []byte("job 3"))
	if home.KindOf(err) != home.Unwritable || !strings.Contains(err.Error(), "both names") || !errors.Is(err, artifact.ErrTaken) {
		t.Fatalf("Save = %v", err)
	}
	if len(w.Artifacts(where, "")) != 2 {
		t.Fatal("a container was lost")
	}
	h.Superseded(first)
	third := save(t, h, "job 3, with all of job 1")
	if entries, _ := h.List(t.Context()); !slices.Equal(ids(entries), []string{third.ID, second.ID}) {
		t.Errorf("List = %v", ids(entries))
	}
}

func TestAFailedSaveLeavesWhatWasThere(t *testing.T) {
	for name, c := range map[string]struct {
		route string
		fault githubtest.Fault
	}{
		"create is refused":        {twirp + "CreateArtifact", githubtest.Fault{Status: 403}},
		"create fails":             {twirp + "CreateArtifact", githubtest.Fault{Status: 503}},
		"a block fails":            {putRoute, githubtest.Fault{Status: 500}},
		"a block is refused":       {putRoute, githubtest.Fault{Status: 403}},
		"the block list fails":     {putRoute, githubtest.Fault{After: 1, Status: 503}},
		"the connection is cut":    {putRoute, githubtest.Fault{Cut: true}},
		"finalize is refused":      {twirp + "FinalizeArtifact", githubtest.Fault{Status: 400}},
		"finalize fails":           {twirp + "FinalizeArtifact", githubtest.Fault{Status: 502}},
		"the read-back is refused": {listRoute, githubtest.Fault{Status: 403}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			old := save(t, w.home(w.AddRun(githubtest.Run{Repo: where, Event: "issue_comment", Path: workflow})), "old")
			h := w.home(w.run)
			w.Fault(c.route, c.fault, githubtest.Always)
			_, err := h.Save(t.Context(), []byte("new"))
			if home.KindOf(err) != home.Unwritable {
				t.Fatalf("Save = %v", err)
			}
			w.clean(err.Error())
			w.ClearFaults()
			if data, err := w.home(w.run).Load(t.Context(), old); err != nil || string(data) != "old" {
				t.Errorf("the old one: %q, %v", data, err)
			}
			again := save(t, w.home(w.run), "new")
			if entries, err := w.home(w.run).List(t.Context()); err != nil || ids(entries)[0] != again.ID {
				t.Errorf("after a re-run: %v, %v", entries, err)
			}
		})
	}
}

func TestASaveOutlastsFailuresOfTheMoment(t *testing.T) {
	for name, c := range map[string]struct {
		route string
		fault githubtest.Fault
	}{
		"create 503":            {twirp + "CreateArtifact", githubtest.Fault{Status: 503}},
		"create 429":            {twirp + "CreateArtifact", githubtest.Fault{Status: 429}},
		"create cut":            {twirp + "CreateArtifact", githubtest.Fault{Cut: true}},
		"create, answer lost":   {twirp + "CreateArtifact", githubtest.Fault{Lose: true}},
		"block 500":             {putRoute, githubtest.Fault{Status: 500}},
		"block cut":             {putRoute, githubtest.Fault{Cut: true}},
		"block, answer lost":    {putRoute, githubtest.Fault{Lose: true}},
		"list of blocks, lost":  {putRoute, githubtest.Fault{After: 1, Lose: true}},
		"finalize 504":          {twirp + "FinalizeArtifact", githubtest.Fault{Status: 504}},
		"finalize, answer lost": {twirp + "FinalizeArtifact", githubtest.Fault{Lose: true}},
		"finalize, answer cut":  {twirp + "FinalizeArtifact", githubtest.Fault{Half: true}},
		"listing 502":           {listRoute, githubtest.Fault{Status: 502}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Fault(c.route, c.fault, 1)
			h := w.home(w.run)
			e := save(t, h, "data")
			if data, err := h.Load(t.Context(), e); err != nil || string(data) != "data" {
				t.Errorf("Load = %q, %v", data, err)
			}
			if all := w.Artifacts(where, ""); len(all) != 1 {
				t.Errorf("%d artifacts, want 1", len(all))
			}
		})
	}
}

func TestALargeContainerGoesInBlocksAndComesBackWhole(t *testing.T) {
	w := newWorld(t)
	h := w.home(w.run)
	data := bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16)
	e, err := h.Save(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if n := w.CallsOf(putRoute); n != 4 {
		t.Errorf("%d requests, want three blocks and a list", n)
	}
	if got, err := h.Load(t.Context(), e); err != nil || !bytes.Equal(got, data) {
		t.Errorf("Load = %d bytes, %v", len(got), err)
	}
	if _, err := h.Save(t.Context(), make([]byte, artifact.MaxBytes+1)); home.KindOf(err) != home.TooLarge {
		t.Errorf("one byte too many: %v", err)
	}
}

func TestARunWhoseContainersNobodyWouldReadSavesNothing(t *testing.T) {
	w := newWorld(t)
	for event, text := range map[string]string{"pull_request": `"pull_request"`, "push": `"push"`} {
		run := w.AddRun(githubtest.Run{Repo: where, Event: event, Path: workflow})
		if _, err := w.home(run).Save(t.Context(), []byte("x")); home.KindOf(err) != home.Unwritable || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", event, err)
		}
	}
	away := w.home(w.run, func(o *artifact.Options) { o.Uploader = nil })
	if _, err := away.Save(t.Context(), []byte("x")); home.KindOf(err) != home.Unwritable || !strings.Contains(err.Error(), "running job") {
		t.Errorf("away from a runner: %v", err)
	}
	if n := w.CallsTo(githubtest.Results); n != 0 {
		t.Errorf("%d calls of the service", n)
	}
}

func TestSignaturesAreMaskedBeforeTheyAreUsed(t *testing.T) {
	w := newWorld(t)
	w.Before(putRoute, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.masks) == 0 {
			t.Error("the address was used before it was masked")
		}
	})
	save(t, w.home(w.run), "data")
	if len(w.masks) == 0 {
		t.Error("nothing was masked")
	}
}

func TestEverySaveThatSucceededUnderFaultsIsListedAndWhole(t *testing.T) {
	w := newWorld(t)
	type outcome struct {
		e    home.Entry
		data string
		err  error
	}
	results := make(chan outcome)
	const runs = 20
	for i := range runs {
		h := w.home(w.AddRun(githubtest.Run{Repo: where, Event: "issue_comment", Path: workflow}))
		go func() {
			data := fmt.Sprintf("of run %d", i)
			e, err := h.Save(context.Background(), []byte(data))
			results <- outcome{e, data, err}
		}()
	}
	w.Chaos(11, 0.05)
	var done []outcome
	for range runs {
		o := <-results
		if o.err != nil {
			if home.KindOf(o.err) == "" {
				t.Errorf("an untyped error: %v", o.err)
			}
			w.clean(o.err.Error())
			continue
		}
		done = append(done, o)
	}
	w.ClearFaults()
	if len(done) < runs*3/4 {
		t.Errorf("only %d of %d saves succeeded", len(done), runs)
	}
	h := w.home(w.run)
	for _, o := range done {
		data, err := h.Load(t.Context(), o.e)
		if err != nil || string(data) != o.data {
			t.Errorf("%s: %q, %v", o.e.ID, data, err)
		}
	}
}
