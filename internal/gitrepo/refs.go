package gitrepo

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Head returns the commit that is checked out.
func (r *Repo) Head(ctx context.Context) (string, error) { return r.Resolve(ctx, "HEAD") }

// Resolve returns the full id of the commit that a revision names, in any of
// git's words for one. An unknown one is an *Error of kind UnknownRevision that
// names the branches and tags most like it; without any commit the kind is
// NoCommits.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	if isSHA(rev) {
		r.mu.Lock()
		o, err := r.look(ctx, rev+"^{commit}")
		r.mu.Unlock()
		if err != nil || o.kind == "commit" {
			return o.id, err
		}
	}
	if rev == "" || strings.ContainsAny(rev, "\n\x00") || len(rev) > 4096 {
		return "", fail(UnknownRevision, "revision "+quoted(rev), "it is no name of a commit", "Name a branch, a tag or a commit.")
	}
	a, err := r.ask(ctx, objects, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", r.failed("revision "+quoted(rev), a.err, err)
	}
	if sha := strings.TrimSpace(a.out); a.code == 0 && isSHA(sha) {
		return sha, nil
	}
	return "", r.unknown(ctx, rev)
}

func quoted(s string) string { return "\"" + printable(s) + "\"" }

// unknown explains why a revision names no commit here.
func (r *Repo) unknown(ctx context.Context, rev string) error {
	names, err := r.refNames(ctx)
	if err != nil {
		return err
	}
	if rev == "HEAD" || len(names) == 0 {
		if a, err := r.ask(ctx, objects, "rev-list", "--all", "--max-count=1"); err == nil && a.out == "" {
			return fail(NoCommits, r.root, "the repository has no commits yet", "Commit something first.")
		}
	}
	name, ancestor := rev, ""
	if i := strings.IndexAny(rev, "~^@:"); i > 0 {
		name, ancestor = rev[:i], rev[i:]
	}
	near := nearest(name, names)
	e := fail(UnknownRevision, "revision "+quoted(rev), "no branch, tag or commit of that name is in this clone", "")
	switch {
	case name == "HEAD" || slices.Contains(names, name):
		e.Reason = "there is such a name, but " + quoted(ancestor) + " of it leads to no commit in this clone"
		if r.shallow {
			e.Fix = "The clone is shallow; run `git fetch --unshallow` if it is an older commit."
		}
	case len(near) > 0:
		e.Fix = "Did you mean " + strings.Join(near, " or ") + "?"
	case r.shallow:
		e.Fix = "The clone is shallow; run `git fetch --unshallow` if it is an older commit."
	default:
		e.Fix = "`git branch --all` and `git tag` list the names there are; `git fetch` brings newer ones."
	}
	return e
}

// maxRefs bounds the names that are compared for a suggestion.
const maxRefs = 5000

func (r *Repo) refNames(ctx context.Context) ([]string, error) {
	lines, err := r.lines(ctx, objects, "for-each-ref", fmt.Sprintf("--count=%d", maxRefs), "--format=%(refname)",
		"refs/heads", "refs/tags", "refs/remotes")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range lines {
		for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
			if name, ok := strings.CutPrefix(l, prefix); ok && name != "" && name != "origin/HEAD" {
				out = append(out, name)
			}
		}
	}
	return out, nil
}

// nearest returns at most three names that are a slip away from rev.
func nearest(rev string, names []string) []string {
	type scored struct {
		name string
		far  int
	}
	var found []scored
	limit := max(min(len(rev)/2, 2), len(rev)/3, 1)
	for _, n := range names {
		short := n
		if _, after, ok := strings.Cut(n, "/"); ok && !strings.Contains(rev, "/") {
			short = after
		}
		far := min(distance(strings.ToLower(rev), strings.ToLower(n), limit), distance(strings.ToLower(rev), strings.ToLower(short), limit))
		if far <= limit {
			found = append(found, scored{printable(n), far})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, f := range found {
		if len(out) < 3 && !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	return out
}

// distance is the edit distance of two names, or more than limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit || len(a) > 256 {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// DefaultBranch is the branch that origin calls its default, else main or
// master if there is one, else the branch that is checked out, else "main".
func (r *Repo) DefaultBranch(ctx context.Context) (string, error) {
	a, err := r.ask(ctx, objects, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
	if err != nil {
		return "", r.failed("the default branch", a.err, err)
	}
	if name, ok := strings.CutPrefix(strings.TrimSpace(a.out), "refs/remotes/origin/"); ok && a.code == 0 {
		return name, nil
	}
	names, err := r.refNames(ctx)
	if err != nil {
		return "", err
	}
	for _, name := range []string{"main", "master"} {
		if slices.Contains(names, name) || slices.Contains(names, "origin/"+name) {
			return name, nil
		}
	}
	branch, err := r.Branch(ctx)
	if branch == "" {
		branch = "main"
	}
	return branch, err
}

// Branch is the branch that is checked out, "" for a detached head.
func (r *Repo) Branch(ctx context.Context) (string, error) {
	a, err := r.ask(ctx, objects, "symbolic-ref", "--quiet", "HEAD")
	if err != nil {
		return "", r.failed("the current branch", a.err, err)
	}
	return strings.TrimPrefix(strings.TrimSpace(a.out), "refs/heads/"), nil
}

// MergeBase returns the best common ancestor of two commits; ok is false where
// the clone holds none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (sha string, ok bool, err error) {
	left, err := r.Resolve(ctx, a)
	if err != nil {
		return "", false, err
	}
	right, err := r.Resolve(ctx, b)
	if err != nil {
		return "", false, err
	}
	ans, err := r.ask(ctx, objects, "merge-base", left, right)
	if err != nil || ans.code > 1 {
		return "", false, r.failed("git merge-base", ans.err, err)
	}
	sha = strings.TrimSpace(ans.out)
	return sha, isSHA(sha), nil
}
