package gitrepo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// object is what cat-file --batch-check says of a name.
type object struct {
	id   string
	kind string // "blob", "tree", "commit", "tag"; "" where there is none
	size int64
}

// look asks for one object by a name in git's words, which must hold no line
// break. A missing object is no error.
func (r *Repo) look(ctx context.Context, name string) (object, error) {
	if strings.ContainsAny(name, "\n\x00") {
		return object{}, nil
	}
	p, err := r.kept(&r.names, "cat-file", "--batch-check")
	if err != nil {
		return object{}, err
	}
	defer p.during(ctx)()
	line := ""
	_, err = io.WriteString(p.in, name+"\n")
	if err == nil {
		line, err = p.out.ReadString('\n')
	}
	if err != nil {
		r.names = nil
		return object{}, r.broken(ctx, p, "git cat-file", err)
	}
	return parseLook(line), nil
}

// parseLook reads "<id> <kind> <size>"; anything else says that there is no
// such object ("missing", "ambiguous").
func parseLook(line string) object {
	f := strings.Fields(line)
	if len(f) != 3 || !isSHA(f[0]) {
		return object{}
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return object{}
	}
	return object{id: f[0], kind: f[1], size: size}
}

// broken explains a process that did not answer.
func (r *Repo) broken(ctx context.Context, p *process, what string, err error) error {
	said := p.lastError()
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
	return r.failed(what, said, err)
}

// content reads an object that look has found.
func (r *Repo) content(ctx context.Context, o object) ([]byte, error) {
	p, err := r.kept(&r.blobs, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	defer p.during(ctx)()
	data, err := readBatch(p, o)
	if err != nil {
		r.blobs = nil
		return nil, r.broken(ctx, p, "git cat-file", err)
	}
	return data, nil
}

func readBatch(p *process, o object) ([]byte, error) {
	if _, err := io.WriteString(p.in, o.id+"\n"); err != nil {
		return nil, err
	}
	head, err := p.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	if got := parseLook(head); got != o {
		return nil, fmt.Errorf("asked for %s and got %q", o.id, strings.TrimSpace(head))
	}
	data := make([]byte, o.size+1)
	if _, err := io.ReadFull(p.out, data); err != nil {
		return nil, err
	}
	return data[:o.size], nil
}

// maxCommit bounds a commit object.
const maxCommit = 1 << 20

// commit reads a commit by its full id.
func (r *Repo) commit(ctx context.Context, sha string) (Commit, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, err := r.look(ctx, sha)
	if err != nil {
		return Commit{}, err
	}
	if o.kind != "commit" {
		return Commit{}, r.failed("commit "+sha, "missing object "+sha, nil)
	}
	if o.size > maxCommit {
		return Commit{}, fail(Failed, "commit "+sha, "its object is larger than 1 MiB", "")
	}
	data, err := r.content(ctx, o)
	if err != nil {
		return Commit{}, err
	}
	c, ok := parseCommit(o.id, data)
	if !ok {
		return Commit{}, fail(Failed, "commit "+sha, "its object is damaged", "Run `git fsck` in the clone.")
	}
	return c, nil
}

// ReadFile reads a file as it stands at a revision, from the object database
// alone. ok is false where there is no such file, where the path is no file, or
// where it is larger than maxBytes. Of a symbolic link it gives the target's
// name, never what is there.
func (r *Repo) ReadFile(ctx context.Context, rev, file string, maxBytes int64) (data []byte, ok bool, err error) {
	if !plainPath(file) {
		return nil, false, nil
	}
	sha, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	o, err := r.look(ctx, sha+":"+file)
	if err != nil || o.kind != "blob" || o.size > maxBytes {
		return nil, false, err
	}
	data, err = r.content(ctx, o)
	return data, err == nil, err
}

// plainPath tells a path of a repository's file: relative, clean, and outside
// of any ".git".
func plainPath(p string) bool {
	if p == "" || path.IsAbs(p) || path.Clean(p) != p || strings.ContainsAny(p, "\x00") {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." || part == "." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

// ReadWorktreeFile reads a regular file of the working tree. Links are followed
// within the working tree and never out of it; devices and pipes are not
// opened for long and never read. ok is as for ReadFile.
func (r *Repo) ReadWorktreeFile(file string, maxBytes int64) (data []byte, ok bool, err error) {
	if r.bare || !plainPath(file) {
		return nil, false, nil
	}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	return readIn(root, file, maxBytes)
}

func readIn(root *os.Root, file string, maxBytes int64) (data []byte, ok bool, err error) {
	// Without O_NONBLOCK, opening a pipe waits for its writer for ever.
	f, err := root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		// Not there, a link out of the tree, or not readable: no file for us.
		return nil, false, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxBytes {
		return nil, false, err
	}
	data, err = io.ReadAll(io.LimitReader(bufio.NewReader(f), maxBytes+1))
	if err != nil || int64(len(data)) > maxBytes {
		return nil, false, err
	}
	return data, true, nil
}

var errInterrupted = errors.New("git broke off in the middle of an answer")
