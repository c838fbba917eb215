package cli

import "slices"

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
