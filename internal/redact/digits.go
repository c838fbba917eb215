package redact

import (
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// lettersBefore is how much of what is looked for may stand before its first
// digit: the country of a bank account, a sign.
const lettersBefore = 4

// eachRun calls f for each match of a pattern of digits that is long enough to
// be looked at: it is tried only in
// lines with so many digits, which most text does not have.
func eachRun(s string, pattern *text.Regexp, least int, f func(start, end int)) {
	for at := 0; at < len(s); {
		i := strings.IndexAny(s[at:], "0123456789")
		if i < 0 {
			return
		}
		i += at
		end := lineEnd(s, i)
		if countDigits(s[i:end], least) < least {
			at = end
			continue
		}
		from := max(at, i-lettersBefore)
		for _, m := range pattern.FindAllStringIndex(s[from:end], -1) {
			f(from+m[0], from+m[1])
		}
		at = end
	}
}

// lineEnd returns where the line ends in which i stands.
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

// countDigits counts the digits of s, up to enough of them.
func countDigits(s string, enough int) int {
	n := 0
	for i := 0; i < len(s) && n < enough; i++ {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}
