package cli

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
)

// TestGeneratedPicture holds the README's picture of the status comment
// against the comment in the gallery, which is what the built action writes.
func TestGeneratedPicture(t *testing.T) {
	const path = "../../docs/images/comment.svg"
	_, rest, ok := strings.Cut(read(t, "../../docs/gallery.md"), "### The next pull request is held to both\n")
	quote, _, ok2 := strings.Cut(rest, "\n### ")
	if !ok || !ok2 {
		t.Fatal("docs/gallery.md has lost the comment that the picture shows")
	}
	var body []string
	for line := range strings.SplitSeq(quote, "\n") {
		if l, quoted := strings.CutPrefix(line, ">"); quoted {
			body = append(body, strings.TrimPrefix(l, " "))
		}
	}
	same(t, path, read(t, path), picture(body))
}

const pictureStyle = `  text { font: 14px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328; white-space: pre }
  .b { font-weight: 600 } .c { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #0550ae } .h { font-size: 17px; font-weight: 600 } .m { fill: #59636e }
  .card { fill: #fff; stroke: #d1d9e0 } .bar { fill: #f6f8fa; stroke: #d1d9e0 } .face { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .c { fill: #79c0ff } .m { fill: #9198a1 }
    .card { fill: #0d1117; stroke: #3d444d } .bar { fill: #151b23; stroke: #3d444d }
  }
`

// picture draws a comment as GitHub would show it, folded parts folded.
func picture(body []string) string {
	var rows strings.Builder
	y, folded := 78, false
	for _, line := range body {
		class, x := "", 32
		switch {
		case strings.Contains(line, "</details>"):
			folded = false
			continue
		case folded:
			continue
		case strings.HasPrefix(line, "<details>"):
			folded = true
			line, class = "▸ "+regexp.MustCompile(`<[^>]*>`).ReplaceAllString(line, ""), "m"
		case line == "":
			y += 6
			continue
		case strings.HasPrefix(line, "### "):
			line, class = strings.TrimPrefix(line, "### "), "h"
			y += 6
		case strings.HasPrefix(line, "- "):
			line = "• " + strings.TrimPrefix(line, "- ")
		case strings.HasPrefix(line, "  "):
			line, x = strings.TrimPrefix(strings.TrimSpace(line), "> "), 44
		}
		line = linkTarget.ReplaceAllString(line, "]()")
		for _, l := range wrapped(line, 96) {
			fmt.Fprintf(&rows, "  <text x=\"%d\" y=\"%d\"%s>%s</text>\n", x, y, classed(class), spans(l))
			y += 22
		}
	}
	height := y + 8
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="760" height="%[1]d" viewBox="0 0 760 %[1]d" role="img" aria-label="The status comment of familiar on a pull request">
<style>
%[2]s</style>
  <rect class="card" x="8.5" y="8.5" width="743" height="%[3]d" rx="6"/>
  <path class="bar" d="M8.5 46.5v-32a6 6 0 0 1 6-6h731a6 6 0 0 1 6 6v32z"/>
  <circle class="face" cx="32" cy="27" r="10"/>
  <text x="50" y="32"><tspan class="b">github-actions</tspan> <tspan class="m">bot commented</tspan></text>
%[4]s</svg>
`, height, pictureStyle, height-17, rows.String())
}

func classed(name string) string {
	if name == "" {
		return ""
	}
	return ` class="` + name + `"`
}

// linkTarget is where a link leads, which nobody sees.
var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

// inline are the marks of Markdown that our comments use within a line.
var inline = regexp.MustCompile("``\\s?(.+?)\\s?``|`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\[([^\\]]+)\\]\\([^)]*\\)")

// spans is one line as SVG, what is code or bold in spans of its own.
func spans(line string) string {
	var b strings.Builder
	last := 0
	for _, m := range inline.FindAllStringSubmatchIndex(line, -1) {
		b.WriteString(html.EscapeString(line[last:m[0]]))
		last = m[1]
		for i, class := range []string{"c", "c", "b", "m"} {
			if m[2+2*i] >= 0 {
				fmt.Fprintf(&b, `<tspan class="%s">%s</tspan>`, class, html.EscapeString(line[m[2+2*i]:m[3+2*i]]))
			}
		}
	}
	return b.String() + html.EscapeString(line[last:])
}

// wrapped breaks a line between words.
func wrapped(line string, width int) []string {
	var out []string
	for len([]rune(line)) > width {
		at := strings.LastIndex(string([]rune(line)[:width]), " ")
		if at <= 0 {
			break
		}
		out, line = append(out, line[:at]), line[at+1:]
	}
	return append(out, line)
}
