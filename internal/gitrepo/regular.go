package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"path"
)

// maxTree bounds a folder's object.
const maxTree = 16 << 20

// RegularFile reads a file as it stands at a revision, where it must be a
// regular one of at most maxBytes. there is false where nothing has the path;
// problem says why what is there was not read.
func (r *Repo) RegularFile(ctx context.Context, rev, file string, maxBytes int64) (data []byte, there bool, problem string, err error) {
	if !plainPath(file) {
		return nil, false, "", nil
	}
	sha, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, false, "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	mode, err := r.modeOf(ctx, sha, file)
	switch {
	case err != nil || mode == "":
		return nil, false, "", err
	case mode == "120000":
		return nil, true, "it is a symbolic link", nil
	case mode != "100644" && mode != "100755" && mode != "100664":
		return nil, true, "it is no regular file", nil
	}
	o, err := r.look(ctx, sha+":"+file)
	switch {
	case err != nil:
		return nil, false, "", err
	case o.kind != "blob":
		return nil, true, "its content is missing from the clone", nil
	case o.size > maxBytes:
		return nil, true, fmt.Sprintf("it has %d bytes, more than the %d that are read", o.size, maxBytes), nil
	}
	data, err = r.content(ctx, o)
	return data, err == nil, "", err
}

// modeOf returns the mode of a path as git writes it, "" where there is none.
func (r *Repo) modeOf(ctx context.Context, sha, file string) (string, error) {
	dir := path.Dir(file)
	if dir == "." {
		dir = ""
	}
	o, err := r.look(ctx, sha+":"+dir)
	if err != nil || o.kind != "tree" || o.size > maxTree {
		return "", err
	}
	tree, err := r.content(ctx, o)
	if err != nil {
		return "", err
	}
	return entryMode(tree, path.Base(file), len(o.id)/2), nil
}

// entryMode finds an entry of a tree object: "<mode> <name>\0<id>".
func entryMode(tree []byte, name string, idBytes int) string {
	for len(tree) > 0 {
		mode, rest, ok := bytes.Cut(tree, []byte(" "))
		if !ok {
			return ""
		}
		entry, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok || len(rest) < idBytes {
			return ""
		}
		if string(entry) == name {
			return string(mode)
		}
		tree = rest[idBytes:]
	}
	return ""
}
