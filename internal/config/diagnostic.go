package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Level says how bad a diagnostic is.
type Level string

// The closed set of levels. An error in the configuration makes it count as
// broken; an error in a rule costs that rule.
const (
	Error   Level = "error"
	Warning Level = "warning"
)

// Diagnostic is one thing wrong with a file. Line and Column are 1-based,
// columns count characters; 0 means the file as a whole.
type Diagnostic struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity Level  `json:"severity"`
	Message  string `json:"message"`       // what is wrong, without a full stop at its end
	Fix      string `json:"fix,omitempty"` // what to do about it, or ""
}

// String renders a diagnostic as compilers do, on one line.
func (d Diagnostic) String() string {
	place := d.File
	if d.Line > 0 {
		place += ":" + strconv.Itoa(d.Line) + ":" + strconv.Itoa(d.Column)
	}
	s := fmt.Sprintf("%s: %s: %s", place, d.Severity, d.Message)
	if d.Fix != "" {
		s += "; " + d.Fix
	}
	return s
}

// HasErrors says whether a list holds more than warnings.
func HasErrors(list []Diagnostic) bool {
	for _, d := range list {
		if d.Severity != Warning {
			return true
		}
	}
	return false
}

// maxDiagnostics bounds what one file can make us say.
const maxDiagnostics = 50

// report collects the diagnostics of one file.
type report struct {
	file    string
	list    []Diagnostic
	dropped int
}

func (r *report) add(at place, level Level, fix, format string, args ...any) {
	if len(r.list) >= maxDiagnostics {
		r.dropped++
		return
	}
	r.list = append(r.list, Diagnostic{
		File: r.file, Line: at.line, Column: at.column, Severity: level,
		Message: fmt.Sprintf(format, args...), Fix: fix,
	})
}

func (r *report) fail(at place, fix, format string, args ...any) {
	r.add(at, Error, fix, format, args...)
}

// done returns the list in the order of the file, with a last entry that
// counts what was left out.
func (r *report) done() []Diagnostic {
	slices.SortStableFunc(r.list, func(a, b Diagnostic) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	if r.dropped > 0 {
		r.list = append(r.list, Diagnostic{
			File: r.file, Severity: Error,
			Message: fmt.Sprintf("%d more problems are not listed", r.dropped),
			Fix:     "mend the ones above first",
		})
	}
	return r.list
}
