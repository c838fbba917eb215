package cli

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// TestTheSweepFindsCommandsBeyondTheReviewsOfOneRun: one run reviews twenty
// pull requests, and a lost command waits on the oldest of more than that.
func TestTheSweepFindsCommandsBeyondTheReviewsOfOneRun(t *testing.T) {
	t.Parallel()
	files := []txtar.File{{Name: "change/services/retry.go", Data: []byte("package services\n")}}
	s := newStory(t, &txtar.Archive{Files: files})
	s.threads["talk"] = s.server.AddIssue(githubtest.Issue{Repo: s.repo, Title: "Conventions", Author: "mara"})
	s.say([]string{"genesis", "talk", "ada", "=@familiar remember The memory begins here."})
	s.openPull([]string{"oldest", "mara", "change"})
	s.post([]string{"lost", "oldest", "mara", "=@familiar remember Amounts are in minor units."})
	for n := range 20 {
		s.server.Advance(time.Minute)
		s.openPull([]string{fmt.Sprintf("newer%d", n), "mara", "change"})
	}
	s.runSweep(nil)
	s.isReactions([]string{"lost", "rocket"})
}
