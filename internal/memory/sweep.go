package memory

import "time"

// Times of the sweep that no configuration changes (page 4.2).
const (
	EphemeralDays = 7  // an ephemeral lesson without an end of its own
	PendingDays   = 30 // a proposal that nobody decided on
	NoticeDays    = 30 // from an announcement to the end of a lesson, and from there to the end of its text
)

// maxDays bounds a configured number of days: a hundred years are as good as
// any number that a date cannot be reckoned with.
const maxDays = 36_500

// SweepFacts is what the sweep regards besides the version itself.
type SweepFacts struct {
	Now        time.Time
	Retention  Retention
	PullClosed bool      // the pull request of the proposal was closed unmerged
	StateAt    time.Time // since when the version is in its state
	StateOp    Op        // the operation that brought it there
}

// SweepOps returns the parts of the sweep that are about a version, in the
// order in which they are tried: the first that is due is done.
func SweepOps() []Op { return []Op{OpLapse, OpExpire, OpAge, OpIdle, OpAnnounce, OpFade} }

// Sweeps says whether op is a part of the sweep, which no person does.
func Sweeps(op Op) bool {
	for _, o := range SweepOps() {
		if o == op {
			return true
		}
	}
	return op == OpHorizon
}

// Sweep says whether a part of the sweep is due for a version, and which
// state it brings (page 4.2); an announcement brings none. A refusal is no
// fault: the rows say that it is not, or no longer, time. The sweep never
// purges, never lifts a denial, and leaves durable lessons and those kept for
// audit alone.
func Sweep(op Op, v Version, f SweepFacts) (State, *Refusal) {
	var to State
	due := false
	switch op {
	case OpLapse:
		to, due = Lapsed, v.State.Pending() && (f.PullClosed || past(v.CreatedAt, PendingDays, f.Now))
	case OpExpire:
		to, due = Deprecated, v.State == Active && v.Class == Ephemeral && expired(v, f.Now)
	case OpAge:
		to, due = Deprecated, ages(v, f) && past(Renewed(v), f.Retention.MaxAgeDays, f.Now) && noticeGiven(v, f.Now)
	case OpIdle:
		to, due = Deprecated, idle(v, f)
	case OpAnnounce:
		to, due = v.State, ages(v, f) && past(Renewed(v), f.Retention.MaxAgeDays-NoticeDays, f.Now) && !announced(v)
	case OpFade:
		to, due = Tombstoned, v.State == Deprecated && f.StateOp == OpAge && !f.Now.Before(f.StateAt.AddDate(0, 0, NoticeDays))
	}
	if !due {
		return "", (&Refusal{Reason: ReasonNotDue, Detail: "The sweep has nothing to do here at this time."}).For(string(op), v.ID())
	}
	return to, nil
}

// Renewed is when somebody last stood by a lesson: its confirmation or a
// later keep; of one that was never confirmed, its making.
func Renewed(v Version) time.Time {
	at := v.ConfirmedAt
	if at.IsZero() {
		at = v.CreatedAt
	}
	if v.RenewedAt.After(at) {
		at = v.RenewedAt
	}
	return at
}

// AuditHorizon returns the time before which audit rows go; ok is false where
// no retention is set. A row exactly at the horizon stays.
func AuditHorizon(r Retention, now time.Time) (horizon time.Time, ok bool) {
	if r.AuditDays <= 0 {
		return time.Time{}, false
	}
	horizon = now.AddDate(0, 0, -min(r.AuditDays, maxDays))
	return horizon, horizon.UnixMilli() > 0
}

// expired says whether an ephemeral lesson is over: strictly past its end, or
// without one and older than seven days.
func expired(v Version, now time.Time) bool {
	if !v.ValidUntil.IsZero() {
		return now.After(v.ValidUntil)
	}
	return past(Renewed(v), EphemeralDays, now)
}

// ages says whether age can end a lesson at all. A durable one was meant to
// stay, one for audit is not recalled, and an ephemeral one ends by its end.
func ages(v Version, f SweepFacts) bool {
	return v.State == Active && v.Class == Standard && f.Retention.MaxAgeDays > 0
}

// announced says whether the end of a lesson was announced since somebody
// last stood by it.
func announced(v Version) bool { return !v.AnnouncedAt.IsZero() && !v.AnnouncedAt.Before(Renewed(v)) }

func noticeGiven(v Version, now time.Time) bool {
	return announced(v) && !now.Before(v.AnnouncedAt.AddDate(0, 0, NoticeDays))
}

func idle(v Version, f SweepFacts) bool {
	if f.Retention.MaxUnusedDays <= 0 || v.State != Active || v.Class != Standard {
		return false
	}
	last := Renewed(v)
	if day, err := time.Parse(time.DateOnly, v.LastUsed); err == nil && day.AddDate(0, 0, 1).After(last) {
		last = day.AddDate(0, 0, 1) // used until the end of that day
	}
	return past(last, f.Retention.MaxUnusedDays, f.Now)
}

// past says whether more than that many days lie between from and now.
func past(from time.Time, days int, now time.Time) bool {
	return now.After(from.AddDate(0, 0, max(min(days, maxDays), 0)))
}
