package github

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/event"
)

// Run is a workflow run.
type Run struct {
	event.Run
	RepositoryID int64
	Status       string // "completed", "in_progress", ...
	CreatedAt    time.Time
}

// WorkflowRun returns a run. Its path has no "@ref" at the end, which GitHub
// adds for some events.
func (c *Client) WorkflowRun(ctx context.Context, id int64) (Run, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading workflow run %d", id), permission: "actions: read"})
	var w struct {
		github.WorkflowRun
		Path string `json:"path"`
	}
	if _, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/actions/runs/%d", c.owner, c.name, id), &w); err != nil {
		return Run{}, err
	}
	if w.GetID() != id {
		return Run{}, invalid(ctx, "the answer is another run", "Run it again.")
	}
	path, _, _ := strings.Cut(w.Path, "@")
	return Run{
		Run: event.Run{
			ID: w.GetID(), Attempt: w.GetRunAttempt(), Event: w.GetEvent(), Path: path, Conclusion: w.GetConclusion(),
			HeadBranch: w.GetHeadBranch(), HeadSHA: w.GetHeadSHA(), HeadRepoID: w.GetHeadRepository().GetID(),
			Actor: actor(w.WorkflowRun.Actor), Triggering: actor(w.TriggeringActor),
		},
		RepositoryID: w.GetRepository().GetID(), Status: w.GetStatus(), CreatedAt: at(w.GetCreatedAt()),
	}, nil
}
