package health

import (
	"fmt"
	"slices"
	"strings"
)

// Check names a rule of this package.
type Check string

// The closed set of checks.
const (
	CheckConfig      Check = "config"      // the configuration and the rules file can be read
	CheckGate        Check = "gate"        // lessons wait for a person's approval
	CheckAges        Check = "ages"        // retention is neither over at once nor never
	CheckProfile     Check = "profile"     // what the reviewer is told
	CheckWorkflow    Check = "workflow"    // there are workflow files that start familiar
	CheckTrigger     Check = "trigger"     // no pull request can change what reads the key
	CheckCheckout    Check = "checkout"    // no head is checked out beside the key
	CheckEnvironment Check = "environment" // the key lies in an environment
	CheckPermissions Check = "permissions" // of the workflow's token
	CheckQueue       Check = "queue"       // no command is cancelled by another
	CheckHandle      Check = "handle"      // comments with the handle start a job
	CheckSchedule    Check = "schedule"    // the sweep runs, and goes on doing so
	CheckKey         Check = "key"         // the memory key
	CheckLabels      Check = "labels"
	CheckArtifact    Check = "artifact" // lifetime of the container
	CheckActions     Check = "actions"  // the Actions policy
	CheckAccess      Check = "access"   // what the doctor was not allowed to look at

	CheckStore         Check = "store" // age and size of the store
	CheckDuplicate     Check = "duplicate"
	CheckContradictory Check = "contradictory"
	CheckUnused        Check = "unused"
	CheckStale         Check = "stale"
	CheckExpiring      Check = "expiring"
	CheckRevoked       Check = "revoked"
)

// Checks returns the closed set, in the order in which findings are told.
func Checks() []Check {
	return []Check{
		CheckConfig, CheckGate, CheckAges, CheckProfile, CheckWorkflow, CheckTrigger, CheckCheckout, CheckEnvironment, CheckPermissions,
		CheckQueue, CheckHandle, CheckSchedule, CheckKey, CheckLabels, CheckArtifact, CheckActions, CheckAccess,
		CheckStore, CheckContradictory, CheckDuplicate, CheckStale, CheckRevoked, CheckExpiring, CheckUnused,
	}
}

// ParseCheck returns the check that s names exactly.
func ParseCheck(s string) (Check, error) {
	if !slices.Contains(Checks(), Check(s)) {
		names := make([]string, 0, len(Checks()))
		for _, c := range Checks() {
			names = append(names, string(c))
		}
		return "", fmt.Errorf("there is no check %q; known: %s", s, strings.Join(names, ", "))
	}
	return Check(s), nil
}
