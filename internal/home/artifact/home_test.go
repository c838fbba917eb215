package artifact_test

import (
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
	"github.com/familiarhq/familiar/internal/home/hometest"
)

const (
	listRoute = "GET /repos/{owner}/{repo}/actions/artifacts"
	zipRoute  = "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}"
	runRoute  = "GET /repos/{owner}/{repo}/actions/runs/{run_id}"
	twirp     = "POST /twirp/github.actions.results.api.v1.ArtifactService/"
	putRoute  = "PUT /upload/{key}"
	getRoute  = "GET /download/{key}"
)

func TestConformance(t *testing.T) {
	hometest.Run(t, func(t *testing.T) home.Home {
		w := newWorld(t)
		return w.home(w.run)
	})
}

func save(t *testing.T, h *artifact.Home, data string) home.Entry {
	t.Helper()
	e, err := h.Save(t.Context(), []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func ids(entries []home.Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.ID)
	}
	return out
}

func TestWhatOneRunSavedTheNextOneLoads(t *testing.T) {
	w := newWorld(t)
	first := save(t, w.home(w.run), "generation 1")
	second := w.AddRun(githubtest.Run{Repo: where, Event: "issue_comment", Path: workflow})
	h := w.home(second)
	entries, err := h.List(t.Context())
	if err != nil || !slices.Equal(ids(entries), []string{first.ID}) || entries[0].Digest != home.Digest([]byte("generation 1")) {
		t.Fatalf("List = %+v, %v", entries, err)
	}
	if data, err := h.Load(t.Context(), entries[0]); err != nil || string(data) != "generation 1" {
		t.Fatalf("Load = %q, %v", data, err)
	}
}

