package cli

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/vault"
)

// otherKey is a key that is not the runner's.
func otherKey(t *testing.T) string {
	t.Helper()
	key, _, err := vault.NewKey(strings.NewReader(strings.Repeat("another source of fixed test bytes ", 4)))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestRunbookALostKeyBeginsAnewOnceAnAdminSaysSo follows docs/runbook.md, "The
// key is lost", word for word.
func TestRunbookALostKeyBeginsAnewOnceAnAdminSaysSo(t *testing.T) {
	r, _ := remembered(t)
	r.dispatchable()
	r.server.Grant(r.repo, "mara", "admin")
	mara := r.server.UserToken("mara", "contents:read", "actions:write")
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "After the loss", Author: "mara"})

	r.key = otherKey(t)
	if got := r.comment(issue, "mara", "@familiar remember dates are in UTC"); got.status != ExitFailed || !strings.Contains(got.log, "not everything was done") {
		t.Errorf("a command that is not taken ends with %d:\n%s", got.status, got.log)
	}
	if out, status := r.memory(mara, r.key, "list", "--repo", r.repo); status == 0 || !strings.Contains(out, "unknown_key") {
		t.Errorf("with another key: exit %d\n%s", status, out)
	}
	if out, status := r.memory(mara, "", "recover", "--repo", r.repo); !strings.Contains(out, "unknown_key") && !strings.Contains(out, "unknown key") {
		t.Errorf("recover does not say why the container does not count: exit %d\n%s", status, out)
	}
	if out, status := r.memory(mara, "", "recover", "--repo", r.repo, "--accept-empty"); status != ExitUsage || !strings.Contains(out, "give --yes") {
		t.Errorf("beginning anew does not ask: exit %d\n%s", status, out)
	}
	if out, status := r.memory(mara, "", "recover", "--repo", r.repo, "--accept-empty", "--yes"); status != 0 {
		t.Fatalf("recover --accept-empty: exit %d\n%s", status, out)
	}
	r.ok(r.comment(issue, "mara", "@familiar remember names are in English"))
	out, status := r.memory(mara, r.key, "list", "--repo", r.repo)
	if status != 0 || !strings.Contains(out, "names are in English") || strings.Contains(out, "money") {
		t.Errorf("after that: exit %d\n%s", status, out)
	}
}

// TestRunbookAKeyIsRotated follows docs/runbook.md, "The key leaked": the new
// key first, the old one below it, and then the old one out.
func TestRunbookAKeyIsRotated(t *testing.T) {
	r, _ := remembered(t)
	mara := r.server.UserToken("mara", "contents:read", "actions:read")
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Rotation", Author: "mara"})
	old, fresh := r.key, otherKey(t)

	r.key = fresh + "\n" + old
	r.ok(r.comment(issue, "mara", "@familiar remember dates are in UTC"))
	r.key = fresh
	for name, key := range map[string]string{"the new key alone": fresh, "both": fresh + "\n" + old} {
		out, status := r.memory(mara, key, "list", "--repo", r.repo)
		if status != 0 || !strings.Contains(out, "dates are in UTC") || !strings.Contains(out, "money is rounded half-even") {
			t.Errorf("%s: exit %d\n%s", name, status, out)
		}
	}
	if out, status := r.memory(mara, old, "list", "--repo", r.repo); strings.Contains(out, "dates are in UTC") {
		t.Errorf("the old key opens what was sealed after the rotation: exit %d\n%s", status, out)
	}
	r.ok(r.comment(issue, "mara", "@familiar remember names are in English"))
	if out, status := r.memory(mara, fresh, "list", "--repo", r.repo); status != 0 || !strings.Contains(out, "names are in English") {
		t.Errorf("without the old key: exit %d\n%s", status, out)
	}
}
