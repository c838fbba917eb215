package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form under which two texts count as the same: compatible
// characters unified (NFKC), case folded, and everything but letters, marks,
// numbers and symbols dropped. So texts that differ only in case, spaces or
// punctuation fold alike (attack A104). It is idempotent; a text of nothing
// but punctuation folds to "".
func Fold(s string) string {
	s = strings.ToValidUTF8(s, "")
	for range maxFoldRounds {
		next := foldOnce(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

// maxFoldRounds bounds the search for a fixed point: folding can make what
// NFKC then composes, and the other way round, but not for long.
const maxFoldRounds = 8

func foldOnce(s string) string {
	s = norm.NFKC.String(cases.Fold().String(norm.NFKD.String(s)))
	return strings.Map(func(r rune) rune {
		if Classify(r) != ClassNone {
			return -1
		}
		if unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S) {
			return r
		}
		return -1
	}, s)
}
