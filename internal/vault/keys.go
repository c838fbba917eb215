package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"filippo.io/age"
)

// Keys are the identities of the memory-key input. The first is the current
// one: it seals. The others are retired: they open what was sealed before the
// rotation (page 5.1). The zero value holds none and does nothing. However it
// is printed, a Keys shows key ids only.
type Keys struct {
	held func() []*identity
}

// ids are the identities, the current one first. They hide in a function:
// where fmt cannot call Format, in unexported fields of others, it shows what
// pointers point to, but of a function no more than the address.
func (k Keys) ids() []*identity {
	if k.held == nil {
		return nil
	}
	return k.held()
}

func keysHolding(ids []*identity) Keys {
	return Keys{held: func() []*identity { return ids }}
}

type identity struct {
	age       age.Identity
	recipient age.Recipient
	public    string
	secret    string // canonical text; the input of every derived key
	keyID     string
}

// ParseKeys reads one age identity a line, AGE-SECRET-KEY-1... or the
// post-quantum AGE-SECRET-KEY-PQ-1..., as familiar keygen and age-keygen write
// them: blank lines and lines starting with # are skipped, white space and
// carriage returns around a line do not matter, and an identity given twice
// counts once. Bounds: MaxKeyInput bytes and MaxKeys identities. Errors are
// *Error of kind TooLarge, NoKey or BadKey; the last names the line, and none
// repeats any of it.
func ParseKeys(input string) (Keys, error) {
	if len(input) > MaxKeyInput {
		return Keys{}, fail(TooLarge, nil, "the key is %d bytes, at most %d are read", len(input), MaxKeyInput).with(fixes[BadKey])
	}
	var ids []*identity
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(input, "\ufeff")) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason := parseIdentity(line)
		if reason != "" {
			err := fail(BadKey, nil, "%s", reason)
			err.Line = n
			return Keys{}, err
		}
		if slices.ContainsFunc(ids, func(o *identity) bool { return o.keyID == id.keyID }) {
			continue
		}
		if len(ids) == MaxKeys {
			return Keys{}, fail(TooLarge, nil, "the key has more than %d identities", MaxKeys).with("Drop the oldest ones.")
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return Keys{}, fail(NoKey, nil, "the key holds no identity")
	}
	return keysHolding(ids), nil
}

// with replaces the next step.
func (e *Error) with(fix string) *Error {
	e.Fix = fix
	return e
}

const (
	classicPrefix = "AGE-SECRET-KEY-1"
	hybridPrefix  = "AGE-SECRET-KEY-PQ-1"
)

// parseIdentity reads one line, or says what is wrong with it. What age says
// is not passed on: it may quote characters of the key.
func parseIdentity(line string) (*identity, string) {
	switch {
	case strings.HasPrefix(line, hybridPrefix):
		if id, err := age.ParseHybridIdentity(line); err == nil {
			return newIdentity(id, id.Recipient(), id.String(), id.Recipient().String()), ""
		}
	case strings.HasPrefix(line, classicPrefix):
		if id, err := age.ParseX25519Identity(line); err == nil {
			return newIdentity(id, id.Recipient(), id.String(), id.Recipient().String()), ""
		}
	}
	return nil, complaint(line)
}

func complaint(line string) string {
	upper := strings.ToUpper(line)
	switch {
	case !utf8.ValidString(line):
		return "it is not UTF-8"
	case strings.ContainsAny(line, " \t"):
		return "more than one word"
	case strings.HasPrefix(upper, "AGE-PLUGIN-"):
		return "an identity of an age plugin, which a runner does not have"
	case strings.HasPrefix(upper, "AGE1"):
		return "an age recipient (the public half) where the identity (the secret half) belongs"
	case strings.HasPrefix(upper, "SSH-") || strings.HasPrefix(upper, "-----BEGIN"):
		return "an SSH or PEM key, which is no age identity"
	case !strings.HasPrefix(upper, "AGE-SECRET-KEY-"):
		return "it does not start with AGE-SECRET-KEY-"
	case line != upper:
		return "an age identity is written in capital letters"
	}
	return "it starts like an age identity but is damaged: a character is wrong, missing or too much"
}

func newIdentity(id age.Identity, r age.Recipient, secret, public string) *identity {
	sum := sha256.Sum256([]byte("familiar key id 1\x00" + public))
	return &identity{age: id, recipient: r, public: public, secret: secret, keyID: hex.EncodeToString(sum[:8])}
}

func (k Keys) byID(keyID string) *identity {
	for _, id := range k.ids() {
		if id.keyID == keyID {
			return id
		}
	}
	return nil
}

// Len is the number of different identities.
func (k Keys) Len() int { return len(k.ids()) }

// IDs returns the key ids, the current one first: 16 hex digits of a digest of
// the recipient, fit to be shown.
func (k Keys) IDs() []string {
	out := make([]string, k.Len())
	for i, id := range k.ids() {
		out[i] = id.keyID
	}
	return out
}

// CurrentID is the key id of the identity that seals, "" if there is none.
func (k Keys) CurrentID() string {
	if k.Len() == 0 {
		return ""
	}
	return k.ids()[0].keyID
}

// Recipient is the public half of the current identity, "" if there is none.
func (k Keys) Recipient() string {
	if k.Len() == 0 {
		return ""
	}
	return k.ids()[0].public
}

// Format prints the key ids under every verb, so that no message and no log
// can show a secret.
func (k Keys) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "keys(%s)", strings.Join(k.IDs(), " "))
}
