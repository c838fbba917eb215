package vault

import (
	"io"
	"strings"

	"filippo.io/age"
)

// NewKey makes an age identity of the X25519 kind, which every age program
// opens, from 32 bytes of rand, and returns its text and that of its
// recipient. rand must be cryptographically random (crypto/rand.Reader); a
// source that ends or fails is a *Error of kind NoRandomness.
func NewKey(rand io.Reader) (identity, recipient string, err error) {
	secret := make([]byte, 32)
	if _, err := io.ReadFull(rand, secret); err != nil {
		return "", "", fail(NoRandomness, err, "no 32 random bytes could be read")
	}
	text := strings.ToUpper(bech32("age-secret-key-", secret))
	id, err := age.ParseX25519Identity(text)
	if err != nil {
		return "", "", fail(NoRandomness, nil, "the random bytes make no identity")
	}
	return id.String(), id.Recipient().String(), nil
}
