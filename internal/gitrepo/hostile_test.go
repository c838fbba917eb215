package gitrepo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
)

// hostile is a clone whose configuration names a command wherever git takes
// one. Each writes a file of its own name into marks.
type hostile struct {
	*clone
	marks         string
	first, second string
}

func (h *hostile) mark(name string) string {
	return "touch '" + filepath.Join(h.marks, name) + "'"
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	h := &hostile{clone: newClone(t), marks: t.TempDir()}
	h.write("a.txt", "one\n")
	h.write("same.txt", "same\n")
	h.write("p.txt", "same\n")
	h.write("c.two", "same\n")
	h.write("wt.txt", "same\n")
	h.write(".gitattributes", "* filter=evil diff=evil merge=evil\n*.odd filter=Ev.Il\n")
	h.write("b.odd", "odd\n")
	h.innerRepository()
	h.first = h.commit("first")
	h.write("a.txt", "two\n")
	h.second = h.commit("second")
	h.git("tag", "v1")
	// Config files are written by hand: git would refuse some of these.
	config, err := os.ReadFile(h.path(".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	h.write(".git/more", "[filter \"included\"]\n\tclean = \""+h.mark("clean-included")+"; cat\"\n\trequired\n")
	h.write(".git/config", string(config)+h.config())
	h.write(".git/config.worktree", "[filter \"wt\"]\n\tclean = \""+h.mark("clean-worktree-config")+"; cat\"\n")
	h.write(".git/info/attributes", "same.txt filter=included\nwt.txt filter=wt\n*.odd filter=Ev.Il\n*.two filter=Ev.il=x\np.txt filter=proc\n")
	h.hooks(".git/hooks", "hook")
	h.hooks("evil-hooks", "hooks-path")
	// Dirty files, so that git has to compare contents.
	h.write("a.txt", "three\n")
	h.write("same.txt", "same\n")
	h.write("p.txt", "same\n")
	h.write("b.odd", "even\n")
	h.write("c.two", "new\n")
	h.write("wt.txt", "new\n")
	h.write("untracked.txt", "new\n")
	h.turnInner()
	return h
}

func (h *hostile) config() string {
	run := func(name, rest string) string { return "\"" + h.mark(name) + rest + "\"" }
	lines := []string{
		"[core]",
		"fsmonitor = " + run("fsmonitor", "; false"),
		"hooksPath = " + h.path("evil-hooks"),
		"pager = " + run("pager", "; cat"),
		"editor = " + run("editor", ""),
		"askPass = " + run("askpass", ""),
		"sshCommand = " + run("ssh", "; false"),
		"gitProxy = " + run("git-proxy", "; false"),
		"alternateRefsCommand = " + run("alternate-refs", ""),
		"worktree = " + h.marks,
		"[pager]", "diff = " + run("pager-diff", "; cat"), "log = true", "rev-list = true", "diff-tree = true", "config = true",
		"[diff]", "external = " + run("diff-external", ""), "tool = evil", "orderFile = /dev/zero",
		"noprefix", "mnemonicPrefix", "submodule = log", "suppressBlankEmpty", "relative", "interHunkContext = 9", "context = 0",
		"renames = copies", "colorMoved = zebra", "ignoreSubmodules = none",
		"[diff \"evil\"]", "command = " + run("diff-command", ""), "textconv = " + run("textconv", "; cat"), "binary",
		"[filter \"evil\"]", "clean = " + run("clean", "; cat"), "smudge = " + run("smudge", "; cat"), "required",
		"[filter \"proc\"]", "process = " + run("process", "; false"),
		"[filter \"Ev.Il\"]", "clean = " + run("clean-odd-name", "; cat"), "required",
		"[filter \"Ev.il=x\"]", "clean = " + run("clean-equals", "; cat"), "required",
		"[merge \"evil\"]", "driver = " + run("merge-driver", ""),
		"[difftool \"evil\"]", "cmd = " + run("difftool", ""),
		"[credential]", "helper = \"!" + h.mark("credential") + "\"",
		"[gpg]", "program = " + run("gpg", ""), "[gpg \"ssh\"]", "program = " + run("gpg-ssh", ""),
		"[log]", "showSignature = true", "[color]", "ui = always", "diff = always",
		"[alias]", "diff = \"!" + h.mark("alias-diff") + "\"", "rev-parse = \"!" + h.mark("alias-rev-parse") + "\"",
		"[interactive]", "diffFilter = " + run("diff-filter", "; cat"),
		"[uploadpack]", "packObjectsHook = " + run("pack-objects", ""),
		"[trailer \"evil\"]", "command = " + run("trailer", ""), "cmd = " + run("trailer-cmd", ""),
		"[protocol]", "allow = always", "[protocol \"ext\"]", "allow = always", "[protocol \"file\"]", "allow = always",
		"[remote \"origin\"]", "url = \"ext::sh -c touch% " + filepath.Join(h.marks, "ext-transport") + "\"",
		"promisor = true", "partialclonefilter = blob:none", "uploadpack = " + run("uploadpack", ""), "fetch = +refs/heads/*:refs/remotes/origin/*",
		"[extensions]", "partialClone = origin", "worktreeConfig = true",
		"[include]", "path = more",
		"[submodule]", "recurse = true", "[fetch]", "recurseSubmodules = true",
		"[gc]", "auto = 1", "[maintenance]", "auto = true",
		"[init]", "templateDir = " + h.path("evil-hooks"),
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

func (h *hostile) hooks(dir, prefix string) {
	for _, name := range []string{
		"post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "post-merge",
		"pre-commit", "fsmonitor-watchman", "query-watchman", "post-rewrite", "proc-receive",
	} {
		h.write(dir+"/"+name, "#!/bin/sh\n"+h.mark(prefix+"-"+name)+"\n")
		if err := os.Chmod(h.path(dir+"/"+name), 0o755); err != nil {
			h.Fatal(err)
		}
	}
}

// innerRepository puts a repository inside, as a submodule that is part of
// HEAD. turnInner gives it a configuration of its own and makes it dirty.
func (h *hostile) innerRepository() {
	h.git("init", "-q", h.path("sub"))
	h.write("sub/x", "1\n")
	h.write("sub/.gitattributes", "* filter=inner\n")
	(&clone{TB: h.TB, dir: h.path("sub")}).commit("inner")
}

func (h *hostile) turnInner() {
	data, err := os.ReadFile(h.path("sub/.git/config"))
	if err != nil {
		h.Fatal(err)
	}
	h.write("sub/.git/config", string(data)+"[core]\nfsmonitor = \""+h.mark("sub-fsmonitor")+"; false\"\n"+
		"[filter \"inner\"]\nclean = \""+h.mark("sub-clean")+"; cat\"\n")
	h.write("sub/x", "2\n")
}

// marked lists the commands that ran.
func (h *hostile) marked() []string {
	h.Helper()
	entries, err := os.ReadDir(h.marks)
	if err != nil {
		h.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// plain runs git as a careless program would.
func (h *hostile) plain(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = h.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_WORK_TREE=" + h.dir, "GIT_DIR=" + h.path(".git")}
	_ = cmd.Run()
}

func TestTheHostileCloneOfA114RunsCommandsInACarelessGit(t *testing.T) {
	// The other tests of A114 prove nothing unless this clone can bite.
	h := newHostile(t)
	h.plain("-c", "diff.orderFile="+os.DevNull, "diff", "--no-ext-diff", "--", "p.txt")
	for _, args := range [][]string{
		{"diff", "HEAD"},
		{"diff", "--no-ext-diff", "HEAD"},
		{"log", "-p", "-1", "--no-show-signature"},
		{"cat-file", "-p", strings.Repeat("12", 20)},
		{"update-index", "--refresh"},
		{"add", "-A"},
	} {
		h.plain(append([]string{"-c", "filter.proc.process=", "-c", "diff.orderFile=" + os.DevNull, "-c", "diff.submodule=short", "-c", "color.ui=false"}, args...)...)
	}
	got := h.marked()
	t.Logf("a careless git ran %q", got)
	for _, want := range []string{"fsmonitor", "diff-command", "textconv", "clean", "process", "clean-included", "clean-odd-name", "clean-equals",
		"clean-worktree-config", "ext-transport", "hooks-path-post-index-change", "sub-fsmonitor", "sub-clean"} {
		if !slices.Contains(got, want) {
			t.Errorf("a careless git did not run %q; it ran %q", want, got)
		}
	}
}

func TestA114NothingThatAHostileCloneNamesRuns(t *testing.T) {
	h := newHostile(t)
	for _, name := range []string{"GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "PAGER", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EDITOR", "GIT_PROXY_COMMAND"} {
		script := filepath.Join(t.TempDir(), "run")
		if err := os.WriteFile(script, []byte("#!/bin/sh\n"+h.mark("env-"+name)+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, script)
	}
	t.Setenv("GIT_DIR", filepath.Join(h.marks, "no-such"))
	t.Setenv("GIT_WORK_TREE", h.marks)
	t.Setenv("GIT_TRACE", filepath.Join(h.marks, "env-trace"))
	t.Setenv("GIT_TRACE2_EVENT", filepath.Join(h.marks, "env-trace2"))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
	t.Setenv("GIT_CONFIG_VALUE_0", h.mark("env-config"))
	t.Setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='"+strings.ReplaceAll(h.mark("env-parameters"), "'", "")+"'")

	ctx := context.Background()
	r, err := Open(ctx, h.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if want, _ := filepath.EvalSymlinks(h.dir); r.Root() != want {
		t.Errorf("root is %q, not the clone %q: core.worktree was believed", r.Root(), want)
	}
	useEverything(t, h, r)
	if ran := h.marked(); len(ran) > 0 {
		t.Errorf("the clone's commands ran: %q", ran)
	}
}

// useEverything calls each method that asks git, and checks that the answers
// are right all the same.
func useEverything(t *testing.T, h *hostile, r *Repo) {
	t.Helper()
	ctx := context.Background()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	change, err := r.Change(ctx, h.first, h.second)
	must("Change", err)
	if f := only(t, change); short(f) != "modified a.txt 100644>100644 @1,1+1,1 -one +two" {
		t.Errorf("Change reads %q", short(f))
	}
	work, err := r.Worktree(ctx)
	must("Worktree", err)
	for path, want := range map[string]string{
		"a.txt":         "modified a.txt 100644>100644 @1,1+1,1 -two +three",
		"b.odd":         "modified b.odd 100644>100644 @1,1+1,1 -odd +even",
		"untracked.txt": "added untracked.txt >100644 @0,0+1,1 +new",
	} {
		if f, ok := work.File(path); !ok || f.Binary || short(f) != want {
			// info/attributes belongs to the clone and may call a file binary.
			if !f.Binary {
				t.Errorf("Worktree reads %q, want %q", short(f), want)
			}
		}
	}
	if _, ok := work.File("same.txt"); ok {
		t.Error("same.txt has not changed, yet the working tree shows it")
	}
	_, err = r.Last(ctx, 5)
	must("Last", err)
	_, _, err = r.MergeBase(ctx, h.first, h.second)
	must("MergeBase", err)
	data, ok, err := r.ReadFile(ctx, h.second, "a.txt", 100)
	must("ReadFile", err)
	if !ok || string(data) != "two\n" {
		t.Errorf("ReadFile: %q, %v", data, ok)
	}
	_, err = r.Identity(ctx)
	must("Identity", err)
	_, err = r.DefaultBranch(ctx)
	must("DefaultBranch", err)
	if u, err := r.RemoteURL(ctx); err != nil || u != "" {
		t.Errorf("RemoteURL: %q, %v; a helper's URL is no address to show", u, err)
	}
	for _, rev := range []string{"v2", "--output=" + filepath.Join(h.marks, "option"), "-h", "--exec=" + h.mark("exec"), strings.Repeat("12", 20), "^HEAD", "HEAD..v1", ":/first", "@{u}"} {
		if sha, err := r.Resolve(ctx, rev); rev != ":/first" && (err == nil || sha != "") {
			t.Errorf("Resolve(%q) = %q, %v", rev, sha, err)
		}
	}
}

func TestA114APartialCloneIsNeverCompletedFromItsRemote(t *testing.T) {
	h := newHostile(t)
	blob := h.missingBlob()
	r := h.open()
	change, err := r.Change(context.Background(), h.first, h.second)
	if KindOf(err) != PartialClone {
		t.Fatalf("Change without blob %s: %+v, %v", blob, change, err)
	}
	for _, want := range []string{"partial clone", "Nothing is fetched for you", "git fetch --refetch"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if _, ok, err := r.ReadFile(context.Background(), h.second, "a.txt", 100); ok {
		t.Errorf("ReadFile found a blob that is not there (%v)", err)
	}
	if _, err := r.Change(context.Background(), h.second, h.second); err != nil {
		t.Errorf("the clone is of no use after one missing object: %v", err)
	}
	if ran := h.marked(); len(ran) > 0 {
		t.Errorf("git went to the remote: %q", ran)
	}
}

// missingBlob takes the new content of a.txt out of the clone.
func (h *hostile) missingBlob() string {
	h.Helper()
	h.git("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "rev-parse", "HEAD")
	blob := h.git("-c", "core.fsmonitor=false", "rev-parse", h.second+":a.txt")
	if err := os.Remove(h.path(".git/objects/" + blob[:2] + "/" + blob[2:])); err != nil {
		h.Fatal(err)
	}
	return blob
}

func TestA114LinksInTheWorkingTreeLeadNowhereOutside(t *testing.T) {
	c := newClone(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("the machine's secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.write("a", "1\n")
	c.commit("one")
	c.link(secret, "out")
	c.link(filepath.Dir(secret), "outdir")
	c.link(".git/config", "config")
	change := c.worktree()
	for _, f := range change.Files {
		for l := range f.AddedLines() {
			if strings.Contains(l.Text, "the machine's") {
				t.Errorf("%s was followed out of the working tree", f.Path)
			}
		}
		if f.NewMode != "120000" {
			t.Errorf("%s is shown as %s, not as a link", f.Path, f.NewMode)
		}
	}
	if len(change.Files) != 3 {
		t.Errorf("got %d files, want the three links: %+v", len(change.Files), change.Files)
	}
	r := c.open()
	for _, name := range []string{"out", "outdir/secret", "../" + filepath.Base(filepath.Dir(secret)) + "/secret", secret, ".git/config", ".GIT/config", "a/../.git/config", "", "outdir", "."} {
		if data, ok, _ := r.ReadWorktreeFile(name, 1000); ok {
			t.Errorf("ReadWorktreeFile(%q) gave %q", name, data)
		}
	}
	if data, ok, err := r.ReadWorktreeFile("a", 1000); !ok || string(data) != "1\n" || err != nil {
		t.Errorf("ReadWorktreeFile(a) = %q, %v, %v", data, ok, err)
	}
	if _, ok, _ := r.ReadWorktreeFile("a", 1); ok {
		t.Error("a file above the limit was read")
	}
}

func TestA114AnAnswerThatNeverEndsIsCutAtTheLimit(t *testing.T) {
	c := newClone(t)
	c.write("a", "1\n")
	c.commit("one")
	for _, name := range []string{"b", "c", "d"} {
		c.write(name, strings.Repeat("a long line of text\n", 500))
	}
	c.commit("two")
	r := c.open()
	r.Limits = diff.Limits{Bytes: 12_000}
	ctx := context.Background()
	change, err := r.Change(ctx, "HEAD~1", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, o := range change.Omitted {
		named[o.Path] = true
		if !strings.Contains(o.Reason, "larger than 12000 bytes") {
			t.Errorf("omission %+v does not name the limit", o)
		}
	}
	if named["b"] || !named["c"] || !named["d"] {
		t.Errorf("omitted %+v; b was read, c in part and d not at all", change.Omitted)
	}
	r.Limits = diff.Limits{}
	if change, err = r.Change(ctx, "HEAD~1", "HEAD"); err != nil || len(change.Files) != 3 || len(change.Omitted) != 0 {
		t.Errorf("after a cut answer: %d files, omitted %+v, %v", len(change.Files), change.Omitted, err)
	}
}
