package artifact_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/home/artifact"
)

const recordName = "familiar-review-7-0123456789ab"

// outrun frees a name that another job has again before this one can use it.
type outrun struct{ *artifact.Service }

func (outrun) Remove(context.Context, string) error { return nil }

// reviews are the records that one job of a run keeps and finds.
func (w *world) reviews(run githubtest.Run) *artifact.Reviews {
	return artifact.NewReviews(w.home(run), w.service(run))
}

func put(t *testing.T, r *artifact.Reviews, data string) {
	t.Helper()
	if err := r.Put(t.Context(), recordName, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// found are the records as they are read, the newest first; a problem stands
// in place of what could not be unpacked.
func found(t *testing.T, r *artifact.Reviews) []string {
	t.Helper()
	list, err := r.Find(t.Context(), recordName)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, one := range list {
		out = append(out, string(one.Data)+one.Problem)
	}
	return out
}

func TestARecordIsKeptForSevenDaysAndFoundByLaterRuns(t *testing.T) {
	w := newWorld(t)
	put(t, w.reviews(w.run), "one")
	later := w.AddRun(githubtest.Run{Repo: where, Event: "issue_comment", Path: workflow})
	put(t, w.reviews(later), "two")
	if got := found(t, w.reviews(later)); !slices.Equal(got, []string{"two", "one"}) {
		t.Errorf("found %q", got)
	}
	for _, a := range w.Artifacts(where, recordName) {
		if days := a.ExpiresAt.Sub(a.CreatedAt); days < 7*24*time.Hour-time.Minute || days > 7*24*time.Hour+time.Minute {
			t.Errorf("it is kept for %s", days)
		}
	}
	if err := artifact.NewReviews(w.home(w.run), nil).Put(t.Context(), recordName, []byte("three")); err == nil || !strings.Contains(err.Error(), "running job") {
		t.Errorf("away from a job: %v", err)
	}
}

func TestANameThatThisRunTookIsTakenAgain(t *testing.T) {
	w := newWorld(t)
	put(t, w.reviews(w.run), "first attempt")
	put(t, w.reviews(w.run), "second attempt") // 409, then deleted and made again
	if got := found(t, w.reviews(w.run)); !slices.Equal(got, []string{"second attempt"}) {
		t.Errorf("found %q", got)
	}
	if n := w.CallsOf(twirp + "DeleteArtifact"); n != 1 {
		t.Errorf("%d deletions, want 1", n)
	}
	t.Run("what is in the way cannot be deleted", func(t *testing.T) {
		w.Fault(twirp+"DeleteArtifact", githubtest.Fault{Status: 403}, githubtest.Always)
		if err := w.reviews(w.run).Put(t.Context(), recordName, []byte("third")); err == nil || len(w.Artifacts(where, recordName)) != 1 {
			t.Errorf("%v, %d artifacts", err, len(w.Artifacts(where, recordName)))
		}
		if got := found(t, w.reviews(w.run)); !slices.Equal(got, []string{"second attempt"}) {
			t.Errorf("found %q", got)
		}
	})
	t.Run("another job is faster each time", func(t *testing.T) {
		w := newWorld(t)
		put(t, w.reviews(w.run), "theirs")
		slow := artifact.NewReviews(w.home(w.run), outrun{w.service(w.run)})
		if err := slow.Put(t.Context(), recordName, []byte("mine")); !errors.Is(err, artifact.ErrTaken) {
			t.Errorf("%v", err)
		}
		if got := found(t, slow); !slices.Equal(got, []string{"theirs"}) || w.CallsOf(twirp+"CreateArtifact") != 3 {
			t.Errorf("found %q after %d tries", got, w.CallsOf(twirp+"CreateArtifact"))
		}
	})
	t.Run("the last answer is lost, and the record is there", func(t *testing.T) {
		w := newWorld(t)
		w.Fault(twirp+"FinalizeArtifact", githubtest.Fault{Lose: true}, githubtest.Always)
		put(t, w.reviews(w.run), "kept")
		if got := found(t, w.reviews(w.run)); !slices.Equal(got, []string{"kept"}) {
			t.Errorf("found %q", got)
		}
	})
}

func TestOnlyRecordsOfOurRunsThatAreStillThereAreFound(t *testing.T) {
	w := newWorld(t)
	put(t, w.reviews(w.run), "ours")
	w.AddRepo(githubtest.Repo{Owner: "stranger", Name: "rockets", Fork: true, Files: map[string]string{"README.md": "x"}})
	fork := w.AddRun(githubtest.Run{Repo: where, HeadRepo: "stranger/rockets", Event: "pull_request", Path: workflow})
	elsewhere := w.AddRun(githubtest.Run{Repo: where, Event: "workflow_run", Path: ".github/workflows/other.yml"})
	pushed := w.AddRun(githubtest.Run{Repo: where, Event: "push", Path: workflow})
	for _, run := range []githubtest.Run{fork, elsewhere, pushed} {
		w.AddArtifact(githubtest.Artifact{Repo: where, Name: recordName, Run: run.ID, Data: []byte("no zip")})
	}
	w.AddArtifact(githubtest.Artifact{Repo: where, Name: recordName + "x", Run: w.run.ID, Data: []byte("of another review")})
	if got := found(t, w.reviews(w.run)); !slices.Equal(got, []string{"ours"}) {
		t.Errorf("found %q", got)
	}
	t.Run("what cannot be unpacked is named, not left out", func(t *testing.T) {
		w.AddArtifact(githubtest.Artifact{Repo: where, Name: recordName, Run: w.run.ID, Data: []byte("no zip")})
		if got := found(t, w.reviews(w.run)); !slices.Equal(got, []string{"it is no zip", "ours"}) {
			t.Errorf("found %q", got)
		}
	})
	t.Run("at most five of one name are read", func(t *testing.T) {
		for range 6 {
			w.AddArtifact(githubtest.Artifact{Repo: where, Name: recordName, Run: w.run.ID, Data: []byte("no zip")})
		}
		if got := found(t, w.reviews(w.run)); len(got) != 5 {
			t.Errorf("found %q", got)
		}
	})
	t.Run("one that has expired is gone", func(t *testing.T) {
		for _, a := range w.Artifacts(where, recordName) {
			w.ExpireArtifact(where, a.ID)
		}
		if got := found(t, w.reviews(w.run)); len(got) != 0 {
			t.Errorf("found %q", got)
		}
	})
	t.Run("a listing that fails is never an empty one", func(t *testing.T) {
		w.Fault(listRoute, githubtest.Fault{Status: 403}, githubtest.Always)
		if list, err := w.reviews(w.run).Find(t.Context(), recordName); err == nil || list != nil {
			t.Errorf("%v, %v", list, err)
		}
	})
}
