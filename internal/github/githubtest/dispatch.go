package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Workflow is a workflow file that workflow_dispatch starts. Run does what
// its job does, beside the request that started it, and returns the job's log
// as GitHub shows it, without timestamps, and the conclusion.
type Workflow struct {
	Repo   string
	File   string // familiar.yml
	Inputs []string
	Run    func(Dispatched) (log, conclusion string)
}

// Dispatched is one start of a workflow by hand.
type Dispatched struct {
	RunID  int64
	Ref    string // a branch
	Inputs map[string]string
	Actor  string
}

// dispatchedJob is the one job of a dispatched run.
type dispatchedJob struct {
	id, run int64
	log     string
}

// AddWorkflow adds a workflow file to the default branch of its repository.
func (s *Server) AddWorkflow(w Workflow) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workflows = append(s.workflows, w)
}

// dispatch starts a run and answers before it is over, as GitHub does.
func (s *Server) dispatch(q *request) reply {
	var body struct {
		Ref     string            `json:"ref"`
		Inputs  map[string]string `json:"inputs"`
		Details bool              `json:"return_run_details"`
	}
	q.decode(&body)
	i := slices.IndexFunc(s.workflows, func(w Workflow) bool { return w.Repo == q.repo.FullName() && w.File == q.p["workflow_id"] })
	if i < 0 {
		return notFound()
	}
	w := s.workflows[i]
	branch := strings.TrimPrefix(body.Ref, "refs/heads/")
	head, known := q.repo.refs["heads/"+branch]
	if !known {
		return fail(http.StatusUnprocessableEntity, "No ref found for: "+body.Ref)
	}
	for name := range body.Inputs {
		if !slices.Contains(w.Inputs, name) {
			return fail(http.StatusUnprocessableEntity, fmt.Sprintf("Unexpected inputs provided: [%q]", name))
		}
	}
	run := &Run{Repo: q.repo.FullName(), ID: s.id(), Attempt: 1, Name: "familiar", Path: ".github/workflows/" + w.File, Event: "workflow_dispatch",
		HeadBranch: branch, HeadSHA: head, Status: "queued", Conclusion: "none", Actor: q.tok.actor.Login, CreatedAt: s.tick(), head: q.repo, HeadRepo: q.repo.FullName()}
	q.repo.runs[run.ID] = run
	j := &dispatchedJob{id: s.id(), run: run.ID}
	s.jobs = append(s.jobs, j)
	s.running.Add(1)
	go s.work(w, Dispatched{RunID: run.ID, Ref: body.Ref, Inputs: body.Inputs, Actor: run.Actor}, run, j)
	if !body.Details {
		return noContent()
	}
	at := fmt.Sprintf("%s/repos/%s/actions/runs/%d", s.api.URL, q.repo.FullName(), run.ID)
	return ok(object{"workflow_run_id": run.ID, "run_url": at, "html_url": fmt.Sprintf("https://github.com/%s/actions/runs/%d", q.repo.FullName(), run.ID)})
}

// work runs the job of a dispatched run.
func (s *Server) work(w Workflow, d Dispatched, run *Run, j *dispatchedJob) {
	defer s.running.Done()
	s.mu.Lock()
	run.Status = "in_progress"
	s.mu.Unlock()
	log, conclusion := w.Run(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.Lines(log) {
		j.log += s.now.Format("2006-01-02T15:04:05.0000000Z") + " " + line
	}
	run.Status, run.Conclusion = "completed", conclusion
}

func (s *Server) listJobs(q *request) reply {
	run, found := q.repo.runs[q.num("run_id")]
	if !found {
		return notFound()
	}
	shapes := []any{}
	for _, j := range s.jobs {
		if j.run != run.ID {
			continue
		}
		o := object{"id": j.id, "run_id": run.ID, "run_url": "", "node_id": nodeID("Job", j.id), "head_sha": run.HeadSHA, "url": "", "html_url": nil,
			"status": run.Status, "conclusion": run.Conclusion, "started_at": stamp(run.CreatedAt), "completed_at": nil, "created_at": stamp(run.CreatedAt),
			"name": "commands", "check_run_url": "", "labels": []any{}, "runner_id": nil, "runner_name": nil, "runner_group_id": nil, "runner_group_name": nil,
			"workflow_name": run.Name, "head_branch": run.HeadBranch}
		if run.Conclusion == "none" {
			o["conclusion"] = nil
		}
		shapes = append(shapes, o)
	}
	return ok(object{"total_count": len(shapes), "jobs": shapes})
}

// downloadLog sends the caller to the blob host with a signed address.
func (s *Server) downloadLog(q *request) reply {
	for _, j := range s.jobs {
		if j.id == q.num("job_id") {
			if q.repo.runs[j.run] == nil || q.repo.runs[j.run].Status != "completed" {
				return notFound()
			}
			return reply{status: http.StatusFound, header: http.Header{"Location": {s.signDownload(j.id, q.tok.value)}}}
		}
	}
	return notFound()
}

// logBlob is the log that a signed address stands for.
func (s *Server) logBlob(id int64) (reply, bool) {
	for _, j := range s.jobs {
		if j.id == id {
			return reply{status: http.StatusOK, body: []byte(j.log), header: http.Header{"Content-Type": {"text/plain"}}}, true
		}
	}
	return reply{}, false
}
