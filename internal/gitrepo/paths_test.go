package gitrepo

import (
	"context"
	"slices"
	"testing"
)

func TestPathsAreThoseOfTheRevisionWhateverTheirNames(t *testing.T) {
	ctx := context.Background()
	c := newClone(t)
	c.write("a b/ü.go", "1\n")
	c.write("line\nbreak", "1\n")
	first := c.commit("one")
	c.write("later", "2\n")
	c.commit("two")
	r := c.open()
	for rev, want := range map[string][]string{
		first:  {"a b/ü.go", "line\nbreak"},
		"main": {"a b/ü.go", "later", "line\nbreak"},
	} {
		got, err := r.Paths(ctx, rev)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Paths(%q) = %q, %v; want %q", rev, got, err, want)
		}
	}
	_, err := r.Paths(ctx, "mian")
	wants(t, err, UnknownRevision, "Did you mean main?")
}
