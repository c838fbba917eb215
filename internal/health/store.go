package health

import (
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/config"
)

// StoreFacts is what the checks of a whole store regard. A zero value means
// that the fact is not known.
type StoreFacts struct {
	LessonFacts
	Settings   config.MemorySettings
	Generation int64
	SavedAt    time.Time // when the newest container was made, by GitHub's clock
	ExpiresAt  time.Time // when GitHub deletes it; zero: it does not end
	SweepEvery time.Duration
	Bytes      int64 // of the database
	MaxBytes   int64 // what it may have
	Active     int   // current lessons
	Pending    int   // proposals that wait
	Auto       int   // current lessons that no person approved (page 3.7)
}

// Memory returns what is wrong with a store and the lessons in it.
func Memory(f StoreFacts) []Finding {
	out := append(Store(f), Lessons(f.LessonFacts)...)
	Sort(out)
	return out
}

// Store returns what is wrong with a store as a whole: its age and expiry
// (page 5.4), its caps (pages 3.5 and 4.5), and lessons that nobody approved.
func Store(f StoreFacts) []Finding {
	var out []Finding
	out = append(out, lifetime(f)...)
	out = append(out, caps(f)...)
	out = append(out, unapproved(f)...)
	Sort(out)
	return out
}

// lifetime says how near the store is to being deleted by GitHub. Runs that
// save, and the sweep, store it anew at a third of its lifetime: one that is
// past half of it is one that nobody refreshes.
func lifetime(f StoreFacts) []Finding {
	if f.ExpiresAt.IsZero() || f.SavedAt.IsZero() {
		return nil
	}
	whole, left := f.ExpiresAt.Sub(f.SavedAt), f.ExpiresAt.Sub(f.Now)
	end := f.ExpiresAt.UTC().Format(time.DateOnly)
	finding := Finding{Check: CheckStore, Reason: "GitHub deletes an artifact at its end, and with it every lesson; a run that saves, or the daily sweep, stores it anew in time.",
		Fix: "Start the workflow of the sweep by hand, see why it does not run by itself, and keep a snapshot: familiar memory snapshot FILE."}
	var out []Finding
	switch {
	case left <= 0:
		finding.Severity, finding.Message = Error, fmt.Sprintf("The memory expired on %s.", end)
		finding.Fix = "Restore your last snapshot: familiar memory restore FILE."
		out = append(out, finding)
	case left < whole/2:
		finding.Severity, finding.Message = Warning, fmt.Sprintf("The memory is deleted on %s, in %s, and no run has stored it anew for %s.", end, many(days(f.Now, f.ExpiresAt), "day"), many(days(f.SavedAt, f.Now), "day"))
		out = append(out, finding)
	}
	if f.SweepEvery > 0 && whole < 3*f.SweepEvery {
		out = append(out, shortLife(whole, f.SweepEvery))
	}
	return out
}

// shortLife is the finding about a lifetime that a missed sweep or two would
// outlast.
func shortLife(life, every time.Duration) Finding {
	return Finding{
		Check: CheckArtifact, Severity: Error, Field: "artifact-days",
		Message: fmt.Sprintf("The memory lives for %s, and the sweep that stores it anew comes every %s.", span(life), span(every)),
		Reason:  "Below three sweeps, two that fail in a row lose every lesson.",
		Fix:     "Let the sweep run daily, and raise artifact-days (and the repository's retention of artifacts, which bounds it).",
	}
}

// capShare is the share of a cap from which it is told, in percent.
const capShare = 80

func caps(f StoreFacts) []Finding {
	var out []Finding
	for _, c := range []struct {
		field, what, fix string
		is, most         int64
		least            int64 // percent from which additions are refused
	}{
		{"memory.active_per_repo", "current lessons", "Retire what nobody needs (familiar memory list --unused), or raise memory.active_per_repo.", int64(f.Active), int64(f.Settings.ActivePerRepo), 100},
		{"memory.pending_per_repo", "proposals that wait", "Approve or reject some, or raise memory.pending_per_repo.", int64(f.Pending), int64(f.Settings.PendingPerRepo), 100},
		{"", "bytes in the database", "Forget or purge what nobody needs; that always works.", f.Bytes, f.MaxBytes, 90},
	} {
		if c.most <= 0 || c.is*100 < c.most*capShare {
			continue
		}
		finding := Finding{
			Check: CheckStore, Severity: Warning, Field: c.field, Fix: c.fix,
			Message: fmt.Sprintf("The memory has %d of at most %d %s.", c.is, c.most, c.what),
			Reason:  "At the cap nothing can be added; forget, revoke and purge still work.",
		}
		if c.is*100 >= c.most*c.least {
			finding.Severity, finding.Reason = Error, "Nothing can be added until some go; forget, revoke and purge still work."
		}
		out = append(out, finding)
	}
	return out
}

func unapproved(f StoreFacts) []Finding {
	if f.Auto == 0 {
		return nil
	}
	return []Finding{{
		Check: CheckGate, Severity: Warning, Field: "memory.approval_required",
		Message: fmt.Sprintf("%s in use that no person approved.", isAre(f.Auto, "lesson")),
		Reason:  "They came from a reviewer while approval was switched off, so a change may have written them.",
		Fix:     "Look at them (familiar memory list) and retire what you would not have approved.",
	}}
}

// Gate returns the warnings about a configuration that lets a reviewer's
// proposals become lessons without a person (page 3.7). Where memory is off
// there is nothing to warn about.
func Gate(file string, c config.Config) []Finding {
	var out []Finding
	add := func(prefix string, m config.MemorySettings) {
		if m.Enabled && m.Mode != "off" && m.Mode != "" && !m.ApprovalRequired {
			field := prefix + "approval_required"
			out = append(out, Finding{
				Check: CheckGate, Severity: Warning, Field: field, File: file,
				Message: fmt.Sprintf("%s is off: what a reviewer proposes in a maintainer's change becomes a lesson at once.", field),
				Reason:  "A text in a change that fools the reviewer once then shapes every later review.",
				Fix:     "Set approval_required = true; proposals then wait for a maintainer's word.",
			})
		}
	}
	add("memory.", c.Memory.MemorySettings)
	for _, repo := range sortedKeys(c.Memory.Repos) {
		add(fmt.Sprintf("memory.repos.%q.", repo), c.Memory.Repos[repo])
	}
	return out
}
