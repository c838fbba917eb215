package render

import (
	"strconv"
	"strings"
)

// shownDismissed bounds the dismissed findings that are named.
const shownDismissed = 5

// dismissed says what was found and is not shown, and why: a review never
// looks cleaner than it is because of what somebody decided.
func (m Status) dismissed(d dialect) string {
	if len(m.Dismissed) == 0 {
		return ""
	}
	var parts []string
	for i, f := range m.Dismissed {
		if i == shownDismissed {
			parts = append(parts, strconv.Itoa(len(m.Dismissed)-i)+" more")
			break
		}
		where := f.Path
		if f.Line > 0 {
			where += ":" + strconv.Itoa(f.Line)
		}
		parts = append(parts, joined(" ", d.text(f.ID), d.code(where))+" (dismissed, "+d.code(f.Lesson)+")")
	}
	return "Found again and not shown: " + strings.Join(parts, ", ") + "."
}

func wireDismissed(list []DismissedFinding) []dismissedJSON {
	out := make([]dismissedJSON, 0, len(list))
	for _, f := range list {
		out = append(out, dismissedJSON{ID: f.ID, Fingerprint: f.Fingerprint, Path: f.Path, Line: f.Line, Lesson: f.Lesson})
	}
	return out
}
