package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestADenialInARepositoryAsksFirst: one word can turn off a namespace, so it
// is asked for like what cannot be undone, in the same way.
func TestADenialInARepositoryAsksFirst(t *testing.T) {
	for _, x := range []struct {
		name, answer string
		terminal     bool
		args         []string
		status       int
		says         string
		asks         bool // of GitHub
	}{
		{"a key, to which the answer is no", "n\n", true, []string{"revoke", "lessons/waits"}, ExitFailed, "Revoke lessons/waits and all below it in acme/shop? Nothing that it covers is read until the denial is lifted. Go on? [y/N] familiar: nothing was done, since the answer was not yes", false},
		{"a lesson, to which the answer is yes", "yes\n", true, []string{"revoke", "m-7f3k2q8a"}, ExitFailed, "Revoke m-7f3k2q8a in acme/shop?", true},
		{"nobody there to ask", "", false, []string{"revoke", "m-7f3k2q8a"}, ExitUsage, "is lifted, and nobody is there to be asked; give --yes if it is meant", false},
		{"what was agreed to before", "", false, []string{"revoke", "m-7f3k2q8a", "--yes"}, ExitFailed, "", true},
		{"a dry run", "", false, []string{"revoke", "m-7f3k2q8a", "--dry-run"}, ExitFailed, "", true},
		{"its lifting, which is taken back by another", "", false, []string{"unrevoke", "m-7f3k2q8a"}, ExitFailed, "", true},
		{"a forget, as before", "n\n", true, []string{"forget", "m-7f3k2q8a"}, ExitFailed, "Overwrite the text of m-7f3k2q8a, in every version? That cannot be undone. Go on? [y/N]", false},
		{"two memories, about which nobody is asked", "n\n", true, []string{"revoke", "m-7f3k2q8a", "-C", "."}, ExitUsage, "--repo and -C name two memories", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.WriteHeader(http.StatusNotFound)
			}))
			defer server.Close()
			values := map[string]string{"GITHUB_API_URL": server.URL, "GITHUB_TOKEN": "of-this-test"}
			var out bytes.Buffer
			status := Run(context.Background(), Env{
				Stdout: &out, Stderr: &out, Getenv: func(name string) string { return values[name] }, Dir: t.TempDir(),
				Now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC), Stdin: strings.NewReader(x.answer), InTerminal: x.terminal,
			}, append(append([]string{"memory"}, x.args...), "--repo", "acme/shop"))
			said := strings.Join(strings.Fields(out.String()), " ")
			if status != x.status || !strings.Contains(said, x.says) || x.says == "" && strings.Contains(said, "?") || (asked > 0) != x.asks {
				t.Errorf("exit %d, want %d; GitHub was asked %d times (want some: %t)\n%s\nwant %q", status, x.status, asked, x.asks, said, x.says)
			}
		})
	}
}
