package contract

// Version is the only headless contract version this build speaks.
const Version = "2"

// TrustScope says how far the people who shaped a piece of work are trusted
// (page 3.1). The zero value is no scope at all and grants nothing.
type TrustScope string

// The closed set of trust scopes.
const (
	TrustMaintainer   TrustScope = "maintainer"
	TrustCollaborator TrustScope = "collaborator"
	TrustExternal     TrustScope = "external"
	TrustForkPR       TrustScope = "fork_pr"
	TrustScheduled    TrustScope = "scheduled"
)

// MemoryScope names a namespace of memory, never a path (page 3.2). The zero
// value names nothing.
type MemoryScope string

// The closed set of memory scopes.
const (
	ScopeRepo           MemoryScope = "repo"
	ScopeTenantShared   MemoryScope = "tenant_shared"
	ScopeFamiliarGlobal MemoryScope = "familiar_global"
)

// Severity orders findings; see Rank.
type Severity string

// The closed set of severities, weakest first.
const (
	SeverityInfo     Severity = "info"
	SeverityLow      Severity = "low"
	SeverityMedium   Severity = "medium"
	SeverityHigh     Severity = "high"
	SeverityCritical Severity = "critical"
)

// Approval is what a runtime claims about a proposed write (page 3.5).
type Approval string

// The closed set of approvals on the wire.
const (
	ApprovalPending Approval = "pending"
	ApprovalApplied Approval = "applied"
	ApprovalAuto    Approval = "auto"
)

// MemoryPolicy is the nested rendering of the policy in a brief (page 3.3).
// Its zero value is "memory off". On the wire the trust scope must be named
// also when memory is off, and scopes may be granted only while it is on.
type MemoryPolicy struct {
	Enabled          bool          `json:"enabled"`
	TenantScope      *TenantScope  `json:"tenant_scope"`
	RepoScope        *RepoScope    `json:"repo_scope"`
	BranchScope      *BranchScope  `json:"branch_scope"`
	TrustScope       TrustScope    `json:"trust_scope"`
	ReadScopes       []MemoryScope `json:"read_scopes"`
	WriteScopes      []MemoryScope `json:"write_scopes"`
	ApprovalRequired bool          `json:"approval_required"`
	Retention        Retention     `json:"retention"`
	Denied           []string      `json:"denied,omitempty"`
}

// TenantScope identifies the tenant that owns the memory.
type TenantScope struct {
	InstallationID int64  `json:"installation_id" wire:"min=1"`
	AccountID      int64  `json:"account_id" wire:"min=0"`
	AccountLogin   string `json:"account_login"`
}

// RepoScope identifies the repository that owns the memory.
type RepoScope struct {
	RepoID        int64  `json:"repo_id" wire:"min=1"`
	Owner         string `json:"owner"`
	Name          string `json:"name"`
	Visibility    string `json:"visibility"`
	DefaultBranch string `json:"default_branch"`
}

// BranchScope says which refs are in play.
type BranchScope struct {
	BaseRef  string `json:"base_ref"`
	HeadRef  string `json:"head_ref"`
	SameRepo bool   `json:"same_repo"`
}

// Retention is what the runtime is told about keeping memory.
type Retention struct {
	MaxAgeDays        int  `json:"max_age_days" wire:"min=0,max=36500"` // days; 0: no horizon is told
	DeleteOnUninstall bool `json:"delete_on_uninstall"`
	RedactSecrets     bool `json:"redact_secrets"`
}

// Result is the envelope a runtime writes (headless contract version 2).
type Result struct {
	ContractVersion string      `json:"contract_version" wire:"is=2"`
	Status          Status      `json:"status"`
	Branch          *string     `json:"branch,omitempty"`
	Commits         []Commit    `json:"commits"`
	FilesChanged    []string    `json:"files_changed"`
	Summary         string      `json:"summary"`
	PRBody          string      `json:"pr_body"`
	Review          Review      `json:"review"`
	ExitReason      *ExitReason `json:"exit_reason,omitempty"`
	MemoryUsed      *MemoryUsed `json:"memory_used,omitempty"`
}

// Status is the runtime's own word on how it ended; the exit code outranks it.
type Status string

