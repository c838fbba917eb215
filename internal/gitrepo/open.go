package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/text"
)

// Repo is one local clone. It is safe for concurrent use; Close ends the git
// processes that it keeps.
type Repo struct {
	// Limits bound each change that is read; the zero value means the defaults.
	Limits diff.Limits

	git       string // the git program
	root      string // top of the working tree; of a bare repository its git directory
	gitDir    string
	commonDir string
	emptyTree string
	bare      bool
	shallow   bool
	partial   bool
	neutral   []setting

	mu     sync.Mutex
	differ *process
	names  *process // cat-file --batch-check
	blobs  *process // cat-file --batch
}

// minVersion is the first git that takes configuration from GIT_CONFIG_COUNT.
// An older one would ignore the hardened settings without a word.
const minMajor, minMinor = 2, 31

// Open finds the repository that dir lies in, with or without a working tree.
// A repository without commits opens too: what needs a commit then says so.
// Errors are of type *Error, with kind NotRepository, GitMissing, GitTooOld,
// Ownership or Failed.
func Open(ctx context.Context, dir string) (*Repo, error) {
	return openWithin(ctx, dir, 30*time.Second)
}

// openWithin gives up after patience: a configuration may include a file that
// never ends.
func openWithin(ctx context.Context, dir string, patience time.Duration) (*Repo, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fail(Failed, dir,
		fmt.Sprintf("git did not read the configuration within %v", patience),
		"Look at .git/config and the files that it includes."))
	defer cancel()
	if dir == "" {
		dir = "."
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, fail(NotRepository, dir, "no such folder", "Name a folder inside a git clone.")
	}
	git, err := findGit(ctx)
	if err != nil {
		return nil, err
	}
	r := &Repo{git: git}
	if err := r.discover(ctx, abs); err != nil {
		return nil, err
	}
	if err := r.readConfig(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

func findGit(ctx context.Context) (string, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return "", fail(GitMissing, "git", "the git command was not found on PATH", "Install git (https://git-scm.com/downloads) and try again.")
	}
	probe := &Repo{git: git}
	a, err := probe.ask(ctx, objects, "version")
	if err != nil || a.code != 0 {
		return "", probe.failed("git version", a.err, err)
	}
	major, minor, ok := version(a.out)
	if !ok || major < minMajor || major == minMajor && minor < minMinor {
		return "", fail(GitTooOld, "git", strings.TrimSpace(a.out)+" is too old to read a clone safely",
			fmt.Sprintf("Install git %d.%d or newer.", minMajor, minMinor))
	}
	return git, nil
}

var versionForm = text.Lazy(`^git version (\d{1,4})\.(\d{1,4})`)

func version(s string) (major, minor int, ok bool) {
	m := versionForm.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(m[1])
	minor, _ = strconv.Atoi(m[2])
	return major, minor, true
}

