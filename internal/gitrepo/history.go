package gitrepo

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// History is the newest part of HEAD's first-parent line, newest first.
type History struct {
	Commits []Commit
	// Cut is set where fewer commits than asked are here because the clone is
	// shallow: the commit at the edge has a parent that is not in the clone and
	// cannot be compared, so it is left out. Note then says so for people.
	Cut  bool
	Note string
}

// Last returns the last n commits or merges on the first-parent line of HEAD.
// A merge is to be compared with its first parent, and a commit without one
// with the empty tree (Base gives the other side).
func (r *Repo) Last(ctx context.Context, n int) (History, error) {
	return r.LastOf(ctx, "HEAD", n)
}

// LastOf is Last from another revision.
func (r *Repo) LastOf(ctx context.Context, rev string, n int) (History, error) {
	if n < 1 {
		return History{}, fmt.Errorf("the number of commits must be 1 or more, not %d", n)
	}
	head, err := r.Resolve(ctx, rev)
	if err != nil {
		return History{}, err
	}
	shas, err := r.lines(ctx, objects, "rev-list", "--first-parent", "--max-count="+strconv.Itoa(n), head)
	if err != nil {
		return History{}, err
	}
	edge, err := r.shallowEdge()
	if err != nil {
		return History{}, err
	}
	var h History
	for _, sha := range shas {
		if edge[sha] {
			h.cut(n)
			break
		}
		c, err := r.commit(ctx, sha)
		if err != nil {
			return h, err
		}
		h.Commits = append(h.Commits, c)
	}
	return h, nil
}

func (h *History) cut(n int) {
	h.Cut = true
	h.Note = fmt.Sprintf("the clone is shallow and holds only %d of the last %d commits with their parents; run `git fetch --deepen=%d` for the rest",
		len(h.Commits), n, n)
}

// shallowEdge lists the commits whose parents were cut off.
func (r *Repo) shallowEdge() (map[string]bool, error) {
	if !r.shallow {
		return nil, nil
	}
	f, err := os.Open(filepath.Join(r.commonDir, "shallow"))
	if err != nil {
		return nil, fail(Failed, r.root, "the list of cut commits cannot be read ("+err.Error()+")", "")
	}
	defer f.Close()
	edge := map[string]bool{}
	for s := bufio.NewScanner(f); s.Scan(); {
		edge[s.Text()] = true
	}
	return edge, nil
}

// Base is the commit that c is compared with: its first parent, or "" for the
// empty tree.
func (c Commit) Base() string {
	if len(c.Parents) == 0 {
		return ""
	}
	return c.Parents[0]
}
