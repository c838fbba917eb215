package home

import "errors"

// Kind says why a home could not do what was asked.
type Kind string

// The closed set of kinds.
const (
	Gone       Kind = "gone"        // listed before, not there now
	Unreadable Kind = "unreadable"  // the system or service refused to read it
	Forbidden  Kind = "forbidden"   // the token may not do it to any
	Unwritable Kind = "unwritable"  // the system or service refused to write it
	Full       Kind = "full"        // no space left
	TooLarge   Kind = "too_large"   // above MaxBytes
	NotRegular Kind = "not_regular" // a link, folder, pipe or device where a file belongs
	Locked     Kind = "locked"      // another process has it and did not let go in time
	Changed    Kind = "changed"     // other bytes than its digest says
	Exhausted  Kind = "exhausted"   // a bound of what one run asks for was reached
	Rejected   Kind = "rejected"    // there, but from where nothing is taken (page 5.3)
)

// Error says what could not be done, where, and the next step.
type Error struct {
	Kind   Kind
	Where  string // a path, or what the service calls it
	Detail string // what is wrong, without a full stop
	Fix    string // one sentence
	Cause  error
}

// Error returns one line that names the place, the reason and the next step.
func (e *Error) Error() string {
	s := e.Where + ": " + e.Detail
	if e.Fix != "" {
		s += ". " + e.Fix
	}
	return s
}

// Unwrap returns the system's own error, if any.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of a home's error, "" for any other error.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
