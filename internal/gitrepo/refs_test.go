package gitrepo

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestResolveTakesGitsWordsForACommit(t *testing.T) {
	ctx := context.Background()
	c := newClone(t)
	c.write("a", "1\n")
	first := c.commit("one")
	c.write("a", "2\n")
	second := c.commit("two")
	c.git("tag", "-a", "-m", "annotated", "v1.0", first)
	c.git("branch", "feature/login")
	blob := c.git("rev-parse", "HEAD:a")
	r := c.open()
	for rev, want := range map[string]string{
		"HEAD": second, "main": second, "HEAD~1": first, "v1.0": first, "feature/login": second,
		first: first, first[:10]: first, "main^{/one}": first, "@": second,
	} {
		if got, err := r.Resolve(ctx, rev); got != want || err != nil {
			t.Errorf("Resolve(%q) = %q, %v; want %q", rev, got, err, want)
		}
	}
	for rev, says := range map[string]string{
		"mian":                   "Did you mean main?",
		"feature/logn":           "Did you mean feature/login?",
		"v1":                     "`git branch --all`",
		"v1.1":                   "Did you mean v1.0?",
		"":                       "Name a branch, a tag or a commit",
		"a\nb":                   "Name a branch, a tag or a commit",
		blob:                     "no branch, tag or commit of that name",
		strings.Repeat("0f", 20): "no branch, tag or commit of that name",
		"HEAD^{tree}":            `there is such a name, but "^{tree}" of it leads to no commit`,
		"main~7":                 `there is such a name, but "~7" of it leads to no commit`,
		"mian~1":                 "Did you mean main?",
		"--all":                  "no branch, tag or commit of that name",
	} {
		got, err := r.Resolve(ctx, rev)
		if got != "" {
			t.Errorf("Resolve(%q) = %q", rev, got)
		}
		wants(t, err, UnknownRevision, says)
	}
}

func TestADistantNameIsNotSuggested(t *testing.T) {
	for _, c := range []struct {
		rev   string
		names []string
		want  string
	}{
		{"main", []string{"master", "origin/mainx"}, "origin/mainx"},
		{"relase", []string{"release", "origin/release", "releases"}, "origin/release release releases"},
		{"xyz", []string{"main", "dev"}, ""},
		{"MAIN", []string{"main"}, "main"},
		{"dev", []string{"de\x1bv"}, `de\u{1b}v`},
	} {
		if got := strings.Join(nearest(c.rev, c.names), " "); got != c.want {
			t.Errorf("nearest(%q, %q) = %q, want %q", c.rev, c.names, got, c.want)
		}
	}
}

func TestDistanceIsAMetricWithinItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 6, -1)
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		const far = 20
		if (distance(a, b, far) == 0) != (a == b) {
			t.Fatalf("distance(%q, %q) = %d", a, b, distance(a, b, far))
		}
		if distance(a, b, far) != distance(b, a, far) {
			t.Fatalf("distance of %q and %q depends on the order", a, b)
		}
		if distance(a, c, far) > distance(a, b, far)+distance(b, c, far) {
			t.Fatalf("a detour over %q shortens %q to %q", b, a, c)
		}
	})
}

func TestTheDefaultBranch(t *testing.T) {
	ctx := context.Background()
	want := func(t *testing.T, c *clone, name string) {
		t.Helper()
		if got, err := c.open().DefaultBranch(ctx); got != name || err != nil {
			t.Errorf("DefaultBranch() = %q, %v; want %q", got, err, name)
		}
	}
	c := newClone(t)
	want(t, c, "main") // unborn, but checked out
	c.commit("one")
	c.git("checkout", "-q", "-b", "topic")
	want(t, c, "main")
	c.git("branch", "-m", "main", "master")
	want(t, c, "master")
	c.git("branch", "-m", "master", "trunk")
	want(t, c, "topic")
	c.git("checkout", "-q", "--detach")
	want(t, c, "main")
	c.git("update-ref", "refs/remotes/origin/develop", "HEAD")
	c.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
	want(t, c, "develop")
	if got, err := c.open().Branch(ctx); got != "" || err != nil {
		t.Errorf("Branch() of a detached head = %q, %v", got, err)
	}
}

