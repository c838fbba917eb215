package render

import (
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/review"
)

// headline returns the one honest line: outcome, coverage, head, run.
func (m Status) headline(d dialect) string {
	lead, rest := m.verdict()
	line := joined(" ", d.strong(lead), rest, m.where(d))
	if m.Change != "" {
		line += " (" + d.text(excerpt(m.Change, maxClause)) + ")"
	}
	if m.Detail != "" && !m.longDetail() {
		line += ": " + d.prose(excerpt(m.Detail, maxClause))
	}
	return joined(" · ", line, d.link("run", m.RunURL))
}

// longDetail says whether the detail is more than a clause, and stands on a
// line of its own so that the headline stays one.
func (m Status) longDetail() bool {
	return len(m.Detail) > shortClause || strings.Contains(m.Detail, ". ")
}

func (m Status) where(d dialect) string {
	switch {
	case m.Head != "":
		return "at " + d.code(shortSHA(m.Head))
	case m.Local && m.Coverage.Files > 0:
		return "in the work tree"
	}
	return ""
}

// verdict returns the outcome in words: what stands out, and the rest of the
// clause.
func (m Status) verdict() (lead, rest string) {
	switch m.outcome() {
	case review.Reviewed:
		return m.reviewed("")
	case review.PartlyReviewed:
		return m.reviewed("Partly reviewed")
	case review.MemoryUnavailable:
		if m.Coverage.Files == 0 {
			return "Memory unavailable", ""
		}
		return m.reviewed("Reviewed without memory")
	case review.CommandsApplied:
		return m.answered()
	case review.NothingToDo:
		if m.Detail != "" {
			return "Nothing to review", ""
		}
		if m.Local || len(m.Coverage.Unreviewed) > 0 || len(m.Dropped) > 0 {
			// There was a look, and no earlier one: it found no file to read.
			return m.reviewed("")
		}
		return "Nothing new", "since the last review"
	case review.Superseded:
		return "Superseded", "by a newer head; nothing is published of the review"
	case review.RateLimited:
		return "Not reviewed: rate limited", ""
	}
	return "Not reviewed: the run failed", ""
}

// reviewed says what was found, in how much of the change.
func (m Status) reviewed(prefix string) (lead, rest string) {
	c, found := m.Coverage, findingsCount(m.Findings)
	if prefix != "" {
		found = prefix + ": " + lowerFirst(found)
	}
	switch {
	case c.Files == 0:
		return "Nothing to review", "in this change: it has no file that I read"
	case c.Reviewed <= 0 && len(m.Findings) == 0:
		return "Nothing reviewed", "of " + count(c.Files, "file")
	case c.Reviewed < c.Files:
		return found, "in " + strconv.Itoa(max(c.Reviewed, 0)) + " of " + count(c.Files, "file")
	}
	return found, "in " + count(c.Files, "file")
}

// greeting is what the first comment in a repository says.
func (m Status) greeting(d dialect) string {
	out := "Hello. I review pull requests here and remember what maintainers teach me. " +
		d.typed(m.command("remember TEXT")) + " teaches, " + d.typed(m.command("help")) + " lists the rest."
	if m.MemoryOff != "" {
		out += " Memory is off for now: " + d.prose(excerpt(m.MemoryOff, maxClause)) + "."
	}
	return out
}

func (m Status) answered() (lead, rest string) {
	done := 0
	for _, a := range m.Answers {
		if a.Done {
			done++
		}
	}
	switch {
	case len(m.Answers) == 0:
		return "No command", "to do"
	case done == len(m.Answers):
		return count(done, "command") + " done", ""
	case done == 0:
		return count(len(m.Answers), "command") + " not done", ""
	}
	return strconv.Itoa(done) + " of " + count(len(m.Answers), "command") + " done", ""
}

// findingsCount returns "3 findings (1 high, 2 low)", gravest first.
func findingsCount(findings []review.Finding) string {
	n := map[contract.Severity]int{}
	for _, f := range findings {
		n[f.Severity]++
	}
	var parts []string
	for _, s := range gravestFirst {
		switch {
		case n[s] == 0:
		case n[s] == len(findings) && n[s] == 1:
			parts = append(parts, string(s))
		case n[s] == len(findings):
			parts = append(parts, "all "+string(s))
		default:
			parts = append(parts, strconv.Itoa(n[s])+" "+string(s))
		}
	}
	switch {
	case len(findings) == 0:
		return "No findings"
	case len(parts) == 0:
		return count(len(findings), "finding")
	}
	return count(len(findings), "finding") + " (" + strings.Join(parts, ", ") + ")"
}

var gravestFirst = []contract.Severity{contract.SeverityCritical, contract.SeverityHigh, contract.SeverityMedium,
	contract.SeverityLow, contract.SeverityInfo}

// gaps are the lines below the headline that say what the review does not
// cover.
func (m Status) gaps(d dialect) []string {
	var out []string
	if m.longDetail() {
		out = append(out, sentence(d.prose(upperFirst(excerpt(m.Detail, maxClause)))))
	}
	if n := len(m.Coverage.Unreviewed); n > 0 {
		out = append(out, "Not reviewed: "+m.unreviewed(d)+".")
	}
	if m.Coverage.Outside > 0 {
		out = append(out, "The reviewer claims to have read "+count(m.Coverage.Outside, "file")+" that this change does not have; not counted.")
	}
	if line := dropped(d, m.Dropped); line != "" {
		out = append(out, line)
	}
	if line := m.dismissed(d); line != "" {
		out = append(out, line)
	}
	out = append(out, m.skipped(d)...)
	for i, note := range m.Notes {
		if i == shownNotes {
			out = append(out, "And "+count(len(m.Notes)-i, "more warning")+".")
			break
		}
		out = append(out, nonEmpty(sentence(d.prose(excerpt(note, maxClause))))...)
	}
	if m.GateOff {
		out = append(out, d.strong("Approval is off here:")+" what the reviewer proposes becomes memory without a person.")
	}
	return out
}

// Bounds of what stands above the sections and is never cut away.
const (
	shownGaps   = 5   // files and rules that are named
	shownNotes  = 10  // warnings
	maxClause   = 400 // characters of one clause
	shortClause = 100 // bytes of one that may stand in the headline
)

func (m Status) unreviewed(d dialect) string {
	var parts []string
	for i, g := range m.Coverage.Unreviewed {
		if i == shownGaps {
			parts = append(parts, "and "+strconv.Itoa(len(m.Coverage.Unreviewed)-i)+" more")
			break
		}
		part := d.code(excerpt(g.Path, maxClause))
		if g.Reason != "" {
			part += " (" + d.text(excerpt(plainReason(g.Reason), maxClause)) + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func (m Status) skipped(d dialect) []string {
	var out []string
	for i, s := range m.Skipped {
		if i == shownGaps {
			return append(out, "And "+count(len(m.Skipped)-i, "more rule")+" could not be applied.")
		}
		line := "Rule " + d.code(excerpt(s.Rule, maxClause)) + " was not applied"
		if s.Path != "" {
			line += " to " + d.code(excerpt(s.Path, maxClause))
		}
		out = append(out, line+": "+strings.TrimSuffix(d.prose(excerpt(plainReason(s.Reason), maxClause)), ".")+".")
	}
	return out
}

// sentence ends what is said as one.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") || strings.HasSuffix(s, "...") {
		return s
	}
	return s + "."
}

// plainReason turns a stable word ("too_large") into words.
func plainReason(s string) string { return strings.ReplaceAll(s, "_", " ") }
