package github

import (
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/event"
)

func count(n int) string { return strconv.Itoa(n) }

// actor is a user in our words; nil for a deleted one.
func actor(u *github.User) *event.Actor {
	if u == nil || u.GetLogin() == "" {
		return nil
	}
	return &event.Actor{ID: u.GetID(), Login: u.GetLogin(), Type: u.GetType()}
}

func at(t github.Timestamp) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

func labelNames(in []*github.Label) []string {
	var out []string
	for _, l := range in {
		out = append(out, l.GetName())
	}
	return out
}

// lastNumber is the number at the end of an address such as ".../issues/7".
func lastNumber(address string) int {
	n, err := strconv.Atoi(address[strings.LastIndexByte(address, '/')+1:])
	if err != nil || n < 0 {
		return 0
	}
	return n
}
