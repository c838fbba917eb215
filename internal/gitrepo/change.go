package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/familiarhq/familiar/internal/diff"
)

// diffOptions make the text of a difference the same whatever any
// configuration says, and keep programs out of it.
var diffOptions = []string{
	"--raw", "--patch", "--no-abbrev", "--full-index", "--src-prefix=a/", "--dst-prefix=b/",
	"--find-renames=50%", "-l1000", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers",
	"--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--submodule=short",
}

// Change returns what differs between two commits; an empty base means the
// empty tree. Its title is the subject of head's commit. What is too large or
// cannot be read is in Omitted.
func (r *Repo) Change(ctx context.Context, base, head string) (diff.Change, error) {
	after, err := r.resolved(ctx, head)
	if err != nil {
		return diff.Change{}, err
	}
	before := Commit{tree: r.emptyTree}
	if base != "" {
		if before, err = r.resolved(ctx, base); err != nil {
			return diff.Change{}, err
		}
	}
	c := diff.Change{Base: before.SHA, Head: after.SHA, Title: after.Subject}
	c.Files, c.Omitted, err = r.trees(ctx, before.tree, after.tree)
	if err != nil || !r.hasOwnAttributes() {
		return c, err
	}
	read := func(path string) ([]byte, bool) {
		data, ok, err := r.ReadFile(ctx, after.SHA, path, maxDeclaredSize)
		return data, ok && err == nil
	}
	return c, declared(c.Files, read, func(paths []string) ([]diff.File, error) {
		return r.treesAsText(ctx, before.tree, after.tree, paths)
	})
}

func (r *Repo) resolved(ctx context.Context, rev string) (Commit, error) {
	sha, err := r.Resolve(ctx, rev)
	if err != nil {
		return Commit{}, err
	}
	return r.commit(ctx, sha)
}

// trees asks the one long-lived diff-tree for the difference of two trees. It
// echoes a line that is no pair of trees, which tells where its answer ends: no
// line of a patch begins with "end".
func (r *Repo) trees(ctx context.Context, before, after string) ([]diff.File, []diff.Omission, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, err := r.kept(&r.differ, append([]string{"diff-tree", "--stdin", "-r"}, diffOptions...)...)
	if err != nil {
		return nil, nil, err
	}
	defer p.during(ctx)()
	request := before + " " + after + "\n"
	if _, err := io.WriteString(p.in, request+endMark+"\n"); err != nil {
		r.differ = nil
		return nil, nil, r.broken(ctx, p, "git diff-tree", err)
	}
	answer := &untilMark{r: p.out, echo: request}
	files, omitted, err := diff.Parse(answer, r.Limits)
	if err != nil {
		r.differ = nil
		return files, omitted, r.broken(ctx, p, fmt.Sprintf("the difference of trees %.12s and %.12s", before, after), errors.Unwrap(err))
	}
	if !answer.done {
		// The limit was reached: the rest of the answer is not worth waiting for.
		r.differ = nil
		return files, omitted, p.stop()
	}
	return files, omitted, nil
}

const endMark = "end of the difference"

// untilMark reads up to the line that is the end mark; an end before it is an
// error. The first line, which repeats the request, is left out.
type untilMark struct {
	r      *bufio.Reader
	echo   string
	rest   []byte
	inLine bool // the last bytes given did not end a line
	done   bool
}

func (u *untilMark) Read(p []byte) (int, error) {
	for len(u.rest) == 0 {
		if u.done {
			return 0, io.EOF
		}
		part, err := u.r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				err = errInterrupted
			}
			return 0, err
		}
		if !u.inLine && bytes.Equal(part, []byte(endMark+"\n")) {
			u.done = true
			return 0, io.EOF
		}
		u.inLine = err != nil
		if u.rest = part; u.echo == string(part) {
			u.rest = nil
		}
		u.echo = ""
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}
