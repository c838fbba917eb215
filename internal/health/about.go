package health

import (
	"fmt"
	"strings"
)

// abouts is what each check looks at, for the documentation.
var abouts = map[Check]string{
	CheckConfig:        "the configuration and the rules file can be read; what the reviewer needs is given; the file here is the one that counts",
	CheckGate:          "`approval_required` is on, also for single repositories; no lesson is in use that nobody approved",
	CheckAges:          "`max_age_days` and `max_unused_days` make sense",
	CheckProfile:       "what the reviewer is told can be read",
	CheckWorkflow:      "workflow files start familiar, can be read, are turned on, name inputs that there are, and run where a container runs",
	CheckTrigger:       "no pull request can change a file that reads the key; no stranger's words stand in a script beside it; the pair of a public repository fits together",
	CheckCheckout:      "no change is checked out beside the key or a token that may write",
	CheckEnvironment:   "the key lies in an environment that only the default branch may use, and is no plain secret too",
	CheckPermissions:   "the token has the permissions that familiar needs and no others; the sweep may delete; `checks: write` stands with an App alone",
	CheckQueue:         "no command is cancelled by another, and none by a casual comment",
	CheckHandle:        "comments with the configured handle start a job and others none; so do the configured labels",
	CheckSchedule:      "the sweep runs, in a file of its own, and was not turned off",
	CheckKey:           "the key comes from a secret, is one, was drawn at random, and is there; so does the private key of an App",
	CheckLabels:        "the labels that command are there",
	CheckArtifact:      "the memory lives for three sweeps at least",
	CheckActions:       "Actions are on, and the policy lets familiar and its trigger run",
	CheckAccess:        "what the token was not allowed to see",
	CheckStore:         "the memory opens, is stored anew in time, and has room",
	CheckContradictory: "no rule reports what another asks for; no two rules want different things for one pattern; no lesson has two current versions",
	CheckDuplicate:     "no two lessons say the same but for case, spaces and punctuation",
	CheckStale:         "the code that a lesson cites, and files for its paths, are still on the default branch",
	CheckRevoked:       "lessons that a denial by `revoke` keeps from being read",
	CheckExpiring:      "lessons that end within 30 days",
	CheckUnused:        "lessons that no review has read in 60 days",
}

// Reference is the table of checks for the documentation.
func Reference() string {
	var b strings.Builder
	b.WriteString("| check | looks at |\n|---|---|\n")
	for _, c := range Checks() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c, abouts[c])
	}
	return b.String()
}
