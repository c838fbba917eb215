package policy

import (
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
)

// This file is the one door through which a runtime's report of its memory
// use passes (page 3.5). What Validate did not accept is neither cited nor
// stored.

// Validation is everything that a report is held against. Its zero value
// refuses every entry.
type Validation struct {
	Recomputed contract.MemoryPolicy  // computed again for this validation, never read back
	Briefed    *contract.MemoryPolicy // what the runtime was handed; nil: nothing was, memory is off
	Used       *contract.MemoryUsed   // the report; nil: the runtime made none

	Coordinates memory.Coordinates
	Mode        memory.Mode
	Incognito   bool
	Snapshot    memory.Snapshot // what was handed out
	Now         time.Time

	// Trigger confirms what page 3.7 lets through as auto; the zero value
	// confirms nothing.
	Trigger    memory.Confirmation
	Provenance memory.Provenance

	Counts     Counts
	Quotas     memory.Quotas
	Existing   []memory.Version       // pending and active lessons, for duplicates
	Suppressed func(text string) bool // whether the text was forgotten before; nil: none was
	Finder     redact.Finder          // with the live tokens of this run
}

// Counts say how full the store is.
type Counts struct {
	PendingInPull int
	PendingInRepo int
	Active        int
}

// Operations as refusals name them.
const (
	opRead    = "read"
	opPropose = string(memory.OpPropose)
)

// Bounds on what a report can make us keep.
const (
	maxRefusals = 100 // single refusals; beyond that they are counted by reason
	maxDeclined = 20
	maxReads    = 1000 // reads that are looked at; a snapshot holds far fewer
)

// Report is the outcome. Every entry of the runtime's report has its verdict
// at its own position, so that two entries with one key never share one.
type Report struct {
	Policy   contract.MemoryPolicy // the stricter of the two, which decided
	Reads    []ReadVerdict
	Writes   []WriteVerdict
	Declined []Declined
	// Refusals are what is recorded and shown, scrubbed: at most 100, then
	// one for each operation and reason that counts the rest.
	Refusals []memory.Refusal
	// DeclinedMore counts declined candidates beyond those kept.
	DeclinedMore int
}

// ReadVerdict is the verdict on read[Position].
type ReadVerdict struct {
	Position int
	Refused  memory.Reason // "": may be cited
	Key      memory.Key
	Lessons  []memory.Version // the versions of that key in the snapshot
}

// WriteVerdict is the verdict on proposed[Position].
type WriteVerdict struct {
	Position int
	Refused  memory.Reason    // "": accepted
	Lesson   memory.NewLesson // ready for memory.OpPropose; zero if refused
}

// Declined is a candidate that the runtime itself refused, its text scrubbed.
type Declined struct {
	Text   string
	Scope  string
	Reason contract.DeclineReason
}

// AcceptedReads returns the reads that may be cited, in the order of the
// report.
func (r Report) AcceptedReads() []ReadVerdict {
	var accepted []ReadVerdict
	for _, v := range r.Reads {
		if v.Refused == "" {
			accepted = append(accepted, v)
		}
	}
	return accepted
}

// AcceptedWrites returns the proposals that may be stored, in the order of
// the report.
func (r Report) AcceptedWrites() []WriteVerdict {
	var accepted []WriteVerdict
	for _, v := range r.Writes {
		if v.Refused == "" {
			accepted = append(accepted, v)
		}
	}
	return accepted
}

// Validate judges every entry of a report (page 3.5). It never fails: a
// refused write leaves the review as it is.
func Validate(v Validation) Report {
	s := newSession(v)
	report := Report{Policy: s.policy}
	if v.Used == nil {
		return report
	}
	for i, read := range v.Used.Read {
		verdict, detail := s.judgeRead(i, read)
		report.Reads = append(report.Reads, verdict)
		s.refused.add(opRead, i, verdict.Refused, read.ID, detail)
	}
	for i, write := range v.Used.Proposed {
		verdict, detail := s.judgeWrite(i, write)
		report.Writes = append(report.Writes, verdict)
		s.refused.add(opPropose, i, verdict.Refused, write.Key, detail)
	}
	report.Declined, report.DeclinedMore = declined(v.Finder, v.Used.Rejected)
	report.Refusals = s.refused.list()
	return report
}

// session is what judging one report needs and counts.
type session struct {
	v         Validation
	policy    contract.MemoryPolicy
	off       string // why all is refused as memory_disabled; "": memory is on
	quotas    memory.Quotas
	supplied  map[memory.Key][]memory.Version
	known     map[string]bool // folded texts that are pending, active or accepted
	pending   int             // accepted as pending in this report
	activated int             // accepted as active in this report
	refused   refusals
}

func newSession(v Validation) *session {
	s := &session{
		v:        v,
		quotas:   v.Quotas.WithDefaults(),
		supplied: map[memory.Key][]memory.Version{},
		known:    map[string]bool{},
		refused:  refusals{finder: v.Finder},
	}
	if v.Briefed == nil {
		s.policy = Stricter(v.Recomputed, contract.MemoryPolicy{})
	} else {
		s.policy = Stricter(v.Recomputed, *v.Briefed)
	}
	s.off = whyDisabled(s.policy, v.Used)
	for _, lesson := range v.Snapshot.Lessons {
		key := lesson.Key.Canonical(v.Coordinates)
		s.supplied[key] = append(s.supplied[key], lesson)
	}
	for _, lesson := range v.Existing {
		if lesson.State.Pending() || lesson.State == memory.Active {
			s.known[sameText(lesson.Text)] = true
		}
	}
	return s
}

func whyDisabled(p contract.MemoryPolicy, used *contract.MemoryUsed) string {
	switch {
	case !p.Enabled:
		return "Memory is off for this run, so nothing may be read or stored."
	case used != nil && !used.Enabled:
		return "The report says that memory was not used, yet it has entries; none of them counts."
	}
	return ""
}
