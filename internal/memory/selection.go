package memory

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
)

// Selection says which versions an inspection asks for (page 6.6). The zero
// value of a field asks nothing; every field that is set must hold.
type Selection struct {
	States    []State
	Scope     contract.MemoryScope
	Namespace string // first part of a key after its owning coordinates
	Class     Class
	// Owner is a login, without regard to case, or the numeric id of an
	// account; "nobody" asks for lessons that belong to nobody.
	Owner string
	// OlderThan and NewerThan bound the time since which a version stands: its
	// confirmation, else its creation.
	OlderThan, NewerThan time.Time
	// Documents are ids; nil asks nothing, an empty map takes none.
	Documents map[string]bool
	Revoked   bool // only those that a denial covers
}

// Nobody is the owner of a lesson that belongs to nobody.
const Nobody = "nobody"

// Takes says whether the selection takes a version whose document belongs to
// owner (see Owner).
func (s Selection) Takes(v Version, owner Principal) bool {
	switch {
	case len(s.States) > 0 && !slices.Contains(s.States, v.State):
	case s.Scope != "" && v.Scope != s.Scope:
	case s.Namespace != "" && v.Key.Namespace() != s.Namespace:
	case s.Class != "" && v.Class != s.Class:
	case s.Owner != "" && !isCalled(owner, s.Owner):
	case !s.OlderThan.IsZero() && !v.Since().Before(s.OlderThan):
	case !s.NewerThan.IsZero() && !v.Since().After(s.NewerThan):
	case s.Revoked && v.Denied == "":
	case s.Documents != nil && !s.Documents[v.DocumentID]:
	default:
		return true
	}
	return false
}

// Since is the time since which a version stands: its confirmation, else its
// creation.
func (v Version) Since() time.Time {
	if !v.ConfirmedAt.IsZero() {
		return v.ConfirmedAt
	}
	return v.CreatedAt
}

func isCalled(p Principal, name string) bool {
	if strings.EqualFold(name, Nobody) {
		return p.ID <= 0
	}
	return p.ID > 0 && (strings.EqualFold(p.Login, strings.TrimPrefix(name, "@")) || strconv.FormatInt(p.ID, 10) == name)
}

// Select returns the versions that the selection takes, in their order. all
// are those of whole documents, so that their owners can be told.
func (s Selection) Select(all []Version) []Version {
	owners := Owners(all)
	var out []Version
	for _, v := range all {
		if s.Takes(v, owners[v.DocumentID]) {
			out = append(out, v)
		}
	}
	return out
}

// Owners returns the owner of each document among the versions of whole
// documents.
func Owners(all []Version) map[string]Principal {
	docs := map[string][]Version{}
	for _, v := range all {
		docs[v.DocumentID] = append(docs[v.DocumentID], v)
	}
	out := make(map[string]Principal, len(docs))
	for id, doc := range docs {
		out[id] = Owner(doc)
	}
	return out
}
