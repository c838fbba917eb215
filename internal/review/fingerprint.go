package review

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strings"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/text"
)

// Fingerprint names a finding over pushes (page 7.5): 32 hexadecimal digits of
// a digest of its rule (without one: its title), its path, the text of its line
// without regard to spacing, and how many added lines with that text come
// before it. Line numbers are not in it, so it stays when other lines come, go
// or change. A candidate of a file that the change does not have gets the
// fingerprint of a note on the whole file.
func Fingerprint(c Candidate, change diff.Change) string {
	f, ok := change.File(c.Path)
	if !ok {
		f = diff.File{Path: c.Path}
	}
	return fingerprint(c.normal(), f.Path, shownLines(f))
}

func fingerprint(c Candidate, path string, lines map[int]shownLine) string {
	h := sha256.New()
	field(h, "familiar finding 1")
	field(h, c.Rule)
	field(h, path)
	line, onLine := lines[c.Line]
	if c.Rule == "" || !onLine {
		field(h, text.Fold(c.Title))
	}
	if onLine {
		field(h, line.says)
		number(h, line.before)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// shownLine is a line of the new file that a hunk shows.
type shownLine struct {
	says   string // its text without regard to spacing
	before int    // added lines above it that say the same
}

// shownLines indexes the lines of a file once, for any number of findings.
func shownLines(f diff.File) map[int]shownLine {
	lines := map[int]shownLine{}
	added := map[string]int{}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if _, double := lines[l.New]; l.New < 1 || double {
				continue
			}
			says := spaceless(l.Text)
			lines[l.New] = shownLine{says: says, before: added[says]}
			if l.Op == diff.Add {
				added[says]++
			}
		}
	}
	return lines
}

// spaceless folds runs of spaces, so that indenting a block keeps its findings.
func spaceless(s string) string { return strings.Join(strings.Fields(s), " ") }

// field writes a string with its length, so that no two lists of fields have
// the same bytes.
func field(h hash.Hash, s string) {
	number(h, len(s))
	h.Write([]byte(s))
}

func number(h hash.Hash, n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}
