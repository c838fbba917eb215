// This file is the one door through which a file of the repository comes to
// be parsed: its size, its nesting and its keys are bounded first.

package config

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/familiarhq/familiar/internal/redact"
)

// Limits on a file before anybody parses it.
const (
	maxFileBytes = 1 << 20
	maxNesting   = 16 // brackets inside one another
	maxKeyParts  = 8  // of one dotted key
	maxKeys      = 20_000
)

// document is one TOML file as parsed, with the positions of its keys.
type document struct {
	root map[string]any
	pos  positions
}

// read parses one file. It bounds size, nesting and keys before the parser
// sees a byte, and reports what it cannot read; ok is then false.
func read(r *report, data []byte) (doc document, ok bool) {
	if len(data) > maxFileBytes {
		r.fail(place{}, "make it smaller", "the file has %d bytes, more than the %d that are read", len(data), maxFileBytes)
		return document{}, false
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if i := invalidUTF8(data); i >= 0 {
		r.fail(placeOf(data, i), "save the file as UTF-8", "the text is not UTF-8 here")
		return document{}, false
	}
	s := &scanner{src: data, pos: positions{offsets: map[string]int{}, src: data, lines: lineStarts(data)}, tables: map[string]int{}}
	if s.document(); s.limit != "" {
		r.fail(placeOf(data, s.i), "write it flatter", "%s", s.limit)
		return document{}, false
	}
	if s.failed { // the parser gets no more than the line that we could not follow
		data = data[:min(len(data), s.i+200)]
	}
	root := map[string]any{}
	if _, err := toml.Decode(string(data), &root); err != nil {
		at, message := parseError(data, err)
		r.fail(at, "see https://toml.io for the notation", "not valid TOML: %s", message)
		return document{}, false
	}
	if s.failed {
		r.fail(placeOf(data, s.i), "see https://toml.io for the notation", "not valid TOML here")
		return document{}, false
	}
	return document{root: root, pos: s.pos}, true
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		c, n := utf8.DecodeRune(data[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// placeOf turns a byte offset into a place.
func placeOf(data []byte, offset int) place {
	offset = min(max(offset, 0), len(data))
	start := bytes.LastIndexByte(data[:offset], '\n') + 1
	return place{
		line:   bytes.Count(data[:offset], []byte{'\n'}) + 1,
		column: utf8.RuneCount(data[start:offset]) + 1,
	}
}

// parseError takes position and words from the parser's error.
func parseError(data []byte, err error) (place, string) {
	if pe, ok := err.(toml.ParseError); ok {
		message := pe.Message
		if message == "" {
			message = err.Error()
		}
		return placeOf(data, pe.Position.Start), clip(message, 200)
	}
	return place{}, clip(strings.TrimPrefix(err.Error(), "toml: "), 200)
}

// clip cuts text from a file to n characters, without a secret in it, and
// keeps it on one line.
func clip(s string, n int) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, s)
	return redact.Cut(s, n)
}
