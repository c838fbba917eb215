package memory

import (
	"cmp"
	"slices"
	"strings"
)

// Generation is what a comparison looks at of one generation of a store.
type Generation struct {
	Number   int64
	Versions []Version // of every state
	Denied   []string  // revoked keys and prefixes
}

// ChangeKind says what became of a version between two generations.
type ChangeKind string

// The closed set of kinds.
const (
	ChangeAdded   ChangeKind = "added"   // the earlier one does not have it
	ChangeGone    ChangeKind = "gone"    // the later one does not have it: purged, or another line of the store
	ChangeMoved   ChangeKind = "moved"   // its state differs
	ChangeKept    ChangeKind = "kept"    // class, end or renewal differ
	ChangeRevoked ChangeKind = "revoked" // a key or prefix is denied that was not
	ChangeLifted  ChangeKind = "lifted"  // a denial is gone
)

// Change is one difference between two generations.
type Change struct {
	Kind ChangeKind
	// Before and After are the version in the two generations; the zero
	// Version where it is in only one of them.
	Before, After Version
	Prefix        string // of revoked and lifted
}

// Compare returns what differs between two generations of one store, in the
// order of documents and numbers, denials last. A day of use is no
// difference: reviews move it without anybody's word. Versions are told apart
// by id, number, creation and source, since two replicas may each have made a
// version of one number (page 4.4), and a text may be overwritten.
func Compare(before, after Generation) []Change {
	old, now := byName(before.Versions), byName(after.Versions)
	var out []Change
	for name, v := range now {
		was, known := old[name]
		switch {
		case !known:
			out = append(out, Change{Kind: ChangeAdded, After: v})
		case was.State != v.State:
			out = append(out, Change{Kind: ChangeMoved, Before: was, After: v})
		case was.Class != v.Class || !was.ValidUntil.Equal(v.ValidUntil) || !was.RenewedAt.Equal(v.RenewedAt):
			out = append(out, Change{Kind: ChangeKept, Before: was, After: v})
		}
	}
	for name, v := range old {
		if _, still := now[name]; !still {
			out = append(out, Change{Kind: ChangeGone, Before: v})
		}
	}
	slices.SortFunc(out, func(a, b Change) int {
		x, y := a.version(), b.version()
		return cmp.Or(cmp.Compare(x.DocumentID, y.DocumentID), cmp.Compare(x.Number, y.Number), x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(a.Kind, b.Kind))
	})
	return append(out, denials(before.Denied, after.Denied)...)
}

// Version is the version that a change is about, as it is now where it still
// is.
func (c Change) Version() Version { return c.version() }

func (c Change) version() Version {
	if c.After.DocumentID != "" {
		return c.After
	}
	return c.Before
}

// byName files versions under what never changes of them.
func byName(list []Version) map[string]Version {
	out := make(map[string]Version, len(list))
	for _, v := range list {
		out[strings.Join([]string{v.ID(), v.CreatedAt.UTC().Format("20060102T150405.000"), string(v.Source), v.Creator.Login}, " ")] = v
	}
	return out
}

func denials(before, after []string) []Change {
	var out []Change
	for _, prefix := range after {
		if !slices.Contains(before, prefix) {
			out = append(out, Change{Kind: ChangeRevoked, Prefix: prefix})
		}
	}
	for _, prefix := range before {
		if !slices.Contains(after, prefix) {
			out = append(out, Change{Kind: ChangeLifted, Prefix: prefix})
		}
	}
	return out
}
