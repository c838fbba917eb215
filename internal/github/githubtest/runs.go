package githubtest

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
)

// Run describes a workflow run. Zero values: next id, attempt 1, event push,
// the default branch and its head, the same repository.
type Run struct {
	Repo       string
	ID         int64
	Attempt    int
	Name       string
	Path       string // .github/workflows/familiar.yml
	Event      string
	HeadRepo   string // full name; empty: the same repository
	HeadBranch string
	HeadSHA    string
	HeadGone   bool   // the fork was deleted: head_repository is null
	Status     string // completed
	Conclusion string // success
	Actor      string
	CreatedAt  time.Time

	head *repo
}

// AddRun records a workflow run and returns it with every field filled in.
// The run of a fork lists no pull requests, as on GitHub.
func (s *Server) AddRun(run Run) Run {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.must(run.Repo)
	if run.ID == 0 {
		run.ID = s.id()
	}
	run.Attempt = max(run.Attempt, 1)
	run.Path = cmp.Or(run.Path, ".github/workflows/familiar.yml")
	run.Name = cmp.Or(run.Name, "familiar")
	run.Event = cmp.Or(run.Event, "push")
	run.Status = cmp.Or(run.Status, "completed")
	run.Conclusion = cmp.Or(run.Conclusion, "success")
	run.HeadBranch = cmp.Or(run.HeadBranch, r.DefaultBranch)
	run.head = r
	if run.HeadRepo != "" {
		run.head = s.must(run.HeadRepo)
	}
	run.HeadRepo = run.head.FullName()
	if run.HeadSHA == "" {
		run.HeadSHA = run.head.refs["heads/"+run.HeadBranch]
	}
	if run.CreatedAt.IsZero() {
		run.CreatedAt = s.tick()
	}
	r.runs[run.ID] = &run
	return run
}

// runtime is what a job's runtime token stands for.
type runtime struct {
	run        *Run
	repo       *repo
	runBackend string
	jobBackend string
	revoked    bool
	value      string
}

// RuntimeToken makes the ACTIONS_RUNTIME_TOKEN of a new job of a run. Its scp
// claim carries the backend ids. A new attempt is a new run to the results
// service.
func (s *Server) RuntimeToken(repo string, run int64) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.must(repo)
	in, ok := r.runs[run]
	if !ok {
		s.t.Fatalf("githubtest: no run %d in %s; add it first", run, repo)
	}
	rt := &runtime{run: in, repo: r,
		runBackend: fmt.Sprintf("b0000000-0000-4000-8000-%06x%06x", run, in.Attempt),
		jobBackend: fmt.Sprintf("ca000000-0000-5000-9000-%012x", s.id())}
	claims, _ := json.Marshal(map[string]any{
		"scp": "Actions.GenericRead:00000000-0000-0000-0000-000000000000 " +
			"Actions.Results:" + rt.runBackend + ":" + rt.jobBackend + " " +
			"Actions.UploadArtifacts:00000000-0000-0000-0000-000000000000/1:Build/Build/" + fmt.Sprint(run),
		"iss": "githubtest", "exp": time.Now().Add(6 * time.Hour).Unix(),
	})
	part := base64.RawURLEncoding.EncodeToString
	value := part([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + part(claims) + "." + part([]byte(secret(64)))
	rt.value = value
	s.runtimes[value] = rt
	return value
}
