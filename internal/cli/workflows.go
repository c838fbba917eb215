package cli

import "slices"

// shippedWorkflows are the files of `familiar init` that may save.
var shippedWorkflows = []string{".github/workflows/familiar.yml", ".github/workflows/familiar-sweep.yml"}

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
