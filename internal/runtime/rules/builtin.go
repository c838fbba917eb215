package rules

import (
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/review"
)

// BuiltIn is one rule that comes with familiar (page 7.2).
type BuiltIn struct {
	ID       string // "builtin/<name>", as review.disable_rules takes it
	Title    string // the title of its findings
	Severity contract.Severity
	// About says what it finds, and Leaves what it leaves alone on purpose;
	// both are sentences of docs/rules.md.
	About, Leaves string
	Bad, Good     Example

	advice string
	find   func(v *view, emit func(hit))
}

// Example is a small change that a rule finds something in, or does not.
type Example struct {
	Path  string            // the file that is touched
	Added string            // its added lines
	Head  map[string]string // other files at the head
}

// hit is what a built-in rule found, before it becomes a candidate.
type hit struct {
	file     *file
	line     int    // 0: the file
	evidence string // "": the text of the line
	body     string // what this one is about; one or two sentences
	severity contract.Severity
}

// BuiltIns lists the built-in rules in the order of their ids.
func BuiltIns() []BuiltIn {
	return []BuiltIn{
		secretCommitted, conflictMarker, debuggerLeftover, downloadToShell, focusedTest, generatedAlone,
		hiddenUnicode, dependencyLocal, lockfileStale, newBinary, skippedTest, workflowDanger,
	}
}

// builtIn returns the built-in rule of an id.
func builtIn(id string) (BuiltIn, bool) {
	for _, b := range BuiltIns() {
		if b.ID == id {
			return b, true
		}
	}
	return BuiltIn{}, false
}

// candidate makes a finding of a hit.
func (b BuiltIn) candidate(h hit) review.Candidate {
	c := review.Candidate{
		Rule: b.ID, Severity: b.Severity, Path: h.file.Path, Line: h.line,
		Title: b.Title, Body: h.body, Recommendation: b.advice, Evidence: h.evidence,
	}
	if h.severity != "" {
		c.Severity = h.severity
	}
	if c.Evidence == "" && h.line > 0 {
		text, _ := h.file.LineText(h.line)
		c.Evidence = evidence(text)
	}
	return c
}

// maxEvidence bounds how much of a line is quoted, in characters.
const maxEvidence = 300

func evidence(line string) string {
	return redact.Cut(strings.TrimRight(line, " \t"), maxEvidence)
}

// at is a hit on one added line.
func at(f *file, l diff.Line, body string) hit { return hit{file: f, line: l.New, body: body} }
