package github_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/trust"
)

func TestFactsAreGatheredInOneRoundTrip(t *testing.T) {
	w := newWorld(t)
	w.Grant(where, "ada", "write")
	p := w.AddPull(githubtest.PullSpec{Repo: where, Author: "ada", Head: map[string]string{"x": "y\n"}})
	c := w.client()
	w.Latency(30 * time.Millisecond)
	var (
		pull   github.Pull
		files  github.PullFiles
		ada    trust.Lookup
		config bool
		said   []github.Comment
	)
	err := c.Gather(t.Context(),
		func(ctx context.Context) (err error) { pull, err = c.Pull(ctx, p.Number); return },
		func(ctx context.Context) (err error) { files, err = c.PullFiles(ctx, p.Number); return },
		func(ctx context.Context) error { ada = c.Permission(ctx, "ada", "public"); return nil },
		func(ctx context.Context) (err error) {
			_, config, err = c.FileAt(ctx, ".github/familiar.toml", "main")
			return
		},
		func(ctx context.Context) (err error) { said, err = c.Comments(ctx, p.Number, time.Time{}); return },
	)
	if err != nil || pull.Number != p.Number || len(files.Files) != 1 || ada.Permission != "write" || config || len(said) != 0 {
		t.Fatalf("%+v %+v %+v %v %v, %v", pull, files, ada, config, said, err)
	}
	if w.Calls() != 5 || w.Depth() != 1 {
		t.Errorf("%d calls, %d deep, want 5 and 1", w.Calls(), w.Depth())
	}
	broken := errors.New("broken")
	err = c.Gather(t.Context(), func(context.Context) error { return broken }, func(ctx context.Context) error {
		<-ctx.Done() // the first failure ends the others
		return ctx.Err()
	})
	if !errors.Is(err, broken) {
		t.Errorf("Gather = %v", err)
	}
}

func TestChaosLosesAndDoublesNothingThatIsIdempotent(t *testing.T) {
	w := newWorld(t)
	n := w.AddIssue(githubtest.Issue{Repo: where})
	for range 120 {
		w.Comment(where, n, "ada", "hello")
	}
	c := w.client(func(o *github.Options) { o.Limits.Attempts = 8 })
	w.Chaos(7, 0.2)
	for i := range 30 {
		all, err := c.Comments(t.Context(), n, time.Time{})
		if err != nil || len(all) != 120 {
			t.Fatalf("round %d: %d comments, %v", i, len(all), err)
		}
		if err := c.AddLabel(t.Context(), n, "busy"); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.Labels(where, n); len(got) != 1 {
		t.Errorf("labels %v", got)
	}
}

func TestGatheringsSideBySideShareTheirConnections(t *testing.T) {
	w := newWorld(t)
	w.Grant(where, "ada", "write")
	c := w.client()
	w.Latency(30 * time.Millisecond)
	asks := make([]func(context.Context) error, 8)
	for i := range asks {
		asks[i] = func(ctx context.Context) error {
			_, _, err := c.FileAt(ctx, "README.md", w.Head(where, "main"))
			return err
		}
	}
	gather := func(ctx context.Context) error { return c.Gather(ctx, asks...) }
	if err := c.Gather(t.Context(), gather, gather, gather); err != nil {
		t.Fatal(err)
	}
	if n := w.Connections(githubtest.API); n > 8 || w.Calls() != 24 {
		t.Errorf("%d connections for %d calls, want 8 at most for 24", n, w.Calls())
	}
}
