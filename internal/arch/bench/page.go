package main

import (
	"fmt"
	"strconv"
	"strings"
)

// pages are the files of docs that a report is shown in.
func (r *report) pages() map[string]string {
	out := map[string]string{"benchmarks.md": r.page()}
	for _, p := range plots {
		var lines []line
		for _, s := range p.lines {
			lines = append(lines, line{s.name, r.Growth[s.id]})
		}
		out["images/"+p.file] = plot(p.title, p.axis, p.unit, lines)
	}
	return out
}

// page is docs/benchmarks.md.
func (r *report) page() string {
	var b strings.Builder
	how := "Times are held against their budgets by the clock."
	if r.Machine.busy() {
		how = fmt.Sprintf("Since %.1f processes of others wanted a core when it began, times are held against their\nbudgets, and beside other tools, by the processor's time.", r.Machine.Load)
	}
	fmt.Fprintf(&b, `# Benchmarks

Made by %[1]smake bench%[1]s, %[8]s: Go benchmarks, whole processes over the
stand-in for GitHub, and other tools beside ours. Nothing is asserted on time in tests.
The figures are from a machine with %[2]s, %[3]d cores and %[4]d GiB of memory (%[5]s, %[6]s).
%[7]s
%[9]s

## Figures

A budget comes from the project's design. *Processor* is the processor's time of the same, all
cores together. *Ratio* is measured to budget: below 1 is within. *Last* is what was committed before.

`, "`", r.Machine.CPU, r.Machine.Cores, r.Machine.MemoryGiB, r.Machine.System, r.Machine.Go, how, r.took(), r.of())
	b.WriteString("| figure | budget | measured | processor | ratio | last |\n|---|--:|--:|--:|--:|--:|\n")
	for _, row := range r.rows() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString(r.unmet())
	b.WriteString(`
## Beside other tools

In the same run on the same machine. *Ratio* is ours to theirs: below 1 is faster, or less. The
two sides seldom do the same: the rows say what each does, and a ratio says what ours costs for
what it does, not that one tool is better.

| work | ours | theirs | ratio | the other |
|---|--:|--:|--:|---|
`)
	for _, row := range r.peerRows() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n## Growth\n\nBoth axes are logarithmic; the dotted line is what grows as its size does.\n")
	for _, p := range plots {
		fmt.Fprintf(&b, "\n![%s](images/%s)\n", p.title, p.file)
	}
	b.WriteString(notes)
	return b.String()
}

// took says how long it ran, where one run measured every part.
func (r *report) took() string {
	if r.Seconds == 0 {
		return "part by part"
	}
	return fmt.Sprintf("which took %d seconds here", r.Seconds)
}

const notes = `
## How it is measured

- The whole action is the built binary, started as the runner starts it, over a stand-in that
  answers at once; the time is the median of the process, from its start to its end.
- Peak memory is what the system says that the process held at most.
- Where others use the machine, a tool that uses several cores at once looks slower by the
  processor's time than by the clock.
- The library of gitleaks is asked for secrets alone; ours also looks for personal data and for
  credentials that gitleaks misses. ` + "`gitleaks dir`" + ` finds secrets in a folder; ours reads git, reviews the
  change with every rule and looks for secrets in what it added.
- Plain FTS5 is told beforehand which words are rare, and has neither scopes, states nor globs. By
  hand, nothing checks rows against constraints, merges, or takes forgotten words out of an index.
- Reviewdog's binary has no store and no rules in it. ` + "`git apply --stat`" + ` counts lines; ours keeps each.
- Loads and saves leave out the network: a container lies in memory. A load verifies the seal,
  decrypts, decompresses, checks every row and opens.
- Stores are of generated lessons of three sentences, a third of them with globs.
- Calls and round trips are those that ` + "`TestCallsOfARun`" + ` counts and holds.
- What a month costs is in [cost.md](cost.md); what a storm of faults does, in [soak.md](soak.md).
`

