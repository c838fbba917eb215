package github_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/trust"
)

const filesRoute = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files"

func TestAPullRequestWithItsChange(t *testing.T) {
	w := newWorld(t)
	p := w.AddPull(githubtest.PullSpec{Repo: where, Title: "Fins", Author: "ada",
		Base:    map[string]string{"a.go": "package a\n\nfunc A() {}\n", "old.go": "package old\n", "name.go": "package name\n\nvar X = 1\nvar Y = 2\n", "logo.png": "\x89PNG\x00\x01", "gone.bin": "\x00\x01"},
		Head:    map[string]string{"a.go": "package a\n\nfunc A() { panic(1) }\n", "new.go": "package fresh\n", "renamed.go": "package name\n\nvar X = 1\nvar Y = 2\n", "logo.png": "\x89PNG\x00\x02", "empty.txt": ""},
		Removed: []string{"old.go", "name.go", "gone.bin"}})
	c := w.client()
	got, err := c.Pull(t.Context(), p.Number)
	if err != nil || got.Head.SHA != p.HeadSHA || got.Base.SHA != p.BaseSHA || got.Head.RepoID != w.repo.ID || got.Author.Login != "ada" || got.Title != "Fins" || got.State != "open" {
		t.Fatalf("Pull = %+v, %v", got, err)
	}
	files, err := c.PullFiles(t.Context(), p.Number)
	if err != nil {
		t.Fatal(err)
	}
	change := files.Change(got)
	if change.Base != p.BaseSHA || change.Head != p.HeadSHA || change.Title != "Fins" || len(change.Omitted) != 0 {
		t.Errorf("change %+v", change)
	}
	want := map[string]diff.File{
		"a.go": {Status: diff.Modified}, "new.go": {Status: diff.Added}, "old.go": {Status: diff.Deleted},
		"renamed.go": {Status: diff.Renamed, OldPath: "name.go"}, "logo.png": {Status: diff.Modified, Binary: true},
		"empty.txt": {Status: diff.Added}, "gone.bin": {Status: diff.Deleted, Binary: true},
	}
	for _, f := range change.Files {
		x, ok := want[f.Path]
		if !ok || f.Status != x.Status || f.OldPath != x.OldPath || f.Binary != x.Binary || f.Partial != "" {
			t.Errorf("file %+v, want %+v", f, x)
		}
		delete(want, f.Path)
	}
	if len(want) != 0 {
		t.Errorf("missing %v", want)
	}
	for _, f := range change.Files {
		if f.Path == "a.go" && (len(f.Hunks) != 1 || f.Hunks[0].Lines[len(f.Hunks[0].Lines)-1].Text != "func A() { panic(1) }") {
			t.Errorf("hunks %+v", f.Hunks)
		}
	}
}

func TestHeadsThatAreGoneOrForksAreSeenAsSuch(t *testing.T) {
	w := newWorld(t)
	fork := w.AddRepo(githubtest.Repo{Owner: "stranger", Name: "rockets", Fork: true, Files: map[string]string{"README.md": "rockets\n"}})
	from := w.AddPull(githubtest.PullSpec{Repo: where, Author: "stranger", HeadRepo: "stranger/rockets", Head: map[string]string{"x": "y"}})
	gone := w.AddPull(githubtest.PullSpec{Repo: where, Author: githubtest.Ghost, HeadRepo: "stranger/rockets", HeadGone: true, Head: map[string]string{"x": "y"}})
	c := w.client()
	if p, err := c.Pull(t.Context(), from.Number); err != nil || p.Head.RepoID != fork.ID || p.Base.RepoID != w.repo.ID {
		t.Errorf("a fork's: %+v, %v", p, err)
	}
	if p, err := c.Pull(t.Context(), gone.Number); err != nil || p.Head.RepoID != 0 || p.Author != nil {
		t.Errorf("a deleted fork's: %+v, %v", p, err)
	}
	if _, err := c.Pull(t.Context(), 999); github.KindOf(err) != github.NotFound {
		t.Errorf("none: %v", err)
	}
}

