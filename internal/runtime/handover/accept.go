package handover

import (
	"fmt"
	"time"
)

// Reason is the closed set of reasons for which a note does not stand for what
// is to be published. The zero value is no reason.
type Reason string

// The closed set of reasons.
const (
	Malformed       Reason = "malformed"
	Forged          Reason = "forged"
	OtherRepository Reason = "other_repository"
	OtherRun        Reason = "other_run"
	LaterAttempt    Reason = "later_attempt"
	OtherPull       Reason = "other_pull_request"
	NotYet          Reason = "not_yet"
	Expired         Reason = "expired"
	HeadMoved       Reason = "head_moved"
	PolicyChanged   Reason = "policy_changed"
)

// How long a note stands, and how far two clocks of runners may be apart.
const (
	Validity = 2 * time.Hour
	skew     = 5 * time.Minute
)

// Facts are what is true of the run that wants to publish, all of them looked
// up live. A zero fact agrees with no note.
type Facts struct {
	RepositoryID int64
	RunID        int64
	Attempt      int
	Number       int
	Head         string
	Policy       string // digest of the policy as computed again now
	Now          time.Time
}

// Accept says whether a note stands for what is to be published: of the same
// repository, run and pull request, of no later attempt, not older than
// Validity, for the head as it is now and under the policy as it is now (pages
// 3.5 and 7.2). The first thing that differs decides; "" and no text means
// that it stands.
func Accept(n Note, f Facts) (Reason, string) {
	age := f.Now.Sub(n.issued())
	switch {
	case n.RepositoryID != f.RepositoryID || f.RepositoryID == 0:
		return OtherRepository, "the note was made for another repository"
	case n.RunID != f.RunID || f.RunID == 0:
		return OtherRun, fmt.Sprintf("the note was made in run %d, and this is run %d; prepare and publish belong into one run", n.RunID, f.RunID)
	case n.Attempt > f.Attempt:
		return LaterAttempt, fmt.Sprintf("the note was made in attempt %d, and this is attempt %d", n.Attempt, f.Attempt)
	case n.Number != f.Number || f.Number == 0:
		return OtherPull, fmt.Sprintf("the note was made for #%d, and this run is about #%d", n.Number, f.Number)
	case age < -skew:
		return NotYet, fmt.Sprintf("the note says that it was made at %s, which is still to come", n.IssuedAt)
	case age > Validity:
		return Expired, fmt.Sprintf("the note was made at %s and stood for two hours; run prepare again", n.IssuedAt)
	case n.Head != f.Head || f.Head == "":
		return HeadMoved, "the head moved since the brief was written; the run for the new head reviews it"
	case n.Policy != f.Policy || f.Policy == "":
		return PolicyChanged, "what a reviewer may read and propose changed since the brief was written, so nothing of the result is used; run the review again"
	}
	return "", ""
}
