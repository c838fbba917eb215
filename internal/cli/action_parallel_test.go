package cli

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// TestTwentyParallelRunsLoseNoAcknowledgedCommand starts twenty runs of the
// built binary at once, each for a maintainer's command on an issue of its
// own, while one request in twenty fails. Some are the first of the
// repository and each makes a store; all save beside each other. A run that
// failed is repeated, as a person would. At the end every command is in the
// store exactly once (page 8.2; A95 to A97 in what they lead to).
func TestTwentyParallelRunsLoseNoAcknowledgedCommand(t *testing.T) {
	const runs, tries = 20, 12
	r := newRunner(t)
	events := make([]map[string]any, runs)
	for i := range events {
		issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: fmt.Sprintf("Convention %d", i), Author: "mara"})
		events[i] = r.commentPayload(issue, "mara", fmt.Sprintf("@familiar remember convention number %02d holds here", i))
	}
	r.server.Chaos(20261130, 0.05)
	var group sync.WaitGroup
	acknowledged := make([]int, runs) // the try that was acknowledged
	for i := range events {
		group.Go(func() {
			mine := *r
			mine.tokens = nil
			for try := 1; try <= tries; try++ {
				mine.next = 20000 + int64(100*i+try) - 1
				got := mine.run("issue_comment", "mara", events[i], nil)
				if got.status == 0 {
					acknowledged[i] = try
					return
				}
				if try == tries {
					t.Errorf("command %d was never acknowledged:\n%s\n%s", i, got.log, got.summary)
				}
			}
		})
	}
	group.Wait()
	r.server.ClearFaults()
	t.Logf("acknowledged at the try %v; %d containers", acknowledged, len(r.server.Artifacts(r.repo, "familiar-memory-501")))

	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "What is there", Author: "mara"})
	if got := r.comment(issue, "mara", "@familiar list"); got.status != 0 {
		t.Fatalf("exit %d\n%s", got.status, got.log)
	}
	said := strings.Join(r.ours(issue), "\n")
	for i := range runs {
		words := fmt.Sprintf("convention number %02d holds here", i)
		if n := strings.Count(said, words); n != 1 {
			t.Errorf("%q is in the store %d times, want once (acknowledged at try %d)", words, n, acknowledged[i])
		}
	}
	if !strings.Contains(said, fmt.Sprintf("%d lessons", runs)) {
		t.Errorf("the store holds\n%s", said)
	}
	// One more save makes one head of all that were left side by side.
	if got := r.comment(issue, "mara", "@familiar remember and that was all"); got.status != 0 {
		t.Fatalf("exit %d\n%s", got.status, got.log)
	}
}
