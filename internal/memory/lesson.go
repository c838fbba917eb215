package memory

import (
	"strconv"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
)

// Principal is who did something: the numeric id decides, the login is what
// the id was called at that time. An ID of 0 is nobody and owns nothing
// (page 4.3).
type Principal struct {
	ID    int64
	Login string
}

// Through names the event that carried a decision (page 4.1, "confirmed
// through").
type Through struct {
	Kind string // "issue_comment", "label", "local_command", "workflow_dispatch", ...
	ID   string // comment id, label event id, or a digest for a local command
	URL  string
}

// Citation points into the code that a lesson is about.
type Citation struct {
	Path      string
	StartLine int
	EndLine   int
	Commit    string
	Digest    string // SHA-256 of the snippet, hex
}

// Provenance says which work a lesson came from.
type Provenance struct {
	RepositoryID int64
	PullRequest  int
	Base         string
	MergeBase    string
	Head         string
	Finding      string
}

// ApprovedBy says whether a person confirmed the lesson or the gate was off
// (page 3.7).
type ApprovedBy string

// The closed set.
const (
	ApprovedConfirmed ApprovedBy = "confirmed"
	ApprovedAuto      ApprovedBy = "auto"
)

// Version is one immutable text of a document (page 4.1). Text is
// normalised. Only State, the confirmation, Class, ValidUntil, RenewedAt,
// AnnouncedAt and LastUsed ever change.
type Version struct {
	DocumentID string // "m-" and 8 characters of Crockford base32 in lower case
	Number     int    // 1-based; "m-7f3k2q8a@2" names version 2
	Key        Key
	Scope      contract.MemoryScope
	Text       string
	Source     Source
	State      State
	Class      Class
	Paths      []string // globs that the lesson applies to; none: everywhere
	About      []string // synonyms that a person added for recall
	Check      *Check   // nil: a lesson without a check
	Citations  []Citation

	Creator   Principal
	CreatedAt time.Time

	ConfirmedBy      Principal
	ConfirmedAt      time.Time // zero: not confirmed
	ConfirmedThrough Through
	Approved         ApprovedBy // "" while unconfirmed

	ValidUntil  time.Time // zero: no end
	RenewedAt   time.Time // when somebody last kept it; zero: never
	AnnouncedAt time.Time // when its end by age was announced; zero: never
	LastUsed    string    // a day, "2026-11-30"; "" if never
	Provenance  Provenance

	// Denied is the revoked key or prefix that covers the key, "" for none. A
	// store fills it in for those who look; no lesson holds it.
	Denied string
}

// ID returns the short id of the version with its number, "m-7f3k2q8a@2".
func (v Version) ID() string { return VersionID(v.DocumentID, v.Number) }

// Snapshot is the frozen list of lessons handed to one review (page 4.6), in
// the order of their score.
type Snapshot struct {
	Lessons []Version
}

// VersionID names one version of a document.
func VersionID(document string, number int) string {
	return document + "@" + strconv.Itoa(number)
}
