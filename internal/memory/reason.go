package memory

// Reason is a stable word that says why something was refused. The zero value
// is no reason: nothing is refused without one.
type Reason string

// Reasons of the write gate, in the order of its checks (page 3.6).
const (
	ReasonModeOff                Reason = "mode_off"
	ReasonIncognitoActive        Reason = "incognito_active"
	ReasonContentInvalid         Reason = "content_invalid"
	ReasonUnsafeText             Reason = "unsafe_text"
	ReasonScopeInvalid           Reason = "scope_invalid"
	ReasonStateInvalid           Reason = "state_invalid"
	ReasonUnknownSource          Reason = "unknown_source"
	ReasonCandidateNoActive      Reason = "candidate_source_no_active"
	ReasonModeDisallowsCandidate Reason = "mode_disallows_candidate"
	ReasonManualConfirmRequired  Reason = "manual_confirm_required"
	ReasonProvenanceForged       Reason = "provenance_forged"
)

// Reasons of the validation of a report (page 3.5).
const (
	ReasonMemoryDisabled   Reason = "memory_disabled"
	ReasonQuota            Reason = "quota"
	ReasonRevoked          Reason = "revoked"
	ReasonUnknownScope     Reason = "unknown_scope"
	ReasonScopeNotGranted  Reason = "scope_not_granted"
	ReasonNotAddressable   Reason = "not_addressable"
	ReasonSecret           Reason = "secret"
	ReasonPII              Reason = "pii"
	ReasonApprovalMismatch Reason = "approval_mismatch"
	ReasonDuplicate        Reason = "duplicate"
	ReasonSuppressed       Reason = "suppressed"
	ReasonUnsupplied       Reason = "unsupplied"
)

// Reasons of transitions and of the rules on who may do what (pages 4.2, 4.3).
const (
	ReasonUnknownID        Reason = "unknown_id"
	ReasonAmbiguousID      Reason = "ambiguous_id"
	ReasonNotYours         Reason = "not_yours"
	ReasonNotAllowed       Reason = "not_allowed"
	ReasonWrongState       Reason = "wrong_state"
	ReasonTextChanged      Reason = "text_changed"
	ReasonDurableKept      Reason = "durable_kept"
	ReasonUnknownOp        Reason = "unknown_operation"
	ReasonModeInvalid      Reason = "mode_invalid"
	ReasonClassInvalid     Reason = "class_invalid"
	ReasonUsePolicyInvalid Reason = "use_policy_invalid"
	ReasonCheckInvalid     Reason = "check_invalid"
	ReasonStoreFull        Reason = "store_full"
	ReasonNotDue           Reason = "not_due"
)

// GateReasons returns what the write gate can answer, in the order of its
// checks.
func GateReasons() []Reason {
	return []Reason{
		ReasonModeOff, ReasonIncognitoActive, ReasonContentInvalid, ReasonUnsafeText, ReasonScopeInvalid,
		ReasonStateInvalid, ReasonUnknownSource, ReasonCandidateNoActive, ReasonModeDisallowsCandidate,
		ReasonManualConfirmRequired, ReasonProvenanceForged,
	}
}

// ReportReasons returns what the validation of a report adds to the reasons of
// the gate.
func ReportReasons() []Reason {
	return []Reason{
		ReasonMemoryDisabled, ReasonQuota, ReasonRevoked, ReasonUnknownScope, ReasonScopeNotGranted,
		ReasonNotAddressable, ReasonSecret, ReasonPII, ReasonApprovalMismatch, ReasonDuplicate,
		ReasonSuppressed, ReasonUnsupplied,
	}
}

// Reasons returns the closed set.
func Reasons() []Reason {
	return append(append(GateReasons(), ReportReasons()...),
		ReasonUnknownID, ReasonAmbiguousID, ReasonNotYours, ReasonNotAllowed, ReasonWrongState,
		ReasonTextChanged, ReasonDurableKept, ReasonUnknownOp, ReasonModeInvalid, ReasonClassInvalid,
		ReasonUsePolicyInvalid, ReasonCheckInvalid, ReasonStoreFull, ReasonNotDue)
}

// ParseReason returns the reason that s names exactly.
func ParseReason(s string) (Reason, error) {
	return parseMember("reason", s, ReasonStateInvalid, Reasons())
}

// For returns the refusal with what was refused filled in; nil stays nil.
func (r *Refusal) For(op, target string) *Refusal {
	if r == nil {
		return nil
	}
	filled := *r
	filled.Op, filled.Target = op, target
	return &filled
}
