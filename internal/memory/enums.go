package memory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/redact"
)

// Mode says what memory may do at all (page 3.6). The zero value is refused
// everywhere, as off is.
type Mode string

// The closed set of modes.
const (
	ModeOff              Mode = "off"
	ModeManualOnly       Mode = "manual_only"
	ModeManualWithDrafts Mode = "manual_with_drafts"
)

// Source says where a text came from (page 3.6).
type Source string

// Durable sources may become active; candidate sources never do.
const (
	UserAuthored  Source = "user_authored"
	ChatExtracted Source = "chat_extracted"

	VoiceTranscript     Source = "voice_transcript"
	ActivityObservation Source = "activity_observation"
	CUObservation       Source = "cu_observation"
	SearchRecall        Source = "search_recall"
	DailyReview         Source = "daily_review"
)

// State is where a version stands (page 4.2).
type State string

// The closed set of states in their total order: a state only moves right.
const (
	Draft          State = "draft"
	ReviewRequired State = "review_required"
	Lapsed         State = "lapsed"
	Active         State = "active"
	Superseded     State = "superseded"
	Deprecated     State = "deprecated"
	Rejected       State = "rejected"
	Tombstoned     State = "tombstoned"
	Purged         State = "purged"
)

// Class is how long a lesson is kept (page 4.2).
type Class string

// The closed set of retention classes.
const (
	Durable    Class = "durable"
	Standard   Class = "standard"
	Ephemeral  Class = "ephemeral"
	SourceOnly Class = "source_only"
)

// UsePolicy says how a lesson may shape a review. There is no silent use.
type UsePolicy string

// The closed set of use policies.
const (
	UseNever     UsePolicy = "never"
	UseCitedOnly UsePolicy = "cited_only"
)

// Modes returns the closed set, weakest first.
func Modes() []Mode { return []Mode{ModeOff, ModeManualOnly, ModeManualWithDrafts} }

// DurableSources returns the sources that may become active.
func DurableSources() []Source { return []Source{UserAuthored, ChatExtracted} }

// CandidateSources returns the sources that never become active by themselves.
func CandidateSources() []Source {
	return []Source{VoiceTranscript, ActivityObservation, CUObservation, SearchRecall, DailyReview}
}

// States returns the closed set in its total order (page 4.2).
func States() []State {
	return []State{Draft, ReviewRequired, Lapsed, Active, Superseded, Deprecated, Rejected, Tombstoned, Purged}
}

// WritableStates returns the states that a new lesson may ask for (page 3.6).
func WritableStates() []State { return []State{Draft, ReviewRequired, Active} }

// Classes returns the closed set of retention classes.
func Classes() []Class { return []Class{Durable, Standard, Ephemeral, SourceOnly} }

// UsePolicies returns the closed set; no member allows use without citation.
func UsePolicies() []UsePolicy { return []UsePolicy{UseNever, UseCitedOnly} }

// Scopes returns the closed set of memory scopes (page 3.2).
func Scopes() []contract.MemoryScope {
	return []contract.MemoryScope{contract.ScopeRepo, contract.ScopeTenantShared, contract.ScopeFamiliarGlobal}
}

// EnumProblem says that a word is no member of a closed set.
type EnumProblem struct {
	Set     string // "mode", "source", ...
	Value   string // the word, cut to 80 bytes
	Reason  Reason // the block reason that such a word gives
	Members []string
}

// Error names the word and what the set takes.
func (p *EnumProblem) Error() string {
	return "unknown " + p.Set + " " + strconv.Quote(p.Value) + ": it is one of " + strings.Join(p.Members, ", ")
}

// ParseMode returns the mode that s names exactly.
func ParseMode(s string) (Mode, error) { return parseMember("mode", s, ReasonModeInvalid, Modes()) }

// ParseSource returns the source, durable or candidate, that s names exactly.
func ParseSource(s string) (Source, error) {
	return parseMember("source", s, ReasonUnknownSource, append(DurableSources(), CandidateSources()...))
}

// ParseState returns the state that s names exactly.
func ParseState(s string) (State, error) {
	return parseMember("state", s, ReasonStateInvalid, States())
}

// ParseWritableState returns the state that s names, if a new lesson may ask
// for it.
func ParseWritableState(s string) (State, error) {
	return parseMember("state of a new lesson", s, ReasonStateInvalid, WritableStates())
}

// ParseClass returns the retention class that s names exactly.
func ParseClass(s string) (Class, error) {
	return parseMember("retention class", s, ReasonClassInvalid, Classes())
}

// ParseUsePolicy returns the use policy that s names exactly.
func ParseUsePolicy(s string) (UsePolicy, error) {
	return parseMember("use policy", s, ReasonUsePolicyInvalid, UsePolicies())
}

// ParseScope returns the memory scope that s names exactly.
func ParseScope(s string) (contract.MemoryScope, error) {
	return parseMember("memory scope", s, ReasonScopeInvalid, Scopes())
}

func parseMember[T ~string](set, s string, reason Reason, members []T) (T, error) {
	if slices.Contains(members, T(s)) {
		return T(s), nil
	}
	p := &EnumProblem{Set: set, Value: redact.Cut(s, 80), Reason: reason}
	for _, m := range members {
		p.Members = append(p.Members, string(m))
	}
	return "", p
}

// Durable says whether the source may become active.
func (s Source) Durable() bool { return slices.Contains(DurableSources(), s) }

// Candidate says whether the source may only wait as a draft.
func (s Source) Candidate() bool { return slices.Contains(CandidateSources(), s) }

// Rank returns the place of the state in the total order, from 1; 0 for a
// word that is no state, which so loses every comparison and is refused where
// a state is asked for.
func (s State) Rank() int { return slices.Index(States(), s) + 1 }

// Pending says whether the version waits for a person.
func (s State) Pending() bool { return s == Draft || s == ReviewRequired }

// Recallable says whether a version in this state may reach a reviewer: only
// an active one, never a pending one (page 3.2).
func (s State) Recallable() bool { return s == Active }

// Erased says whether the text of the version is gone.
func (s State) Erased() bool { return s == Tombstoned || s == Purged }

// Max returns the rightmost of two states, which is what a merge keeps
// (page 4.4).
func Max(a, b State) State {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}
