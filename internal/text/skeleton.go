package text

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Skeleton returns the form under which two words look the same to a hasty
// reader: invisible characters left out, compatible forms unified, marks
// dropped, letters of other scripts that are drawn like Latin ones replaced
// by those, case folded, and the signs that are told apart worst (0 and o, 1
// and l and i, rn and m, vv and w) unified. It is for comparing names such as
// handles, never for showing or storing. It is idempotent.
func Skeleton(s string) string {
	s = strings.ToValidUTF8(s, "")
	for range maxFoldRounds {
		next := skeletonOnce(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

func skeletonOnce(s string) string {
	s = strings.ToLower(likeLatin(norm.NFKD.String(likeLatin(s))))
	return doubles.Replace(strings.Map(func(r rune) rune {
		switch r {
		case '0':
			return 'o'
		case '1', 'i', '|', '!':
			return 'l'
		}
		return r
	}, s))
}

var doubles = strings.NewReplacer("rn", "m", "vv", "w")

// likeLatin drops what is not drawn by itself and replaces what is drawn like a
// Latin letter.
func likeLatin(s string) string {
	table := lookalikes()
	return strings.Map(func(r rune) rune {
		if r < 0x80 {
			if Classify(r) != ClassNone {
				return -1
			}
			return r
		}
		if Classify(r) != ClassNone || isMark(r) {
			return -1
		}
		if same, ok := table[r]; ok {
			return same
		}
		return r
	}, s)
}

// LooksLike says whether a and b are different words that a reader takes for
// the same one: a handle with a Cyrillic letter in it, say. Words that differ
// in case only are the same word.
func LooksLike(a, b string) bool {
	return !strings.EqualFold(a, b) && Skeleton(a) == Skeleton(b)
}
