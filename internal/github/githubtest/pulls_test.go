package githubtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"pgregory.net/rapid"
)

func TestAPullRequestOfAForkAndOneWhoseForkIsGone(t *testing.T) {
	s, _ := world(t)
	s.AddRepo(Repo{Owner: "mallory", OwnerType: "User", Name: "hello", ID: 55, Fork: true})
	p := s.AddPull(PullSpec{Repo: hello, Author: "mallory", HeadRepo: "mallory/hello", HeadRef: "main", Head: map[string]string{"x.go": "package x\n"}})
	tok := s.FullToken()
	url := s.URL() + "/repos/octocat/hello/pulls/" + itoa(p.Number)
	got := ask(t, tok, "GET", url, nil)
	if got.at("head", "repo", "id") != 55.0 || got.at("base", "repo", "id") != 1296269.0 || got.at("head", "label") != "mallory:main" {
		t.Errorf("head %v", got.at("head"))
	}
	run := s.AddRun(Run{Repo: hello, HeadRepo: "mallory/hello", HeadBranch: "main", HeadSHA: p.HeadSHA, Event: "pull_request", Conclusion: "none"})
	got = ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/actions/runs/"+itoa(int(run.ID)), nil)
	if pulls, _ := got.at("pull_requests").([]any); len(pulls) != 0 || got.at("head_repository", "id") != 55.0 || got.at("conclusion") != nil {
		t.Errorf("A6: a fork's run: %s", got.text)
	}
	got = ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/commits/"+p.HeadSHA+"/pulls", nil)
	if got.len() != 1 || got.at(0, "number") != float64(p.Number) {
		t.Errorf("A6: pulls of the head: %s", got.text)
	}
	if got := ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/compare/main...mallory:main", nil); got.at("ahead_by") != 1.0 {
		t.Errorf("compare with a fork's branch: %s", got.text)
	}
	s.DeleteHead(hello, p.Number)
	if got = ask(t, tok, "GET", url, nil); got.at("head", "repo") != nil || got.at("head", "sha") != p.HeadSHA {
		t.Errorf("A38: head %v, want a null repo", got.at("head"))
	}
}

func TestA39AGhostIsNull(t *testing.T) {
	s, _ := world(t)
	s.Comment(hello, 7, Ghost, "boo")
	got := ask(t, s.FullToken(), "GET", s.URL()+"/repos/octocat/hello/issues/7/comments", nil)
	if got.at(0, "user") != nil || got.at(0, "body") != "boo" {
		t.Errorf("%s", got.text)
	}
}

func TestReviewsAreTakenWholeOrNotAtAll(t *testing.T) {
	s, p := world(t)
	tok := s.FullToken()
	url := s.URL() + "/repos/octocat/hello/pulls/7/reviews"
	on := func(path string, line int, side string) m {
		return m{"path": path, "line": line, "side": side, "body": "look"}
	}
	good := on("main.go", 20, "RIGHT")
	for _, c := range []struct {
		name   string
		body   m
		status int
		reason string
	}{
		{"an added line", m{"event": "COMMENT", "comments": []m{good}}, 200, ""},
		{"a line around the change", m{"event": "COMMENT", "comments": []m{on("main.go", 24, "RIGHT")}}, 200, ""},
		{"a removed line on the left", m{"event": "COMMENT", "comments": []m{on("main.go", 20, "LEFT")}}, 200, ""},
		{"two lines of one hunk", m{"event": "COMMENT", "comments": []m{{"path": "main.go", "start_line": 20, "start_side": "RIGHT", "line": 21, "side": "RIGHT", "body": "both"}}}, 200, ""},
		{"a position of the old interface", m{"event": "COMMENT", "comments": []m{{"path": "main.go", "position": 5, "body": "old"}}}, 200, ""},
		{"a summary alone", m{"event": "COMMENT", "body": "fine"}, 200, ""},
		{"a line outside the hunk, beside a good one", m{"event": "COMMENT", "comments": []m{good, on("main.go", 3, "RIGHT")}}, 422, "Line could not be resolved"},
		{"a line beyond the end", m{"event": "COMMENT", "comments": []m{on("new.txt", 3, "RIGHT")}}, 422, "Line could not be resolved"},
		{"a file that did not change", m{"event": "COMMENT", "comments": []m{on("README.md", 1, "RIGHT")}}, 422, "Path could not be resolved"},
		{"a start after the end", m{"event": "COMMENT", "comments": []m{{"path": "main.go", "start_line": 22, "line": 21, "side": "RIGHT", "body": "x"}}}, 422, "Start line could not be resolved"},
		{"an empty comment", m{"event": "COMMENT", "comments": []m{{"path": "main.go", "line": 20, "body": ""}}}, 422, "Body can't be blank"},
		{"nothing to say", m{"event": "COMMENT"}, 422, "Review body can't be blank"},
		{"A61 a summary too long", m{"event": "COMMENT", "body": strings.Repeat("é", 65_537)}, 422, "Body is too long (maximum is 65536 characters)"},
		{"a commit of another change", m{"event": "COMMENT", "body": "x", "commit_id": p.BaseSHA}, 422, "The commit_id is not part of the pull request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reviews, comments := len(s.Reviews(hello, 7)), len(s.PullComments(hello, 7))
			got := ask(t, tok, "POST", url, c.body)
			if got.status != c.status || c.reason != "" && got.at("errors", 0) != c.reason {
				t.Errorf("%d %s, want %d %q", got.status, got.text, c.status, c.reason)
			}
			if c.status == 422 && (len(s.Reviews(hello, 7)) != reviews || len(s.PullComments(hello, 7)) != comments) {
				t.Error("a refused review left something behind")
			}
		})
	}
	got := s.PullComments(hello, 7)
	if got[3].StartLine != 20 || got[4].Line != 20 || got[4].Side != "RIGHT" || got[2].Side != "LEFT" || got[0].Author != "github-actions[bot]" {
		t.Errorf("comments %+v", got)
	}
}

