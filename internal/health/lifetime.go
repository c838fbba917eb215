package health

import (
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// UnusedAfterDays is how long a lesson may wait for the first change that it
// is about before anybody is told that none came.
const UnusedAfterDays = 60

// NeverUsed says whether no review ever read a lesson.
func NeverUsed(v memory.Version, uses map[string]int) bool {
	return v.LastUsed == "" && uses[v.DocumentID] == 0
}

func unused(live []memory.Version, f LessonFacts) []Finding {
	var out []Finding
	for _, v := range live {
		if !NeverUsed(v, f.Uses) || v.Class == memory.Ephemeral || f.Now.Before(memory.Renewed(v).AddDate(0, 0, UnusedAfterDays)) {
			continue
		}
		out = append(out, Finding{
			Check: CheckUnused, Severity: Note, Field: v.DocumentID, Lessons: []string{v.DocumentID},
			Message: fmt.Sprintf("No review has read %s in %d days.", v.DocumentID, days(memory.Renewed(v), f.Now)),
			Reason:  "A lesson that nothing comes near takes a place, and mostly its paths or its words do not fit the changes that are made.",
			Fix:     fmt.Sprintf("Say what it is about with edit and `paths:` or `about:`, or retire %s.", v.DocumentID),
		})
	}
	return out
}

// Ends returns when a lesson stops being used if nobody does anything, and
// whether it does.
func Ends(v memory.Version, r memory.Retention) (time.Time, bool) {
	var at time.Time
	switch {
	case !v.ValidUntil.IsZero():
		at = v.ValidUntil
	case v.Class == memory.Ephemeral:
		at = memory.Renewed(v).AddDate(0, 0, memory.EphemeralDays)
	}
	if v.Class == memory.Standard && r.MaxAgeDays > 0 {
		if aged := memory.Renewed(v).AddDate(0, 0, r.MaxAgeDays); at.IsZero() || aged.Before(at) {
			at = aged
		}
	}
	return at, !at.IsZero()
}

func expiring(live []memory.Version, f LessonFacts) []Finding {
	var out []Finding
	for _, v := range live {
		end, ends := Ends(v, f.Retention)
		if !ends || end.After(f.Now.AddDate(0, 0, memory.NoticeDays)) {
			continue
		}
		last := end.Add(-1).UTC().Format(time.DateOnly) // an end is the moment after the last day
		message := fmt.Sprintf("%s ends on %s.", v.DocumentID, last)
		if !end.After(f.Now) {
			message = fmt.Sprintf("%s was to end on %s; the next sweep does it.", v.DocumentID, last)
		}
		out = append(out, Finding{
			Check: CheckExpiring, Severity: Note, Field: v.DocumentID, Lessons: []string{v.DocumentID},
			Message: message,
			Reason:  "After that day no review reads it any more.",
			Fix:     fmt.Sprintf("If it still holds: keep %s.", v.DocumentID),
		})
	}
	return out
}

// days is the number of whole days from one time to another.
func days(from, to time.Time) int { return int(to.Sub(from) / (24 * time.Hour)) }
