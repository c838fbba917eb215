package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/go-github/v62/github"
)

// Dispatch starts a workflow file on a branch and returns the id of its run.
// It is asked once and never again on its own: two runs would be two acts. An
// answer without an id is an error that says so, since the run was started
// all the same.
func (c *Client) Dispatch(ctx context.Context, file, branch string, inputs map[string]string) (int64, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("starting the workflow %s", shown(file, "", 60)), permission: "actions: write"})
	if inputs == nil {
		inputs = map[string]string{}
	}
	body := map[string]any{"ref": branch, "inputs": inputs, "return_run_details": true}
	req, err := c.gh.NewRequest(http.MethodPost, fmt.Sprintf("repos/%s/%s/actions/workflows/%s/dispatches", c.owner, c.name, url.PathEscape(file)), body)
	if err != nil {
		return 0, asError(ctx, err)
	}
	var out struct {
		RunID int64 `json:"workflow_run_id"`
	}
	resp, err := c.gh.Do(ctx, req, &out)
	switch {
	case err != nil && resp != nil && resp.StatusCode == http.StatusNoContent, err == nil && out.RunID <= 0:
		return 0, invalid(ctx, "it was started, but GitHub did not say which run it is", "Look at it under Actions.")
	case err != nil:
		return 0, asError(ctx, err)
	}
	return out.RunID, nil
}

// Job is one job of a run.
type Job struct {
	ID         int64
	Name       string
	Status     string
	Conclusion string // "skipped" for one whose condition did not hold
}

// RunJobs returns the jobs of a run's last attempt.
func (c *Client) RunJobs(ctx context.Context, run int64) ([]Job, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading the jobs of run %d", run), permission: "actions: read"})
	var w github.Jobs
	if _, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/actions/runs/%d/jobs?per_page=%d", c.owner, c.name, run, perPage), &w); err != nil {
		return nil, err
	}
	var out []Job
	for _, j := range w.Jobs {
		out = append(out, Job{ID: j.GetID(), Name: j.GetName(), Status: j.GetStatus(), Conclusion: j.GetConclusion()})
	}
	return out, nil
}

// JobLog returns the log of a job that ended. A log that GitHub has deleted is
// of kind Gone.
func (c *Client) JobLog(ctx context.Context, job int64) ([]byte, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading the log of job %d", job), permission: "actions: read", keepRedirect: true})
	return c.signed(ctx, fmt.Sprintf("repos/%s/%s/actions/jobs/%d/logs", c.owner, c.name, job))
}