// discover asks git where the repository is. This one command sees the user's
// own configuration, since safe.directory counts only there; it runs nothing
// that a clone names. All later commands name the git directory themselves.
func (r *Repo) discover(ctx context.Context, abs string) error {
	cmd := r.command(ctx, worktree, "rev-parse", "--is-bare-repository", "--is-shallow-repository",
		"--show-object-format", "--absolute-git-dir", "--git-common-dir")
	cmd.Dir = abs
	cmd.Env = slices.DeleteFunc(cmd.Env, func(s string) bool {
		return strings.HasPrefix(s, "GIT_CONFIG_NOSYSTEM=") || strings.HasPrefix(s, "GIT_CONFIG_GLOBAL=") || strings.HasPrefix(s, "GIT_CONFIG_SYSTEM=")
	})
	out, errOut := &capped{max: 1 << 20}, &capped{max: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, errOut
	if err := cmd.Run(); err != nil {
		return r.discoveryError(ctx, abs, errOut.String(), err)
	}
	f := strings.SplitN(strings.TrimSuffix(out.String(), "\n"), "\n", 5)
	if len(f) != 5 {
		return r.failed(abs, "git rev-parse answered in an unknown form", nil)
	}
	r.shallow = f[1] == "true"
	r.emptyTree = emptyTrees[f[2]]
	r.gitDir = f[3]
	r.commonDir = f[4]
	if !filepath.IsAbs(r.commonDir) {
		r.commonDir = filepath.Join(abs, r.commonDir)
	}
	top, ok := workTop(abs, r.gitDir)
	if r.root, r.bare = top, !ok; r.bare {
		r.root = r.gitDir
	}
	if r.emptyTree == "" {
		return fail(Failed, abs, "unknown object format "+f[2], "")
	}
	return nil
}

// emptyTrees are the ids of the empty tree, which every git knows.
var emptyTrees = map[string]string{
	"sha1":   "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	"sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

// workTop finds the folder whose ".git" is, or leads to, the git directory. Git
// itself would let the configuration's core.worktree name any other folder of
// the machine.
func workTop(dir, gitDir string) (string, bool) {
	found, err := os.Stat(gitDir)
	if err != nil {
		return "", false
	}
	for {
		if info, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			// A file names the git directory of a linked tree or a submodule;
			// git has followed it and would have refused a wrong one.
			if info.Mode().IsRegular() || os.SameFile(info, found) {
				return dir, true
			}
		}
		up := filepath.Dir(dir)
		if up == dir || dir == gitDir {
			return "", false
		}
		dir = up
	}
}

func (r *Repo) discoveryError(ctx context.Context, dir, stderr string, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("opening %s: %w", printable(dir), context.Cause(ctx))
	case strings.Contains(stderr, "dubious ownership"):
		return fail(Ownership, dir, "the clone belongs to another user, and git does not trust it",
			"If you trust it, run `git config --global --add safe.directory '"+printable(dir)+"'`.")
	case strings.Contains(stderr, "not a git repository"):
		return fail(NotRepository, dir, "not a git repository, nor is any folder above it",
			"Change into a clone, or name one.")
	}
	return r.failed(dir, stderr, err)
}

// readConfig looks at the clone's configuration once, without obeying it: it
// notes partial clones and takes the commands out of every filter driver. A
// filter runs whenever git compares a file of the working tree, and an empty
// command is no command.
func (r *Repo) readConfig(ctx context.Context) error {
	a, err := r.ask(ctx, worktree, "config", "--list", "-z", "--includes")
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil || a.code != 0:
		return r.failed(r.root, a.err, err)
	case a.cut:
		// A filter beyond the cut would not be taken out.
		return fail(Failed, r.root, fmt.Sprintf("its configuration is larger than %d MiB", maxAnswer>>20), "Look at .git/config and the files that it includes.")
	}
	drivers := map[string]bool{}
	for entry := range strings.SplitSeq(a.out, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		section, name, ok := subsection(key)
		switch {
		case key == "extensions.partialclone", ok && section == "remote" && strings.HasSuffix(key, ".promisor") && value != "false":
			r.partial = true
		case ok && section == "filter" && !drivers[name]:
			drivers[name] = true
			for _, part := range []string{"clean", "smudge", "process"} {
				r.neutral = append(r.neutral, setting{"filter." + name + "." + part, ""})
			}
			r.neutral = append(r.neutral, setting{"filter." + name + ".required", "false"})
		}
	}
	return nil
}

// subsection splits "filter.Some.Name.clean" into "filter" and "Some.Name".
func subsection(key string) (section, name string, ok bool) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 || first == last {
		return "", "", false
	}
	return key[:first], key[first+1 : last], true
}

// Root is the top folder of the working tree, or the git directory of a bare
// repository.
func (r *Repo) Root() string { return r.root }

// IsBare says whether the repository has no working tree.
func (r *Repo) IsBare() bool { return r.bare }

// IsShallow says whether older history was cut when the clone was made.
func (r *Repo) IsShallow() bool { return r.shallow }

// Close ends the processes that were kept. The Repo may be used again.
func (r *Repo) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := errors.Join(r.differ.stop(), r.names.stop(), r.blobs.stop())
	r.differ, r.names, r.blobs = nil, nil, nil
	return err
}
