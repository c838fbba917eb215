package github_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
)

const where = "acme/rockets"

// world is a stand-in of GitHub with one repository.
type world struct {
	*githubtest.Server
	t    *testing.T
	repo githubtest.Repo

	mu    sync.Mutex
	slept time.Duration
}

func newWorld(t *testing.T, change ...func(*githubtest.Repo)) *world {
	t.Helper()
	r := githubtest.Repo{Owner: "acme", Name: "rockets", Files: map[string]string{"README.md": "rockets\n"}}
	for _, f := range change {
		f(&r)
	}
	w := &world{Server: githubtest.New(t), t: t}
	w.repo = w.AddRepo(r)
	return w
}

func (w *world) client(change ...func(*github.Options)) *github.Client {
	w.t.Helper()
	o := github.Options{Owner: "acme", Name: "rockets", BaseURL: w.URL(), Token: w.FullToken(), Sleep: w.sleep}
	for _, f := range change {
		f(&o)
	}
	c, err := github.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slept += d
	return ctx.Err()
}
