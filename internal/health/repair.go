package health

import (
	"cmp"
	"slices"
	"strings"
)

// Repair is a change to a file that takes nothing away from anybody and that
// a machine may therefore make.
type Repair struct {
	Path   string `json:"path"`
	Edits  []Edit `json:"edits,omitempty"`
	Create string `json:"create,omitempty"` // the whole content of a file that is not there
}

// Edit replaces one line.
type Edit struct {
	Line int    `json:"line"` // 1-based
	Old  string `json:"old"`  // what has to stand there
	New  string `json:"new"`  // may hold several lines
}

// Repaired applies the repairs of a list of findings to the files that they
// are about: text returns a file's content and whether it is there. Only what
// changes comes back, by path. An edit whose line does not read as expected,
// and a file that should not be there yet, are left alone.
func Repaired(list []Finding, text func(path string) (string, bool)) map[string]string {
	edits := map[string][]Edit{}
	out := map[string]string{}
	for _, f := range list {
		if f.Repair == nil {
			continue
		}
		if _, there := text(f.Repair.Path); !there && f.Repair.Create != "" {
			out[f.Repair.Path] = f.Repair.Create
		}
		edits[f.Repair.Path] = append(edits[f.Repair.Path], f.Repair.Edits...)
	}
	for _, path := range sortedKeys(edits) {
		old, there := text(path)
		if changed := edited(old, edits[path]); there && changed != old {
			out[path] = changed
		}
	}
	return out
}

// edited applies edits from the last line to the first, so that none moves
// another's line. Of two for one line the first holds.
func edited(text string, edits []Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(b.Line, a.Line) })
	edits = slices.CompactFunc(edits, func(a, b Edit) bool { return a.Line == b.Line })
	lines := strings.Split(text, "\n")
	for _, e := range edits {
		if e.Line < 1 || e.Line > len(lines) || lines[e.Line-1] != e.Old {
			continue
		}
		if strings.HasPrefix(strings.Join(lines[e.Line-1:], "\n")+"\n", e.New+"\n") {
			continue // it was done before
		}
		lines[e.Line-1] = e.New
	}
	return strings.Join(lines, "\n")
}
