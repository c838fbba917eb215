package contract

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// next returns the byte at the current position, 0 at the end.
func (s *scanner) next() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// take skips white space and the byte c, and tells whether c was there.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.next() != c {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) literal(word string) *DecodeError {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		return s.syntax()
	}
	s.pos += len(word)
	return nil
}

// enter goes one level deeper; the depth bounds the recursion of the scanner.
func (s *scanner) enter() *DecodeError {
	s.pos++
	if s.depth++; s.depth > s.limits.MaxDepth {
		return s.fail(TooDeep, fmt.Sprintf("more than %d levels", s.limits.MaxDepth))
	}
	return nil
}

// members scans the object at the current position and visits the value of
// each member; at is where its key begins.
func (s *scanner) members(visit func(key string, at int) *DecodeError) *DecodeError {
	if err := s.enter(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for closed := s.take('}'); !closed; closed = s.take('}') {
		if len(seen) > 0 && !s.take(',') {
			return s.syntax()
		}
		s.space()
		at := s.pos
		key, err := s.key()
		if err != nil {
			return err
		}
		if seen[key] {
			return s.fail(DuplicateKey, "the key at "+s.place(at)+" is there already")
		}
		if seen[key] = true; len(seen) > s.limits.MaxItems {
			return s.fail(TooMany, fmt.Sprintf("at most %d members", s.limits.MaxItems))
		}
		if err := visit(key, at); err != nil {
			return err
		}
	}
	s.depth--
	return nil
}

// key scans a key, its colon and the white space after it.
func (s *scanner) key() (string, *DecodeError) {
	if s.next() != '"' {
		return "", s.syntax()
	}
	key, err := s.str()
	if err != nil {
		return "", err
	}
	if !s.take(':') {
		return "", s.syntax()
	}
	s.space()
	return key, nil
}

// items scans the array at the current position and counts its items.
func (s *scanner) items(item func() *DecodeError) (int, *DecodeError) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	count := 0
	for closed := s.take(']'); !closed; closed = s.take(']') {
		if count > 0 && !s.take(',') {
			return count, s.syntax()
		}
		if count == s.limits.MaxItems {
			return count, s.fail(TooMany, fmt.Sprintf("at most %d items", s.limits.MaxItems))
		}
		s.space()
		s.path = append(s.path, step{index: count})
		if err := item(); err != nil {
			return count, err
		}
		s.path = s.path[:len(s.path)-1]
		count++
	}
	s.depth--
	return count, nil
}

// str scans the string at the current position and returns it unescaped.
func (s *scanner) str() (string, *DecodeError) {
	s.pos++
	from := s.pos
	var b strings.Builder
	for {
		switch c := s.next(); {
		case c == '"':
			b.Write(s.data[from:s.pos])
			s.pos++
			return s.bounded(b.String())
		case c < 0x20: // also the end of the input
			return "", s.syntax()
		case c == '\\':
			b.Write(s.data[from:s.pos])
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			from = s.pos
		default:
			s.pos++
		}
	}
}

func (s *scanner) bounded(text string) (string, *DecodeError) {
	if len(text) > s.limits.MaxString && utf8.RuneCountInString(text) > s.limits.MaxString {
		return "", s.fail(TooLong, fmt.Sprintf("at most %d characters", s.limits.MaxString))
	}
	return text, nil
}

// escape scans one escape, or two that together are one character.
func (s *scanner) escape() (rune, *DecodeError) {
	s.pos++
	c := s.next()
	if i := strings.IndexByte(`"\/bfnrt`, c); c != 0 && i >= 0 {
		s.pos++
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	if c != 'u' {
		return 0, s.syntax()
	}
	first, ok := s.hex4()
	if !ok {
		return 0, s.syntax()
	}
	if !utf16.IsSurrogate(first) {
		return first, nil
	}
	at := s.pos
	if s.next() == '\\' {
		s.pos++
		if second, ok := s.hex4(); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return r, nil
			}
		}
	}
	return 0, s.fail(LoneSurrogate, "half a character before "+s.place(at))
}

// hex4 scans the u of an escape and its four digits.
func (s *scanner) hex4() (rune, bool) {
	if s.next() != 'u' || len(s.data)-s.pos < 5 {
		return 0, false
	}
	var r rune
	for _, c := range s.data[s.pos+1 : s.pos+5] {
		i := strings.IndexByte("0123456789abcdefABCDEF", c)
		if i < 0 {
			return 0, false
		}
		if i >= 16 {
			i -= 6
		}
		r = r<<4 | rune(i)
	}
	s.pos += 5
	return r, true
}

func (s *scanner) atNumber() bool { return s.next() == '-' || isDigit(s.next()) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number scans a number as RFC 8259 writes it and returns its text.
func (s *scanner) number() (string, *DecodeError) {
	from := s.pos
	if s.next() == '-' {
		s.pos++
	}
	if s.next() == '0' {
		s.pos++
	} else if !s.digits() {
		return "", s.syntax()
	}
	if s.next() == '.' {
		s.pos++
		if !s.digits() {
			return "", s.syntax()
		}
	}
	if c := s.next(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.next(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return "", s.syntax()
		}
	}
	return string(s.data[from:s.pos]), nil
}

func (s *scanner) digits() bool {
	from := s.pos
	for isDigit(s.next()) {
		s.pos++
	}
	return s.pos > from
}

func (s *scanner) syntax() *DecodeError {
	if s.pos >= len(s.data) {
		return s.fail(Syntax, "the JSON ends too early")
	}
	return s.fail(Syntax, "no JSON at "+s.place(s.pos))
}

// place says where a byte is, for people: lines and columns from 1, columns
// in bytes.
func (s *scanner) place(pos int) string {
	before := s.data[:pos]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := pos - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("line %d, column %d", line, column)
}