func TestMergeBase(t *testing.T) {
	ctx := context.Background()
	c := newClone(t)
	base := c.commit("base")
	c.git("checkout", "-q", "-b", "topic")
	c.commit("on topic")
	c.git("checkout", "-q", "main")
	c.commit("on main")
	c.git("checkout", "-q", "--orphan", "island")
	c.commit("alone")
	r := c.open()
	if got, ok, err := r.MergeBase(ctx, "main", "topic"); got != base || !ok || err != nil {
		t.Errorf("MergeBase = %q, %v, %v; want %q", got, ok, err, base)
	}
	if got, ok, err := r.MergeBase(ctx, "main", "island"); got != "" || ok || err != nil {
		t.Errorf("MergeBase of strangers = %q, %v, %v", got, ok, err)
	}
	_, _, err := r.MergeBase(ctx, "main", "nowhere")
	wants(t, err, UnknownRevision)
}

func TestLastFollowsFirstParents(t *testing.T) {
	ctx := context.Background()
	c := newClone(t)
	c.write("a", "1\n")
	root := c.commit("root")
	c.git("checkout", "-q", "-b", "topic")
	c.write("b", "1\n")
	c.commit("hidden behind the merge")
	c.write("b", "2\n")
	side := c.commit("also hidden")
	c.git("checkout", "-q", "main")
	c.write("a", "2\n")
	second := c.commit("second\nline of the subject\n\nbody")
	c.git("merge", "-q", "--no-ff", "-m", "Merge topic", "topic")
	merge := c.git("rev-parse", "HEAD")
	r := c.open()
	h, err := r.Last(ctx, 10)
	if err != nil || h.Cut || len(h.Commits) != 3 {
		t.Fatalf("Last(10) = %+v, %v", h, err)
	}
	if h.Commits[0].SHA != merge || h.Commits[0].Base() != second || h.Commits[0].Parents[1] != side {
		t.Errorf("the merge reads %+v", h.Commits[0])
	}
	if h.Commits[1].Subject != "second line of the subject" || h.Commits[1].AuthorName != "mara" {
		t.Errorf("the second reads %+v", h.Commits[1])
	}
	if at := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC); !h.Commits[1].Time.Equal(at) {
		t.Errorf("time is %v, want %v", h.Commits[1].Time, at)
	}
	if h.Commits[2].SHA != root || h.Commits[2].Base() != "" {
		t.Errorf("the root reads %+v", h.Commits[2])
	}
	change, err := r.Change(ctx, h.Commits[0].Base(), h.Commits[0].SHA)
	if err != nil || short(only(t, change)) != "added b >100644 @0,0+1,1 +2" || change.Title != "Merge topic" {
		t.Errorf("the merge against its first parent: %+v, %v", change, err)
	}
	if change, err = r.Change(ctx, "", root); err != nil || only(t, change).Status != "added" || change.Base != "" {
		t.Errorf("the root against nothing: %+v, %v", change, err)
	}
	if one, err := r.Last(ctx, 1); err != nil || len(one.Commits) != 1 || one.Commits[0].SHA != merge {
		t.Errorf("Last(1) = %+v, %v", one, err)
	}
	if _, err := r.Last(ctx, 0); err == nil || !strings.Contains(err.Error(), "must be 1 or more, not 0") {
		t.Errorf("Last(0): %v", err)
	}
	if got, err := r.RootCommit(ctx); got != root || err != nil {
		t.Errorf("RootCommit() = %q, %v", got, err)
	}
}

func TestAShallowCloneSaysWhereItsHistoryEnds(t *testing.T) {
	ctx := context.Background()
	c := newClone(t)
	for _, n := range []string{"1", "2", "3", "4"} {
		c.write("a", n+"\n")
		c.commit("commit " + n)
	}
	s := &clone{TB: t, dir: t.TempDir()}
	s.git("clone", "-q", "--depth=3", "file://"+c.dir, ".")
	r := s.open()
	if !r.IsShallow() {
		t.Fatal("the clone is not seen as shallow")
	}
	h, err := r.Last(ctx, 20)
	if err != nil || !h.Cut || len(h.Commits) != 2 {
		t.Fatalf("Last(20) = %+v, %v", h, err)
	}
	if want := "holds only 2 of the last 20 commits with their parents; run `git fetch --deepen=20` for the rest"; !strings.Contains(h.Note, want) {
		t.Errorf("note %q does not say %q", h.Note, want)
	}
	if h, err = r.Last(ctx, 2); err != nil || h.Cut || h.Note != "" {
		t.Errorf("Last(2) = %+v, %v; both are there", h, err)
	}
	_, err = r.Change(ctx, "HEAD~3", "HEAD")
	wants(t, err, UnknownRevision, "shallow", "git fetch --unshallow")
	if root, err := r.RootCommit(ctx); root != "" || err != nil {
		t.Errorf("RootCommit() = %q, %v: the edge is not the root", root, err)
	}
}

