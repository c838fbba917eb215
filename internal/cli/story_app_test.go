package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// An App of the team's own in place of the workflow's token, and dashboards
// that are opened at once.

func appSteps() map[string]storyStep {
	return map[string]storyStep{"app": (*story).actAsApp, "sweep-beside": (*story).sweepBeside}
}
func appChecks() map[string]storyStep {
	return map[string]storyStep{"checks": (*story).isChecks, "boards": (*story).isBoards}
}

const storyApp = "ledger-helper"

// actAsApp has the action act as an App with these permissions from now on:
// PERMISSION...; the permissions of one that acts already change.
func (s *story) actAsApp(w []string) {
	s.takes(w, 1, 9)
	a := s.server.AddApp(githubtest.App{ID: 4711, Slug: storyApp, InstallationID: 4712, Repos: []string{s.repo}, Permissions: w})
	s.app = map[string]string{"app-id": itoa(a.ID), "app-private-key": string(a.PEM)}
}

// author is who writes what the action says.
func (s *story) author() string {
	if s.app != nil {
		return storyApp + "[bot]"
	}
	return "github-actions[bot]"
}

// ours are the comments of the action on a thread.
func (s *story) ours(number int) []string {
	var out []string
	for _, c := range s.server.CommentsBy(s.repo, number, s.author()) {
		out = append(out, c.Body)
	}
	return out
}

// isChecks holds the check runs on the head of a pull request: PULL FILE.
func (s *story) isChecks(w []string) {
	s.takes(w, 2, 2)
	out := ""
	for _, c := range s.server.CheckRuns(s.repo, s.server.Pull(s.repo, s.thread(w[0])).HeadSHA) {
		out += fmt.Sprintf("%s %s by %s about %s: %s\n\n%s\n", c.Name, cmp.Or(c.Conclusion, c.Status), c.App, c.ExternalID, c.Title, strings.TrimRight(c.Summary, "\n"))
	}
	s.golden(w[1], cmp.Or(out, "(none)"))
}

// sweepBeside runs the sweep inside of another run.
func (s *story) sweepBeside([]string) {
	s.newRun("schedule")
	if got := s.step(s.t.TempDir(), 1, "schedule", "mara", map[string]any{"schedule": "17 3 * * *", "repository": s.described()}, nil); got.status != 0 {
		s.fatalf("exit %d\n%s", got.status, got.log)
	}
}

// isBoards holds what every issue of the action is: FILE.
func (s *story) isBoards(w []string) {
	s.takes(w, 1, 1)
	out := ""
	for i, n := range s.server.IssuesBy(s.repo, s.author()) {
		says := strings.TrimSpace(s.server.IssueBody(s.repo, n))
		if boardTag.MatchString(says) {
			says = "the dashboard"
		}
		out += fmt.Sprintf("issue %d of ours, %s: %s\n", i+1, s.server.IssueState(s.repo, n), says)
	}
	s.golden(w[0], cmp.Or(out, "(none)"))
}
