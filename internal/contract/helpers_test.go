package contract

import (
	"errors"
	"testing"
)

// wantReason fails unless err is a *DecodeError with that reason.
func wantReason(t *testing.T, err error, want Reason) {
	t.Helper()
	var refused *DecodeError
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want a *DecodeError with reason %s", err, want)
	}
	if refused.Reason != want {
		t.Errorf("got %v, want reason %s", err, want)
	}
}
