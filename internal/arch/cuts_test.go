package arch

import (
	"go/ast"
	"go/token"
	"testing"
)

// shortening are the files that may shorten a text for showing, with what
// makes sure that no secret is cut there before it is looked for (issue 6:
// scan first, truncate after).
var shortening = map[string]string{
	"redact/cut.go":           "the door: it scrubs the whole first",
	"text/display.go":         "a pure cut, whose callers scrub before: redact is beside it, not above",
	"render/wrap.go":          "columns of a terminal, of what the store or a review holds: both were scrubbed",
	"render/dialect.go":       "one line of a stored lesson, which holds no secret",
	"cli/completion.go":       "the first line of a stored lesson",
	"github/forms.go":         "GitHub's own words, after everything like a token was hidden",
	"review/candidate.go":     "scrub.go looks at sixteen times as much as is kept, before",
	"runtime/adapt/headed.go": "the message is scrubbed before its title is cut",
}

// TestTextOfPeopleIsCutAtOneDoor finds whatever adds an ellipsis to a text:
// it was shortened to be shown.
func TestTextOfPeopleIsCutAtOneDoor(t *testing.T) {
	cuts := map[string]bool{}
	for _, s := range sources(t) {
		if testHelper(s.file) {
			continue
		}
		goesOn, named := map[ast.Expr]bool{}, valuesOf(s.ast)
		ast.Inspect(s.ast, func(n ast.Node) bool {
			var ends ast.Expr
			switch n := n.(type) {
			case *ast.BinaryExpr:
				goesOn[n.X] = true // base + "..." + head is no cut
				if n.Op == token.ADD && !goesOn[n] {
					ends = n.Y
				}
			case *ast.CallExpr:
				if len(n.Args) == 1 {
					ends = n.Args[0]
				}
			}
			if end, ok := spelled(ends, named); ok && (end == "..." || end == "…") {
				cuts[s.file] = true
			}
			return true
		})
	}
	for file := range cuts {
		if shortening[file] == "" {
			t.Errorf("%s shortens a text for showing; use redact.Cut, which scrubs it first", file)
		}
	}
	for file := range shortening {
		if !cuts[file] {
			t.Errorf("%s shortens nothing any more, or the search does not see it", file)
		}
	}
}