// The closed set of statuses.
const (
	StatusSuccess    Status = "success"
	StatusFailure    Status = "failure"
	StatusPartial    Status = "partial"
	StatusNeedsInput Status = "needs_input"
)

// ExitReason says why a run did not succeed.
type ExitReason string

// The closed set of exit reasons.
const (
	ExitTestFailure   ExitReason = "test_failure"
	ExitAmbiguousSpec ExitReason = "ambiguous_spec"
	ExitGitConflict   ExitReason = "git_conflict"
	ExitInfraError    ExitReason = "infra_error"
)

// Commit is a commit that a runtime made. This product never pushes one.
type Commit struct {
	SHA     string `json:"sha"`
	Message string `json:"message"`
}

// Review is the structured evidence of a review.
type Review struct {
	Mode             ReviewMode     `json:"mode"`
	EvidenceStatus   EvidenceStatus `json:"evidence_status"`
	ReviewedFiles    []string       `json:"reviewed_files"`
	SupportingFiles  []string       `json:"supporting_files"`
	Findings         []Finding      `json:"findings"`
	TestsRun         []TestRun      `json:"tests_run"`
	NoFindingsReason *string        `json:"no_findings_reason"`
	Limitations      []string       `json:"limitations"`
}

// ReviewMode says what kind of review a result carries.
type ReviewMode string

// The closed set of review modes.
const (
	ModeNone          ReviewMode = "none"
	ModePullRequest   ReviewMode = "pull_request"
	ModeReviewComment ReviewMode = "review_comment"
)

// EvidenceStatus is the runtime's claim about its own evidence; coverage is
// computed by us (page 7.3).
type EvidenceStatus string

// The closed set of evidence statuses.
const (
	EvidenceNotApplicable EvidenceStatus = "not_applicable"
	EvidenceComplete      EvidenceStatus = "complete"
	EvidencePartial       EvidenceStatus = "partial"
	EvidenceMissing       EvidenceStatus = "missing"
)

// Finding is one finding on the wire. Line is 1-based; nil means the file.
type Finding struct {
	Severity       Severity `json:"severity"`
	File           string   `json:"file"`
	Line           *int     `json:"line" wire:"min=1,max=2147483647"`
	Title          string   `json:"title"`
	Body           string   `json:"body"`
	Recommendation *string  `json:"recommendation"`
}

// TestRun is one command that the runtime says it ran.
type TestRun struct {
	Command       string     `json:"command"`
	Status        TestStatus `json:"status"`
	OutputSummary *string    `json:"output_summary"`
}

// TestStatus is the outcome of a TestRun.
type TestStatus string

// The closed set of test outcomes.
const (
	TestPassed  TestStatus = "passed"
	TestFailed  TestStatus = "failed"
	TestNotRun  TestStatus = "not_run"
	TestUnknown TestStatus = "unknown"
)

// MemoryUsed is the runtime's report of what it read and proposes. It is
// never believed on its own (page 3.5).
type MemoryUsed struct {
	Enabled  bool            `json:"enabled"`
	Read     []MemoryRead    `json:"read,omitempty"`
	Proposed []MemoryWrite   `json:"proposed,omitempty"`
	Rejected []MemoryDecline `json:"rejected,omitempty"`
}

// MemoryRead names one lesson that shaped the review. Scope is a free string
// on the wire: an unknown one is refused per entry.
type MemoryRead struct {
	ID    string `json:"id"`
	Scope string `json:"scope"`
}

// MemoryWrite is one proposed lesson.
type MemoryWrite struct {
	Key      string   `json:"key"`
	Summary  string   `json:"summary"`
	Scope    string   `json:"scope"`
	Approval Approval `json:"approval"`
}

// MemoryDecline is a candidate that the runtime itself refused.
type MemoryDecline struct {
	Summary string        `json:"summary"`
	Scope   string        `json:"scope"`
	Reason  DeclineReason `json:"reason"`
}

// DeclineReason is why a runtime refused its own candidate.
type DeclineReason string

// The closed set of decline reasons.
const (
	DeclinePII           DeclineReason = "pii"
	DeclineSecret        DeclineReason = "secret"
	DeclineOutOfScope    DeclineReason = "out_of_scope"
	DeclineLowConfidence DeclineReason = "low_confidence"
)
