package record

import (
	"github.com/familiarhq/familiar/internal/contract"
)

// Schema is the only schema of records.
const Schema = "familiar-review-1"

// Record is review.json (page 7.4): the full provenance of one review, outside
// memory. Digests are SHA-256 in hex; those of what is short enough to be
// guessed (keys and texts of lessons) are keyed.
type Record struct {
	Schema     string       `json:"schema" wire:"is=familiar-review-1"`
	Run        Run          `json:"run"`
	Profile    Profile      `json:"profile"`
	Policy     string       `json:"policy"`   // digest of the memory policy
	Snapshot   string       `json:"snapshot"` // digest of memory.json
	Context    string       `json:"context"`  // digest of session-brief.json
	Lessons    []string     `json:"lessons"`  // versions handed out, as m-7f3k2q8a@2
	Outcome    string       `json:"outcome"`  // of review.Outcome
	Refused    string       `json:"refused"`  // why the review was refused whole, "" if it was not
	Coverage   Coverage     `json:"coverage"`
	Candidates []Candidate  `json:"candidates"`
	More       int          `json:"more" wire:"min=0"` // dropped candidates beyond those listed
	Memory     Memory       `json:"memory"`
	Limits     []string     `json:"limitations"` // what was not reviewed: reasons, each once
	Signed     *Attestation `json:"attestation,omitempty"`
}

// Run says which work it was.
type Run struct {
	RepositoryID int64               `json:"repository_id" wire:"min=1"`
	Repository   string              `json:"repository"`           // owner/name at that time
	Number       int                 `json:"number" wire:"min=1"`  // of the pull request
	RunID        int64               `json:"run_id" wire:"min=0"`  // 0 away from a runner
	Attempt      int                 `json:"attempt" wire:"min=0"` //
	At           string              `json:"at"`                   // RFC 3339, UTC, whole seconds
	Tool         string              `json:"tool"`                 // familiar/1.2.3
	Reviewer     string              `json:"reviewer"`             // rules, models, exec, or external
	Trust        contract.TrustScope `json:"trust"`
	Base         string              `json:"base"`       // commits
	MergeBase    string              `json:"merge_base"` // "" where nobody asked for it: nothing was found
	Head         string              `json:"head"`
}

// Profile is what the maintainers told the reviewer; empty where there was
// nothing, or the reviewer takes none.
type Profile struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
	Commit string `json:"commit"` // always the base of the review
}

// Coverage counts what was reviewed.
type Coverage struct {
	Files    int      `json:"files" wire:"min=0"`
	Reviewed int      `json:"reviewed" wire:"min=0"`
	Outside  int      `json:"outside" wire:"min=0"` // claimed, and not in the change
	Changed  []string `json:"changed"`              // digests of the paths of the change, sorted
}

// Candidate is what the reviewer reported, and what became of it.
type Candidate struct {
	ID          string   `json:"id"`                 // "L-" and 16 hex digits: review.CandidateID
	Times       int      `json:"times" wire:"min=1"` // how often it was reported, word for word
	Verdict     Verdict  `json:"verdict"`
	Reason      string   `json:"reason"`      // of a drop; "" if published
	Finding     string   `json:"finding"`     // "F2"; "" if dropped
	Fingerprint string   `json:"fingerprint"` // "" where the change does not have its file
	Rule        string   `json:"rule"`        // digest of its id; "" without one
	Severity    string   `json:"severity"`    // "" where it was none that is known
	Path        string   `json:"path"`        // digest
	Line        int      `json:"line" wire:"min=0"`
	Evidence    string   `json:"evidence"` // review.EvidenceDigest
	Because     []string `json:"because"`  // lessons that it cites, by document
}

// Memory is what the reviewer claims of memory, with every verdict.
type Memory struct {
	Reads    []Claim `json:"reads"`
	Writes   []Claim `json:"writes"`
	Declined int     `json:"declined" wire:"min=0"` // that the reviewer itself held back
}

// Claim is one entry of the report, by its position there.
type Claim struct {
	Position int      `json:"position" wire:"min=0"`
	Reason   string   `json:"reason"`  // of a refusal; "" if accepted
	Key      string   `json:"key"`     // keyed digest; "" where refused before it was known
	Text     string   `json:"text"`    // keyed digest of a proposal; "" else
	Lessons  []string `json:"lessons"` // versions that an accepted read means
}

// Attestation is the MAC over everything else.
type Attestation struct {
	Algorithm string `json:"algorithm" wire:"is=hmac-sha256"`
	MAC       string `json:"mac"`
}

// Verdict is what became of a candidate.
type Verdict string

// The closed set of verdicts.
const (
	Published Verdict = "published"
	Dropped   Verdict = "dropped"
)

// Known says whether the verdict is one of the closed set.
func (v Verdict) Known() bool { return v == Published || v == Dropped }
