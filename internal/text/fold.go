package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form under which two texts count as the same: compatible
// characters unified (NFKC), case folded, and everything dropped but letters,
// marks, numbers, and the signs of mathematics and currency, without which
// "x < 1" would be "x > 1". So texts that differ only in case, spaces or
// punctuation fold alike (attack A104), quotes, code spans and decorations
// included. It is idempotent; a text of nothing but punctuation folds to "".
// Unicode keeps it stable for every character that has been assigned.
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
	// A spacing accent decomposes into a space and a mark: it has to go as a
	// whole, or its mark would land on the letter before it.
	s = norm.NFKC.String(cases.Fold().String(norm.NFKD.String(meaningful(s))))
	return norm.NFKC.String(meaningful(s))
}

func meaningful(s string) string {
	return strings.Map(func(r rune) rune {
		if Classify(r) == ClassNone && unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Sm, unicode.Sc) {
			return r
		}
		return -1
	}, s)
}
