package cli

import (
	"strings"
	"testing"
)

// TestAModelLooksAtWhatIsNew: a push has its changed files looked at again, a
// command or a refused label costs no review, and after a force-push the whole
// change is looked at (page 7.5).
func TestAModelLooksAtWhatIsNew(t *testing.T) {
	const sleepy = "package services\n\nfunc retry() { time.Sleep(second) }\n"
	c := newChat(t, "services/retry.go", chatEnd)
	inputs := map[string]string{"runtime": "models", "model-endpoint": c.URL + "/v1", "model-api-key": "key-of-the-stand-in", "model": "model-1"}
	r := newRunner(t)
	p := r.pull("mara", map[string]string{"services/retry.go": sleepy, "services/other.go": "package services\n"})
	look := func(name, login string, payload map[string]any) stepResult {
		t.Helper()
		got := r.run(name, login, payload, inputs)
		if got.status != 0 {
			t.Fatalf("exit %d\n%s\n%s", got.status, got.log, got.summary)
		}
		return got
	}
	asked := func(want int, sees, unseen string) {
		t.Helper()
		if n := c.times(); n != want {
			t.Fatalf("the model was asked %d times, want %d", n, want)
		}
		last := c.asked[want-1]
		if sees != "" && !strings.Contains(last, sees) || unseen != "" && strings.Contains(last, unseen) {
			t.Errorf("the model saw %s", last)
		}
	}
	stands := func() {
		t.Helper()
		if said := r.ours(p.Number)[0]; !strings.Contains(said, "**F1** high · `services/retry.go:3` · Sleeps under a lock") {
			t.Errorf("the finding is not there:\n%s", said)
		}
	}
	look("pull_request_target", "mara", r.openedPayload(p, "mara"))
	asked(1, "time.Sleep(second)", "")
	stands()

	look("issue_comment", "mara", r.commentPayload(p.Number, "mara", "@familiar remember amounts are in minor units"))
	asked(1, "", "")
	stands()

	r.server.Label(r.repo, p.Number, "kim", "familiar:approve")
	look("pull_request_target", "kim", r.openedPayload(p, "kim"))
	if said := r.ours(p.Number)[0]; c.times() != 1 || !strings.Contains(said, "takes a maintainer") || len(r.server.Labels(r.repo, p.Number)) != 0 {
		t.Errorf("the model was asked %d times; labels %v\n%s", c.times(), r.server.Labels(r.repo, p.Number), said)
	}
	stands()

	// What was taught since is another frame: the whole once more.
	r.server.PushPull(r.repo, p.Number, map[string]string{"services/first.go": "package services\n\nvar first = 1\n"})
	p = r.server.Pull(r.repo, p.Number)
	look("pull_request_target", "mara", r.openedPayload(p, "mara"))
	asked(2, "time.Sleep(second)", "")

	r.server.PushPull(r.repo, p.Number, map[string]string{"services/second.go": "package services\n\nvar second = 2\n"})
	p = r.server.Pull(r.repo, p.Number)
	r.server.ResetLog()
	look("pull_request_target", "mara", r.openedPayload(p, "mara"))
	asked(3, "var second = 2", "time.Sleep(second)")
	stands()
	if n := len(r.server.PullComments(r.repo, p.Number)); n != 1 {
		t.Errorf("%d comments on lines, want 1", n)
	}

	r.server.SetRef(r.repo, "heads/"+p.HeadRef, r.server.Head(r.repo, "main"))
	r.server.PushPull(r.repo, p.Number, map[string]string{"services/retry.go": sleepy, "services/third.go": "package services\n\nvar third = 3\n"})
	p = r.server.Pull(r.repo, p.Number)
	look("pull_request_target", "mara", r.openedPayload(p, "mara"))
	asked(4, "time.Sleep(second)", "")
	stands()

	// Rebased: the same files on top of what came to the default branch since.
	r.server.Push(r.repo, "main", map[string]string{"docs/moved.md": "The base moved.\n"})
	r.server.SetRef(r.repo, "heads/"+p.HeadRef, r.server.Head(r.repo, "main"))
	r.server.PushPull(r.repo, p.Number, map[string]string{"services/retry.go": sleepy, "services/third.go": "package services\n\nvar third = 3\n"})
	p = r.server.Pull(r.repo, p.Number)
	look("pull_request_target", "mara", r.openedPayload(p, "mara"))
	asked(5, "time.Sleep(second)", "")
	stands()
}
