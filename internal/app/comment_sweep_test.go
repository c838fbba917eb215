package app

import (
	"testing"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
)

func TestACommentIsOnAPullRequestByItsNumberAndNotByAName(t *testing.T) {
	for url, want := range map[string]bool{
		"https://github.com/acme/shop/pull/7#issuecomment-1":   true,
		"https://github.com/pull/pull/pull/7#issuecomment-1":   true,
		"https://github.com/acme/shop/issues/7#issuecomment-1": false,
		"https://github.com/pull/shop/issues/7#issuecomment-1": false,
		"https://github.com/acme/pull/issues/7#issuecomment-1": false,
		"https://github.com/pull/7/issues/7#issuecomment-1":    false,
		"https://github.com/acme/shop/pull/70#issuecomment-1":  false,
	} {
		if got := onPull(github.Comment{Comment: event.Comment{URL: url}, Number: 7}); got != want {
			t.Errorf("%s: on a pull request %v, want %v", url, got, want)
		}
	}
}
