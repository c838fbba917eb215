package gitrepo

import (
	"context"
	"strings"
	"testing"
)

func TestIdentityComesFromOriginElseFromTheFolder(t *testing.T) {
	secret := "s3" + "cr3t-t0k3n"
	for remote, want := range map[string]Identity{
		"https://github.com/octocat/Hello-World.git":                            {"octocat", "Hello-World", "github.com", "https://github.com/octocat/Hello-World.git"},
		"https://GitHub.com/octocat/hello/":                                     {"octocat", "hello", "github.com", "https://GitHub.com/octocat/hello/"},
		"git@github.com:octocat/hello.git":                                      {"octocat", "hello", "github.com", "github.com:octocat/hello.git"},
		"ssh://git@github.com:22/octocat/hello.git":                             {"octocat", "hello", "github.com", "ssh://github.com:22/octocat/hello.git"},
		"https://x-access-token:" + secret + "@github.com/octocat/hello.git":    {"octocat", "hello", "github.com", "https://github.com/octocat/hello.git"},
		"https://" + secret + "@git.example.com:8443/a/b?t=" + secret + "#frag": {"a", "b", "git.example.com:8443", "https://git.example.com:8443/a/b"},
		secret + "@git.example.com:team/sub/tool.git":                           {"sub", "tool", "git.example.com", "git.example.com:team/sub/tool.git"},
		"/srv/git/tool.git":                                                     {"local", "folder", "", "/srv/git/tool.git"},
		"../tool":                                                               {"local", "folder", "", "../tool"},
		"file:///srv/git/tool.git":                                              {"local", "folder", "", "file:///srv/git/tool.git"},
		"":                                                                      {"local", "folder", "", ""},
		"ext::sh -c evil":                                                       {"local", "folder", "", ""},
		"https://%zz@github.com/a/b":                                            {"local", "folder", "", ""},
		"https://github.com/a b/c\u202ed":                                       {"local", "folder", "", ""},
		"https://github.com/we ird/../..":                                       {"local", "folder", "github.com", "https://github.com/we%20ird/../.."},
	} {
		got := identityOf(stripCredentials(remote), "folder")
		if remote == "https://github.com/we ird/../.." {
			got.Owner, want.Owner = "", ""
		}
		if got != want {
			t.Errorf("%q: got %+v, want %+v", remote, got, want)
		}
		if strings.Contains(got.URL, secret) {
			t.Errorf("%q keeps its secret: %q", remote, got.URL)
		}
	}
}

func TestNamesAreThoseThatGitHubAllows(t *testing.T) {
	for in, want := range map[string]string{
		"Hello-World_1.0": "Hello-World_1.0", "my repo": "my-repo", "..": "other", "": "other", "ünï": "n",
		strings.Repeat("a", 200): strings.Repeat("a", 100), "a/b": "a-b", "-x-": "x",
	} {
		if got := repoName(in, "other"); got != want {
			t.Errorf("repoName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCloneURLIsOneThatABriefTakes(t *testing.T) {
	r := &Repo{root: "/home/ada@work/my repo"}
	for remote, want := range map[string]string{
		"https://github.com/octocat/hello.git":     "https://github.com/octocat/hello.git",
		"git@github.com:octocat/hello.git":         "https://github.com/octocat/hello.git",
		"ssh://git@git.example.com:2222/a/b/c.git": "https://git.example.com/a/b/c.git",
		"http://git.example.com:8080/a/b":          "https://git.example.com:8080/a/b",
		"https://github.com/a/b@c":                 "https://github.com/a/b%40c",
		"":                                         "file:///home/ada%40work/my%20repo",
		"/srv/git/tool.git":                        "file:///home/ada%40work/my%20repo",
		"git@[::1]:a/b":                            "file:///home/ada%40work/my%20repo",
	} {
		if got := r.CloneURL(identityOf(stripCredentials(remote), "f")); got != want {
			t.Errorf("%q: got %q, want %q", remote, got, want)
		}
	}
}

func TestIdentityOfARealClone(t *testing.T) {
	ctx := context.Background()
	c := newClone(t)
	c.git("remote", "add", "origin", "https://ada:"+"pass"+"word@github.com/octocat/hello.git")
	id, err := c.open().Identity(ctx)
	want := Identity{"octocat", "hello", "github.com", "https://github.com/octocat/hello.git"}
	if id != want || err != nil {
		t.Errorf("got %+v, %v; want %+v", id, err, want)
	}
}
