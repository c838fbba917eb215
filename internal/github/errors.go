package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Kind says why GitHub did not do what it was asked.
type Kind string

// The closed set of kinds.
const (
	NotFound     Kind = "not_found"    // 404: not there, or the token may not see it
	Forbidden    Kind = "forbidden"    // 403: see Error.Permission
	Unauthorised Kind = "unauthorised" // 401: the token or key is not taken
	RateLimited  Kind = "rate_limited" // and waiting longer is not allowed
	Redirected   Kind = "redirected"   // the repository moved; see Error.Location
	Unavailable  Kind = "unavailable"  // 5xx, no connection, a cut one, no answer in time
	Gone         Kind = "gone"         // 410: expired or deleted
	Conflict     Kind = "conflict"     // 409
	Invalid      Kind = "invalid"      // 400, 422, an answer that cannot be read, bad options
	TooLarge     Kind = "too_large"    // above one of our limits or GitHub's
	Cancelled    Kind = "cancelled"    // the caller's context ended
)

// Error says what could not be done, why, and the next step. No text in it
// holds a token, a header or the query of an address.
type Error struct {
	Kind   Kind
	Op     string // what was being done: "reading pull request #7"
	Status int    // of the answer; 0 if there was none
	// Permission is what the token lacks, as a workflow file spells it
	// ("pull-requests: write"), where that is known. Kind Forbidden only.
	Permission string
	// Location is the new address, without its query. Kind Redirected only.
	Location string
	// Uncertain says that a write may have been done although it failed: look
	// before doing it again.
	Uncertain bool
	Detail    string // what is wrong, without a full stop
	Fix       string // one sentence
	Cause     error
}

// Error returns one line that names the act, the reason and the next step.
func (e *Error) Error() string {
	s := "GitHub: " + e.Op + ": " + e.Detail
	if e.Uncertain {
		s += " (it may have been done all the same)"
	}
	if e.Fix != "" {
		s += ". " + e.Fix
	}
	return s
}

// Unwrap returns the error below, if any.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of an error of this package, "" for any other.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// asError is the one door through which methods return errors: what the
// guard made passes, everything else loses its address and becomes one.
func asError(ctx context.Context, err error) error {
	var mine *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mine):
		return mine
	case ctx.Err() != nil:
		return cancelled(ctx)
	}
	return &Error{Kind: Invalid, Op: callOf(ctx).op, Detail: "the answer cannot be read: " + shown(err.Error(), "", 120),
		Fix: "Run it again; if it stays, check that GITHUB_API_URL is an API of GitHub."}
}

func cancelled(ctx context.Context) *Error {
	cause := ctx.Err()
	detail := "the run was cancelled"
	if errors.Is(cause, context.DeadlineExceeded) {
		detail = "the time that the run gave it is over"
	}
	return &Error{Kind: Cancelled, Op: callOf(ctx).op, Detail: detail, Fix: "Run it again.", Cause: cause}
}

// failure turns an answer outside 2xx into an error.
func failure(call call, status int, h http.Header, message string) *Error {
	e := &Error{Op: call.op, Status: status, Detail: fmt.Sprintf("GitHub answered %d", status)}
	if message != "" {
		e.Detail += ": " + message
	}
	e.Kind, e.Fix = kindOfStatus(status)
	if e.Kind == Forbidden {
		e.Permission = call.permission
		if e.Permission == "" {
			e.Permission = accepted(h)
		}
		if e.Permission != "" {
			e.Detail += fmt.Sprintf("; it needs the permission `%s`", e.Permission)
			e.Fix = fmt.Sprintf("Add `%s` under `permissions:` of the job, or to the App; on a fork's pull request the token stays read-only.", e.Permission)
		}
	}
	return e
}

func kindOfStatus(status int) (Kind, string) {
	switch status {
	case http.StatusUnauthorized:
		return Unauthorised, "Check the input `github-token`, or `app-id` and `app-private-key`."
	case http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return Forbidden, "Check the permissions of the token."
	case http.StatusNotFound:
		return NotFound, "Check that it exists and that the token may see it."
	case http.StatusConflict:
		return Conflict, "Run it again."
	case http.StatusGone:
		return Gone, "It was deleted or has expired; list again."
	case http.StatusRequestEntityTooLarge, http.StatusNotAcceptable:
		return TooLarge, "Ask for less."
	case http.StatusTooManyRequests:
		return RateLimited, "Run it again later."
	}
	if status >= 500 {
		return Unavailable, "Run it again later; www.githubstatus.com says whether GitHub has an incident."
	}
	return Invalid, "Run it again; if it stays, report it with this line."
}