func TestAListingCostsTwoCallsAndALoadTwoMore(t *testing.T) {
	w := newWorld(t)
	e := save(t, w.home(w.run), "generation 1")
	h := w.home(w.AddRun(githubtest.Run{Repo: where, Event: "issue_comment", Path: workflow}))
	w.ResetLog()
	w.Latency(20 * time.Millisecond)
	if _, err := h.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.Calls() != 2 || w.Depth() != 1 {
		t.Errorf("List: %d calls, %d deep, want 2 and 1", w.Calls(), w.Depth())
	}
	w.ResetLog()
	if _, err := h.Load(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if w.Calls() != 2 || w.Depth() != 1 {
		t.Errorf("Load: %d calls, %d deep, want 2 and 1", w.Calls(), w.Depth())
	}
}

func TestA1_ANewerArtifactOfOurNameFromAForkIsNeverChosen(t *testing.T) {
	w := newWorld(t)
	e := save(t, w.home(w.run), "ours")
	w.AddRepo(githubtest.Repo{Owner: "stranger", Name: "rockets", Fork: true, Files: map[string]string{"README.md": "x"}})
	fork := w.AddRun(githubtest.Run{Repo: where, HeadRepo: "stranger/rockets", Event: "pull_request", Path: workflow})
	poison := w.AddArtifact(githubtest.Artifact{Repo: where, Name: w.name(), Run: fork.ID, Data: []byte("theirs")})
	h := w.home(w.run)
	l, err := h.Listing(t.Context())
	if err != nil || len(l.Kept) != 1 || len(l.Rejected) != 1 || l.Rejected[0].Reason != artifact.FromFork || l.Rejected[0].Artifact.ID != poison {
		t.Fatalf("Listing = %+v, %v", l, err)
	}
	if f := h.Foreign(); len(f) != 1 || f[0].ID != fmt.Sprint(poison) || !strings.Contains(l.Rejected[0].Detail, "fork") {
		t.Errorf("rejected %+v", l.Rejected[0])
	}
	if entries, _ := h.List(t.Context()); !slices.Equal(ids(entries), []string{e.ID}) {
		t.Errorf("List = %v", entries)
	}
	_, err = h.Load(t.Context(), home.Entry{ID: fmt.Sprint(poison)})
	if home.KindOf(err) != home.Gone {
		t.Errorf("the fork's loads: %v", err)
	}
	if w.CallsOf(zipRoute) != 0 {
		t.Error("the fork's was downloaded")
	}
	if err := h.Delete(t.Context(), poison); err != nil || len(w.Artifacts(where, w.name())) != 1 {
		t.Errorf("Delete = %v", err)
	}
}

func TestA5_ARunOfAWorkflowFileThatABranchCanChangeIsRejected(t *testing.T) {
	tag := func(w *world) string {
		sha := w.Push(where, "evil", map[string]string{workflow: "on: workflow_dispatch"})
		w.SetRef(where, "tags/main", sha)
		return sha
	}
	for name, c := range map[string]struct {
		run  func(w *world) githubtest.Run
		text string // "": taken
	}{
		"A5 a push with an edited workflow":   {func(*world) githubtest.Run { return githubtest.Run{Event: "push"} }, `started by "push"`},
		"A5 a pull request of the repository": {func(*world) githubtest.Run { return githubtest.Run{Event: "pull_request"} }, `started by "pull_request"`},
		"A5 another workflow": {func(*world) githubtest.Run {
			return githubtest.Run{Event: "workflow_run", Path: ".github/workflows/evil.yml"}
		}, "evil.yml"},
		"A4 pull_request_target": {func(*world) githubtest.Run { return githubtest.Run{Event: "pull_request_target"} }, ""},
		"A4 workflow_run":        {func(*world) githubtest.Run { return githubtest.Run{Event: "workflow_run"} }, ""},
		"issue_comment":          {func(*world) githubtest.Run { return githubtest.Run{Event: "issue_comment"} }, ""},
		"issues":                 {func(*world) githubtest.Run { return githubtest.Run{Event: "issues"} }, ""},
		"a schedule":             {func(*world) githubtest.Run { return githubtest.Run{Event: "schedule"} }, ""},
		"a dispatch on the default branch": {func(*world) githubtest.Run {
			return githubtest.Run{Event: "workflow_dispatch"}
		}, ""},
		"a dispatch on an older commit of the default branch": {func(w *world) githubtest.Run {
			sha := w.Head(where, "main")
			w.Push(where, "main", map[string]string{"later": "x"})
			return githubtest.Run{Event: "workflow_dispatch", HeadSHA: sha}
		}, ""},
		"a dispatch on a branch": {func(w *world) githubtest.Run {
			w.Push(where, "evil", map[string]string{"x": "y"})
			return githubtest.Run{Event: "workflow_dispatch", HeadBranch: "evil"}
		}, "not on the default branch"},
		"A3 a dispatch on a tag named like the default branch": {func(w *world) githubtest.Run {
			return githubtest.Run{Event: "workflow_dispatch", HeadBranch: "main", HeadSHA: tag(w)}
		}, "does not lie on the default branch"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			run := c.run(w)
			run.Repo = where
			if run.Path == "" {
				run.Path = workflow
			}
			run = w.AddRun(run)
			id := w.AddArtifact(githubtest.Artifact{Repo: where, Name: w.name(), Run: run.ID, Data: []byte("a container")})
			h := w.home(w.run)
			_, err := h.Load(t.Context(), home.Entry{ID: fmt.Sprint(id)})
			switch {
			case c.text == "" && err != nil:
				t.Errorf("rejected: %v", err)
			case c.text != "" && (home.KindOf(err) != home.Rejected || !strings.Contains(err.Error(), c.text)):
				t.Errorf("kind %q of %v, want rejected because %q", home.KindOf(err), err, c.text)
			}
		})
	}
}

func TestOtherWorkflowsOfOursMayBeNamed(t *testing.T) {
	w := newWorld(t)
	sweep := w.AddRun(githubtest.Run{Repo: where, Event: "schedule", Path: ".github/workflows/familiar-sweep.yml"})
	e := save(t, w.home(sweep), "by the sweep")
	if _, err := w.home(w.run).Load(t.Context(), e); home.KindOf(err) != home.Rejected {
		t.Errorf("an unnamed workflow: %v", err)
	}
	h := w.home(w.run, func(o *artifact.Options) { o.Rules.Workflows = []string{sweep.Path} })
	if data, err := h.Load(t.Context(), e); err != nil || string(data) != "by the sweep" {
		t.Errorf("a named workflow: %q, %v", data, err)
	}
}

