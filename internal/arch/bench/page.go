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
		out["images/"+p.file] = plot(p.title, p.axis, lines)
	}
	return out
}

// page is docs/benchmarks.md.
func (r *report) page() string {
	var b strings.Builder
	how := "Times are held against their budgets by the clock."
	if r.Machine.busy() {
		how = "Since others used\nthe machine, times are held against their budgets, and beside other tools, by the\nprocessor's time."
	}
	fmt.Fprintf(&b, `# Benchmarks

Made by %[1]smake bench%[1]s, which takes about five minutes: Go benchmarks, whole processes
over the stand-in for GitHub, and other tools beside ours. Nothing is asserted on time in
tests. The figures are from a machine with %[2]s, %[3]d cores and %[4]d GiB of memory
(%[5]s, %[6]s), where %.1[7]f processes of others wanted a core when it began. %[8]s

## Figures

What a row is held to comes from the project's design. *Ratio* is measured to budget: below
1 is within. *Last* is what was committed before.

`, "`", r.Machine.CPU, r.Machine.Cores, r.Machine.MemoryGiB, r.Machine.System, r.Machine.Go, r.Machine.Load, how)
	b.WriteString("| figure | budget | measured | processor | ratio | last |\n|---|--:|--:|--:|--:|--:|\n")
	for _, row := range r.rows() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString(r.unmet())
	b.WriteString(`
## Beside other tools

In the same run on the same machine. *Ratio* is ours to theirs: below 1 is faster, or less.

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

const notes = `
## How it is measured

- The whole action is the built binary, started as the runner starts it, over a stand-in that
  answers at once; the time is the median of the process, from its start to its end.
- Peak memory is what the system says that the process held at most.
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
		row := []string{f.what, "", "not measured", "", "", ""}
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

// unmet is a section about the figures over their budget, each with the reason.
func (r *report) unmet() string {
	var b strings.Builder
	for _, f := range catalogue {
		if f.over(r) {
			fmt.Fprintf(&b, "- **%s**: %s of %s. %s\n", f.what, amount(r.Machine.judged(r.Figures[f.id]), f.unit), amount(f.budget, f.unit), reasons[f.id])
		}
	}
	if b.Len() == 0 {
		return "\nEvery budget is met.\n"
	}
	return "\n### Over budget, and why\n\n" + b.String()
}

func (r *report) peerRows() [][]string {
	var out [][]string
	for _, c := range comparisons {
		p, ok := r.Peers[c.id]
		row := []string{c.what, "not measured", "", "", c.peer}
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
