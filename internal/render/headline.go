package render

import (
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/review"
)

// headline returns the one honest line: outcome, coverage, head, run.
func (m Status) headline(d dialect) string {
	lead, rest := m.verdict(d)
	line := d.strong(lead)
	if rest != "" {
		line += " " + rest
	}
	switch {
	case m.Head != "":
		line += " at " + d.code(shortSHA(m.Head))
	case m.Local && m.Coverage.Files > 0:
		line += " in the work tree"
	}
	if m.Change != "" {
		line += " (" + d.text(excerpt(m.Change, maxClause)) + ")"
	}
	return joined(" · ", line+".", d.link("run", m.RunURL))
}

// verdict returns the outcome in words: what stands out, and the rest of the
// clause.
func (m Status) verdict(d dialect) (lead, rest string) {
	because := ""
	if m.Detail != "" {
		because = "(" + d.prose(excerpt(m.Detail, maxClause)) + ")"
	}
	switch m.outcome() {
	case Reviewed:
		return m.reviewed("")
	case PartlyReviewed:
		lead, rest = m.reviewed("Partly reviewed")
		return lead, joined(" ", rest, because)
	case MemoryUnavailable:
		lead, rest = m.reviewed("Reviewed without memory")
		return lead, joined(" ", because, rest)
	case CommandsApplied:
		return m.answered()
	case NothingToDo:
		return "Nothing new", joined(" ", "since the last review", because)
	case Superseded:
		return "Superseded", "by a newer head; nothing of this review is published"
	case RateLimited:
		return "Not reviewed: rate limited", because
	}
	return "Not reviewed: the run failed", because
}

// reviewed says what was found, in how much of the change.
func (m Status) reviewed(prefix string) (lead, rest string) {
	c := m.Coverage
	if c.Files == 0 {
		return joined(": ", prefix, "Nothing to review"), "in this change: it has no file that I read"
	}
	lead = joined(": ", prefix, findingsCount(m.Findings))
	if c.Reviewed < c.Files {
		return lead, "in " + strconv.Itoa(max(c.Reviewed, 0)) + " of " + count(c.Files, "file")
	}
	return lead, "in " + count(c.Files, "file")
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
	}
	return strconv.Itoa(done) + " of " + count(len(m.Answers), "command") + " done", ""
}

// findingsCount returns "3 findings (1 high, 2 low)", gravest first.
func findingsCount(findings []review.Finding) string {
	if len(findings) == 0 {
		return "No findings"
	}
	out := count(len(findings), "finding")
	if by := bySeverity(findings); by != "" {
		out += " (" + by + ")"
	}
	return out
}

func bySeverity(findings []review.Finding) string {
	n := map[contract.Severity]int{}
	for _, f := range findings {
		n[f.Severity]++
	}
	var parts []string
	for _, s := range []contract.Severity{contract.SeverityCritical, contract.SeverityHigh, contract.SeverityMedium,
		contract.SeverityLow, contract.SeverityInfo} {
		if n[s] > 0 {
			parts = append(parts, strconv.Itoa(n[s])+" "+string(s))
		}
	}
	return strings.Join(parts, ", ")
}

// gaps are the lines below the headline that say what the review does not
// cover.
func (m Status) gaps(d dialect) []string {
	var out []string
	if n := len(m.Coverage.Unreviewed); n > 0 {
		out = append(out, "Not reviewed: "+m.unreviewed(d)+".")
	}
	if m.Coverage.Outside > 0 {
		out = append(out, "The reviewer claims to have read "+count(m.Coverage.Outside, "file")+" that this change does not have; not counted.")
	}
	if line := dropped(d, m.Dropped); line != "" {
		out = append(out, line)
	}
	out = append(out, m.skipped(d)...)
	for i, note := range m.Notes {
		if i == shownNotes {
			out = append(out, "And "+count(len(m.Notes)-i, "more warning")+".")
			break
		}
		out = append(out, d.prose(excerpt(note, maxClause)))
	}
	if m.GateOff {
		out = append(out, d.strong("Approval is off here:")+" what the reviewer proposes becomes memory without a person.")
	}
	return out
}

// Bounds of what stands above the sections and is never cut away.
const (
	shownGaps  = 5   // files and rules that are named
	shownNotes = 10  // warnings
	maxClause  = 400 // characters of one clause
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

// plainReason turns a stable word ("too_large") into words.
func plainReason(s string) string { return strings.ReplaceAll(s, "_", " ") }