func TestInlineCommentsMoveWithTheirLinesAndLoseThemWhenTheyGo(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	ask(t, tok, "POST", s.URL()+"/repos/octocat/hello/pulls/7/reviews", m{"event": "COMMENT", "comments": []m{
		{"path": "main.go", "line": 20, "side": "RIGHT", "body": "a"}, {"path": "main.go", "line": 21, "side": "RIGHT", "body": "b"}}})
	head := strings.Replace(numbered(40), "line 20\n", "something before\nline twenty\nand another\n", 1)
	p := s.PushPull(hello, 7, map[string]string{"main.go": head})
	got := s.PullComments(hello, 7)
	if got[0].Line != 21 || got[0].OriginalLine != 20 || got[0].CommitID != p.HeadSHA {
		t.Errorf("a line that stayed: %+v", got[0])
	}
	if got[1].Line != 0 || got[1].OriginalLine != 21 {
		t.Errorf("a line that went: %+v", got[1])
	}
	c := s.ReplyInline(got[0].ID, "mara", "dismissed")
	s.EditPullComment(c.ID, "ada", "changed")
	if last := s.PullComments(hello, 7)[2]; last.InReplyTo != got[0].ID || last.EditedBy != "ada" || last.Body != "changed" {
		t.Errorf("reply %+v", last)
	}
}

func TestLimitsOfWhatIsShownOfAChange(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	many := map[string]string{}
	for i := range 3100 {
		many[fmt.Sprintf("f/%04d.txt", i)] = "x\n"
	}
	big := s.AddPull(PullSpec{Repo: hello, Head: many})
	url := s.URL() + "/repos/octocat/hello/pulls/" + itoa(big.Number)
	n := 0
	for page := 1; ; page++ {
		got := ask(t, tok, "GET", fmt.Sprintf("%s/files?per_page=100&page=%d", url, page), nil)
		n += got.len()
		if !strings.Contains(got.header.Get("Link"), `rel="next"`) {
			break
		}
	}
	if n != 3000 {
		t.Errorf("%d files are listed, want 3000", n)
	}
	diff := ask(t, tok, "GET", url, nil, "Accept", "application/vnd.github.v3.diff")
	if diff.status != 406 || diff.at("errors", 0, "code") != "too_large" {
		t.Errorf("diff of 3100 files: %d %s", diff.status, diff.text)
	}
	odd := s.AddPull(PullSpec{Repo: hello, Base: map[string]string{"moved.txt": numbered(9)}, Removed: []string{"moved.txt"},
		Head: map[string]string{"large.txt": numbered(70_000), "logo.png": "\x89PNG\x00\x01", "to.txt": numbered(9)}})
	url = s.URL() + "/repos/octocat/hello/pulls/" + itoa(odd.Number)
	got := ask(t, tok, "GET", url+"/files", nil)
	for i, want := range []struct {
		name, status string
		changes      float64
	}{{"large.txt", "added", 70_000}, {"logo.png", "added", 0}, {"to.txt", "renamed", 0}} {
		if got.at(i, "filename") != want.name || got.at(i, "status") != want.status || got.at(i, "changes") != want.changes || got.at(i, "patch") != nil {
			t.Errorf("file %d: %v, %v, %v, patch %v", i, got.at(i, "filename"), got.at(i, "status"), got.at(i, "changes"), got.at(i, "patch"))
		}
	}
	if got.at(2, "previous_filename") != "moved.txt" {
		t.Errorf("renamed from %v", got.at(2, "previous_filename"))
	}
	if diff := ask(t, tok, "GET", url, nil, "Accept", "application/vnd.github.diff"); diff.status != 406 {
		t.Errorf("diff of 70,000 lines: %d", diff.status)
	}
}

