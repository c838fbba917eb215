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
	return fingerprint(c.normal(), f)
}

func fingerprint(c Candidate, f diff.File) string {
	h := sha256.New()
	field(h, "familiar finding 1")
	field(h, c.Rule)
	field(h, f.Path)
	raw, onLine := f.LineText(c.Line)
	if c.Rule == "" || !onLine {
		field(h, text.Fold(c.Title))
	}
	if onLine {
		line := spaceless(raw)
		field(h, line)
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(before(f, c.Line, line)))
		h.Write(n[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// before counts added lines above a line that say the same.
func before(f diff.File, line int, says string) int {
	n := 0
	for l := range f.AddedLines() {
		if l.New < line && spaceless(l.Text) == says {
			n++
		}
	}
	return n
}

// spaceless folds runs of spaces, so that indenting a block keeps its findings.
func spaceless(s string) string { return strings.Join(strings.Fields(s), " ") }

// field writes a string with its length, so that no two lists of fields have
// the same bytes.
func field(h hash.Hash, s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}
