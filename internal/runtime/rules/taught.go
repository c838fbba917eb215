package rules

import (
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
)

// checked is a rule with a check that was compiled just now.
type checked struct {
	rule  runtime.Rule
	check *memory.CompiledCheck
	paths []string // of the lesson: where it applies at all
}

// applies says whether the rule looks at a path: its check does, and so do
// the paths of its lesson.
func (c checked) applies(path string) bool {
	return c.check.AppliesTo(path) && memory.MatchGlobs(c.paths, path)
}

func (c checked) candidate(path string) review.Candidate {
	check := c.check.Check()
	out := review.Candidate{Rule: c.rule.ID, Severity: c.check.Severity(), Path: path, Body: check.Because}
	if c.rule.Lesson != "" {
		out.Because = []string{c.rule.Lesson}
	}
	return out
}

// find makes candidates of everything that the rule matches.
func (c checked) find(change diff.Change, emit func(review.Candidate)) {
	if c.check.Check().Kind == memory.CheckWith {
		c.findCompanions(change, emit)
		return
	}
	for _, f := range change.Files {
		if !f.Reviewable() || !c.applies(f.Path) {
			continue
		}
		for l := range f.AddedLines() {
			if start, end, ok := c.check.MatchLine(l.Text); ok {
				emit(c.onLine(f.Path, l, l.Text[start:end]))
			}
		}
	}
}

func (c checked) onLine(path string, l diff.Line, matched string) review.Candidate {
	check := c.check.Check()
	out := c.candidate(path)
	out.Line = l.New
	out.Evidence = evidence(l.Text)
	shown := redact.Cut(matched, 80)
	if check.Kind == memory.CheckNever {
		out.Title = fmt.Sprintf("%q must not be added here", shown)
		return out
	}
	out.Title = fmt.Sprintf("Prefer %q over %q", redact.Cut(check.Prefer, 80), shown)
	out.Recommendation = "Use " + redact.Cut(check.Prefer, 80) + "."
	if text, ok := c.check.Replace(l.Text); ok && redact.Scrub(text) == text {
		out.Replacement = &text
	}
	return out
}

// findCompanions makes one candidate for a change that touches one set of
// paths and not the other.
func (c checked) findCompanions(change diff.Change, emit func(review.Candidate)) {
	trigger, missing := c.check.TouchedWithout(change.Paths())
	if !missing {
		return
	}
	with := strings.Join(c.check.Check().With, " or ")
	for _, path := range trigger {
		// What was deleted, or where a file was, is no place for a note.
		f, ok := change.File(path)
		if !ok || !memory.MatchGlobs(c.paths, path) {
			continue
		}
		out := c.candidate(f.Path)
		out.Title = fmt.Sprintf("This change needs %s as well", with)
		out.Evidence = fmt.Sprintf("touches %s and nothing of %s", f.Path, with)
		out.Recommendation = fmt.Sprintf("Change %s too, or say why it stays as it is.", with)
		emit(out)
		return
	}
}
