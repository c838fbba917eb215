package health

import (
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// overlap says whether a file can be one that both lists of globs mean. Where
// the files are known, one of them must be; else it is judged by where the
// globs begin and what they end with, and in doubt they overlap.
func overlap(a, b []string, code *Code) bool {
	if code != nil && code.Paths != nil {
		for _, p := range code.Paths {
			if memory.MatchGlobs(a, p) && memory.MatchGlobs(b, p) {
				return true
			}
		}
		// No file of today: files of tomorrow decide, as without a list.
	}
	for _, x := range plain(a) {
		for _, y := range plain(b) {
			if mayMeet(x, y) {
				return true
			}
		}
	}
	return false
}

// plain are the globs that are not negated; none means all files.
func plain(globs []string) []string {
	var out []string
	for _, g := range globs {
		if !strings.HasPrefix(g, "!") {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return []string{"**"}
	}
	return out
}

const globSigns = `*?[{\`

// mayMeet compares the literal beginnings and ends of two globs.
func mayMeet(a, b string) bool {
	if strings.Contains(a, "/") && strings.Contains(b, "/") {
		x, y := literalHead(a), literalHead(b)
		if !strings.HasPrefix(x, y) && !strings.HasPrefix(y, x) {
			return false
		}
	}
	x, y := literalTail(a), literalTail(b)
	return strings.HasSuffix(x, y) || strings.HasSuffix(y, x)
}

func literalHead(glob string) string {
	if i := strings.IndexAny(glob, globSigns); i >= 0 {
		return glob[:i]
	}
	return glob
}

// literalTail is what every path that the glob means ends with.
func literalTail(glob string) string {
	if strings.HasSuffix(glob, "/") {
		return ""
	}
	if i := strings.LastIndexAny(glob, globSigns+"]}"); i >= 0 {
		return glob[i+1:]
	}
	return glob[strings.LastIndexByte(glob, '/')+1:]
}
