package vault

import (
	"bytes"
	"strings"

	"filippo.io/age"
)

// SealBytes seals a message, such as a sealed note or a hand-over (page 7.2),
// to one age recipient, age1... or age1pq1...: age over zstd, as in a
// container. age does not say who sealed: what has to come from us carries a
// Keys.MAC inside. Errors are *Error of kind BadRecipient or TooLarge.
func SealBytes(plain []byte, recipient string) ([]byte, error) {
	to, err := parseRecipient(recipient)
	if err != nil {
		return nil, err
	}
	if len(plain) > MaxDatabase {
		return nil, fail(TooLarge, nil, "the message is %d bytes, at most %d are sealed", len(plain), MaxDatabase).with("")
	}
	var out pile
	if err := sealTo(newCounting(&out, MaxZip), bytes.NewReader(plain), to); err != nil {
		return nil, sealError(err)
	}
	return out.data, nil
}

// OpenBytes opens what SealBytes, or age and zstd, sealed to any of the
// identities, and returns at most the given number of bytes. That it opens
// says nothing about who sealed it. Errors are *Error of kind NoKey, TooLarge,
// DecryptFailed or DecompressFailed.
func (k Keys) OpenBytes(sealed []byte, most int) ([]byte, error) {
	if k.Len() == 0 {
		return nil, fail(NoKey, nil, "there is no key to open the message with")
	}
	if len(sealed) > MaxZip {
		return nil, fail(TooLarge, nil, "the sealed message is %d bytes, at most %d are read", len(sealed), MaxZip).with("")
	}
	ids := make([]age.Identity, k.Len())
	for i, id := range k.ids() {
		ids[i] = id.age
	}
	var out pile
	if err := unseal(newCounting(&out, int64(max(most, 0))), sealed, ids...); err != nil {
		return nil, err
	}
	return out.data, nil
}

// parseRecipient reads a recipient. What age says is not passed on: somebody
// may have given an identity, and age quotes it.
func parseRecipient(s string) (age.Recipient, error) {
	s = strings.TrimSpace(s)
	switch {
	case len(s) > MaxKeyInput:
	case strings.HasPrefix(s, "age1pq1"):
		if r, err := age.ParseHybridRecipient(s); err == nil {
			return r, nil
		}
	case strings.HasPrefix(s, "age1"):
		if r, err := age.ParseX25519Recipient(s); err == nil {
			return r, nil
		}
	case strings.HasPrefix(strings.ToUpper(s), "AGE-SECRET-KEY-"):
		return nil, fail(BadRecipient, nil, "an identity (the secret half) where the recipient (the public half) belongs")
	}
	return nil, fail(BadRecipient, nil, "this is no age recipient")
}
