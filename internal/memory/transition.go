package memory

import (
	"time"

	"github.com/familiarhq/familiar/internal/contract"
)

// Op is what a transition does to one document (page 4.2).
type Op string

// The closed set of operations.
const (
	OpRemember Op = "remember" // a person teaches: active at once
	OpPropose  Op = "propose"  // a runtime proposes: review_required, or active where page 3.7 allows auto
	OpApprove  Op = "approve"  // a person confirms exactly the proposed text
	OpReject   Op = "reject"
	OpForget   Op = "forget" // tombstone: the text is overwritten, a keyed fingerprint stays

	OpEdit     Op = "edit"     // a new version supersedes
	OpRetire   Op = "retire"   // deprecated, text kept
	OpKeep     Op = "keep"     // renews, or changes class and end
	OpRedact   Op = "redact"   // what forget does, for a lesson whose owner is gone
	OpPurge    Op = "purge"    // the rows are gone, a marker stays
	OpRevoke   Op = "revoke"   // denies a key or prefix from now on
	OpUnrevoke Op = "unrevoke" // lifts a denial, as an act of its own
)

// Refusal is data, not an error: what was not done, to what, and why
// (page 2). Reason is a stable word of a closed set; Detail is one sentence
// for people, scrubbed, that names the next step.
type Refusal struct {
	Op     string
	Target string
	Reason Reason
	Detail string
}

// Transition is one change to the store. It is applied once: Cause is the
// digest of what caused it (comment id and line; or repository, pull request,
// head, key and text), so a replay finds its row and does nothing.
type Transition struct {
	Op      Op
	Cause   string    // digest, hex; see NewCause
	At      time.Time // GitHub's time of the event, not the runner's clock
	Actor   Principal
	Through Through

	// Target names a document or version for approve, reject and forget.
	Target string
	// Digest binds an approval to the exact text shown (hex SHA-256 of the
	// normalised text); required for approve.
	Digest string
	// Lesson is the new lesson for remember and propose. It has passed the
	// write gate, and the store passes it again.
	Lesson *NewLesson
	// Quotas bound additions (page 3.5).
	Quotas Quotas
}

// NewLesson is a lesson before it has an id.
type NewLesson struct {
	Key        Key
	Scope      contract.MemoryScope
	Text       string // normalised
	Source     Source
	State      State // Active or ReviewRequired
	Class      Class
	Paths      []string
	About      []string
	Check      *Check
	Citations  []Citation
	ValidUntil time.Time
	Provenance Provenance
	Approved   ApprovedBy
	// Again says that the person knows the same text was forgotten before.
	Again bool
	// Line is the line of the comment, so that two lessons in one comment
	// get two ids.
	Line int
}

// Applied says what a transition did.
type Applied struct {
	Refused *Refusal // nil: applied, or already applied
	Already bool     // the cause was known: nothing was done again
	Version Version  // the version after the transition
	// Replaced are the ids of versions that this one superseded.
	Replaced []string
}

// Quotas bound what may be added (page 3.5); a zero field means the default.
type Quotas struct {
	ProposalsPerRun   int
	PendingPerPull    int
	PendingPerRepo    int
	ActivePerRepo     int
	ProposedInThisRun int // how many this run has added so far
}

// RecallQuery is what a change looks like to recall (page 4.6). Pure code
// makes it from a change; the store ranks lessons by it.
type RecallQuery struct {
	Paths  []string // changed paths, old and new
	Terms  []Term   // distinct, folded, stop words dropped
	Scopes []contract.MemoryScope
	Denied []string // revoked keys and prefixes
	Now    time.Time
	// Budget in bytes of text and in lessons; 0: 24 KiB and 40.
	MaxBytes   int
	MaxLessons int
}

// Term is one word of a change and how often it occurs there.
type Term struct {
	Word  string
	Count int
}
