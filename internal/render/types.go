package render

import (
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/trust"
)

// Status is everything that a status comment or the view of one change in a
// terminal can say. Strings may hold anything: they are escaped here.
type Status struct {
	// Local is a change in a clone: there is no comment to answer, so
	// nothing is offered that only works on GitHub.
	Local bool
	// Feedback says that accept, dismiss and correct are understood here, so
	// that nothing is offered that is not done.
	Feedback bool
	Handle   string // what commands start with; "": familiar
	// ApproveLabel is the configured name of the label; "": the default.
	ApproveLabel string
	Repo         string // "owner/name"; with Number it makes the marker
	Number       int
	Tag          string // of the marker; may be empty

	Outcome review.Outcome
	Detail  string // one clause: why it failed, was limited, asks (scrubbed)
	Summary string // of the change, in the reviewer's words (scrubbed); "": it has none
	Change  string // what was reviewed, where no pull request says it: "3 commits on main"
	Head    string // SHA of what was reviewed; "": a work tree
	RunURL  string // https; else not shown

	Coverage  review.Coverage
	Findings  []review.Finding
	Dropped   map[string]int     // candidates not published, by reason
	Dismissed []DismissedFinding // found again, and not shown
	Said      []Disposition      // the last word of a maintainer on findings that are shown
	Reminders []memory.Version
	Skipped   []Skipped // rules that were not applied

	Answers []Answer
	// Earlier are commands that earlier runs did in this thread, the latest
	// first; MoreEarlier says that there are older ones.
	Earlier     []Answer
	MoreEarlier bool

	Lessons   []memory.Version // read, and so cited
	Proposals []memory.Version // waiting for approval here
	Stored    []memory.Version // stored without approval, because the gate is off
	Refusals  []memory.Refusal

	Trust         trust.Verdict
	Policy        contract.MemoryPolicy
	PolicyReasons []trust.Reason
	MemoryOff     string // why memory is off, one clause; "": it is on
	GateOff       bool   // approval is not required (page 3.7)

	Generation int64     // of the store; 0: not shown
	Expiry     time.Time // of the stored container; zero: not shown
	Versions   []Named   // of the action, the rules, ...
	Cost       string    // tokens and money; "": nothing was spent
	Notes      []string  // warnings that changed this result
	Greeting   bool      // the first comment in this repository
}

// Skipped is one rule that was not applied, or not to one file.
type Skipped struct{ Rule, Path, Reason string }

// DismissedFinding is one that a maintainer dismissed: it stays away while the
// lesson that says why lives.
type DismissedFinding struct {
	ID          string // "F2"; "" where it never had a number here
	Path        string
	Line        int
	Lesson      string // document id
	Fingerprint string
}

// Named is a value with its name.
type Named struct{ Name, Value string }

// Answer is what became of one command.
type Answer struct {
	Command string // as written; shown cut
	Done    bool
	Text    string // sentences; words between backticks become code
	From    string // login of who asked, where an earlier comment is answered late
	// On is when it was asked, where an earlier run answered it; zero: this one.
	On time.Time
}

// outcome is what is shown as the outcome: never more than the coverage
// allows (page 1, "honest outcomes").
func (m Status) outcome() review.Outcome {
	o, err := review.ParseOutcome(string(m.Outcome))
	switch {
	case err != nil:
		return review.Failed
	case o == review.Reviewed && m.Coverage.Reviewed < m.Coverage.Files:
		return review.PartlyReviewed
	}
	return o
}

// Quiet says that there is nothing to say: no finding, lesson, proposal,
// refusal, answer, warning or greeting, and the whole change was reviewed.
// Whether a comment stands there already is not known here; it is then
// updated all the same (page 6.3).
func Quiet(m Status) bool {
	switch m.outcome() {
	case review.Reviewed, review.NothingToDo, review.Superseded, review.CommandsApplied:
	default:
		return false
	}
	return len(m.Findings)+len(m.Reminders)+len(m.Answers)+len(m.Lessons)+len(m.Proposals)+
		len(m.Stored)+len(m.Refusals)+len(m.Notes)+len(m.Skipped) == 0 && !m.Greeting
}