func TestManyFilesComeInPagesUpToGitHubsCap(t *testing.T) {
	for n, want := range map[int]struct {
		files, calls int
		omitted      string
	}{20: {20, 1, ""}, 250: {250, 3, ""}, 3000: {3000, 30, ""}, 3120: {3000, 30, "GitHub lists 3000 of the 3120 changed files; 120 were not read"}} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := newWorld(t)
			head := map[string]string{}
			for i := range n {
				head[fmt.Sprintf("dir/f%04d.txt", i)] = "one\n"
			}
			p := w.AddPull(githubtest.PullSpec{Repo: where, Head: head})
			c := w.client()
			got, err := c.Pull(t.Context(), p.Number)
			if err != nil {
				t.Fatal(err)
			}
			files, err := c.PullFiles(t.Context(), p.Number)
			if err != nil {
				t.Fatal(err)
			}
			change := files.Change(got)
			if len(change.Files) != want.files || w.CallsOf(filesRoute) != want.calls {
				t.Errorf("%d files by %d calls, want %d by %d", len(change.Files), w.CallsOf(filesRoute), want.files, want.calls)
			}
			switch {
			case want.omitted == "" && len(change.Omitted) != 0,
				want.omitted != "" && (len(change.Omitted) != 1 || change.Omitted[0].Reason != want.omitted):
				t.Errorf("omitted %v, want %q", change.Omitted, want.omitted)
			}
		})
	}
}

func TestAPageThatFailsFailsTheListing(t *testing.T) {
	w := newWorld(t)
	head := map[string]string{}
	for i := range 250 {
		head[fmt.Sprintf("f%04d.txt", i)] = "one\n"
	}
	p := w.AddPull(githubtest.PullSpec{Repo: where, Head: head})
	w.Fault(filesRoute, githubtest.Fault{After: 2, Status: 403}, githubtest.Always)
	if got, err := w.client().PullFiles(t.Context(), p.Number); github.KindOf(err) != github.Forbidden || len(got.Files) != 0 {
		t.Errorf("%d files, %v", len(got.Files), err)
	}
}

func TestA6_AForksRunIsResolvedByHeadRepositoryAndCommit(t *testing.T) {
	w := newWorld(t)
	fork := w.AddRepo(githubtest.Repo{Owner: "stranger", Name: "rockets", Fork: true, Files: map[string]string{"README.md": "rockets\n"}})
	p := w.AddPull(githubtest.PullSpec{Repo: where, Author: "stranger", HeadRepo: "stranger/rockets", Head: map[string]string{"x": "y"}})
	run := w.AddRun(githubtest.Run{Repo: where, HeadRepo: "stranger/rockets", HeadBranch: p.HeadRef, HeadSHA: p.HeadSHA, Event: "pull_request"})
	c := w.client()
	live, err := c.WorkflowRun(t.Context(), run.ID)
	if err != nil || live.HeadRepoID != fork.ID || live.RepositoryID != w.repo.ID || live.HeadSHA != p.HeadSHA {
		t.Fatalf("WorkflowRun = %+v, %v", live, err)
	}
	check := func(name, sha string, id int64, want trust.Resolution, numbers ...int) {
		t.Helper()
		got, how, err := c.PullsForCommit(t.Context(), sha, id)
		var found []int
		for _, g := range got {
			found = append(found, g.Number)
		}
		if err != nil || how != want || fmt.Sprint(found) != fmt.Sprint(numbers) {
			t.Errorf("%s: %v %s, %v; want %v %s", name, found, how, err, numbers, want)
		}
	}
	check("the fork's", p.HeadSHA, fork.ID, trust.ResolutionOne, p.Number)
	check("another repository's", p.HeadSHA, w.repo.ID, trust.ResolutionNone)
	check("no repository's", p.HeadSHA, 0, trust.ResolutionNone)
	check("no commit", "", fork.ID, trust.ResolutionNone)
	check("no commit's name", "main", fork.ID, trust.ResolutionNone)
	next := w.PushPull(where, p.Number, map[string]string{"x": "z"})
	check("a commit that is not the head any more", p.HeadSHA, fork.ID, trust.ResolutionNone)
	check("the new head", next.HeadSHA, fork.ID, trust.ResolutionOne, p.Number)
	w.Close(where, p.Number)
	check("a closed one", next.HeadSHA, fork.ID, trust.ResolutionNone)
	w.Fault("GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls", githubtest.Fault{Status: 500}, githubtest.Always)
	if _, how, err := c.PullsForCommit(t.Context(), p.BaseSHA, fork.ID); how != trust.ResolutionNone || github.KindOf(err) != github.Unavailable {
		t.Errorf("a failed look-up: %s, %v", how, err)
	}
}