// rows are the table of figures without its head.
func (r *report) rows() [][]string {
	var out [][]string
	for _, f := range catalogue {
		got, ok := r.Figures[f.id]
		row := []string{f.what, "", r.unmeasured(f.partOf()), "", "", ""}
		if f.budgeted {
			row[1] = amount(f.budget, f.unit)
		}
		if ok {
			row[2] = amount(got.Now, f.unit)
			row[4] = f.ratio(r.Machine.judged(got))
		}
		if got.CPU > 0 {
			row[3] = amount(got.CPU, f.unit)
		}
		if got.Last > 0 {
			row[5] = amount(got.Last, f.unit)
		}
		out = append(out, row)
	}
	return out
}

// unmeasured says why a row has no figure.
func (r *report) unmeasured(part string) string {
	if why := r.Failed[part]; why != "" {
		return "failed: " + strings.ReplaceAll(why, "|", "\\|")
	}
	return "not measured"
}

func (f figure) ratio(now float64) string {
	switch {
	case !f.budgeted:
		return ""
	case f.budget > 0:
		return fmt.Sprintf("%.2f", now/f.budget)
	case now == 0:
		return "0.00"
	}
	return "over"
}

// over says whether a figure is above its budget.
func (f figure) over(r *report) bool {
	got, ok := r.Figures[f.id]
	return ok && f.budgeted && r.Machine.judged(got) > f.budget
}

// unmet is a section about the figures over their budget, those with one
// reason together.
func (r *report) unmet() string {
	var why []string
	over := map[string][]string{}
	whole := "" // that a row which begins with "its" belongs to
	for _, f := range catalogue {
		name := f.what
		if part, ok := strings.CutPrefix(f.what, "its "); ok {
			name = whole + ", " + part
		} else {
			whole = f.what
		}
		if !f.over(r) {
			continue
		}
		reason := reasons[f.id]
		if len(over[reason]) == 0 {
			why = append(why, reason)
		}
		over[reason] = append(over[reason], fmt.Sprintf("**%s**: %s of %s", name, amount(r.Machine.judged(r.Figures[f.id]), f.unit), amount(f.budget, f.unit)))
	}
	if len(why) == 0 {
		return "\nEvery budget is met.\n"
	}
	var b strings.Builder
	b.WriteString("\n### Over budget, and why\n\n")
	for _, reason := range why {
		fmt.Fprintf(&b, "- %s. %s\n", strings.Join(over[reason], "; "), reason)
	}
	return b.String()
}

func (r *report) peerRows() [][]string {
	var out [][]string
	for _, c := range comparisons {
		p, ok := r.Peers[c.id]
		row := []string{c.what, r.unmeasured(c.part), "", "", c.peer}
		if ok {
			row[1] = amount(p.Ours, c.unit)
		}
		if p.Version != "" {
			row[4] += " (" + p.Version + ")"
		}
		switch {
		case p.Missing != "":
			row[2] = p.Missing
		case p.Theirs > 0:
			row[2], row[3] = amount(p.Theirs, c.unit), fmt.Sprintf("%.2f", p.Ours/p.Theirs)
		}
		out = append(out, row)
	}
	return out
}

// amount is a number with its unit, as many digits as it was measured with.
func amount(n float64, unit string) string {
	text := strconv.FormatFloat(n, 'f', -1, 64)
	switch unit {
	case "calls", "deep":
		return text
	}
	return text + " " + unit
}

// terminal is both tables, for whoever ran it.
func (r *report) terminal() string {
	rows := append([][]string{{"figure", "budget", "measured", "processor", "ratio", "last"}}, r.rows()...)
	peers := append([][]string{{"work", "ours", "theirs", "ratio", "the other"}}, r.peerRows()...)
	return aligned(rows) + "\n" + aligned(peers) + fmt.Sprintf("\n%s, %d cores, %d GiB; %d s\n", r.Machine.CPU, r.Machine.Cores, r.Machine.MemoryGiB, r.Seconds)
}

// aligned puts the columns of a table under each other.
func aligned(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var cells []string
		for i, cell := range row {
			cells = append(cells, fmt.Sprintf("%-*s", widths[i], cell))
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, "  "), " ") + "\n")
	}
	return b.String()
}
