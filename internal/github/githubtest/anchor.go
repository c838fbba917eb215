package githubtest

import (
	"fmt"
	"slices"
	"strings"
)

// place is one line of a patch.
type place struct {
	hunk     int
	op       byte
	old, new int
	text     string
}

// places numbers the lines of a patch. Position n of the old interface is the
// nth line after the first hunk header; later headers count as well.
func places(patch string) []place {
	var out []place
	hunk, old, new := 0, 0, 0
	for _, l := range strings.Split(patch, "\n") {
		if strings.HasPrefix(l, "@@ ") {
			hunk++
			old, new = starts(l)
			out = append(out, place{hunk: hunk, op: '@', text: l})
			continue
		}
		p := place{hunk: hunk, text: l, op: '\\'}
		if l != "" {
			p.op = l[0]
		}
		if p.op == ' ' || p.op == '-' {
			old++
			p.old = old
		}
		if p.op == ' ' || p.op == '+' {
			new++
			p.new = new
		}
		out = append(out, p)
	}
	return out
}

// starts reads a hunk header: the numbers of the lines before its first ones.
func starts(header string) (old, new int) {
	number := func(s string) int {
		var at, n int
		if got, _ := fmt.Sscanf(s, "%d,%d", &at, &n); got == 2 && n == 0 {
			return at
		}
		return at - 1
	}
	parts := strings.Fields(header)
	return number(parts[1][1:]), number(parts[2][1:])
}

func placeOf(files []File, path string, line int, side string) (place, []place, bool) {
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == path })
	if i < 0 || line <= 0 {
		return place{}, nil, false
	}
	all := places(files[i].Patch)
	for _, p := range all {
		if side == "RIGHT" && p.new == line || side == "LEFT" && p.old == line {
			return p, all, true
		}
	}
	return place{}, nil, false
}

// inDiff tells whether a line of one side is shown in the change, added,
// removed or around it.
func inDiff(files []File, path string, line int, side string) bool {
	_, _, found := placeOf(files, path, line, side)
	return found
}

// hunkAt is the text of the hunk that shows a line, or "".
func hunkAt(files []File, path string, line int, side string) string {
	at, all, found := placeOf(files, path, line, side)
	if !found {
		return ""
	}
	var text []string
	for _, p := range all {
		if p.hunk == at.hunk {
			text = append(text, p.text)
		}
	}
	return strings.Join(text, "\n")
}

// atPosition turns a position in the patch into a line and its side.
func atPosition(files []File, path string, position int) (int, string) {
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == path })
	if i < 0 || position <= 0 {
		return 0, ""
	}
	all := places(files[i].Patch)
	if position >= len(all) {
		return 0, ""
	}
	switch p := all[position]; p.op {
	case '-':
		return p.old, "LEFT"
	case ' ', '+':
		return p.new, "RIGHT"
	}
	return 0, ""
}
