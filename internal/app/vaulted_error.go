package app

import (
	"errors"
	"fmt"
	"strings"
)

// Unavailable says why there is no memory in a run although there is a key:
// a closed set, so that a caller can act on it (page 5.3).
type Unavailable string

// The closed set of reasons.
const (
	Unlisted   Unavailable = "unlisted"   // the listing failed: never "no memory yet"
	Unreadable Unavailable = "unreadable" // a head cannot be downloaded or unpacked now
	Vanishing  Unavailable = "vanishing"  // listed again and again, and never there
	Flooded    Unavailable = "flooded"    // a bound of downloads was reached
	NoneOpens  Unavailable = "none_opens" // containers, and none that opens
	Unmerged   Unavailable = "unmerged"   // a sound container contradicts the rest
	Newer      Unavailable = "newer"      // saved by a later release
	Lost       Unavailable = "lost"       // a store was seen, and none is left
	Rollback   Unavailable = "rollback"   // a newer store was seen
	Isolated   Unavailable = "isolated"   // an earlier run's reviewer may still be at work
	Unsaved    Unavailable = "unsaved"    // this run's save failed
)

// VaultError is the reason with its words and the next step.
type VaultError struct {
	Why    Unavailable
	Detail string // without a full stop
	Fix    string // one or two sentences
	Cause  error
}

// Error returns the reason and the next step.
func (e *VaultError) Error() string {
	if e.Fix == "" {
		return e.Detail
	}
	return strings.TrimRight(e.Detail, ".") + ". " + e.Fix
}

// Unwrap returns the error that caused this one, if any.
func (e *VaultError) Unwrap() error { return e.Cause }

// WhyUnavailable returns the reason of a vault's error, "" for any other.
func WhyUnavailable(err error) Unavailable {
	var e *VaultError
	if errors.As(err, &e) {
		return e.Why
	}
	return ""
}

func unavailable(why Unavailable, cause error, format string, args ...any) *VaultError {
	return &VaultError{Why: why, Detail: fmt.Sprintf(format, args...), Cause: cause}
}

func (e *VaultError) with(fix string) *VaultError {
	e.Fix = fix
	return e
}
