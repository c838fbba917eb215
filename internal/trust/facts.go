package trust

import (
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
)

// Role says how somebody shaped the work (page 3.1, rule 3).
type Role string

// The closed set of roles.
const (
	RoleSender          Role = "sender"
	RoleActor           Role = "actor"
	RoleTriggeringActor Role = "triggering_actor"
	RoleAuthor          Role = "author"
	RoleCommenter       Role = "commenter"
)

// Lookup is what a live permission look-up answered. Its zero value is "no
// answer", which grants nothing.
type Lookup struct {
	// Done says that GitHub answered with a permission.
	Done bool
	// Failure says in words why there is no answer ("404", "timeout"); shown.
	Failure string
	// Passing says that the failure is no word about the account, so that a
	// later look-up may well have an answer. It grants nothing.
	Passing    bool
	Permission string // "admin", "write", "read", "none"
	RoleName   string // "maintain", "triage", or a custom role; never grants by itself but for "triage"
	// Collaborator is the answer of the collaborator endpoint, asked only
	// for "read" on a public or internal repository.
	Collaborator bool
}

// Shaper is one of those who shaped the work.
type Shaper struct {
	Role   Role
	ID     int64
	Login  string
	Bot    bool // a bot or an app, by type, not by the end of its login
	Ghost  bool // a null user
	Lookup Lookup
}

// PullFacts are the facts of the pull request that the work concerns.
type PullFacts struct {
	HeadRepoID int64 // 0: null or missing
	BaseRepoID int64
}

// Resolution says how a workflow_run was matched to a pull request.
type Resolution string

// The closed set of resolutions; the zero value means "not a workflow_run".
const (
	ResolutionOne       Resolution = "one"
	ResolutionNone      Resolution = "none"
	ResolutionAmbiguous Resolution = "ambiguous"
)

// Facts are everything that decides a trust scope. The zero value derives
// external.
type Facts struct {
	Kind       event.Kind
	Resolution Resolution
	Pull       *PullFacts // nil: the work concerns no pull request
	Shapers    []Shaper
	Visibility string   // "public", "private", "internal"; anything else counts as public
	Bots       []string // trust.bots: exact logins that count as collaborator at most
	// LocalOperator is set only by the command line on a clone, where the
	// person at the keyboard owns the store file.
	LocalOperator bool
	// Cap lowers the result, for a simulation on the command line: the scope
	// never grants more than it. "" caps nothing, a word outside the set
	// leaves external.
	Cap contract.TrustScope
}

// Verdict is the derived scope and why. The zero value denies.
type Verdict struct {
	Scope contract.TrustScope
	// Review says that there is something a review job may look at. Where it
	// is false nothing is reviewed and no review job touches memory, whatever
	// the scope; the run still ends successfully. Commands are not review
	// jobs and are not concerned.
	Review bool
	// Reasons has at least one member after Derive; the first one decided.
	Reasons []Reason
}

// Reason is one step of a derivation, to be shown to people.
type Reason struct {
	Code string // one of the codes in reasons.go
	Text string // one sentence without a full stop at its end
}
