package cli

import (
	"database/sql"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	_ "modernc.org/sqlite" // to break stores with

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/vault"
)

const memoryName = "familiar-memory-501"

// takenAway teaches one lesson about services, takes its container away from
// GitHub and returns it: whatever is read after that was planted.
func (r *runner) takenAway() githubtest.Artifact {
	r.t.Helper()
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	if got := r.comment(issue, "mara", "@familiar never `time.Sleep(` in services/**"); got.status != 0 {
		r.t.Fatalf("exit %d\n%s", got.status, got.log)
	}
	genuine := r.server.Artifacts(r.repo, memoryName)[0]
	r.server.DeleteArtifact(r.repo, genuine.ID)
	return genuine
}

// sleepy opens a pull request that breaks that lesson, and reviews it.
func (r *runner) sleepy() stepResult {
	r.t.Helper()
	p := r.pull("mara", map[string]string{"services/retry.go": "package services\n\nfunc retry() { time.Sleep(second) }\n"})
	return r.opened(p, "mara")
}

// TestWhereTheMemoryComesFrom plants the very bytes of a good container under
// runs of all kinds: only where it comes from decides.
func TestWhereTheMemoryComesFrom(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(r *runner, run *githubtest.Run, a *githubtest.Artifact)
		read string
	}{
		{"the run of a comment", func(*runner, *githubtest.Run, *githubtest.Artifact) {}, "1"},
		{"A1: a fork's run, the newest of that name", func(r *runner, run *githubtest.Run, _ *githubtest.Artifact) {
			r.forked("stranger", map[string]string{"a.txt": "a"})
			run.HeadRepo, run.Event = "stranger/ledger", "pull_request"
		}, "0"},
		{"A1: a fork's run that was deleted since", func(r *runner, run *githubtest.Run, _ *githubtest.Artifact) {
			r.forked("stranger", map[string]string{"a.txt": "a"})
			run.HeadRepo, run.HeadGone, run.Event = "stranger/ledger", true, "pull_request"
		}, "0"},
		{"A3: a tag named like the default branch, on a commit that is not merged", func(r *runner, run *githubtest.Run, _ *githubtest.Artifact) {
			run.Event, run.HeadBranch = "workflow_dispatch", "main"
			run.HeadSHA = r.server.Push(r.repo, "topic", map[string]string{"evil.txt": "x"})
		}, "0"},
		{"A3: a dispatch on the default branch", func(_ *runner, run *githubtest.Run, _ *githubtest.Artifact) { run.Event = "workflow_dispatch" }, "1"},
		{"A4: a pull_request_target run, whose head is the base's", func(r *runner, run *githubtest.Run, _ *githubtest.Artifact) {
			run.Event, run.HeadBranch = "pull_request_target", "topic"
		}, "1"},
		{"A5: a branch of this repository with an edited workflow", func(r *runner, run *githubtest.Run, _ *githubtest.Artifact) {
			run.Event, run.HeadBranch = "push", "topic"
		}, "0"},
		{"A5: a pull request of this repository, which can edit its workflow", func(_ *runner, run *githubtest.Run, _ *githubtest.Artifact) { run.Event = "pull_request" }, "0"},
		{"A5: another workflow", func(_ *runner, run *githubtest.Run, _ *githubtest.Artifact) { run.Path = ".github/workflows/other.yml" }, "0"},
		{"another workflow that memory.workflows names", func(r *runner, run *githubtest.Run, _ *githubtest.Artifact) {
			r.server.Push(r.repo, "main", map[string]string{".github/familiar.toml": "[memory]\nworkflows = [\".github/workflows/other.yml\"]\n"})
			run.Path = ".github/workflows/other.yml"
		}, "1"},
		{"A105: the same on an event that a branch can shape", func(r *runner, run *githubtest.Run, _ *githubtest.Artifact) {
			r.server.Push(r.repo, "main", map[string]string{".github/familiar.toml": "[memory]\nworkflows = [\".github/workflows/other.yml\"]\n"})
			run.Path, run.Event, run.HeadBranch = ".github/workflows/other.yml", "push", "topic"
		}, "0"},
		{"A106: one that only a branch's configuration names", func(r *runner, run *githubtest.Run, _ *githubtest.Artifact) {
			r.server.Push(r.repo, "topic", map[string]string{".github/familiar.toml": "[memory]\nworkflows = [\".github/workflows/other.yml\"]\n"})
			run.Path = ".github/workflows/other.yml"
		}, "0"},
		{"A15: a digest that is not its bytes'", func(_ *runner, _ *githubtest.Run, a *githubtest.Artifact) {
			a.Digest = "sha256:" + strings.Repeat("0", 64)
		}, "0"},
		{"A15: no digest at all, which older services give", func(_ *runner, _ *githubtest.Run, a *githubtest.Artifact) { a.Digest = githubtest.NoDigest }, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			genuine := r.takenAway()
			run := githubtest.Run{
				Repo: r.repo, ID: 70001, Attempt: 1, Name: "familiar", Path: workflow, Event: "issue_comment", HeadBranch: "main",
				HeadSHA: r.server.Head(r.repo, "main"), Actor: "mara", CreatedAt: r.server.Now(),
			}
			a := githubtest.Artifact{Repo: r.repo, Name: memoryName, Run: run.ID, Data: genuine.Data}
			c.run(r, &run, &a)
			r.server.AddRun(run)
			r.server.AddArtifact(a)
			got := r.sleepy()
			if got.status != 0 || got.outputs["memory-read"] != c.read {
				t.Errorf("exit %d, %s lessons read, want %s\n%s\n%s", got.status, got.outputs["memory-read"], c.read, got.log, got.summary)
			}
		})
	}
}

