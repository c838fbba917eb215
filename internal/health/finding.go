package health

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Severity says how bad a finding is.
type Severity string

// The closed set of severities, the worst first.
const (
	Error   Severity = "error"   // it does not work, or is unsafe
	Warning Severity = "warning" // it works, and less well or less safely than it could
	Note    Severity = "note"    // worth a look some day
)

// Severities returns the closed set, the worst first.
func Severities() []Severity { return []Severity{Error, Warning, Note} }

// ParseSeverity returns the severity that s names exactly.
func ParseSeverity(s string) (Severity, error) {
	if !slices.Contains(Severities(), Severity(s)) {
		return "", fmt.Errorf("a severity is error, warning or note, not %q", s)
	}
	return Severity(s), nil
}

// rank orders severities, the worst first; anything else counts as the worst.
func (s Severity) rank() int { return slices.Index(Severities(), s) }

// Finding is one thing that a check found.
type Finding struct {
	Check    Check    `json:"check"`
	Severity Severity `json:"severity"`
	// Field is what it is about in the words of where it is set: a key of the
	// configuration ("memory.approval_required"), a permission, a secret, or
	// the id of a lesson.
	Field string `json:"field,omitempty"`
	// File, with Line and Column 1-based, is where it stands; 0 means the file
	// as a whole.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`

	Message string `json:"message"`       // what is so, one sentence
	Reason  string `json:"reason"`        // why that matters, one sentence or more
	Fix     string `json:"fix,omitempty"` // what to do about it

	Lessons []string `json:"lessons,omitempty"` // ids of the documents it is about
	Repair  *Repair  `json:"repair,omitempty"`  // nil: a person has to do it
}

// Place is where a finding stands, as compilers write it; "" for no file.
func (f Finding) Place() string {
	place := f.File
	if f.Line > 0 {
		place += ":" + strconv.Itoa(f.Line)
	}
	if f.Line > 0 && f.Column > 0 {
		place += ":" + strconv.Itoa(f.Column)
	}
	return place
}

// Sentence is the finding on one line, for a list that has room for no more.
func (f Finding) Sentence() string {
	s := f.Message
	if place := f.Place(); place != "" {
		s = place + ": " + s
	}
	if f.Fix != "" {
		s += " " + f.Fix
	}
	return s
}

// Sort orders findings: the worst first, then by check in the order of
// Checks, place, field and words.
func Sort(list []Finding) {
	order := Checks()
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			a.Severity.rank()-b.Severity.rank(),
			slices.Index(order, a.Check)-slices.Index(order, b.Check),
			strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column,
			strings.Compare(a.Field, b.Field), strings.Compare(a.Message, b.Message),
		)
	})
}

// Worst returns the worst severity of a list, "" of an empty one.
func Worst(list []Finding) Severity {
	var worst Severity
	for _, f := range list {
		if worst == "" || f.Severity.rank() < worst.rank() {
			worst = f.Severity
		}
	}
	return worst
}

// Concerning returns the ids of the documents that findings of a check are
// about.
func Concerning(list []Finding, c Check) map[string]bool {
	ids := map[string]bool{}
	for _, f := range list {
		if f.Check != c {
			continue
		}
		for _, id := range f.Lessons {
			ids[id] = true
		}
	}
	return ids
}
