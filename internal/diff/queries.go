package diff

import (
	"iter"
	"slices"
)

// AddedLines yields the lines that the change adds to the file, in order of
// the hunks.
func (f File) AddedLines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == Add && !yield(l) {
					return
				}
			}
		}
	}
}

// InHunk says whether line, 1-based in the new file, is one of the lines that
// a hunk shows: added or context. It is the anchor rule of page 7.3.
func (f File) InHunk(line int) bool {
	_, ok := f.line(line)
	return ok
}

// LineText returns the text of a line of the new file, 1-based, without its
// line ending. ok is false where no hunk shows that line.
func (f File) LineText(n int) (text string, ok bool) {
	l, ok := f.line(n)
	return l.Text, ok
}

func (f File) line(n int) (Line, bool) {
	if n < 1 {
		return Line{}, false
	}
	for _, h := range f.Hunks {
		if n < h.NewStart || n-h.NewStart >= h.NewLines {
			continue
		}
		// Line numbers grow within a hunk, but deleted lines carry none.
		for _, l := range h.Lines {
			if l.New == n {
				return l, true
			}
		}
	}
	return Line{}, false
}

// Counts returns how many lines the change adds to and deletes from the file.
func (f File) Counts() (added, deleted int) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case Add:
				added++
			case Delete:
				deleted++
			}
		}
	}
	return added, deleted
}

// Reviewable says whether the file has text in its new state that a reviewer
// can read: not a binary, not a submodule, not a deletion, and not a change of
// name or mode alone. Coverage counts these files (page 7.3).
func (f File) Reviewable() bool {
	return !f.Binary && !f.Submodule && f.Status != Deleted && len(f.Hunks) > 0
}

// File returns the changed file with that new path; for a deleted file that is
// its old one. Paths are compared byte for byte, as git does.
func (c Change) File(path string) (File, bool) {
	i := slices.IndexFunc(c.Files, func(f File) bool { return f.Path == path })
	if i < 0 {
		return File{}, false
	}
	return c.Files[i], true
}

// Paths returns the changed paths, new and old, sorted and without doubles.
func (c Change) Paths() []string {
	out := make([]string, 0, len(c.Files))
	for _, f := range c.Files {
		out = append(out, f.Path)
		if f.OldPath != "" {
			out = append(out, f.OldPath)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Counts returns how many lines the whole change adds and deletes, of the
// files that were read.
func (c Change) Counts() (added, deleted int) {
	for _, f := range c.Files {
		a, d := f.Counts()
		added, deleted = added+a, deleted+d
	}
	return added, deleted
}
