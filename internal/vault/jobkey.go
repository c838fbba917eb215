package vault

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"strings"
)

// JobKeys derives an identity from a secret that the steps of one job share and
// no other job has, such as the job's own token: HKDF-SHA-256 with the purpose
// as info. It vouches for what one step tells a later one of the same job, and
// no more: whoever holds the job's secret can do the same. An empty secret
// gives no key.
func JobKeys(secret, purpose string) (Keys, error) {
	if secret == "" {
		return Keys{}, nil
	}
	seed, err := hkdf.Key(sha256.New, []byte(secret), nil, "familiar job key 1\x00"+purpose, sha256.Size)
	if err != nil {
		return Keys{}, fail(NoRandomness, err, "no key could be derived from the job's token")
	}
	identity, _, err := NewKey(bytes.NewReader(seed))
	if err != nil {
		return Keys{}, err
	}
	return ParseKeys(identity)
}

// ParseHandoverKey reads the handover-key input (page 6.7), which is an age
// recipient where something is only sealed, or identities where it is opened
// too. It returns the recipient to seal to, and the identities, none for a
// recipient. Errors are those of ParseKeys, or of kind BadRecipient.
func ParseHandoverKey(input string) (Keys, string, error) {
	if line := strings.TrimSpace(input); strings.HasPrefix(line, "age1") {
		if _, err := parseRecipient(line); err != nil {
			return Keys{}, "", err
		}
		return Keys{}, line, nil
	}
	keys, err := ParseKeys(input)
	return keys, keys.Recipient(), err
}
