package github

import (
	"testing"
	"time"
)

func TestTheDateIsGitHubsAndOnlyMovesOn(t *testing.T) {
	c := &Client{guard: &guard{}}
	if got := c.Date(); !got.IsZero() {
		t.Errorf("before any answer it is %s", got)
	}
	for _, told := range []string{"Mon, 30 Nov 2026 12:00:00 GMT", "Mon, 30 Nov 2026 11:59:59 GMT", "yesterday", ""} {
		c.guard.told(told)
	}
	if got, want := c.Date(), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("it is %s, want %s", got, want)
	}
	if (*Client)(nil).Date() != (time.Time{}) {
		t.Error("without a client there is a date")
	}
}
