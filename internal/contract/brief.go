package contract

// Brief is session-brief.json: everything a runtime is told (headless
// contract version 2). It never holds a token.
type Brief struct {
	ContractVersion  string         `json:"contract_version" wire:"is=2"`
	Trigger          BriefTrigger   `json:"trigger"`
	Repo             BriefRepo      `json:"repo"`
	Task             Task           `json:"task"`
	Familiar         BriefFamiliar  `json:"familiar"`
	Workspace        Workspace      `json:"workspace"`
	ReviewContext    *ReviewContext `json:"review_context" wire:"optional"`
	AuditInstruction *string        `json:"audit_instruction" wire:"optional"`
	MemoryPolicy     *MemoryPolicy  `json:"memory_policy,omitempty"`
}

// BriefTrigger is the closed set of triggers of contract version 2. A review
// rides on pr_review_comment with a review_context.
type BriefTrigger string

// The closed set of triggers on the wire.
const (
	TriggerIssueAssigned   BriefTrigger = "issue_assigned"
	TriggerPRReviewComment BriefTrigger = "pr_review_comment"
	TriggerIssueMention    BriefTrigger = "issue_mention"
)

// BriefRepo is the repository as a runtime sees it.
type BriefRepo struct {
	Owner         string `json:"owner"`
	Name          string `json:"name"`
	CloneURL      string `json:"clone_url"` // HTTPS, never with credentials
	DefaultBranch string `json:"default_branch"`
}

// Task is what to do, tagged by Kind. Only the fields of its kind are on the
// wire.
type Task struct {
	Kind        TaskKind
	IssueNumber int
	IssueTitle  string
	IssueBody   string
	PRNumber    int
	CommentBody string
	DiffHunk    *string
}

// TaskKind is the closed set of tasks of contract version 2.
type TaskKind string

// The closed set of task kinds. A review is address_review_comment with a
// review_context of kind pull_request.
const (
	TaskFixIssue             TaskKind = "fix_issue"
	TaskAddressReviewComment TaskKind = "address_review_comment"
	TaskRespondToMention     TaskKind = "respond_to_mention"
)

// BriefFamiliar says who reviews.
type BriefFamiliar struct {
	ID          string   `json:"id"`
	DisplayName string   `json:"display_name"`
	Model       *string  `json:"model,omitempty"`
	Skills      []string `json:"skills"`
}

// Workspace is where the runtime may work.
type Workspace struct {
	Root string `json:"root"`
}

// ReviewContext names the changed files.
type ReviewContext struct {
	Kind  ReviewContextKind `json:"kind" wire:"nullable"`
	Files []ContextFile     `json:"files"`
}

// ReviewContextKind has one member; its zero value is null on the wire.
type ReviewContextKind string

// ContextPullRequest is the only kind of review context.
const ContextPullRequest ReviewContextKind = "pull_request"

// ContextFile is one changed file.
type ContextFile struct {
	Filename string `json:"filename"`
}
