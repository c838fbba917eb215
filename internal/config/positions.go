package config

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// Limits on a file before anybody parses it.
const (
	maxFileBytes = 1 << 20
	maxNesting   = 16 // brackets inside one another
	maxKeyParts  = 8  // of one dotted key
	maxKeys      = 20_000
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

// clip cuts text from a file to n bytes at most, and keeps it on one line.
func clip(s string, n int) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, s)
	if len(s) <= n {
		return s
	}
	cut := n
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

// scanner walks over a TOML document far enough to know where its keys are
// and how deep its brackets go. Where it loses its way it stops: judging the
// notation is the parser's work.
type scanner struct {
	src    []byte
	i      int
	depth  int
	pos    positions
	tables map[string]int // entries so far of each array of tables
	prefix []string       // of the current table header
	limit  string         // which limit was passed
	failed bool
}

func (s *scanner) stopped() bool { return s.failed || s.limit != "" }

func (s *scanner) more() bool { return s.i < len(s.src) && !s.stopped() }

func (s *scanner) peek(text string) bool { return bytes.HasPrefix(s.src[s.i:], []byte(text)) }

// skip passes blanks, and with lines also line ends and comments.
func (s *scanner) skip(lines bool) {
	for s.i < len(s.src) {
		switch c := s.src[s.i]; {
		case c == ' ' || c == '\t':
			s.i++
		case lines && (c == '\n' || c == '\r'):
			s.i++
		case lines && c == '#':
			s.comment()
		default:
			return
		}
	}
}

func (s *scanner) comment() {
	if n := bytes.IndexByte(s.src[s.i:], '\n'); n >= 0 {
		s.i += n
	} else {
		s.i = len(s.src)
	}
}

func (s *scanner) document() {
	for {
		s.skip(true)
		if !s.more() {
			return
		}
		if s.src[s.i] == '[' {
			s.header()
		} else {
			s.pair(s.prefix)
		}
		s.skip(false)
		if s.more() && s.src[s.i] == '#' {
			s.comment()
		}
		if s.more() && s.src[s.i] != '\n' && s.src[s.i] != '\r' {
			s.failed = true
		}
	}
}

// header reads "[a.b]" or "[[a.b]]".
func (s *scanner) header() {
	at := s.i
	s.i++
	array := s.more() && s.src[s.i] == '['
	if array {
		s.i++
	}
	parts := s.key()
	closing := "]"
	if array {
		closing = "]]"
	}
	if s.stopped() || !s.peek(closing) {
		s.failed = s.limit == ""
		return
	}
	s.i += len(closing)
	s.prefix = s.resolve(parts)
	if array {
		path := pathOf(s.prefix...)
		s.prefix = append(s.prefix, strconv.Itoa(s.tables[path]))
		s.tables[path]++
	}
	s.note(s.prefix, at)
}

// resolve adds the index of the last entry behind each part that names an
// array of tables.
func (s *scanner) resolve(parts []string) []string {
	var out []string
	for i, part := range parts {
		out = append(out, part)
		if n := s.tables[pathOf(out...)]; n > 0 && i < len(parts)-1 {
			out = append(out, strconv.Itoa(n-1))
		}
	}
	return out
}

func (s *scanner) note(parts []string, offset int) {
	path := pathOf(parts...)
	if _, known := s.pos.offsets[path]; known {
		return
	}
	if s.pos.offsets[path] = offset; len(s.pos.offsets) > maxKeys {
		s.limit = "the file has more than " + strconv.Itoa(maxKeys) + " keys"
	}
}

// pair reads "key = value" below prefix.
func (s *scanner) pair(prefix []string) {
	at := s.i
	parts := s.key()
	if s.stopped() {
		return
	}
	if !s.more() || s.src[s.i] != '=' {
		s.failed = true
		return
	}
	s.i++
	full := append(append([]string(nil), prefix...), parts...)
	for n := len(prefix) + 1; n <= len(full); n++ {
		s.note(full[:n], at)
	}
	s.skip(false)
	s.value(full)
}

