package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/familiarhq/familiar/internal/diff"
)

// maxUntracked bounds one untracked file that is read.
const maxUntracked = 4 << 20

// Worktree returns what differs between HEAD and the files as they lie in the
// working tree: staged, unstaged and untracked, but not ignored. Without any
// commit everything is new. Filters of the configuration do not run, so a file
// that one would change on the way in (Git LFS) shows as it lies there.
func (r *Repo) Worktree(ctx context.Context) (diff.Change, error) {
	if r.bare {
		return diff.Change{}, fail(NoWorktree, r.root, "a bare repository has no working tree", "Use --base and --head, or a clone with files.")
	}
	head, err := r.Head(ctx)
	against := head
	if KindOf(err) == NoCommits {
		against, err = r.emptyTree, nil
	}
	if err != nil {
		return diff.Change{}, err
	}
	c := diff.Change{Base: head}
	if c.Files, c.Omitted, err = r.tracked(ctx, against); err != nil {
		return c, err
	}
	return c, r.untracked(ctx, &c)
}

// tracked compares what git knows of. It does not look into submodules, whose
// own configuration could name programs.
func (r *Repo) tracked(ctx context.Context, against string) ([]diff.File, []diff.Omission, error) {
	ask := func(options []string, rest ...string) ([]diff.File, []diff.Omission, error) {
		args := append([]string{"diff", "--ignore-submodules=dirty"}, options...)
		return r.difference(ctx, worktree, append(append(args, against, "--"), rest...))
	}
	files, omitted, err := ask(diffOptions)
	if err != nil {
		return files, omitted, err
	}
	read := func(path string) ([]byte, bool) {
		data, ok, err := r.ReadWorktreeFile(path, maxDeclaredSize)
		return data, ok && err == nil
	}
	return files, omitted, declared(files, read, func(paths []string) ([]diff.File, error) {
		shown, _, err := ask(asText, literal(paths)...)
		return shown, err
	})
}

// difference runs one command that prints a difference and ends.
func (r *Repo) difference(ctx context.Context, v view, args []string) ([]diff.File, []diff.Omission, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := r.command(ctx, v, args...)
	errOut := &capped{max: 64 << 10}
	cmd.Stderr = errOut
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, r.failed("git "+args[0], "", err)
	}
	files, omitted, err := diff.Parse(out, r.Limits)
	more := make([]byte, 1)
	n, _ := out.Read(more)
	cut := n > 0 // the limit was reached: git is stopped, and its exit says nothing
	if cut || err != nil {
		cancel()
	}
	end := cmd.Wait()
	switch {
	case cut:
		return files, omitted, nil
	case ctx.Err() != nil:
		return files, omitted, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case err != nil || end != nil:
		return files, omitted, r.failed("git "+args[0], errOut.String(), errors.Join(err, end))
	}
	return files, omitted, nil
}

// untracked adds the files that git does not know of and does not ignore.
func (r *Repo) untracked(ctx context.Context, c *diff.Change) error {
	a, err := r.ask(ctx, worktree, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil || a.code != 0 {
		return r.failed("git ls-files", a.err, err)
	}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return fail(Failed, r.root, err.Error(), "")
	}
	defer root.Close()
	limit := r.Limits.Files
	if limit <= 0 {
		limit = diff.DefaultFiles
	}
	beyond := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(a.out, "\x00"), "\x00") {
		switch {
		case name == "":
			continue
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case len(c.Files) >= limit:
			beyond++
			continue
		}
		f, reason := readUntracked(root, name, r.Limits)
		if reason == "" {
			c.Files = append(c.Files, f)
			reason = f.Partial
		}
		if reason != "" {
			c.Omitted = append(c.Omitted, diff.Omission{Path: name, Reason: reason})
		}
	}
	if beyond > 0 {
		c.Omitted = append(c.Omitted, diff.Omission{Reason: fmt.Sprintf("%d untracked files beyond the first %d files of the change", beyond, limit)})
	}
	if a.cut {
		c.Omitted = append(c.Omitted, diff.Omission{Reason: "there are more untracked files than can be listed"})
	}
	return nil
}

// readUntracked reads one untracked file, or says why it cannot be reviewed.
func readUntracked(root *os.Root, name string, lim diff.Limits) (diff.File, string) {
	if strings.HasSuffix(name, "/") {
		return diff.File{}, "a repository inside this one; review it on its own"
	}
	if !plainPath(name) {
		return diff.File{}, "its path leaves the working tree"
	}
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return diff.File{}, "it cannot be read"
	case info.Mode()&os.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return diff.File{}, "the link cannot be read"
		}
		return diff.FromContent(name, "120000", []byte(target), lim), ""
	case !info.Mode().IsRegular():
		return diff.File{}, "it is neither a file nor a link"
	case info.Size() > maxUntracked:
		return diff.File{}, fmt.Sprintf("an untracked file larger than %d MiB", maxUntracked>>20)
	}
	data, ok, err := readIn(root, name, maxUntracked)
	if err != nil || !ok {
		return diff.File{}, "it cannot be read"
	}
	mode := "100644"
	if info.Mode()&0o100 != 0 {
		mode = "100755"
	}
	return diff.FromContent(name, mode, data, lim), ""
}
