package artifact_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/home/artifact"
)

const (
	where    = "acme/rockets"
	workflow = ".github/workflows/familiar.yml"
)

// rest is the REST API in this package's words, as app wires it.
type rest struct{ *github.Client }

func (r rest) Artifacts(ctx context.Context, name string) ([]artifact.Artifact, error) {
	listed, err := r.Client.Artifacts(ctx, name)
	if err != nil {
		return nil, err
	}
	out := make([]artifact.Artifact, 0, len(listed))
	for _, a := range listed {
		out = append(out, artifact.Artifact{ID: a.ID, Name: a.Name, Size: a.Size, Digest: a.Digest, Expired: a.Expired, CreatedAt: a.CreatedAt,
			ExpiresAt: a.ExpiresAt, RunID: a.RunID, RepositoryID: a.RepositoryID, HeadRepositoryID: a.HeadRepositoryID})
	}
	return out, nil
}

func (r rest) Zip(ctx context.Context, id int64) ([]byte, error) {
	data, err := r.ArtifactZip(ctx, id)
	return data, mapped(err)
}

func (r rest) Run(ctx context.Context, id int64) (artifact.Run, error) {
	run, err := r.WorkflowRun(ctx, id)
	return artifact.Run{ID: run.ID, RepositoryID: run.RepositoryID, Path: run.Path, Event: run.Event, HeadBranch: run.HeadBranch, HeadSHA: run.HeadSHA}, mapped(err)
}

func (r rest) Delete(ctx context.Context, id int64) error { return r.DeleteArtifact(ctx, id) }

func mapped(err error) error {
	switch github.KindOf(err) {
	case github.NotFound, github.Gone:
		return fmt.Errorf("%w: %v", artifact.ErrGone, err)
	case github.TooLarge:
		return fmt.Errorf("%w: %v", artifact.ErrTooLarge, err)
	}
	return err
}

// world is a stand-in with one repository and a run of ours.
type world struct {
	*githubtest.Server
	t     *testing.T
	repo  githubtest.Repo
	run   githubtest.Run
	token string

	mu    sync.Mutex
	slept []time.Duration
	masks []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Server: githubtest.New(t), t: t}
	w.repo = w.AddRepo(githubtest.Repo{Owner: "acme", Name: "rockets", Files: map[string]string{"README.md": "rockets\n"}})
	w.run = w.AddRun(githubtest.Run{Repo: where, Event: "workflow_run", Path: workflow})
	w.token = w.FullToken()
	return w
}

func (w *world) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slept = append(w.slept, d)
	return ctx.Err()
}

func (w *world) total() (sum time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.slept {
		sum += d
	}
	return sum
}

func (w *world) service(run githubtest.Run) *artifact.Service {
	w.t.Helper()
	s, err := artifact.NewService(artifact.ServiceOptions{URL: w.ResultsURL(), Token: w.RuntimeToken(where, run.ID), Days: 90, MaxDays: 90,
		Sleep: w.sleep, Now: w.Now, Mask: func(s string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.masks = append(w.masks, s)
		}})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) rest() rest {
	w.t.Helper()
	c, err := github.New(github.Options{Owner: "acme", Name: "rockets", BaseURL: w.URL(), Token: w.token, Sleep: w.sleep})
	if err != nil {
		w.t.Fatal(err)
	}
	return rest{c}
}

// home is the home of one job of a run.
func (w *world) home(run githubtest.Run, change ...func(*artifact.Options)) *artifact.Home {
	w.t.Helper()
	o := artifact.Options{
		Client: w.rest(), Uploader: w.service(run), Sleep: w.sleep,
		Rules: artifact.Rules{RepositoryID: w.repo.ID, DefaultBranch: "main"},
		Own:   artifact.Run{ID: run.ID, RepositoryID: w.repo.ID, Path: run.Path, Event: run.Event, HeadBranch: run.HeadBranch, HeadSHA: run.HeadSHA},
	}
	for _, f := range change {
		f(&o)
	}
	return artifact.New(o)
}

func (w *world) name() string { return artifact.Names(w.repo.ID)[0] }

func (w *world) secrets() []string {
	out := []string{w.token}
	w.mu.Lock()
	defer w.mu.Unlock()
	return append(out, w.masks...)
}

// clean fails the test if a secret is in the text.
func (w *world) clean(text string) {
	w.t.Helper()
	for _, s := range w.secrets() {
		if strings.Contains(text, s) {
			w.t.Errorf("%q holds the secret %q", text, s)
		}
	}
}
