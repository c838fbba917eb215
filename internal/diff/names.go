package diff

import (
	"bytes"
	"strings"
)

// unquote reads a path as git writes it: bare, or in double quotes with C
// escapes and octal bytes. It returns what follows the path: for a bare one
// nothing does.
func unquote(s []byte) (path string, rest []byte, ok bool) {
	if len(s) == 0 || s[0] != '"' {
		return string(s), nil, len(s) > 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], b.Len() > 0
		case '\\':
			n, val, good := escape(s[i+1:])
			if !good {
				return "", nil, false
			}
			b.WriteByte(val)
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return "", nil, false
}

// The letters that git writes behind a backslash, and the bytes they mean.
const (
	escapeLetters = `abtnvfr"\`
	escapeValues  = "\a\b\t\n\v\f\r\"\\"
)

// escape reads what stands behind a backslash: its length and the byte.
func escape(s []byte) (n int, val byte, ok bool) {
	if len(s) == 0 {
		return 0, 0, false
	}
	if i := strings.IndexByte(escapeLetters, s[0]); i >= 0 {
		return 1, escapeValues[i], true
	}
	if len(s) < 3 || s[0] > '3' {
		return 0, 0, false
	}
	for _, d := range s[:3] {
		if d < '0' || d > '7' {
			return 0, 0, false
		}
		val = val<<3 | (d - '0')
	}
	return 3, val, true
}

// withoutPrefix removes "a/", "b/" or another prefix of one letter, which is
// what git writes unless it is told to write none.
func withoutPrefix(path string) (string, bool) {
	if len(path) < 3 || path[1] != '/' {
		return "", false
	}
	return path[2:], true
}

// headerNames reads the two names of a "diff --git" line. Bare names hold
// spaces, so two that differ cannot be told apart: then both are "", and the
// lines below the header tell.
func headerNames(s []byte) (oldPath, newPath string) {
	first, second := splitNames(s)
	if first == nil {
		return "", ""
	}
	a, rest, ok := unquote(first)
	b, rest2, ok2 := unquote(second)
	if !ok || !ok2 || len(rest) > 0 || len(rest2) > 0 {
		return "", ""
	}
	a, ok = withoutPrefix(a)
	b, ok2 = withoutPrefix(b)
	if !ok || !ok2 {
		return "", ""
	}
	return a, b
}

func splitNames(s []byte) (first, second []byte) {
	if len(s) > 0 && s[0] == '"' {
		_, rest, ok := unquote(s)
		if !ok || len(rest) < 2 || rest[0] != ' ' {
			return nil, nil
		}
		return s[:len(s)-len(rest)], rest[1:]
	}
	if i := bytes.Index(s, []byte(` "`)); i > 0 && s[len(s)-1] == '"' {
		return s[:i], s[i+1:]
	}
	mid := len(s) / 2
	if len(s) < 7 || s[mid] != ' ' || !bytes.Equal(s[2:mid], s[min(mid+3, len(s)):]) {
		return nil, nil
	}
	return s[:mid], s[mid+1:]
}

// sideName reads the name of a "---" or "+++" line. null is set for /dev/null.
func sideName(s []byte) (path string, null, ok bool) {
	if len(s) > 0 && s[0] != '"' {
		// Git ends a bare name that holds a space with a tab.
		s = bytes.TrimSuffix(s, []byte("\t"))
	}
	if string(s) == "/dev/null" {
		return "", true, true
	}
	name, _, ok := unquote(s)
	if !ok {
		return "", false, false
	}
	name, ok = withoutPrefix(name)
	return name, false, ok
}
