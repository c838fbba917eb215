package config

import (
	"bytes"
	"strconv"
	"strings"
)

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
