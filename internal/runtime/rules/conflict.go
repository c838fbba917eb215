package rules

import (
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
)

var conflictMarker = BuiltIn{
	ID: "builtin/conflict-marker", Title: "Merge conflict marker left in", Severity: contract.SeverityHigh,
	About:  "Lines that git writes into a file whose merge it could not finish.",
	Leaves: "Underlines of seven equals signs, quoted mail in prose, indented examples, data of tests.",
	Bad:    Example{Path: "app/main.py", Added: "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> topic"},
	Good:   Example{Path: "README.rst", Added: "Heading\n=======\n\n>>>>>>> quoted by somebody"},
	advice: "Finish the merge: keep one side, or both, and delete the marker lines.",
	find:   findConflicts,
}

const (
	markOurs   = "<<<<<<< "
	markBase   = "||||||| "
	markTheirs = ">>>>>>> "
)

// findConflicts reports one finding a file. In prose a lone marker may be a
// quotation, so there only a whole conflict counts.
func findConflicts(v *view, emit func(hit)) {
	for _, f := range v.files {
		if f.fixture || f.vendored || f.Binary {
			continue
		}
		first, ours, middle, whole := 0, false, false, false
		for _, l := range f.added {
			switch {
			case strings.HasPrefix(l.Text, markOurs):
				ours, middle = true, false
			case l.Text == "=======":
				middle = ours
				continue
			case strings.HasPrefix(l.Text, markTheirs):
				whole = whole || middle
			case !strings.HasPrefix(l.Text, markBase):
				continue
			}
			if first == 0 {
				first = l.New
			}
		}
		if first > 0 && (whole || !f.example() && !f.test) {
			emit(hit{file: f, line: first, body: "The file still holds the lines that mark both sides of a conflict."})
		}
	}
}