func TestFilesAtACommit(t *testing.T) {
	w := newWorld(t, func(r *githubtest.Repo) {
		r.Files = map[string]string{".github/familiar.toml": "[memory]\n", "big": strings.Repeat("x", 1<<20+1), "edge": strings.Repeat("y", 1<<20),
			"huge": strings.Repeat("z", 100<<20+1), "dir/a": "1", "dir with space/ü#?.md": "odd\n", "away": githubtest.Link("/etc/passwd"), "crlf": "a\r\nb\r\n", "empty": ""}
	})
	c := w.client()
	for path, want := range map[string]string{".github/familiar.toml": "[memory]\n", "edge": strings.Repeat("y", 1<<20), "dir with space/ü#?.md": "odd\n", "crlf": "a\r\nb\r\n", "empty": ""} {
		if got, ok, err := c.FileAt(t.Context(), path, w.Head(where, "main")); err != nil || !ok || string(got) != want {
			t.Errorf("%s: %d bytes, %v, %v", path, len(got), ok, err)
		}
	}
	if got, ok, err := c.FileAt(t.Context(), "none.toml", ""); got != nil || ok || err != nil {
		t.Errorf("none: %v, %v, %v", got, ok, err)
	}
	for path, want := range map[string]github.Kind{"big": github.TooLarge, "huge": github.TooLarge, "dir": github.Invalid, "away": github.Invalid,
		"../x": github.Invalid, "/abs": github.Invalid, "": github.Invalid, "dir/": github.Invalid} {
		if _, ok, err := c.FileAt(t.Context(), path, ""); ok || github.KindOf(err) != want {
			t.Errorf("%q: %v, %v, want %s", path, ok, err, want)
		}
	}
	w.Fault("GET /repos/{owner}/{repo}/contents/{path}", githubtest.Fault{Status: 403}, githubtest.Always)
	if _, ok, err := c.FileAt(t.Context(), "dir/a", ""); ok || github.KindOf(err) != github.Forbidden {
		t.Errorf("a failure is no missing file: %v, %v", ok, err)
	}
}

func TestA3_ACommitLiesOnABranchAndNotOnATagOfItsName(t *testing.T) {
	w := newWorld(t)
	old := w.Head(where, "main")
	w.Push(where, "main", map[string]string{"later": "x"})
	evil := w.Push(where, "evil", map[string]string{"x": "y"})
	w.SetRef(where, "tags/main", evil)
	c := w.client()
	for sha, want := range map[string]bool{old: true, w.Head(where, "main"): true, evil: false, strings.Repeat("0", 40): false, "main": false, "": false} {
		if got, err := c.OnBranch(t.Context(), sha, "main"); got != want || err != nil {
			t.Errorf("%q: %v, %v, want %v", sha, got, err, want)
		}
	}
	if _, err := c.OnBranch(t.Context(), old, "nowhere"); github.KindOf(err) != github.NotFound {
		t.Errorf("no such branch: %v", err)
	}
}
