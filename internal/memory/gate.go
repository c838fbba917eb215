package memory

import (
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/text"
)

// This file is the one door of every durable write (page 3.6): a remember
// command, an approved proposal, a runtime's proposal, a local command. What
// did not pass Gate is never stored.

// WriteRequest is a write as it was asked for: nothing in it is parsed or
// believed yet. It has no id, no creation time and no approval of its own,
// because those are never taken from a request.
type WriteRequest struct {
	Content      any // must be a string
	Scope        string
	State        string
	Source       string
	Origin       Origin
	Confirmation Confirmation
}

// GateContext is what the gate knows from elsewhere. Its zero value refuses
// everything.
type GateContext struct {
	Mode      Mode
	Incognito bool // the label familiar:no-memory, or its like
	Now       time.Time
	// AutoApproval says that approval_required is false in the policy; Trust
	// is that policy's scope. Both are needed for page 3.7.
	AutoApproval bool
	Trust        contract.TrustScope
}

// Entry is the canonical form of an accepted write: built by the gate, never
// the request handed back.
type Entry struct {
	Text             string // normalised
	Scope            contract.MemoryScope
	State            State
	Source           Source
	Approved         ApprovedBy // "" while pending
	CreatedAt        time.Time  // of the confirmation if there is one, else now
	ConfirmedBy      Principal
	ConfirmedAt      time.Time // zero while pending
	ConfirmedThrough Through
}

// GateVerdict is the gate's one answer. Its zero value refuses.
type GateVerdict struct {
	Allowed bool
	Entry   Entry  // zero unless allowed
	Reason  Reason // why not; "" if allowed
	Detail  string // one sentence for people; never the content
}

// Refusal returns the verdict as a refusal, nil if the write is allowed. A
// verdict that nobody set is refused as provenance_forged.
func (v GateVerdict) Refusal(op, target string) *Refusal {
	if v.Allowed {
		return nil
	}
	if v.Reason == "" {
		v = refuse(ReasonProvenanceForged, "This write never passed the write gate.")
	}
	return &Refusal{Op: op, Target: target, Reason: v.Reason, Detail: v.Detail}
}

// Gate decides on one durable write. The checks run in the order of page 3.6
// and the first failure is the answer.
func Gate(r WriteRequest, c GateContext) GateVerdict {
	if v, open := gateMode(c); !open {
		return v
	}
	content, v, ok := gateContent(r.Content)
	if !ok {
		return v
	}
	scope, err := ParseScope(r.Scope)
	if err != nil || scope == contract.ScopeFamiliarGlobal {
		return refuse(ReasonScopeInvalid, "The scope of a lesson is repo or tenant_shared; nothing is ever written to familiar_global.")
	}
	state, err := ParseWritableState(r.State)
	if err != nil {
		return refuse(ReasonStateInvalid, "A new lesson is draft, review_required or active.")
	}
	source, err := ParseSource(r.Source)
	if err != nil {
		return refuse(ReasonUnknownSource, "No lesson may come from this source.")
	}
	if v, ok := gateSource(source, state, r, c); !ok {
		return v
	}
	return gateConfirmation(Entry{Text: content, Scope: scope, State: state, Source: source, CreatedAt: c.Now}, r, c)
}

func gateMode(c GateContext) (GateVerdict, bool) {
	mode, err := ParseMode(string(c.Mode))
	switch {
	case err != nil:
		return refuse(ReasonModeOff, "The memory mode is missing or unknown, so memory is off; it is off, manual_only or manual_with_drafts."), false
	case mode == ModeOff:
		return refuse(ReasonModeOff, "Memory is off: memory.mode says so, or there is no memory key."), false
	case c.Incognito:
		return refuse(ReasonIncognitoActive, "This thread is marked as not to be remembered."), false
	}
	return GateVerdict{}, true
}

func gateContent(content any) (string, GateVerdict, bool) {
	normalised, problem := text.NormaliseRaw(content)
	switch problem {
	case text.ProblemNone:
		return normalised, GateVerdict{}, true
	case text.ProblemUnsafe:
		return "", refuse(ReasonUnsafeText, contentDetail(problem, content)), false
	}
	return "", refuse(ReasonContentInvalid, contentDetail(problem, content)), false
}

func contentDetail(problem text.Problem, content any) string {
	s, isText := content.(string)
	if !isText {
		return "The lesson was refused: its content is no text."
	}
	return "The lesson was refused: " + text.Describe(problem, s) + "."
}

// gateSource holds the checks that need the source: candidates never become
// active, and manual_only takes nothing that waits for a person.
func gateSource(source Source, state State, r WriteRequest, c GateContext) (GateVerdict, bool) {
	switch {
	case source.Candidate() && state == Active:
		return refuse(ReasonCandidateNoActive, "What was merely observed never becomes a lesson by itself."), false
	case c.Mode == ModeManualOnly && (source.Candidate() || r.Origin == OriginRuntime):
		return refuse(ReasonModeDisallowsCandidate, "memory.mode is manual_only: only a person's own command stores a lesson."), false
	}
	return GateVerdict{}, true
}

// gateConfirmation holds the last two checks and completes the entry.
func gateConfirmation(e Entry, r WriteRequest, c GateContext) GateVerdict {
	if e.State != Active {
		return gatePending(e, r)
	}
	if detail := r.Confirmation.fault(c.Now, r.Origin); detail != "" {
		return refuse(ReasonManualConfirmRequired, detail)
	}
	e.Approved = ApprovedConfirmed
	if r.Origin == OriginRuntime {
		e.Approved = ApprovedAuto
	}
	if !r.Confirmation.verified || r.Origin != OriginEvent && !autoAllowed(e.Source, r, c) {
		return refuse(ReasonProvenanceForged, "A confirmation counts only when it is the action's own, from an event that it verified.")
	}
	e.CreatedAt, e.ConfirmedAt = r.Confirmation.at, r.Confirmation.at
	e.ConfirmedBy, e.ConfirmedThrough = r.Confirmation.by, r.Confirmation.through
	return GateVerdict{Allowed: true, Entry: e}
}

// gatePending judges what waits for a person. Of the durable sources only a
// runtime's proposal or an imported entry may wait: in review_required, as
// chat_extracted, with no confirmation. This is the one deviation from the threat model's G2b, which
// knows no pending state for a durable source (page 3.6).
func gatePending(e Entry, r WriteRequest) GateVerdict {
	proposal := (r.Origin == OriginRuntime || r.Origin == OriginImport) && e.Source == ChatExtracted && e.State == ReviewRequired
	if e.Source.Durable() && !proposal {
		return refuse(ReasonManualConfirmRequired, "A lesson from a person is active and confirmed, or it is not stored.")
	}
	if r.Confirmation.claimed() {
		return refuse(ReasonProvenanceForged, "A lesson that waits for a person cannot bring its own confirmation.")
	}
	return GateVerdict{Allowed: true, Entry: e}
}

// autoAllowed is page 3.7: with approval_required = false a runtime's
// proposal becomes active at once, for maintainer and scheduled only.
func autoAllowed(source Source, r WriteRequest, c GateContext) bool {
	return r.Origin == OriginRuntime && source == ChatExtracted && c.AutoApproval && AutoScope(c.Trust)
}

// AutoScope says whether approval may be switched off for a trust scope at
// all (page 3.7).
func AutoScope(scope contract.TrustScope) bool {
	return scope == contract.TrustMaintainer || scope == contract.TrustScheduled
}

func refuse(reason Reason, detail string) GateVerdict {
	return GateVerdict{Reason: reason, Detail: detail}
}
