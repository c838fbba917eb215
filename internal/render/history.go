package render

import (
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/review"
)

// HistoryItem is one of several changes that were reviewed in a row.
type HistoryItem struct {
	Commit string // SHA
	Title  string // subject of the commit
	Status Status
}

// TerminalHistory returns a list of changes for a terminal: one line for a
// change without findings, the findings below it for others, what was not
// reviewed, and the totals.
func TerminalHistory(items []HistoryItem, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	var b strings.Builder
	for _, it := range items {
		b.WriteString(it.line(d, w))
		b.WriteString(it.below(d, w))
	}
	if len(items) > 0 {
		b.WriteString("\n")
	}
	for _, line := range totals(d, items) {
		b.WriteString(wrap(line, "", "", w))
	}
	return b.String()
}

// line is "4f2a91c03b  2 findings   12 files  Round half-even".
func (it HistoryItem) line(d dialect, w int) string {
	result := it.result()
	shown := padded(result, 14)
	if result != resultClean {
		shown = padded(d.strong(result), 14)
	}
	head := padded(d.code(clip(Plain(shortSHA(it.Commit)), 10)), 10) + "  " + shown + "  " + padded(count(it.Status.Coverage.Files, "file"), 10) + "  "
	return strings.TrimRight(head+clip(Plain(it.Title), w-columns(head)), " ") + "\n"
}

const resultClean = "no findings"

func (it HistoryItem) result() string {
	n := len(it.Status.Findings)
	switch o := it.Status.outcome(); {
	case n > 0:
		return count(n, "finding")
	case o == review.PartlyReviewed:
		return "partly"
	case o != review.Reviewed && o != review.MemoryUnavailable && o != review.NothingToDo:
		return "not reviewed"
	case it.Status.Coverage.Files == 0:
		return "no files"
	}
	return resultClean
}

// below are the lines under a change that is not clean.
func (it HistoryItem) below(d dialect, w int) string {
	var b strings.Builder
	for _, e := range it.Status.findings(d).entries {
		b.WriteString(e.terminal(w))
	}
	switch it.result() {
	case "not reviewed":
		b.WriteString(wrap(it.Status.headline(d), "  ", "      ", w))
	case "partly":
		for _, line := range it.Status.gaps(d) {
			b.WriteString(wrap(line, "  ", "      ", w))
		}
	default:
		if len(it.Status.Coverage.Unreviewed) > 0 {
			b.WriteString(wrap("Not reviewed: "+it.Status.unreviewed(d)+".", "  ", "      ", w))
		}
	}
	return b.String()
}

// totals are the last lines: what all changes together gave.
func totals(d dialect, items []HistoryItem) []string {
	var findings []review.Finding
	var files, with, clean, partly, not int
	lessons := map[string]bool{}
	for _, it := range items {
		findings = append(findings, it.Status.Findings...)
		files += it.Status.Coverage.Files
		switch it.result() {
		case "not reviewed":
			not++
		case "partly":
			partly++
		case resultClean, "no files":
			clean++
		default:
			with++
		}
		for _, f := range it.Status.Findings {
			for _, id := range f.Because {
				lessons[id] = true
			}
		}
	}
	first := d.strong(count(len(items), "change")+", "+count(files, "file")+":") + " " + lowerFirst(findingsCount(findings))
	if with > 0 {
		first += " in " + count(with, "change")
	}
	if len(findings) > 0 {
		first += "; " + strconv.Itoa(clean) + " without any"
	}
	for _, p := range []struct {
		n    int
		what string
	}{{partly, "only partly reviewed"}, {not, "not reviewed"}} {
		if p.n > 0 {
			first += ", " + strconv.Itoa(p.n) + " " + p.what
		}
	}
	out := []string{first + "."}
	if len(lessons) > 0 {
		out = append(out, "Shaped by "+count(len(lessons), "lesson")+": "+codes(d, sortedKeys(lessons))+".")
	}
	return out
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
