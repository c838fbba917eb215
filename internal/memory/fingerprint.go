package memory

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/familiarhq/familiar/internal/text"
)

// Fingerprint returns the keyed digest, in hex, that a forgotten text leaves
// behind: HMAC-SHA-256 over the folded text, so that the same lesson is known
// again when only case, spaces or punctuation differ (attack A104), and
// nothing can be read back without the key. A text of punctuation alone folds
// to nothing and is taken as it is. Without a key the fingerprint is "",
// which equals none.
func Fingerprint(key []byte, s string) string {
	folded := text.Fold(s)
	if len(key) == 0 {
		return ""
	}
	if folded == "" {
		folded = s
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(folded))
	return hex.EncodeToString(mac.Sum(nil))
}

// SameFingerprint compares two fingerprints in constant time; "" equals none.
func SameFingerprint(a, b string) bool {
	return a != "" && hmac.Equal([]byte(a), []byte(b))
}