func TestTheDiffMediaTypeParsesAsGit(t *testing.T) {
	s, _ := world(t)
	got := ask(t, s.FullToken(), "GET", s.URL()+"/repos/octocat/hello/pulls/7", nil, "Accept", "application/vnd.github.v3.diff")
	files, _, err := gitdiff.Parse(strings.NewReader(got.text))
	if err != nil || len(files) != 2 || files[0].NewName != "main.go" || !files[1].IsNew {
		t.Errorf("%v %d files: %s", err, len(files), got.text)
	}
}

func TestPatchesAreExactlyGits(t *testing.T) {
	two := "@@ -1 +1 @@\n-a\n+b"
	for _, c := range []struct{ name, before, after, want string }{
		{"one line", "a\n", "b\n", two},
		{"nothing", "a\n", "a\n", ""},
		{"a new file", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b"},
		{"a file emptied", "a\n", "", "@@ -1 +0,0 @@\n-a"},
		{"a line end added", "a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a"},
		{"a line end lost", "a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file"},
		{"inserted below a function", "func main() {\n\t1\n\t2\n\t3\n\t4\n}\n", "func main() {\n\t1\n\t2\n\t3\n\t4\n\t5\n}\n",
			"@@ -3,4 +3,5 @@ func main() {\n \t2\n \t3\n \t4\n+\t5\n }"},
		{"changes six lines apart share a hunk", numbered(8), strings.NewReplacer("line 1\n", "x\n", "line 8\n", "y\n").Replace(numbered(8)),
			"@@ -1,8 +1,8 @@\n-line 1\n+x\n line 2\n line 3\n line 4\n line 5\n line 6\n line 7\n-line 8\n+y"},
		{"changes seven lines apart do not", numbered(9), strings.NewReplacer("line 1\n", "x\n", "line 9\n", "y\n").Replace(numbered(9)),
			"@@ -1,4 +1,4 @@\n-line 1\n+x\n line 2\n line 3\n line 4\n@@ -6,4 +6,4 @@ line 5\n line 6\n line 7\n line 8\n-line 9\n+y"},
	} {
		if got, _, _ := patch(c.before, c.after); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestAPatchAppliedToTheOldTextGivesTheNew holds for every pair of texts, and
// the numbers of its places are those of the lines they show.
func TestAPatchAppliedToTheOldTextGivesTheNew(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		l := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "func f() {", "", "@@ -1 +1 @@", "--- x"}), 0, 40).Draw(t, "lines")
		s := strings.Join(l, "\n")
		if rapid.Bool().Draw(t, "ends") && s != "" {
			s += "\n"
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		f := diffFile("f.txt", "f.txt", "modified", before, after)
		if before == after {
			if f.Patch != "" {
				t.Fatalf("equal texts have the patch %q", f.Patch)
			}
			return
		}
		files, _, err := gitdiff.Parse(strings.NewReader(Unified([]File{f})))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v in\n%s", err, f.Patch)
		}
		var out strings.Builder
		if err := gitdiff.Apply(&out, strings.NewReader(before), files[0]); err != nil || out.String() != after {
			t.Fatalf("applied: %v %q, want %q", err, out.String(), after)
		}
		a, b := lines(before), lines(after)
		for _, p := range places(f.Patch) {
			if p.old > 0 && strings.TrimSuffix(a[p.old-1], "\n") != p.text[1:] || p.new > 0 && strings.TrimSuffix(b[p.new-1], "\n") != p.text[1:] {
				t.Fatalf("place %+v does not show its line\n%s", p, f.Patch)
			}
		}
	})
}