// key reads a dotted key and the blanks behind it.
func (s *scanner) key() []string {
	var parts []string
	for {
		s.skip(false)
		part, ok := s.keyPart()
		if !ok {
			s.failed = true
			return nil
		}
		parts = append(parts, part)
		if len(parts) > maxKeyParts {
			s.limit = "a key has more than " + strconv.Itoa(maxKeyParts) + " parts"
			return nil
		}
		s.skip(false)
		if !s.more() || s.src[s.i] != '.' {
			return parts
		}
		s.i++
	}
}

func (s *scanner) keyPart() (string, bool) {
	if s.i >= len(s.src) {
		return "", false
	}
	start := s.i
	switch s.src[s.i] {
	case '"', '\'':
		quote := s.src[s.i]
		if !s.quoted(quote) {
			return "", false
		}
		raw := string(s.src[start+1 : s.i-1])
		if quote == '"' {
			if v, err := strconv.Unquote(`"` + raw + `"`); err == nil {
				return v, true
			}
		}
		return raw, true
	}
	for s.i < len(s.src) && bareKey(s.src[s.i]) {
		s.i++
	}
	return string(s.src[start:s.i]), s.i > start
}

func bareKey(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quoted passes a string on one line and says whether it ended.
func (s *scanner) quoted(quote byte) bool {
	s.i++
	for s.i < len(s.src) {
		switch c := s.src[s.i]; {
		case c == '\n':
			return false
		case c == '\\' && quote == '"':
			s.i += 2
		case c == quote:
			s.i++
			return true
		default:
			s.i++
		}
	}
	s.i = len(s.src)
	return false
}

// long passes a string between triple quotes and says whether it ended.
func (s *scanner) long(quote byte) bool {
	s.i += 3
	for s.i < len(s.src) {
		switch c := s.src[s.i]; {
		case c == '\\' && quote == '"':
			s.i += 2
		case c == quote && s.peek(strings.Repeat(string(quote), 3)):
			s.i += 3
			for n := 0; n < 2 && s.i < len(s.src) && s.src[s.i] == quote; n++ { // the text may end in quotes
				s.i++
			}
			return true
		default:
			s.i++
		}
	}
	s.i = len(s.src)
	return false
}

// value passes one value; inline tables below path give their keys' places.
func (s *scanner) value(path []string) {
	if !s.more() {
		s.failed = s.limit == ""
		return
	}
	switch c := s.src[s.i]; c {
	case '"', '\'':
		if s.peek(strings.Repeat(string(c), 3)) {
			s.failed = !s.long(c)
		} else {
			s.failed = !s.quoted(c)
		}
	case '[':
		s.nested(']', func(n int) { s.value(append(path[:len(path):len(path)], strconv.Itoa(n))) })
	case '{':
		s.nested('}', func(int) { s.pair(path) })
	default:
		start := s.i
		for s.i < len(s.src) && !bytes.ContainsRune([]byte(",]}#\n\r\"'[{="), rune(s.src[s.i])) {
			s.i++
		}
		s.failed = s.i == start
	}
}

// nested passes an array or an inline table; item reads its nth element.
func (s *scanner) nested(closing byte, item func(n int)) {
	if s.depth++; s.depth > maxNesting {
		s.limit = "brackets stand more than " + strconv.Itoa(maxNesting) + " deep"
		return
	}
	s.i++
	for n := 0; ; n++ {
		s.skip(true)
		if s.more() && s.src[s.i] == closing {
			break
		}
		if !s.more() {
			s.failed = s.limit == ""
			return
		}
		item(n)
		s.skip(true)
		if s.more() && s.src[s.i] == ',' {
			s.i++
			continue
		}
		if !s.more() || s.src[s.i] != closing {
			s.failed = s.limit == ""
			return
		}
		break
	}
	s.i++
	s.depth--
}
