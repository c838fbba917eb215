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

	OpImport  Op = "import"  // an entry from elsewhere: review_required, never active
	OpAccept  Op = "accept"  // a maintainer's word on a finding, with or without a lesson
	OpDismiss Op = "dismiss" // the finding is wrong or not wanted
	OpCorrect Op = "correct" // the finding is right in another way

	// The parts of the sweep. No person does them, and each holds only if the
	// rows say so at the time of the transition.
	OpLapse    Op = "lapse"    // pending too long, or its pull request was closed
	OpExpire   Op = "expire"   // ephemeral and past its end: deprecated
	OpAnnounce Op = "announce" // its age will deprecate it in 30 days
	OpAge      Op = "age"      // past its age, announced 30 days ago: deprecated
	OpIdle     Op = "idle"     // unused for too long: deprecated
	OpFade     Op = "fade"     // deprecated by age 30 days ago: the text goes
	OpHorizon  Op = "horizon"  // audit rows past their retention go
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
	// Standing is the live standing of Actor (page 3.1); the zero value may
	// do nothing. A runtime's propose and the sweep have none.
	Standing Standing
	// Number is the pull request or issue that the event happened in; 0: none.
	Number int

	// Target names a document or version: what is approved, rejected, edited,
	// forgotten, redacted, purged, retired, kept or swept.
	Target string
	// Digest binds an approval to the exact text shown (hex SHA-256 of the
	// normalised text); required for approve.
	Digest string
	// Lesson is the new lesson for remember, propose and import; the new text
	// for edit; other words for approve (nil: as shown); what was learned for
	// accept, dismiss and correct (nil: nothing). It has passed the write
	// gate, and the store passes it again. Edit and approve take key, scope
	// and class from the document, and paths, about and citations where they
	// are nil.
	Lesson *NewLesson
	// Keep is what keep changes; nil: it renews.
	Keep *Keeping
	// Prefix is the key or prefix of revoke and unrevoke, with its
	// coordinates; they name the scope.
	Prefix string
	// Finding is the fingerprint of the finding of accept, dismiss and correct.
	Finding string
	// Retention holds the limits of the sweep, and PullClosed says of lapse
	// that the pull request of the lesson was closed unmerged.
	Retention  Retention
	PullClosed bool
	// Quotas bound additions (page 3.5).
	Quotas Quotas
}

// Keeping is what keep changes of a document.
type Keeping struct {
	Class Class // "": as it is
	// Until is the new end if SetUntil; the zero time is no end.
	Until    time.Time
	SetUntil bool
}

// Retention holds the limits of the sweep (page 4.2). The zero value of a
// field switches that part off.
type Retention struct {
	MaxAgeDays    int // since confirmation or renewal
	MaxUnusedDays int // since the last use, else since confirmation or renewal
	AuditDays     int // how long audit rows and uses are kept
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
	// Replaced are the ids of versions that this one superseded, and Former is
	// the first of them as it stood.
	Replaced []string
	Former   Version
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
