package redact

import "strings"

// The library is faster on chunks of some KiB than on one large text. A chunk
// ends at a line, or where a line is longer, at a space, so that no token is
// cut in two; what has neither for longest bytes is data, and is cut with an
// overlap. Chunks overlap by some lines, since a few rules look across them.
const (
	chunkSize    = 4 << 10
	chunkOverlap = 512
	longest      = 64 << 10
	dataOverlap  = 8 << 10
)

// chunkEnd returns where the chunk that begins at start ends.
func chunkEnd(s string, start int) int {
	if len(s)-start <= chunkSize {
		return len(s)
	}
	window := s[start : start+chunkSize]
	if i := strings.LastIndexByte(window, '\n'); i > chunkSize/2 {
		return start + i + 1
	}
	if i := strings.LastIndexAny(window, " \t\n\r"); i > chunkSize/2 {
		return start + i + 1
	}
	rest := s[start+chunkSize : min(len(s), start+longest)]
	if i := strings.IndexAny(rest, " \t\n\r"); i >= 0 {
		return start + chunkSize + i + 1
	}
	return start + chunkSize + len(rest)
}

// overlapStart returns where the chunk after the one from start to end begins.
func overlapStart(s string, start, end int) int {
	if end >= len(s) {
		return end
	}
	if c := s[end-1]; c != '\n' && c != ' ' && c != '\t' && c != '\r' {
		return end - dataOverlap
	}
	from := max(start+1, end-chunkOverlap)
	if i := strings.IndexAny(s[from:end], "\n "); i >= 0 && from+i+1 < end {
		return from + i + 1
	}
	return end // a token of more than the overlap ends here: it was seen whole
}