func TestAQuestionThatIsGivenUpDoesNotSpoilTheNext(t *testing.T) {
	c := newClone(t)
	c.write("a", "1\n")
	head := c.commit("one")
	r := c.open()
	if _, err := r.Change(context.Background(), "", head); err != nil {
		t.Fatal(err)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Change(stopped, "", head); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	for range 3 {
		change, err := r.Change(context.Background(), "", head)
		if err != nil || only(t, change).Path != "a" {
			t.Fatalf("afterwards: %+v, %v", change, err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Change(context.Background(), "", head); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

func TestAnEmptyCommitIsAnEmptyChange(t *testing.T) {
	c := newClone(t)
	c.write("a", "1\n")
	c.commit("one")
	c.commit("nothing")
	change := c.last()
	if len(change.Files) != 0 || len(change.Omitted) != 0 || change.Title != "nothing" {
		t.Errorf("got %+v", change)
	}
}

func TestReadFileReadsRevisionsAndNothingElse(t *testing.T) {
	ctx := context.Background()
	c := newClone(t)
	c.write("dir/a b", "old\n")
	c.write("new\nline", "quoted\n")
	c.link("/etc/passwd", "link")
	first := c.commit("one")
	c.write("dir/a b", "new\n")
	c.commit("two")
	r := c.open()
	for _, tc := range []struct {
		rev, path, want string
		ok              bool
	}{
		{first, "dir/a b", "old\n", true},
		{"HEAD", "dir/a b", "new\n", true},
		{"HEAD", "link", "/etc/passwd", true}, // the link itself, not what it leads to
		{"HEAD", "dir", "", false},
		{"HEAD", "gone", "", false},
		{"HEAD", "/dir/a b", "", false},
		{"HEAD", "../a", "", false},
		{"HEAD", "./dir/a b", "", false},
		{"HEAD", "", "", false},
	} {
		got, ok, err := r.ReadFile(ctx, tc.rev, tc.path, 100)
		if string(got) != tc.want || ok != tc.ok || err != nil {
			t.Errorf("ReadFile(%.8s, %q) = %q, %v, %v; want %q, %v", tc.rev, tc.path, got, ok, err, tc.want, tc.ok)
		}
	}
	if got, ok, err := r.ReadFile(ctx, "HEAD", "dir/a b", 3); got != nil || ok || err != nil {
		t.Errorf("above the limit: %q, %v, %v", got, ok, err)
	}
	_, _, err := r.ReadFile(ctx, "nowhere", "dir/a b", 100)
	wants(t, err, UnknownRevision)
}

func TestParseCommitReadsHostileObjects(t *testing.T) {
	tree := strings.Repeat("ab", 20)
	for name, tc := range map[string]struct {
		object string
		ok     bool
		want   Commit
	}{
		"no tree":               {"author x <x> 1 +0000\n\nhi", false, Commit{}},
		"no message":            {"tree " + tree, true, Commit{}},
		"subject not UTF-8":     {"tree " + tree + "\n\nfa\xefade\n", true, Commit{Subject: "fa\uFFFDade"}},
		"a parent that is none": {"tree " + tree + "\nparent --all\n\nx", true, Commit{Subject: "x"}},
		"a time out of range":   {"tree " + tree + "\ncommitter a <b> 99999999999999999 +0000\n\nx", true, Commit{Subject: "x"}},
		"a name with an angle":  {"tree " + tree + "\nauthor a <b> <c> 5 +0000\n\nx", true, Commit{Subject: "x", AuthorName: "a"}},
		"a signature inside":    {"tree " + tree + "\ngpgsig -----BEGIN\n tree x\n -----END\n\nx y\nz\n\nbody", true, Commit{Subject: "x y z"}},
	} {
		got, ok := parseCommit("s", []byte(tc.object))
		if ok != tc.ok || ok && (got.Subject != tc.want.Subject || got.AuthorName != tc.want.AuthorName || len(got.Parents) != 0 || !got.Time.IsZero()) {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
	long, _ := parseCommit("s", []byte("tree "+tree+"\n\n"+strings.Repeat("é", 5000)))
	if len(long.Subject) > maxSubject+3 {
		t.Errorf("a subject of %d bytes was kept", len(long.Subject))
	}
	const token = "ghp" + "_" + "Qz7Qz7Qz7Qz7Qz7Qz7Qz7Qz7Qz7Qz7Qz7Qz7"
	cut, _ := parseCommit("s", []byte("tree "+tree+"\n\nx"+strings.Repeat(" ", 8*maxSubject-20)+token))
	if cut.Subject != "x" {
		t.Errorf("a token that the bound cuts leaves %q", cut.Subject)
	}
}
