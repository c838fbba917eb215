package app

import "strings"

// SetupAuth says as whom the action acts on GitHub (page 6.6).
type SetupAuth string

// The closed set. The zero value leaves it to an earlier set-up, and is the
// workflow's token where there was none.
const (
	AuthToken SetupAuth = "token" // the workflow's own
	AuthApp   SetupAuth = "app"   // a GitHub App of the team's
)

// The names under which `familiar init` has the App's id and key stored.
const (
	AppIDVariable = "FAMILIAR_APP_ID"
	AppKeySecret  = "FAMILIAR_APP_PRIVATE_KEY"
)

// withApp lets every step of a workflow that takes the key act as an App, and
// adds `checks: write`, which is asked for with an App alone.
func withApp(data []byte) []byte {
	var out []string
	for line := range strings.SplitSeq(string(data), "\n") {
		out = append(out, line)
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		switch name, _, _ := strings.Cut(strings.TrimSpace(line), ":"); name {
		case "memory-key":
			out = append(out, indent+"app-id: ${{ vars."+AppIDVariable+" }}", indent+"app-private-key: ${{ secrets."+AppKeySecret+" }}")
		case "actions":
			out = append(out, indent+"checks: write # for the App's check run")
		}
	}
	return []byte(strings.Join(out, "\n"))
}

// actsAsApp tells an earlier set-up with an App by its main workflow.
func actsAsApp(workflow []byte) bool {
	for line := range strings.Lines(string(workflow)) {
		if strings.HasPrefix(strings.TrimSpace(line), "app-private-key:") {
			return true
		}
	}
	return false
}
