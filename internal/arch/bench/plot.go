package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// line is one line of a plot.
type line struct {
	name   string
	points []point // by size
}

// The picture's size, and the frame that the lines are in.
const (
	width, height           = 720, 380
	left, right, top, below = 70, 560, 50, 330
)

// plotStyle gives words and lines colours that can be read on a light and on a
// dark page.
const plotStyle = `  text { font: 12px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328 }
  .t { font-size: 15px; font-weight: 600 } .g { stroke: #d1d9e0; stroke-width: 1 } .n { stroke: #59636e; stroke-dasharray: 2 4; fill: none }
  .l { fill: none; stroke-width: 2 } .s0 { stroke: #0969da } .s1 { stroke: #bc4c00 } .s2 { stroke: #1a7f37 } .s3 { stroke: #8250df }
  .f0 { fill: #0969da } .f1 { fill: #bc4c00 } .f2 { fill: #1a7f37 } .f3 { fill: #8250df } .card { fill: #fff; stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .g { stroke: #3d444d } .n { stroke: #9198a1 } .card { fill: #0d1117; stroke: #3d444d }
    .s0 { stroke: #4493f8 } .s1 { stroke: #db6d28 } .s2 { stroke: #3fb950 } .s3 { stroke: #ab7df8 }
    .f0 { fill: #4493f8 } .f1 { fill: #db6d28 } .f2 { fill: #3fb950 } .f3 { fill: #ab7df8 }
  }
`

// scale turns logarithms into places.
type scale struct{ low, high, from, to float64 }

func (s scale) at(v float64) float64 {
	return s.from + (math.Log10(v)-s.low)/(s.high-s.low)*(s.to-s.from)
}

// plot draws lines over two logarithmic axes, with the name of each at its end.
func plot(title, axis, unit string, lines []line) string {
	x, y := scales(lines)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%[3]s">
<style>
%[4]s</style>
  <rect class="card" x="0.5" y="0.5" width="%[5]d" height="%[6]d" rx="6"/>
  <text class="t" x="20" y="28">%[3]s</text>
`, width, height, html.EscapeString(title), plotStyle, width-1, height-1)
	grid(&b, x, y, axis, unit)
	labels := map[int]bool{}
	for i, l := range lines {
		if len(l.points) > 0 {
			draw(&b, i, l, unit, x, y, labels)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// scales cover whole powers of ten on the axis of costs, and the sizes on the
// other.
func scales(lines []line) (x, y scale) {
	x, y = scale{math.Inf(1), math.Inf(-1), left, right}, scale{math.Inf(1), math.Inf(-1), below, top}
	for _, l := range lines {
		for _, p := range l.points {
			size, cost := math.Log10(p.Size), math.Log10(p.Cost)
			x.low, x.high = min(x.low, size), max(x.high, size)
			y.low, y.high = min(y.low, math.Floor(cost)), max(y.high, math.Ceil(cost))
		}
	}
	if x.low >= x.high {
		x.low, x.high = 0, 1
	}
	if y.low >= y.high {
		y.low, y.high = 0, 1
	}
	return x, y
}

// grid draws the axes, and the line of what grows as its size.
func grid(b *strings.Builder, x, y scale, axis, unit string) {
	for power := math.Ceil(y.low); power <= y.high; power++ {
		v := math.Pow(10, power)
		fmt.Fprintf(b, "  <path class=\"g\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left, y.at(v), right, left-8, y.at(v)+4, cost(v, unit))
	}
	for power := math.Ceil(x.low); power <= x.high; power++ {
		v := math.Pow(10, power)
		fmt.Fprintf(b, "  <path class=\"g\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x.at(v), top, below, x.at(v), below+18, count(v))
	}
	if end := x.high - math.Floor(x.high); end > 0.2 { // the last size is no power of ten, and far enough from one
		fmt.Fprintf(b, "  <text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", right, below+18, count(math.Round(math.Pow(10, x.high))))
	}
	decades := min(x.high-x.low, y.high-y.low)
	from, to := math.Pow(10, x.low), math.Pow(10, x.low+decades)
	low := math.Pow(10, y.low)
	fmt.Fprintf(b, "  <path class=\"n\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", x.at(from), y.at(low), x.at(to), y.at(low*to/from))
	fmt.Fprintf(b, "  <text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (left+right)/2, height-14, html.EscapeString(axis))
}

// draw puts one line with its points, and its name where no other name is.
func draw(b *strings.Builder, i int, l line, unit string, x, y scale, taken map[int]bool) {
	var path strings.Builder
	for j, p := range l.points {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(j, 1)], x.at(p.Size), y.at(p.Cost))
	}
	fmt.Fprintf(b, "  <path class=\"l s%d\" d=\"%s\"/>\n", i, path.String())
	for _, p := range l.points {
		fmt.Fprintf(b, "  <circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%s: %s</title></circle>\n", i, x.at(p.Size), y.at(p.Cost), count(p.Size), cost(p.Cost, unit))
	}
	last := l.points[len(l.points)-1]
	row := int(y.at(last.Cost)) / 16
	for taken[row] {
		row++
	}
	taken[row] = true
	fmt.Fprintf(b, "  <text class=\"f%d\" x=\"%d\" y=\"%d\">%s</text>\n", i, right+12, row*16+8, html.EscapeString(l.name+", "+cost(last.Cost, unit)))
}

// cost is what a size cost, in the unit of its plot.
func cost(v float64, unit string) string {
	if unit == "ms" {
		return duration(v)
	}
	if v == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return count(v) + " " + unit
}

// duration is a number of milliseconds for people.
func duration(ms float64) string {
	switch {
	case ms >= 1000:
		return fmt.Sprintf("%.3g s", ms/1000)
	case ms < 1:
		return fmt.Sprintf("%.3g µs", ms*1000)
	}
	return fmt.Sprintf("%.3g ms", ms)
}

// count is a size for people: 10,000.
func count(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
