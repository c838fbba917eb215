package githubtest

import (
	"fmt"
	"slices"
	"strings"
)

// contextLines is how many equal lines stand around a change.
const contextLines = 3

// edit is one line of a comparison: ' ' in both, '-' before, '+' after.
type edit struct {
	op       byte
	text     string // with its line end, if it has one
	old, new int    // line numbers, from 1; on the side that lacks it, the last one before
}

// lines splits a text and keeps the line ends.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	out := strings.SplitAfter(s, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// compareLines is the shortest way from one text to the other.
func compareLines(a, b []string) []edit {
	var head, tail int
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var ops []byte
	ops = append(ops, slices.Repeat([]byte{' '}, head)...)
	ops = append(ops, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	ops = append(ops, slices.Repeat([]byte{' '}, tail)...)
	out := make([]edit, 0, len(ops))
	i, j := 0, 0
	for _, op := range ops {
		e := edit{op: op}
		switch op {
		case ' ':
			e.text, i, j = a[i], i+1, j+1
		case '-':
			e.text, i = a[i], i+1
		case '+':
			e.text, j = b[j], j+1
		}
		e.old, e.new = i, j
		out = append(out, e)
	}
	return out
}

// tooDifferent bounds the search; beyond it all of the old goes and all of
// the new comes.
const tooDifferent = 2000

// middle is Myers' greedy search over what the two texts do not share at
// their ends. It keeps the furthest points of every step to walk back on.
func middle(a, b []string) []byte {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return append(slices.Repeat([]byte{'-'}, n), slices.Repeat([]byte{'+'}, m)...)
	}
	most := min(n+m, tooDifferent)
	v := make([]int, 2*most+3)
	at := func(k int) int { return k + most + 1 }
	var steps [][]int
	for d := 0; d <= most; d++ {
		steps = append(steps, slices.Clone(v[at(-d-1):at(d+1)+1]))
		for k := -d; k <= d; k += 2 {
			x := v[at(k-1)] + 1
			if k == -d || k != d && v[at(k-1)] < v[at(k+1)] {
				x = v[at(k+1)]
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			v[at(k)] = x
			if x >= n && x-k >= m {
				return walkBack(steps, n, m)
			}
		}
	}
	return append(slices.Repeat([]byte{'-'}, n), slices.Repeat([]byte{'+'}, m)...)
}

func walkBack(steps [][]int, x, y int) []byte {
	var ops []byte
	for d := len(steps) - 1; d >= 0; d-- {
		v := steps[d] // v[k+d+1] is the furthest x on diagonal k
		k := x - y
		prev := k - 1
		if k == -d || k != d && v[k-1+d+1] < v[k+1+d+1] {
			prev = k + 1
		}
		px := v[prev+d+1]
		if d == 0 {
			px = 0
		}
		py := px - prev
		if d == 0 {
			py = 0
		}
		for x > px && y > py {
			ops = append(ops, ' ')
			x, y = x-1, y-1
		}
		if d > 0 {
			if x == px {
				ops = append(ops, '+')
			} else {
				ops = append(ops, '-')
			}
			x, y = px, py
		}
	}
	slices.Reverse(ops)
	return ops
}

// patch is a file's hunks without a file header and without a line end after
// the last line, as GitHub gives them, and how many lines came and went.
func patch(before, after string) (text string, added, deleted int) {
	all := compareLines(lines(before), lines(after))
	var b strings.Builder
	for from := 0; from < len(all); {
		first := slices.IndexFunc(all[from:], func(e edit) bool { return e.op != ' ' })
		if first < 0 {
			break
		}
		start := max(from+first-contextLines, 0)
		end := hunkEnd(all, from+first)
		writeHunk(&b, all, start, end)
		from = end
	}
	for _, e := range all {
		switch e.op {
		case '+':
			added++
		case '-':
			deleted++
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), added, deleted
}

// hunkEnd is where a hunk stops: changes less than two contexts apart share
// one.
func hunkEnd(all []edit, at int) int {
	last := at
	for i := at; i < len(all) && i <= last+2*contextLines+1; i++ {
		if all[i].op != ' ' {
			last = i
		}
	}
	return min(last+contextLines+1, len(all))
}

func writeHunk(b *strings.Builder, all []edit, start, end int) {
	var old, new int
	for _, e := range all[start:end] {
		if e.op != '+' {
			old++
		}
		if e.op != '-' {
			new++
		}
	}
	beforeOld, beforeNew := 0, 0
	if start > 0 {
		beforeOld, beforeNew = all[start-1].old, all[start-1].new
	}
	fmt.Fprintf(b, "@@ -%s +%s @@%s\n", span(beforeOld, old), span(beforeNew, new), heading(all[:start]))
	for _, e := range all[start:end] {
		b.WriteByte(e.op)
		b.WriteString(e.text)
		if !strings.HasSuffix(e.text, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// span is git's notation: an empty side names the line before it, a single
// line stands without its count.
func span(before, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, n)
}

// heading is the last line before a hunk that begins with a letter, _ or $.
func heading(before []edit) string {
	for i := len(before) - 1; i >= 0; i-- {
		e := before[i]
		if e.op == '+' || e.text == "" {
			continue
		}
		c := e.text[0]
		if c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			text := strings.TrimRight(e.text, " \t\r\n")
			return " " + strings.ToValidUTF8(text[:min(len(text), 80)], "")
		}
	}
	return ""
}

// movedLine is where a line of the old text stands in the new one, or 0.
func movedLine(before, after string, line int) int {
	for _, e := range compareLines(lines(before), lines(after)) {
		if e.op == ' ' && e.old == line {
			return e.new
		}
	}
	return 0
}
