package redact

import "strings"

// Cut shortens s for showing: at most n characters, then "...". Text of people
// and programs is cut here and nowhere else before it is shown: it is scrubbed
// whole first, since the rest of a secret that was cut is known to no pattern
// any more, and a marker is never cut (page 6.1). Bytes that are no UTF-8 are
// shown as "?".
func Cut(s string, n int) string {
	s = Scrub(strings.ToValidUTF8(s, "?"))
	end, count := len(s), 0
	for i := range s {
		if count == n {
			end = i
			break
		}
		count++
	}
	if end == len(s) {
		return s
	}
	for _, marker := range []string{SecretMarker, PIIMarker} {
		from := max(0, end-len(marker)+1)
		if i := strings.Index(s[from:], marker); i >= 0 && from+i < end {
			end = from + i + len(marker)
		}
	}
	if end == len(s) {
		return s
	}
	return s[:end] + "..."
}
