package contract

import "slices"

// Closed is a type with a finite set of values on the wire. StrictJSON asks
// every value of such a type and refuses what is not in the set.
type Closed interface {
	// Known tells whether the value is a member of its set. The zero value
	// never is.
	Known() bool
}

var (
	trustScopes   = []TrustScope{TrustMaintainer, TrustCollaborator, TrustExternal, TrustForkPR, TrustScheduled}
	memoryScopes  = []MemoryScope{ScopeRepo, ScopeTenantShared, ScopeFamiliarGlobal}
	severities    = []Severity{SeverityInfo, SeverityLow, SeverityMedium, SeverityHigh, SeverityCritical}
	approvals     = []Approval{ApprovalPending, ApprovalApplied, ApprovalAuto}
	statuses      = []Status{StatusSuccess, StatusFailure, StatusPartial, StatusNeedsInput}
	exitReasons   = []ExitReason{ExitTestFailure, ExitAmbiguousSpec, ExitGitConflict, ExitInfraError}
	reviewModes   = []ReviewMode{ModeNone, ModePullRequest, ModeReviewComment}
	evidence      = []EvidenceStatus{EvidenceNotApplicable, EvidenceComplete, EvidencePartial, EvidenceMissing}
	testStatuses  = []TestStatus{TestPassed, TestFailed, TestNotRun, TestUnknown}
	declines      = []DeclineReason{DeclinePII, DeclineSecret, DeclineOutOfScope, DeclineLowConfidence}
	briefTriggers = []BriefTrigger{TriggerIssueAssigned, TriggerPRReviewComment, TriggerIssueMention}
	taskKinds     = []TaskKind{TaskFixIssue, TaskAddressReviewComment, TaskRespondToMention}
	contextKinds  = []ReviewContextKind{ContextPullRequest}
	policyShapes  = []PolicyShape{ShapeNested, ShapeFlat}
)

// parseIn returns s as a member of set, or the zero value and false. Spelling
// is exact: another case or surrounding space is another word.
func parseIn[T ~string](set []T, s string) (T, bool) {
	if v := T(s); slices.Contains(set, v) {
		return v, true
	}
	return "", false
}

// ParseTrustScope reads a trust scope (page 3.1).
func ParseTrustScope(s string) (TrustScope, bool) { return parseIn(trustScopes, s) }

// ParseMemoryScope reads a memory scope (page 3.2).
func ParseMemoryScope(s string) (MemoryScope, bool) { return parseIn(memoryScopes, s) }

// ParseSeverity reads a severity.
func ParseSeverity(s string) (Severity, bool) { return parseIn(severities, s) }

// ParseApproval reads what a runtime claims about a proposal (page 3.5).
func ParseApproval(s string) (Approval, bool) { return parseIn(approvals, s) }

// ParseStatus reads the status of a result.
func ParseStatus(s string) (Status, bool) { return parseIn(statuses, s) }

// ParseExitReason reads the reason of a result that is no success.
func ParseExitReason(s string) (ExitReason, bool) { return parseIn(exitReasons, s) }

// ParseReviewMode reads the mode of a review.
func ParseReviewMode(s string) (ReviewMode, bool) { return parseIn(reviewModes, s) }

// ParseEvidenceStatus reads a runtime's claim about its evidence (page 7.3).
func ParseEvidenceStatus(s string) (EvidenceStatus, bool) { return parseIn(evidence, s) }

// ParseTestStatus reads the outcome of a command that a runtime ran.
func ParseTestStatus(s string) (TestStatus, bool) { return parseIn(testStatuses, s) }

// ParseDeclineReason reads why a runtime refused its own candidate.
func ParseDeclineReason(s string) (DeclineReason, bool) { return parseIn(declines, s) }

// ParseBriefTrigger reads the trigger of a brief.
func ParseBriefTrigger(s string) (BriefTrigger, bool) { return parseIn(briefTriggers, s) }

// ParseTaskKind reads the kind of a task.
func ParseTaskKind(s string) (TaskKind, bool) { return parseIn(taskKinds, s) }

// ParseReviewContextKind reads the kind of a review context.
func ParseReviewContextKind(s string) (ReviewContextKind, bool) { return parseIn(contextKinds, s) }

// ParsePolicyShape reads the configured rendering of the memory policy
// (runtime.policy_shape, page 3.3).
func ParsePolicyShape(s string) (PolicyShape, bool) { return parseIn(policyShapes, s) }

// Known implements Closed.
func (v TrustScope) Known() bool { return slices.Contains(trustScopes, v) }

// Known implements Closed.
func (v MemoryScope) Known() bool { return slices.Contains(memoryScopes, v) }

// Known implements Closed.
func (v Severity) Known() bool { return slices.Contains(severities, v) }

// Known implements Closed.
func (v Approval) Known() bool { return slices.Contains(approvals, v) }

// Known implements Closed.
func (v Status) Known() bool { return slices.Contains(statuses, v) }

// Known implements Closed.
func (v ExitReason) Known() bool { return slices.Contains(exitReasons, v) }

// Known implements Closed.
func (v ReviewMode) Known() bool { return slices.Contains(reviewModes, v) }

// Known implements Closed.
func (v EvidenceStatus) Known() bool { return slices.Contains(evidence, v) }

// Known implements Closed.
func (v TestStatus) Known() bool { return slices.Contains(testStatuses, v) }

// Known implements Closed.
func (v DeclineReason) Known() bool { return slices.Contains(declines, v) }

// Known implements Closed.
func (v BriefTrigger) Known() bool { return slices.Contains(briefTriggers, v) }

// Known implements Closed.
func (v TaskKind) Known() bool { return slices.Contains(taskKinds, v) }

// Known implements Closed.
func (v ReviewContextKind) Known() bool { return slices.Contains(contextKinds, v) }

// Known implements Closed.
func (v PolicyShape) Known() bool { return slices.Contains(policyShapes, v) }

// Rank orders severities: info is 1, critical is 5, anything unknown is 0.
func (v Severity) Rank() int { return slices.Index(severities, v) + 1 }

// AtLeast tells whether v is as grave as least. An unknown severity on either
// side makes it false.
func (v Severity) AtLeast(least Severity) bool {
	return least.Known() && v.Rank() >= least.Rank()
}