func TestA8_AListingThatFailsIsNeverAnEmptyHome(t *testing.T) {
	for name, fault := range map[string]githubtest.Fault{
		"403": {Status: 403}, "500": {Status: 500}, "502": {Status: 502}, "404": {Status: 404}, "cut": {Cut: true}, "half": {Half: true},
		"limit": {Primary: true, RetryAfter: time.Hour},
	} {
		for _, after := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s, %d lists pass", name, after), func(t *testing.T) {
				w := newWorld(t)
				save(t, w.home(w.run), "generation 1")
				h := w.home(w.run)
				fault.After = after
				w.Fault(listRoute, fault, githubtest.Always)
				entries, err := h.List(t.Context())
				if home.KindOf(err) != home.Unreadable || entries != nil {
					t.Fatalf("List = %v, %v; want an unreadable home", entries, err)
				}
				if !strings.Contains(err.Error(), "Memory stays off") {
					t.Errorf("error %q does not say what happens now", err)
				}
				w.clean(err.Error())
			})
		}
	}
}

func TestA9_ManyPoisonedArtifactsHideNothingUntilABoundAndThenFailClosed(t *testing.T) {
	w := newWorld(t)
	ours := save(t, w.home(w.run), "ours")
	w.AddRepo(githubtest.Repo{Owner: "stranger", Name: "rockets", Fork: true, Files: map[string]string{"README.md": "x"}})
	fork := w.AddRun(githubtest.Run{Repo: where, HeadRepo: "stranger/rockets", Event: "pull_request", Path: workflow})
	for range 250 {
		w.AddArtifact(githubtest.Artifact{Repo: where, Name: w.name(), Run: fork.ID, Data: []byte("theirs")})
	}
	h := w.home(w.run)
	l, err := h.Listing(t.Context())
	if err != nil || len(l.Kept) != 1 || len(l.Rejected) != 250 {
		t.Fatalf("Listing keeps %d and rejects %d, %v", len(l.Kept), len(l.Rejected), err)
	}
	if data, err := h.Load(t.Context(), ours); err != nil || string(data) != "ours" {
		t.Fatalf("ours on page three: %q, %v", data, err)
	}
}

