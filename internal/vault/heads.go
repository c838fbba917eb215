package vault

import (
	"slices"
	"time"
)

// Head is a container that was opened: who it is in its home, and what its
// verified manifest says.
type Head struct {
	ID       int64     // of the artifact
	Digest   string    // hex SHA-256 of the container
	ListedAt time.Time // GitHub's date
	Manifest Manifest
}

// Heads are the containers that make up a repository's store: those that were
// opened and that no other opened one has in its seen set (page 5.3). The
// zero value is none.
type Heads struct {
	list    []Head
	covered map[int64]bool
}

// Covers tells whether the contents of a container are in the store: it was
// opened, or an opened one has it in its seen set.
func (h *Heads) Covers(id int64) bool { return h.covered[id] }

// Add takes in an opened container.
func (h *Heads) Add(opened Head) {
	if !h.covered[opened.ID] {
		h.list = append(h.list, opened)
	}
	h.Cover(opened.ID)
	for _, id := range opened.Manifest.Seen {
		h.covered[id] = true
	}
	h.list = slices.DeleteFunc(h.list, func(o Head) bool {
		return o.ID != opened.ID && slices.Contains(opened.Manifest.Seen, o.ID)
	})
}

// Cover says that a container counts as seen although nothing of it is in the
// store: an admin set it aside.
func (h *Heads) Cover(id int64) {
	if h.covered == nil {
		h.covered = map[int64]bool{}
	}
	h.covered[id] = true
}

// List returns the heads, in the order of their opening.
func (h *Heads) List() []Head { return h.list }

// Newest is the head of the highest generation, the one that was listed last
// among equals; the zero value if there is none.
func (h *Heads) Newest() Head {
	var out Head
	for _, o := range h.list {
		if o.Manifest.Generation > out.Manifest.Generation ||
			o.Manifest.Generation == out.Manifest.Generation && o.ListedAt.After(out.ListedAt) {
			out = o
		}
	}
	return out
}

// Parents are the digests of the heads, at most MaxParents: of more, the
// highest generations.
func (h *Heads) Parents() []string {
	list := slices.Clone(h.list)
	slices.SortStableFunc(list, func(a, b Head) int { return int(min(max(b.Manifest.Generation-a.Manifest.Generation, -1), 1)) })
	var out []string
	for _, o := range list[:min(len(list), MaxParents)] {
		out = append(out, o.Digest)
	}
	return sortedSet(out)
}

// Seen is the seen set of the next container: of the containers that are
// listed, those whose contents are in the store. What GitHub does not list any
// more is left out, and of more than MaxSeen the oldest ids.
func (h *Heads) Seen(listed []int64) []int64 {
	out := sortedSet(slices.DeleteFunc(slices.Clone(listed), func(id int64) bool { return !h.covered[id] }))
	return out[max(0, len(out)-MaxSeen):]
}

// Superseded tells whether an opened container has this one in its seen set:
// its name may be used again, and it may be deleted.
func (h *Heads) Superseded(id int64) bool {
	return slices.ContainsFunc(h.list, func(o Head) bool { return slices.Contains(o.Manifest.Seen, id) })
}

// Floor is the store that somebody saw: an older one may not take its place
// (page 5.3). The zero value is no floor.
type Floor struct {
	Generation int64
	Digest     string // hex SHA-256 of the container
}

// Known tells a floor from none.
func (f Floor) Known() bool { return f.Generation > 0 }

// Higher returns the higher of two floors.
func (f Floor) Higher(o Floor) Floor {
	if o.Generation > f.Generation {
		return o
	}
	return f
}

// Holds tells whether the heads reach the floor: the container that was seen
// is a head or the parent of one, or a head is of a later generation.
func (f Floor) Holds(h *Heads) bool {
	if !f.Known() {
		return true
	}
	return slices.ContainsFunc(h.list, func(o Head) bool {
		return o.Manifest.Generation > f.Generation || o.Digest == f.Digest || slices.Contains(o.Manifest.Parents, f.Digest)
	})
}
