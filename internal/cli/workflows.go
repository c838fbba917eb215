package cli

import (
	"context"
	"slices"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/github"
)

// shippedWorkflows are the files that may save: those of `familiar init`, and
// the one that takes the place of their reviews (examples/reviewers).
var shippedWorkflows = []string{
	".github/workflows/familiar.yml", ".github/workflows/familiar-sweep.yml", ".github/workflows/familiar-review.yml",
}

// ourWorkflows are the workflow files whose containers count (page 5.3): this
// run's own, and the shipped ones, since the sweep is a file of its own and
// must find what the others saved, and they what it saved.
func ourWorkflows(env Env) []string {
	own := workflowPath(env)
	if own == "" || slices.Contains(shippedWorkflows, own) {
		return shippedWorkflows
	}
	return append([]string{own}, shippedWorkflows...)
}

// configuredWorkflows reads memory.workflows at the live head of the default
// branch. It is asked only where a container was made by a workflow that is
// none of ours, since it costs three calls. A broken file names none.
func configuredWorkflows(client *github.Client, path string) func(context.Context) ([]string, error) {
	if path == "" {
		path = app.ConfigPath
	}
	return func(ctx context.Context) ([]string, error) {
		repo, err := client.Repository(ctx)
		if err != nil {
			return nil, err
		}
		head, err := client.BranchHead(ctx, repo.DefaultBranch)
		if err != nil {
			return nil, err
		}
		data, _, err := client.FileAt(ctx, path, head)
		if kind := github.KindOf(err); kind == github.TooLarge || kind == github.Invalid {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		c, _ := config.Parse(path, data)
		return c.ForRepo(repo.Owner, repo.Name).Memory.Workflows, nil
	}
}
