package diff

import "fmt"

// Limits bound what is kept of one change; text beyond them becomes an
// Omission, never an error. A zero field means its default.
type Limits struct {
	Bytes     int64 // of the text that is read in all; default 64 MiB
	Files     int   // default 3,000, which is also what GitHub lists of a pull request
	FileLines int   // lines of hunks that are kept of one file; default 50,000
	LineBytes int   // of one line's text; default 64 KiB
}

// The defaults of Limits.
const (
	DefaultBytes     = 64 << 20
	DefaultFiles     = 3000
	DefaultFileLines = 50_000
	DefaultLineBytes = 64 << 10
)

// maxOmissions bounds the list itself: a hostile change may name millions of
// files. The last entry then counts the rest.
const maxOmissions = 5000

// maxHeaderBytes bounds a line outside hunks. Git's longest header is a pair
// of quoted paths, four bytes for each of up to 4,096.
const maxHeaderBytes = 64 << 10

func (l Limits) withDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	if l.Files <= 0 {
		l.Files = DefaultFiles
	}
	if l.FileLines <= 0 {
		l.FileLines = DefaultFileLines
	}
	if l.LineBytes <= 0 {
		l.LineBytes = DefaultLineBytes
	}
	return l
}

// The reasons of omissions, as people read them.
func reasonBytes(n int64) string {
	return fmt.Sprintf("the change is larger than %s; what follows was not read", size(n))
}

func reasonFiles(n int) string {
	return fmt.Sprintf("the change has more than %d files", n)
}

func reasonFileLines(n int) string {
	return fmt.Sprintf("more than %d lines of this file changed; the rest was not read", n)
}

func reasonLineBytes(line int, n int) string {
	return fmt.Sprintf("line %d is longer than %s; its end was not read", line, size(int64(n)))
}

const (
	reasonDamaged  = "its part of the diff is damaged"
	reasonName     = "its name cannot be told from the diff"
	reasonCombined = "a combined diff of a merge has no single old side"
	reasonUnmerged = "it has an unresolved merge conflict in the index; resolve it and review again"
	reasonNoPatch  = "git lists it as changed, but the diff holds no patch for it"
	reasonNoDiff   = "the text is not a git diff: it has no \"diff --git\" line"
)

func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// keep is how much of a line is held: its operation, its text, and one byte
// more, which tells whether the text ends between two characters.
func (l Limits) keep() int { return max(l.LineBytes+2, maxHeaderBytes) }
