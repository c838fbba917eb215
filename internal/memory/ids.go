package memory

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

// crockford is Crockford's base32 in lower case: no i, l, o or u.
var crockford = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const (
	idPrefix = "m-"
	idChars  = 8
)

// MaxVersion bounds the number of versions that an id can name.
const MaxVersion = 999_999

// NewCause returns the digest that stands for what caused a transition: hex
// SHA-256 over the parts, each preceded by its length, so that no two lists
// of parts share one (page 4.4).
func NewCause(parts ...string) string {
	return hex.EncodeToString(digestParts(parts...))
}

// NewDocumentID returns the id of a lesson that a person taught: it depends on
// the repository's id, the causing event and the line alone, so a replay finds
// the same document, also in a store that was begun beside the first (page 4.1,
// decision 0019).
func NewDocumentID(repository int64, cause string, line int) string {
	return documentID("document", strconv.FormatInt(repository, 10), cause, strconv.Itoa(line))
}

// NewProposalID returns the id of a lesson that a runtime proposed. It never
// depends on the run: a re-run on the same head proposes the same document.
func NewProposalID(repository int64, pull int, head string, key Key, text string) string {
	return documentID("proposal", strconv.FormatInt(repository, 10), strconv.Itoa(pull), head, string(key), text)
}

// TextDigest returns the hex SHA-256 of a normalised text. An approval names
// it, and so covers exactly the text that was shown (page 6.1).
func TextDigest(normalisedText string) string {
	sum := sha256.Sum256([]byte(normalisedText))
	return hex.EncodeToString(sum[:])
}

// ParseID splits "m-7f3k2q8a" or "m-7f3k2q8a@2" into the document and the
// version (0: none named). Letters may be capital, and o, i and l are read as
// the digits they stand for in Crockford's base32. Blank and everything else
// is refused.
func ParseID(s string) (doc string, version int, ok bool) {
	doc, number, named := strings.Cut(strings.ToLower(s), "@")
	if named {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > MaxVersion || strconv.Itoa(n) != number {
			return "", 0, false
		}
		version = n
	}
	if len(doc) != len(idPrefix)+idChars || !strings.HasPrefix(doc, idPrefix) {
		return "", 0, false
	}
	body := lookalikes.Replace(doc[len(idPrefix):])
	// Decoding skips line breaks, so the body must come back the same.
	if raw, err := crockford.DecodeString(body); err != nil || crockford.EncodeToString(raw) != body {
		return "", 0, false
	}
	return idPrefix + body, version, true
}

// IsDocumentID says whether s is the id of a document as it is stored: without
// a version, a capital letter or one that is read as a digit.
func IsDocumentID(s string) bool {
	if len(s) != len(idPrefix)+idChars || s[:len(idPrefix)] != idPrefix {
		return false
	}
	for i := len(idPrefix); i < len(s); i++ {
		if !inAlphabet[s[i]] {
			return false
		}
	}
	return true
}

var inAlphabet = func() (out [256]bool) {
	for _, c := range []byte(alphabet) {
		out[c] = true
	}
	return out
}()

// lookalikes are letters that no id has, and the digits they are read as.
var lookalikes = strings.NewReplacer("o", "0", "i", "1", "l", "1")

func documentID(parts ...string) string {
	return idPrefix + crockford.EncodeToString(digestParts(parts...)[:5]) // 5 bytes are 8 characters
}

func digestParts(parts ...string) []byte {
	h := sha256.New()
	for _, part := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}
