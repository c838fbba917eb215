package config

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// place is a position in a file: 1-based, columns in characters.
type place struct{ line, column int }

// positions remembers where each key of a TOML document stands, since the
// parser tells only what it means. Keys are the parts of a path joined by a
// NUL; entries of an array of tables carry their index as a part.
type positions struct {
	offsets map[string]int
	src     []byte
	lines   []int // offset of each line's first byte
}

func pathOf(parts ...string) string { return strings.Join(parts, "\x00") }

// find returns the position of a path, or of its nearest parent that has one.
func (p positions) find(parts ...string) place {
	for n := len(parts); n > 0; n-- {
		if offset, ok := p.offsets[pathOf(parts[:n]...)]; ok {
			line, _ := slices.BinarySearch(p.lines, offset+1) // the last line that starts at or before it
			return place{line: line, column: utf8.RuneCount(p.src[p.lines[line-1]:offset]) + 1}
		}
	}
	return place{}
}

// offset returns where a path stands, for ordering.
func (p positions) offset(parts ...string) int { return p.offsets[pathOf(parts...)] }

func lineStarts(data []byte) []int {
	starts := []int{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}