func TestTheDownloadsThatNobodyVouchedForAreBounded(t *testing.T) {
	w := newWorld(t)
	var entries []home.Entry
	for i := range artifact.MaxDownloads + 2 {
		run := w.AddRun(githubtest.Run{Repo: where, Event: "issue_comment", Path: workflow})
		id := w.AddArtifact(githubtest.Artifact{Repo: where, Name: w.name(), Run: run.ID, Data: fmt.Appendf(nil, "sealed by others %d", i)})
		entries = append(entries, home.Entry{ID: fmt.Sprint(id)})
	}
	h := w.home(w.run)
	for _, e := range entries[:artifact.MaxDownloads] {
		if _, err := h.Load(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Load(t.Context(), entries[0]); err != nil {
		t.Errorf("one that was counted already: %v", err)
	}
	last := entries[artifact.MaxDownloads]
	if _, err := h.Load(t.Context(), last); home.KindOf(err) != home.Exhausted || !strings.Contains(err.Error(), "32 containers") {
		t.Errorf("one more: %v", err)
	}
	h.Verified(entries[3])
	if _, err := h.Load(t.Context(), last); err != nil {
		t.Errorf("after one was opened: %v", err)
	}
	// Bytes are bounded too: 16 containers of the largest size that is taken.
	big := w.home(w.run)
	for i := range 18 {
		run := w.AddRun(githubtest.Run{Repo: where, Event: "issue_comment", Path: workflow})
		id := w.AddArtifact(githubtest.Artifact{Repo: where, Name: w.name(), Run: run.ID, Data: []byte("small"), Size: artifact.MaxBytes})
		_, err := big.Load(t.Context(), home.Entry{ID: fmt.Sprint(id)})
		if i < 16 && err != nil {
			t.Fatal(err)
		}
		if i >= 16 && (home.KindOf(err) != home.Exhausted || !strings.Contains(err.Error(), "1 GiB")) {
			t.Errorf("download %d: %v", i, err)
		}
	}
}

func TestManyContainersOfAnotherWorkflowCostNoDownloadAndFailClosedAtABound(t *testing.T) {
	w := newWorld(t)
	ours := save(t, w.home(w.run), "ours")
	var entries []home.Entry
	for range artifact.MaxLookUps + 1 {
		run := w.AddRun(githubtest.Run{Repo: where, Event: "push", Path: workflow})
		entries = append(entries, home.Entry{ID: fmt.Sprint(w.AddArtifact(githubtest.Artifact{Repo: where, Name: w.name(), Run: run.ID, Data: []byte("poison")}))})
	}
	h := w.home(w.run)
	w.ResetLog()
	// The first is asked for beside the look-up of its run, whose answer ends
	// both: it waits here until the download is under way.
	underWay, begin := context.WithCancel(t.Context())
	defer begin()
	w.Before(getRoute, begin)
	w.Before(runRoute, func() { <-underWay.Done() })
	for i, e := range entries[:40] {
		if _, err := h.Load(t.Context(), e); home.KindOf(err) != home.Rejected {
			t.Fatalf("number %d: %v", i, err)
		}
	}
	if n := w.CallsOf(zipRoute); n != 1 {
		t.Errorf("%d of them were downloaded, want the first alone", n)
	}
	if data, err := h.Load(t.Context(), ours); err != nil || string(data) != "ours" {
		t.Errorf("ours behind forty others: %q, %v", data, err)
	}
	for _, e := range entries[40:artifact.MaxLookUps] {
		if _, err := h.Load(t.Context(), e); home.KindOf(err) != home.Rejected {
			t.Fatal(err)
		}
	}
	if _, err := h.Load(t.Context(), entries[artifact.MaxLookUps]); home.KindOf(err) != home.Exhausted || !strings.Contains(err.Error(), "none of ours") {
		t.Errorf("one more than the bound: %v", err)
	}
	// A person's word on one of them is taken.
	h.Vouch(entries[0])
	fresh := w.home(w.run)
	fresh.Vouch(entries[0])
	if data, err := fresh.Load(t.Context(), entries[0]); err != nil || string(data) != "poison" {
		t.Errorf("vouched for: %q, %v", data, err)
	}
}

func TestA10_AnExpiredOrDeletedContainerIsNamedAndTheNextOneServes(t *testing.T) {
	w := newWorld(t)
	old := save(t, w.home(w.run), "old")
	newer := save(t, w.home(w.AddRun(githubtest.Run{Repo: where, Event: "issue_comment", Path: workflow})), "newer")
	h := w.home(w.run)
	if entries, _ := h.List(t.Context()); !slices.Equal(ids(entries), []string{newer.ID, old.ID}) {
		t.Fatalf("List = %v", entries)
	}
	id := w.Artifacts(where, w.name())[0].ID
	w.ExpireArtifact(where, id)
	if _, err := h.Load(t.Context(), newer); home.KindOf(err) != home.Gone || !strings.Contains(err.Error(), "expired") {
		t.Errorf("410: %v", err)
	}
	l, err := h.Listing(t.Context())
	if err != nil || len(l.Kept) != 1 || l.Rejected[0].Reason != artifact.Expired || len(h.Foreign()) != 0 {
		t.Fatalf("Listing = %+v, %v", l, err)
	}
	t.Run("A10: an expired container is told from one that others made", func(t *testing.T) {
		pushed := w.AddRun(githubtest.Run{Repo: where, Event: "push", Path: workflow})
		other := w.AddArtifact(githubtest.Artifact{Repo: where, Name: w.name(), Run: pushed.ID, Data: []byte("of a branch"), Expired: true})
		if _, err := h.List(t.Context()); err != nil {
			t.Fatal(err)
		}
		expired := h.Expired()
		if want := []string{fmt.Sprint(other), newer.ID}; !slices.Equal(ids(expired), want) {
			t.Fatalf("expired %v, want %v", expired, want)
		}
		for i, want := range []bool{false, true} {
			if got, err := h.MadeByUs(t.Context(), expired[i]); err != nil || got != want {
				t.Errorf("%s was made by us: %v, %v; want %v", expired[i].ID, got, err, want)
			}
		}
		if got, err := h.MadeByUs(t.Context(), home.Entry{ID: old.ID}); got || err != nil {
			t.Errorf("one that is there: %v, %v", got, err)
		}
		w.Fault("GET /repos/{owner}/{repo}/actions/runs/{run_id}", githubtest.Fault{Status: 403}, githubtest.Always)
		if got, err := h.MadeByUs(t.Context(), expired[1]); got || home.KindOf(err) != home.Unreadable {
			t.Errorf("a run that cannot be looked up: %v, %v", got, err)
		}
		w.ClearFaults()
		w.DeleteArtifact(where, other)
	})
	w.DeleteArtifact(where, w.Artifacts(where, w.name())[1].ID)
	if _, err := h.Load(t.Context(), old); home.KindOf(err) != home.Gone {
		t.Errorf("404: %v", err)
	}
	if entries, err := h.List(t.Context()); err != nil || len(entries) != 0 {
		t.Errorf("List = %v, %v", entries, err)
	}
}

func TestA15_BytesThatAreNotThoseOfTheDigestAreRefused(t *testing.T) {
	w := newWorld(t)
	e := save(t, w.home(w.run), "true")
	id := w.Artifacts(where, w.name())[0].ID
	w.TamperArtifact(where, id, []byte("fals"))
	_, err := w.home(w.run).Load(t.Context(), e)
	if home.KindOf(err) != home.Changed || !strings.Contains(err.Error(), "digest") {
		t.Errorf("tampered: %v", err)
	}
	for digest, want := range map[string]home.Kind{githubtest.NoDigest: "", "sha512:" + strings.Repeat("0", 128): home.Changed, "sha256:12": home.Changed} {
		id := w.AddArtifact(githubtest.Artifact{Repo: where, Name: w.name(), Run: w.run.ID, Data: []byte("x"), Digest: digest})
		h := w.home(w.run)
		_, err := h.Load(t.Context(), home.Entry{ID: fmt.Sprint(id)})
		if home.KindOf(err) != want || want == "" && err != nil {
			t.Errorf("digest %q: kind %q of %v, want %q", digest, home.KindOf(err), err, want)
		}
		if _, err := h.Load(t.Context(), home.Entry{ID: fmt.Sprint(id), Digest: home.Digest([]byte("other"))}); home.KindOf(err) != home.Changed {
			t.Errorf("digest of the caller: %v", err)
		}
	}
}

func TestALoadOutlastsFailuresOfTheMomentAndSaysOthers(t *testing.T) {
	for name, c := range map[string]struct {
		route string
		fault githubtest.Fault
	}{
		"zip":  {zipRoute, githubtest.Fault{Status: 502}},
		"blob": {getRoute, githubtest.Fault{Status: 503}}, "blob cut": {getRoute, githubtest.Fault{Cut: true}}, "blob half": {getRoute, githubtest.Fault{Half: true}},
		"run": {runRoute, githubtest.Fault{Status: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			e := save(t, w.home(w.run), "data")
			w.Fault(c.route, c.fault, 2)
			if data, err := w.home(w.run).Load(t.Context(), e); err != nil || string(data) != "data" {
				t.Errorf("Load = %q, %v", data, err)
			}
			w.Fault(c.route, c.fault, githubtest.Always)
			_, err := w.home(w.run).Load(t.Context(), e)
			if home.KindOf(err) != home.Unreadable || !strings.Contains(err.Error(), "Memory stays off") {
				t.Errorf("Load = %v", err)
			}
			w.clean(err.Error())
		})
	}
}

func TestAContainerIsBoundedAsItComes(t *testing.T) {
	w := newWorld(t)
	e := save(t, w.home(w.run), "small")
	w.TamperArtifact(where, w.Artifacts(where, w.name())[0].ID, make([]byte, artifact.MaxBytes+1))
	_, err := w.home(w.run).Load(t.Context(), e)
	if home.KindOf(err) != home.TooLarge {
		t.Errorf("Load = %v", err)
	}
}

func TestACancelledRunSaysSo(t *testing.T) {
	w := newWorld(t)
	e := save(t, w.home(w.run), "data")
	ctx, cancel := context.WithCancel(t.Context())
	h := w.home(w.run)
	w.Before(zipRoute, cancel)
	if _, err := h.Load(ctx, e); err == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Load = %v", err)
	}
	w.TakeViolations()
}