// TestHostileStoreInAGoodContainer: the container is sealed with the right
// key by a run of ours, and the store in it is not one that we would write.
// The review goes on without memory, says so, and touches nothing.
func TestHostileStoreInAGoodContainer(t *testing.T) {
	statement := func(statements ...string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(1)
			for _, s := range statements {
				if _, err := db.ExecContext(t.Context(), s); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
		}
	}
	bytes := func(change func([]byte)) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			change(data)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, path string)
	}{
		{"A88: a trigger that approves", statement("CREATE TRIGGER t AFTER INSERT ON versions BEGIN UPDATE versions SET state = 'active'; END")},
		{"A88: a view in the way", statement("CREATE VIEW approved AS SELECT * FROM versions")},
		{"A89: a page of garbage", bytes(func(b []byte) { copy(b[3*4096:], strings.Repeat("\xa5\x5a\xff", 1000)) })},
		{"A89: the schema's page zeroed", bytes(func(b []byte) { clear(b[100:4096]) })},
		{"A92: a file in write-ahead-log mode", bytes(func(b []byte) { b[18], b[19] = 2, 2 })},
		{"A93: a view that loads an extension", statement("CREATE VIEW v AS SELECT load_extension('/tmp/evil.so')")},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			genuine := r.takenAway()
			keys, err := vault.ParseKeys(r.key)
			if err != nil {
				t.Fatal(err)
			}
			opened, err := vault.Open(genuine.Data, keys, vault.Expect{RepositoryID: 501, AnyStore: true, Digest: home.Digest(genuine.Data), ListedAt: genuine.CreatedAt})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "store.db")
			if err := os.WriteFile(path, opened.SQLite, 0o600); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, path)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			zip, _, err := vault.Seal(vault.SealInput{Keys: keys, SQLite: data, Manifest: opened.Manifest})
			if err != nil {
				t.Fatal(err)
			}
			r.server.AddArtifact(githubtest.Artifact{Repo: r.repo, Name: memoryName, Run: genuine.Run, Data: zip})
			got := r.sleepy()
			if got.status != 0 || got.outputs["memory-enabled"] != "false" || got.outputs["memory-read"] != "0" || got.outputs["outcome"] != "memory_unavailable" {
				t.Errorf("exit %d, outputs %v\n%s\n%s", got.status, got.outputs, got.log, got.summary)
			}
			if left := r.server.Artifacts(r.repo, memoryName); len(left) != 1 || string(left[0].Data) != string(zip) {
				t.Errorf("%d containers are left, want the one as it was", len(left))
			}
		})
	}
}

// TestFreshUploadIsNotListedYet: the listing lags behind the upload, and is
// asked again before it is believed.
func TestFreshUploadIsNotListedYet(t *testing.T) {
	t.Run("A16: listed a moment later", func(t *testing.T) {
		r := newRunner(t)
		issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
		r.server.ListLag(1)
		got := r.comment(issue, "mara", "@familiar remember amounts are in minor units")
		if got.status != 0 || !strings.Contains(strings.Join(r.ours(issue), ""), "Remembered as") {
			t.Errorf("exit %d, said %q\n%s", got.status, r.ours(issue), got.log)
		}
		if n := len(r.server.Artifacts(r.repo, memoryName)); n != 1 {
			t.Errorf("%d containers, want 1", n)
		}
	})
}

// TestCachesAreNoMemory: what a cache may have put into the folders of the job is no
// memory, and no cache is asked.
func TestCachesAreNoMemory(t *testing.T) {
	t.Run("A19: a store and a container lie in the job's folders", func(t *testing.T) {
		r := newRunner(t)
		genuine := r.takenAway()
		var asked atomic.Int64
		cache := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
		defer cache.Close()
		t.Setenv("ACTIONS_CACHE_URL", cache.URL) // not handed on by the runner of these tests either
		dir := t.TempDir()
		for _, name := range []string{memoryName + ".zip", "memory.sealed", "store.db", "familiar-memory/store.db", ".familiar/store.db"} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, genuine.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p := r.pull("mara", map[string]string{"services/retry.go": "package services\n\nfunc retry() { time.Sleep(second) }\n"})
		got := r.step(dir, 1, "pull_request_target", "mara", r.openedPayload(p, "mara"), nil)
		if got.status != 0 || got.outputs["memory-read"] != "0" || asked.Load() != 0 {
			t.Errorf("exit %d, outputs %v, the cache was asked %d times\n%s", got.status, got.outputs, asked.Load(), got.log)
		}
	})
}

// TestPublicArtifactHoldsNoText: anybody signed in may download it.
func TestPublicArtifactHoldsNoText(t *testing.T) {
	t.Run("A18: lessons are sealed", func(t *testing.T) {
		r := newRunner(t)
		genuine := r.takenAway()
		for _, word := range []string{"time.Sleep", "services/", "mara", "SQLite"} {
			if strings.Contains(string(genuine.Data), word) {
				t.Errorf("the artifact holds %q in the clear", word)
			}
		}
	})
	t.Run("A18: a secret gets into no lesson", func(t *testing.T) {
		r := newRunner(t)
		issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
		got := r.comment(issue, "mara", "@familiar remember deploy with gh"+"p_QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ")
		if n := len(r.server.Artifacts(r.repo, memoryName)); got.status != 0 || n != 0 {
			t.Errorf("exit %d, %d containers\n%s", got.status, n, got.log)
		}
	})
}
