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

// Slug returns a key part made of the first words of s (page 3.4): ASCII
// lower case letters and digits joined by dashes, accents dropped, at most 48
// characters, cut between words. Where letters of another script are left out
// of those words, a short digest of the whole text stands at the end, and
// where nothing else is left it is "t-" and that digest: two such texts have
// different slugs. Two texts that begin alike have the same one; whoever needs
// a key of its own adds to it.
func Slug(s string) string {
	plain, lost := latin(s)
	words := strings.FieldsFunc(plain, func(r rune) bool { return !slugRune(r) })
	digest := ""
	if lost || len(words) == 0 {
		sum := sha256.Sum256([]byte(norm.NFC.String(s)))
		digest = hex.EncodeToString(sum[:5])
	}
	room := maxSlug
	if digest != "" {
		room -= len(digest) + 1
	}
	slug := firstWords(words, room)
	switch {
	case slug == "":
		return "t-" + digest
	case digest != "":
		return slug + "-" + digest
	}
	return slug
}

// firstWords joins as many words as fit; a first word that does not is cut.
func firstWords(words []string, room int) string {
	var b strings.Builder
	for _, w := range words {
		if b.Len() == 0 {
			b.WriteString(w[:min(len(w), room)])
			continue
		}
		if b.Len()+1+len(w) > room {
			break
		}
		b.WriteString("-" + w)
	}
	return b.String()
}

func slugRune(r rune) bool { return (r >= 'a' && r <= 'z') || (r >= '0' && r <= '9') }

// letters are Latin letters that do not decompose into an ASCII one.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "ng", 'ĸ': "k", 'ŧ': "t",
}

// latin lowers s, writes Latin letters in ASCII, drops apostrophes, and says
// whether letters of another script are lost.
func latin(s string) (plain string, lost bool) {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(strings.ToValidUTF8(s, ""))) {
		switch ascii, known := letters[r]; {
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’':
		case known:
			b.WriteString(ascii)
		case r >= 0x80 && unicode.In(r, unicode.L, unicode.N):
			lost = true
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), lost
}
