package event

import (
	"slices"
	"time"
)

// Kind is the closed set of events that this product tells apart. The zero
// value and everything GitHub may add later are Unknown: no work is done.
type Kind string

// The closed set of kinds.
const (
	Unknown           Kind = "unknown"
	PullRequest       Kind = "pull_request"
	PullRequestTarget Kind = "pull_request_target"
	WorkflowRun       Kind = "workflow_run"
	IssueComment      Kind = "issue_comment"
	Issues            Kind = "issues"
	Schedule          Kind = "schedule"
	WorkflowDispatch  Kind = "workflow_dispatch"
	MergeGroup        Kind = "merge_group"
	// Local is the command line on a clone: no GitHub event at all.
	Local Kind = "local"
)

var kinds = []Kind{
	Unknown, PullRequest, PullRequestTarget, WorkflowRun, IssueComment,
	Issues, Schedule, WorkflowDispatch, MergeGroup, Local,
}

// ParseKind reads a kind. Spelling is exact; anything outside the set is
// Unknown and false.
func ParseKind(s string) (Kind, bool) {
	if k := Kind(s); slices.Contains(kinds, k) {
		return k, true
	}
	return Unknown, false
}

// Known tells whether k is a member of the closed set. The zero value is not.
func (k Kind) Known() bool { return slices.Contains(kinds, k) }

// Trigger is one decoded event. Pointers are nil where the kind has no such
// part or the payload says null. Every string in it is untrusted.
type Trigger struct {
	Kind       Kind
	Name       string // the event name as the runner gave it
	Action     string
	Repository Repository
	Sender     *Actor // nil for a null or missing user

	InstallationID int64 // 0: the payload has none

	Pull        *Pull
	Issue       *Issue
	Comment     *Comment
	Label       string // of a labeled or unlabeled event
	WorkflowRun *Run
	Inputs      map[string]string // of workflow_dispatch
	Ref         string            // of workflow_dispatch, "refs/heads/main"
	Cron        string            // of schedule
	Edit        *Edit             // of issues edited, where the body was
}

// PullNumber is the number of the pull request that the event itself names,
// also where it is seen as an issue; 0 where it names none. A workflow_run and
// a workflow_dispatch name none: theirs is resolved live (page 3.1).
func (t Trigger) PullNumber() int {
	switch {
	case t.Pull != nil:
		return t.Pull.Number
	case t.Issue != nil && t.Issue.IsPull:
		return t.Issue.Number
	}
	return 0
}

// Repository is where the event happened.
type Repository struct {
	ID            int64
	Owner         string
	OwnerID       int64
	Name          string
	DefaultBranch string
	Private       bool
	// Visibility is "public", "private" or "internal"; where the payload does
	// not say, the private flag does; "" if neither is there. A payload that
	// contradicts itself counts as "public", which opens the least.
	Visibility string
}

// Actor is a user, bot or app. A nil *Actor is a deleted account.
type Actor struct {
	ID    int64
	Login string
	Type  string // "User", "Bot", "Organization", ...
}

// IsBot tells whether GitHub calls this account a bot. The end of a login
// tells nothing; a nil actor is none.
func (a *Actor) IsBot() bool { return a != nil && a.Type == "Bot" }

// Pull is a pull request.
type Pull struct {
	Number int
	Title  string
	Body   string
	State  string
	Draft  bool
	Merged bool
	Author *Actor
	Base   Ref
	Head   Ref
	Labels []string
}

// Ref is one side of a pull request. RepoID is 0 where the repository is
// null (a deleted fork) or has no id.
type Ref struct {
	Name   string
	SHA    string
	RepoID int64
}

// Issue is an issue, or a pull request seen as one.
type Issue struct {
	Number int
	Title  string
	State  string
	IsPull bool
	Author *Actor
	Labels []string
}

// Edit is a change to the body of an issue, as GitHub tells it.
type Edit struct {
	Before, After string
	At            time.Time
}

// Comment is an issue comment.
type Comment struct {
	ID        int64
	Body      string
	URL       string
	Author    *Actor
	CreatedAt time.Time
	UpdatedAt time.Time
	// ViaApp says that a GitHub App wrote it, if only on its author's behalf.
	ViaApp bool
}

// Run is the workflow run that a workflow_run event is about. Which pull
// request it belongs to is not in it: for a fork GitHub lists none.
type Run struct {
	ID         int64
	Attempt    int
	Event      string
	Path       string
	Conclusion string
	HeadBranch string
	HeadSHA    string
	HeadRepoID int64 // 0: null or missing
	Actor      *Actor
	Triggering *Actor
}
