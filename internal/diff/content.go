package diff

import (
	"bytes"
	"strings"
)

// FromContent makes a file of the change out of its whole content, for a file
// that is new and that git does not show a patch of (untracked in a working
// tree). mode is octal as git prints it. Content with a NUL byte in its first
// 8,000 bytes is binary, which is git's own rule.
func FromContent(path, mode string, content []byte, lim Limits) File {
	lim = lim.withDefaults()
	f := File{Path: path, Status: Added, NewMode: mode}
	if IsBinary(content) {
		f.Binary = true
		return f
	}
	if len(content) == 0 {
		return f
	}
	h := Hunk{}
	rest := string(content)
	for len(rest) > 0 {
		text, after, newline := strings.Cut(rest, "\n")
		rest = after
		if len(h.Lines) >= lim.FileLines {
			f.Partial = reasonFileLines(lim.FileLines)
			break
		}
		l := Line{Op: Add, New: len(h.Lines) + 1, NoNewline: !newline}
		text, l.CR = strings.CutSuffix(text, "\r")
		if len(text) > lim.LineBytes {
			text, l.Cut = string(runePrefix([]byte(text), lim.LineBytes)), true
			if f.Partial == "" {
				f.Partial = reasonLineBytes(l.New, lim.LineBytes)
			}
		}
		l.Text = text
		h.Lines = append(h.Lines, l)
	}
	h.NewStart, h.NewLines = 1, len(h.Lines)
	f.Hunks = []Hunk{h}
	return f
}

// IsBinary tells content that git shows no text of.
func IsBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
}
