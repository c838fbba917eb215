package gitrepo

import (
	"context"
	"fmt"
	"strings"
)

// Paths returns the paths of all files at a revision, in git's order. A tree
// of more names than an answer may hold is an error, since a part of it would
// say of files that they are gone.
func (r *Repo) Paths(ctx context.Context, rev string) ([]string, error) {
	sha, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	a, err := r.ask(ctx, objects, "ls-tree", "-r", "-z", "--name-only", "--full-tree", sha)
	if err != nil || a.code != 0 {
		return nil, r.failed("git ls-tree", a.err, err)
	}
	if a.cut {
		return nil, fail(Failed, "git ls-tree", fmt.Sprintf("it answered more than %d MiB", maxAnswer>>20), "")
	}
	var out []string
	for path := range strings.SplitSeq(a.out, "\x00") {
		if path != "" {
			out = append(out, path)
		}
	}
	return out, nil
}
