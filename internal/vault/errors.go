package vault

import (
	"errors"
	"fmt"
)

// Kind says why a container, a key or a sealed message is refused.
type Kind string

// The closed set of kinds. A container is quarantined under the kind's name
// (page 5.3).
const (
	TooLarge         Kind = "too_large"         // above a limit of page 5.2
	BadZip           Kind = "bad_zip"           // not the one layout of zip that a container has
	ForeignMember    Kind = "foreign_member"    // a name besides the two
	BadManifest      Kind = "bad_manifest"      // not a manifest of schema 2 in canonical form
	NewerSchema      Kind = "newer_schema"      // a manifest of a later release
	NoKey            Kind = "no_key"            // no identity was given
	BadKey           Kind = "bad_key"           // a line of the key input is no identity
	BadRecipient     Kind = "bad_recipient"     // not an age recipient
	NoRandomness     Kind = "no_randomness"     // the source of randomness failed
	UnknownKey       Kind = "unknown_key"       // sealed under none of the identities given
	BadMAC           Kind = "bad_mac"           // the manifest was changed, or made without the key
	DigestMismatch   Kind = "digest_mismatch"   // other bytes than a digest or size says
	WrongRepository  Kind = "wrong_repository"  // of another repository
	WrongStore       Kind = "wrong_store"       // of another store of this repository
	RetiredKey       Kind = "retired_key"       // sealed under a retired identity after the rotation
	DecryptFailed    Kind = "decrypt_failed"    // age refused it
	DecompressFailed Kind = "decompress_failed" // zstd refused it
	BadInput         Kind = "bad_input"         // what was to be sealed makes no container
)

// Error says why something was refused: what is wrong and the next step. It
// never repeats a key, a name or a value from the input.
type Error struct {
	Kind   Kind
	Line   int    // of the key input, from 1; 0 elsewhere
	Detail string // what is wrong, without a full stop
	Fix    string // the next step, one sentence
	Cause  error  // of age, zstd, or the strict decoder, if any
}

// Error returns one line that names the thing, the reason and the next step.
func (e *Error) Error() string {
	s := e.Detail
	if e.Line > 0 {
		s = fmt.Sprintf("line %d of the key: %s", e.Line, e.Detail)
	}
	if e.Fix != "" {
		s += ". " + e.Fix
	}
	return s
}

// Unwrap returns the error that caused this one, if any.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of a vault's error, "" for any other error.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

const quarantined = "It is left as it is and not used; an admin can delete that artifact."

// fixes are the next steps, by kind.
var fixes = map[Kind]string{
	TooLarge:         "Purge or retire lessons that nobody needs; a container from elsewhere is not used.",
	BadZip:           quarantined,
	ForeignMember:    quarantined,
	BadManifest:      quarantined,
	NewerSchema:      "Use that release of familiar or a later one; nothing was touched.",
	NoKey:            "Make one with familiar keygen and give it as memory-key.",
	BadKey:           "Give one age identity a line, as familiar keygen or age-keygen prints it.",
	BadRecipient:     "Give the public key that age-keygen prints; it starts with age1.",
	NoRandomness:     "Try again; nothing was made.",
	UnknownKey:       "If the key was rotated, give the earlier identity on a second line of memory-key.",
	BadMAC:           quarantined,
	DigestMismatch:   "Fetch it again; if it stays so, it is not used.",
	WrongRepository:  "Use that repository's own memory; it was not opened.",
	WrongStore:       "Use a container of this repository's own store; there is no way to rebind one.",
	RetiredKey:       "If a person really sealed it, open it with the earlier identity alone and restore it.",
	DecryptFailed:    quarantined,
	DecompressFailed: quarantined,
	BadInput:         "Nothing was sealed.",
}

func fail(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...), Fix: fixes[kind], Cause: cause}
}
