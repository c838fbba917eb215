package memory

import (
	"math"
	"time"
)

// Origin says who asks for a write. The zero value is nobody, whose
// confirmations are forged.
type Origin string

// The closed set of origins.
const (
	OriginEvent   Origin = "event"   // the action itself, acting on an event that it verified
	OriginRuntime Origin = "runtime" // a reviewer's report
	OriginImport  Origin = "import"  // entries from elsewhere, brought by a person
)

// MaxClockLead is how far ahead of now a confirmation may lie.
const MaxClockLead = 5 * time.Minute

// Confirmation is a person's word that a text may be remembered. Only the
// trusted side makes a verified one, from an event that it checked, with
// GitHub's time of that event. The zero value is no confirmation.
type Confirmation struct {
	present  bool
	verified bool
	finite   bool
	at       time.Time
	by       Principal
	through  Through
}

// VerifiedConfirmation is the confirmation by an event that the action itself
// verified. at is GitHub's time of the event; a zero time is a missing one.
func VerifiedConfirmation(at time.Time, by Principal, through Through) Confirmation {
	return Confirmation{present: !at.IsZero(), verified: true, finite: true, at: at, by: by, through: through}
}

// VerifiedConfirmationAt is the same for an event that carries its time as
// Unix seconds.
func VerifiedConfirmationAt(seconds float64, by Principal, through Through) Confirmation {
	at, finite := unixTime(seconds)
	return Confirmation{present: true, verified: true, finite: finite, at: at, by: by, through: through}
}

// ClaimedConfirmation is what a request itself says about its confirmation: a
// decoded JSON value. A number is read as Unix seconds, null is no claim,
// anything else is no time. However it looks, it never makes a lesson active.
func ClaimedConfirmation(value any) Confirmation {
	switch v := value.(type) {
	case nil:
		return Confirmation{}
	case float64:
		at, finite := unixTime(v)
		return Confirmation{present: true, finite: finite, at: at}
	}
	return Confirmation{present: true}
}

// unixTime turns seconds into a time; not finite, and years that no
// timestamp of GitHub can have, is no time.
func unixTime(seconds float64) (time.Time, bool) {
	const farthest = 1 << 40
	if math.IsNaN(seconds) || math.Abs(seconds) > farthest {
		return time.Time{}, false
	}
	whole, fraction := math.Modf(seconds)
	return time.Unix(int64(whole), int64(fraction*1e9)).UTC(), true
}

// claimed says whether somebody other than the verifying action brought it.
func (c Confirmation) claimed() bool { return c.present && !c.verified }

// fault returns what is wrong with the confirmation, "" if nothing is. That
// the action confirms in nobody's name is a fault of its own; a run that no
// person started may still carry an automatic approval (page 3.7).
func (c Confirmation) fault(now time.Time, origin Origin) string {
	switch {
	case !c.present:
		return "An active lesson needs a confirmation, and there is none."
	case !c.finite:
		return "The time of the confirmation is not a finite number."
	case c.at.Before(time.Unix(0, 0)):
		return "The time of the confirmation is negative."
	case c.at.After(now.Add(MaxClockLead)):
		return "The time of the confirmation lies more than five minutes ahead."
	case c.verified && origin == OriginEvent && c.by.ID <= 0:
		return "The confirmation names no person, and nobody cannot confirm."
	}
	return ""
}
