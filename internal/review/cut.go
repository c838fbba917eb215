package review

import (
	"fmt"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
)

// CutOptions say what a change is cut to.
type CutOptions struct {
	// Bytes is how much of the change may be shown, counted as the text of its
	// lines with CutFileBytes, CutHunkBytes and CutLineBytes around them.
	Bytes int
	// Paths and Ignore are the globs of the configuration. A file outside of
	// them is not shown, and not listed as left out either.
	Paths, Ignore []string
	// Attributes tell which files are generated; those come last.
	Attributes diff.Attributes
}

// What a file, a hunk and a line cost beside their text, in bytes.
const (
	CutFileBytes = 96
	CutHunkBytes = 64
	CutLineBytes = 16
)

// CutChange is the part of a change that fits.
type CutChange struct {
	Files []diff.File // in order of risk; hunks are whole but for the last of a file
	Whole []string    // paths of the files that are shown whole
	// Left are the files that are not shown, or not whole, with the reason.
	Left []diff.Omission
}

// leastPiece is how much of a hunk that does not fit is worth to be shown.
const leastPiece = 2000

const (
	leftOut     = "left out: the change is larger than the token budget"
	leftPartial = "only %d of its %d changed lines were shown: the change is larger than the token budget"
)

// Cut takes from a change what fits into a budget, by file and hunk, the
// riskiest files first (pages 7.2 and 7.3). A file that does not fit whole is
// shown as far as it fits and named, and smaller ones behind it still are
// shown. Files without text to review are neither shown nor named.
func Cut(c diff.Change, o CutOptions) CutChange {
	var out CutChange
	room := o.Bytes
	x := &changeIndex{ignore: o.Ignore}
	for _, f := range ByRisk(c.Files, o.Attributes) {
		if !shownToAModel(f) || x.ignored(f.Path) || len(o.Paths) > 0 && !memory.MatchGlobs(o.Paths, f.Path) {
			continue
		}
		head := CutFileBytes + 2*len(f.Path) + len(f.OldPath)
		kept, cost := cutHunks(f.Hunks, room-head)
		if changed(kept) < changed(f.Hunks) {
			// It gets half of what is left, so that one huge file does not hide
			// every other.
			kept, cost = cutHunks(f.Hunks, (room-head)/2)
		}
		if len(kept) == 0 {
			out.Left = append(out.Left, diff.Omission{Path: f.Path, Reason: leftOut})
			continue
		}
		room -= head + cost
		all := changed(f.Hunks)
		f.Hunks = kept
		out.Files = append(out.Files, f)
		if shown := changed(kept); shown < all {
			out.Left = append(out.Left, diff.Omission{Path: f.Path, Reason: fmt.Sprintf(leftPartial, shown, all)})
		} else {
			out.Whole = append(out.Whole, f.Path)
		}
	}
	return out
}

// shownToAModel says whether there is text to show: deletions too, since what
// is gone may be what was needed.
func shownToAModel(f diff.File) bool { return !f.Binary && !f.Submodule && len(f.Hunks) > 0 }

// cutHunks takes hunks from the start as far as they fit.
func cutHunks(hunks []diff.Hunk, room int) ([]diff.Hunk, int) {
	var kept []diff.Hunk
	spent := 0
	for _, h := range hunks {
		cost := hunkCost(h)
		if spent+cost <= room {
			kept, spent = append(kept, h), spent+cost
			continue
		}
		if piece, cost := cutHunk(h, room-spent); cost > 0 {
			kept, spent = append(kept, piece), spent+cost
		}
		break
	}
	return kept, spent
}

func hunkCost(h diff.Hunk) int {
	n := CutHunkBytes + len(h.Section)
	for _, l := range h.Lines {
		n += CutLineBytes + len(l.Text)
	}
	return n
}

// cutHunk takes the lines of a hunk from its start as far as they fit; its
// lengths are those of what is left. The cost is 0 where that is not worth it.
func cutHunk(h diff.Hunk, room int) (diff.Hunk, int) {
	if room < leastPiece {
		return diff.Hunk{}, 0
	}
	spent, n := CutHunkBytes+len(h.Section), 0
	out := h
	out.OldLines, out.NewLines = 0, 0
	for _, l := range h.Lines {
		if spent += CutLineBytes + len(l.Text); spent > room {
			spent -= CutLineBytes + len(l.Text)
			break
		}
		if l.Op != diff.Add {
			out.OldLines++
		}
		if l.Op != diff.Delete {
			out.NewLines++
		}
		n++
	}
	out.Lines = h.Lines[:n]
	if changed([]diff.Hunk{out}) == 0 {
		return diff.Hunk{}, 0
	}
	return out, spent
}

func changed(hunks []diff.Hunk) int {
	n := 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			if l.Op != diff.Context {
				n++
			}
		}
	}
	return n
}
