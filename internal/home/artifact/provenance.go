package artifact

import (
	"cmp"
	"fmt"
	"slices"
)

// This file is the one door that decides where a container may come from
// (page 5.3). It is pure. A name, a date or a head branch alone decide
// nothing: anybody who can start a run here, forks too, can name an artifact.

// Rejection says why an artifact is not taken. The zero value means that it
// is.
type Rejection string

// The closed set of rejections.
const (
	Expired         Rejection = "expired"
	OtherRepository Rejection = "other_repository"
	FromFork        Rejection = "from_fork" // or from a head that is not known
	TooBig          Rejection = "too_big"
	NoRun           Rejection = "no_run"
	OtherWorkflow   Rejection = "other_workflow"
	OtherEvent      Rejection = "other_event"
	OtherBranch     Rejection = "other_branch"
)

// Rejected is an artifact of our name that is not taken, and why.
type Rejected struct {
	Artifact Artifact
	Reason   Rejection
	Detail   string // a sentence without a full stop
}

// Rules say what a container's run has to be.
type Rules struct {
	RepositoryID  int64
	Workflows     []string // paths: this run's own, and those of memory.workflows
	DefaultBranch string
}

// Events that run the default branch's workflow file, so that a pull request
// cannot have shaped what saved. The last two can be started on other
// branches: they count on the default branch only.
var (
	safeEvents   = []string{"workflow_run", "pull_request_target", "issue_comment", "issues"}
	branchEvents = []string{"schedule", "workflow_dispatch"}
)

// Candidates parts the artifacts that a listing gave into those that may be
// opened, the newest first, and the others with their reasons. An artifact
// that is listed twice counts once.
func (r Rules) Candidates(listed []Artifact) (kept []Artifact, rejected []Rejected) {
	seen := map[int64]bool{}
	for _, a := range listed {
		if seen[a.ID] {
			continue
		}
		seen[a.ID] = true
		if reason, detail := r.listed(a); reason != "" {
			rejected = append(rejected, Rejected{Artifact: a, Reason: reason, Detail: detail})
		} else {
			kept = append(kept, a)
		}
	}
	slices.SortFunc(kept, newestFirst)
	slices.SortFunc(rejected, func(a, b Rejected) int { return newestFirst(a.Artifact, b.Artifact) })
	return kept, rejected
}

func newestFirst(a, b Artifact) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
}

// listed judges what the listing alone tells. Where the artifact comes from
// is judged before whether it is still there, so that a foreign one is called
// foreign.
func (r Rules) listed(a Artifact) (Rejection, string) {
	switch {
	case r.RepositoryID <= 0 || a.RepositoryID != r.RepositoryID:
		return OtherRepository, "its run belongs to another repository, or to none that GitHub names"
	case a.HeadRepositoryID != r.RepositoryID:
		return FromFork, "its run was started from a fork, or from a repository that is gone"
	case a.RunID <= 0:
		return NoRun, "GitHub names no run that made it"
	case a.Expired:
		return Expired, "it expired" + on(a)
	case a.Size > MaxBytes:
		return TooBig, fmt.Sprintf("it has %d bytes, more than %d", a.Size, int64(MaxBytes))
	}
	return "", ""
}

func on(a Artifact) string {
	if a.ExpiresAt.IsZero() {
		return ""
	}
	return " on " + a.ExpiresAt.UTC().Format("2006-01-02")
}

// Elsewhere tells an artifact of which GitHub says that its run or its head
// belongs to another repository: it can be deleted. One whose head is not
// named, or that another workflow of this repository made, is left where it
// is: a renamed workflow file must not cost anybody the memory.
func (r Rules) Elsewhere(a Artifact) bool {
	return r.RepositoryID > 0 && a.RepositoryID == r.RepositoryID && a.HeadRepositoryID != 0 && a.HeadRepositoryID != r.RepositoryID
}

// NeedsBranch tells the runs that count only if their commit lies on the
// default branch. A schedule runs nowhere else.
func (r Rules) NeedsBranch(run Run) bool { return run.Event == "workflow_dispatch" }

// Run judges the run that made an artifact. onDefault says that its commit
// lies on the default branch; it is read only where NeedsBranch says so.
func (r Rules) Run(run Run, onDefault bool) (Rejection, string) {
	switch {
	case run.ID <= 0:
		return NoRun, "the run that made it is not there any more"
	case run.RepositoryID != r.RepositoryID:
		return OtherRepository, "its run belongs to another repository"
	case !slices.Contains(r.Workflows, run.Path) || run.Path == "":
		return OtherWorkflow, fmt.Sprintf("it was made by the workflow %q, which is neither this one nor named in memory.workflows", run.Path)
	case slices.Contains(safeEvents, run.Event):
		return "", ""
	case !slices.Contains(branchEvents, run.Event):
		return OtherEvent, fmt.Sprintf("its run was started by %q, with a workflow file that a branch may have changed", run.Event)
	case r.DefaultBranch == "" || run.HeadBranch != r.DefaultBranch:
		return OtherBranch, fmt.Sprintf("its run was started on %q and not on the default branch", run.HeadBranch)
	case r.NeedsBranch(run) && !onDefault:
		return OtherBranch, fmt.Sprintf("its run was started on a tag or commit named %q that does not lie on the default branch", run.HeadBranch)
	}
	return "", ""
}
