package githubtest

import (
	"strings"
	"testing"
)

func TestContentsComeAsGitHubGivesThem(t *testing.T) {
	s := New(t)
	s.answers = true
	s.AddRepo(Repo{Owner: "octocat", Name: "hello", Files: map[string]string{
		".github/familiar.toml":         "handle = \"familiar\"\n",
		".github/familiar/profile.yaml": Link("../familiar.toml"),
		".github/familiar/rules.toml":   Link("/etc/passwd"),
		"large.bin":                     strings.Repeat("x", 1<<20+1),
		"a b/ü.txt":                     "hello\n",
	}})
	tok := s.Token("contents:read")
	for _, c := range []struct {
		name, path, accept string
		status             int
		at                 []any
		want               any
	}{
		{"a file", "/.github/familiar.toml", "", 200, []any{"type"}, "file"},
		{"its content", "/.github/familiar.toml", "", 200, []any{"content"}, "aGFuZGxlID0gImZhbWlsaWFyIgo=\n"},
		{"a path with a space and a letter beyond ASCII", "/a%20b/%C3%BC.txt", "", 200, []any{"name"}, "ü.txt"},
		{"a link inside the repository is followed", "/.github/familiar/profile.yaml", "", 200, []any{"type"}, "file"},
		{"a link out of it is named as one", "/.github/familiar/rules.toml", "", 200, []any{"type"}, "symlink"},
		{"with its target", "/.github/familiar/rules.toml", "", 200, []any{"target"}, "/etc/passwd"},
		{"a directory", "/.github", "", 200, []any{0, "type"}, "dir"},
		{"and its file", "/.github", "", 200, []any{1, "path"}, ".github/familiar.toml"},
		{"a link in a list", "/.github/familiar", "", 200, []any{1, "type"}, "symlink"},
		{"a file above a megabyte comes without content", "/large.bin", "", 200, []any{"encoding"}, "none"},
		{"but with its size", "/large.bin", "", 200, []any{"size"}, float64(1<<20 + 1)},
		{"nothing", "/nothing", "", 404, []any{"message"}, "Not Found"},
	} {
		got := ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/contents"+c.path, nil)
		if got.status != c.status || got.at(c.at...) != c.want {
			t.Errorf("%s: %d, %v; want %d, %v", c.name, got.status, got.at(c.at...), c.status, c.want)
		}
	}
	raw := ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/contents/large.bin", nil, "Accept", "application/vnd.github.raw+json")
	if len(raw.text) != 1<<20+1 || !strings.HasPrefix(raw.header.Get("Content-Type"), "application/vnd.github.raw") {
		t.Errorf("raw: %d bytes of %s", len(raw.text), raw.header.Get("Content-Type"))
	}
}

func TestA3ComparisonTellsWhetherACommitIsOnTheDefaultBranch(t *testing.T) {
	s, p := world(t)
	tok := s.FullToken()
	s.SetRef(hello, "tags/main", p.HeadSHA)
	first := s.Head(hello, "")
	s.Push(hello, "main", map[string]string{"other.txt": "x\n"})
	compare := func(basehead string) answered {
		return ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/compare/"+basehead, nil)
	}
	for _, c := range []struct{ basehead, status string }{
		{"main..." + first, "behind"},
		{first + "...main", "ahead"},
		{"main..." + p.HeadSHA, "diverged"},
	} {
		if got := compare(c.basehead); got.at("status") != c.status {
			t.Errorf("%s: %v, want %s", c.basehead, got.at("status"), c.status)
		}
	}
	got := compare("main..." + p.HeadSHA)
	if got.at("merge_base_commit", "sha") != first || got.at("ahead_by") != 1.0 || got.at("behind_by") != 1.0 || got.at("files", 0, "filename") != "main.go" {
		t.Errorf("%s", got.text)
	}
	s.Merge(hello, "main", p.HeadSHA)
	if got := compare("main..." + p.HeadSHA); got.at("status") != "behind" {
		t.Errorf("after the merge: %v", got.at("status"))
	}
	if got := ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/git/ref/tags/main", nil); got.at("object", "sha") != p.HeadSHA {
		t.Errorf("the tag: %s", got.text)
	}
	if got := ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/git/ref/heads/topic-7", nil); got.at("ref") != "refs/heads/topic-7" {
		t.Errorf("a branch: %s", got.text)
	}
}
