package github_test

import (
	"context"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
)

func TestAWorkflowIsStartedOnceAndItsLogRead(t *testing.T) {
	s := newWorld(t)
	s.AddUser("mara", 0, "")
	s.AddWorkflow(githubtest.Workflow{Repo: where, File: "familiar.yml", Inputs: []string{"operation"}, Run: func(d githubtest.Dispatched) (string, string) {
		return "familiar: " + d.Inputs["operation"] + " by " + d.Actor + "\n", "failure"
	}})
	c := s.client(as(s.UserToken("mara", "actions:write")))
	ctx := context.Background()
	id, err := c.Dispatch(ctx, "familiar.yml", "main", map[string]string{"operation": "memory"})
	if err != nil || id == 0 {
		t.Fatalf("Dispatch: %d, %v", id, err)
	}
	run := awaited(t, c, id)
	if run.Conclusion != "failure" || run.Event != "workflow_dispatch" || run.Actor.Login != "mara" {
		t.Errorf("the run: %+v", run)
	}
	jobs, err := c.RunJobs(ctx, id)
	if err != nil || len(jobs) != 1 || jobs[0].Conclusion != "failure" {
		t.Fatalf("jobs: %+v, %v", jobs, err)
	}
	log, err := c.JobLog(ctx, jobs[0].ID)
	if err != nil || !strings.Contains(string(log), "Z familiar: memory by mara\n") {
		t.Errorf("log: %q, %v", log, err)
	}
	for what, f := range map[string]func() error{
		"another input": func() error {
			_, err := c.Dispatch(ctx, "familiar.yml", "main", map[string]string{"actor": "x"})
			return err
		},
		"another branch": func() error { _, err := c.Dispatch(ctx, "familiar.yml", "gone", nil); return err },
	} {
		if err := f(); github.KindOf(err) != github.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := c.Dispatch(ctx, "other.yml", "main", nil); github.KindOf(err) != github.NotFound {
		t.Errorf("a workflow that is not there: %v", err)
	}
	reader := s.client(as(s.UserToken("mara", "actions:read")))
	_, err = reader.Dispatch(ctx, "familiar.yml", "main", nil)
	if github.KindOf(err) != github.Forbidden || !strings.Contains(err.Error(), "actions: write") {
		t.Errorf("without actions: write: %v", err)
	}
}

// A dispatch whose answer is lost was done or was not: it is not done again.
func TestADispatchIsNeverRepeatedOnItsOwn(t *testing.T) {
	s := newWorld(t)
	s.AddUser("mara", 0, "")
	runs := make(chan int64, 9)
	s.AddWorkflow(githubtest.Workflow{Repo: where, File: "familiar.yml", Run: func(d githubtest.Dispatched) (string, string) {
		runs <- d.RunID
		return "", "success"
	}})
	s.Fault("POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches", githubtest.Fault{Lose: true}, 1)
	c := s.client(as(s.UserToken("mara", "actions:write")))
	if _, err := c.Dispatch(context.Background(), "familiar.yml", "main", nil); err == nil {
		t.Error("an answer that was lost is no success")
	}
	<-runs
	if len(runs) != 0 {
		t.Errorf("%d more runs were started", len(runs))
	}
}

func awaited(t *testing.T, c *github.Client, id int64) github.Run {
	t.Helper()
	for {
		run, err := c.WorkflowRun(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		if run.Status == "completed" {
			return run
		}
	}
}

func as(token string) func(*github.Options) { return func(o *github.Options) { o.Token = token } }
