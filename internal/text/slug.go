package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSlug keeps a slug readable; a key part may have 64 characters.
const maxSlug = 48

// Slug returns a key part made of the first words of s (page 3.4): lower case
// ASCII letters and digits joined by dashes, accents dropped, at most 48
// characters, cut between words. A text without any such character gets "t-"
// and a short digest, so that it still has a stable key of its own.
func Slug(s string) string {
	var words []string
	length := 0
	for _, w := range strings.FieldsFunc(ascii(s), func(r rune) bool { return !isSlugRune(r) }) {
		if length+len(w)+1 > maxSlug {
			if length == 0 {
				words = append(words, w[:maxSlug])
			}
			break
		}
		words = append(words, w)
		length += len(w) + 1
	}
	if len(words) == 0 {
		sum := sha256.Sum256([]byte(s))
		return "t-" + hex.EncodeToString(sum[:5])
	}
	return strings.Join(words, "-")
}

func isSlugRune(r rune) bool { return (r >= 'a' && r <= 'z') || (r >= '0' && r <= '9') }

// ascii lowers s and drops marks, so that "Größe" gives "große" and then
// words of its ASCII runs.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(strings.ToValidUTF8(s, "")))
}
