package app

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
)

// The numbers stand in store files that people have: they must never change.
func TestDerivedIDsStayAsTheyAre(t *testing.T) {
	for seed, want := range map[string]int64{
		"root:0000000000000000000000000000000000000001": 2656214995237149,
		"name:github.com/acme/shop":                     3681640872731739,
		"owner:acme":                                    480240771982593,
	} {
		if got := derivedID(seed); got != want {
			t.Errorf("derivedID(%q) = %d, want %d", seed, got, want)
		}
	}
}

func TestDerivedIDsArePositiveAndWholeInEveryReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := derivedID(rapid.String().Draw(t, "seed"))
		if id <= 0 || id >= 1<<53 || int64(float64(id)) != id {
			t.Fatalf("%d", id)
		}
	})
}

func TestACloneIsTheSameRepositoryWhereverItLies(t *testing.T) {
	first := newRepository(t, "https://github.com/Acme/Shop.git")
	commit(t, first, map[string]string{"a": "1\n"}, "First")
	one := openClone(t, first)
	second := t.TempDir()
	git(t, second, "clone", "-q", first, "copy")
	git(t, second+"/copy", "remote", "set-url", "origin", "git@github.com:acme/shop.git")
	commit(t, second+"/copy", map[string]string{"b": "2\n"}, "Later")
	other := openClone(t, second+"/copy")
	if one.Identity.RepositoryID != other.Identity.RepositoryID || one.Identity.InstallationID != other.Identity.InstallationID {
		t.Errorf("%+v and %+v", one.Identity, other.Identity)
	}
	renamed := newRepository(t, "https://github.com/acme/shop.git")
	commit(t, renamed, map[string]string{"a": "other\n"}, "Another first")
	if x := openClone(t, renamed); x.Identity.RepositoryID == one.Identity.RepositoryID {
		t.Error("a new repository under an old name is taken for the old one")
	}
}

func TestACloneWithoutACommitGoesByItsName(t *testing.T) {
	one := openClone(t, newRepository(t, "https://github.com/Acme/Shop.git"))
	other := openClone(t, newRepository(t, "https://github.com/acme/shop"))
	if one.Identity.RepositoryID != derivedID("name:github.com/acme/shop") || one.Identity.RepositoryID != other.Identity.RepositoryID {
		t.Errorf("%d and %d", one.Identity.RepositoryID, other.Identity.RepositoryID)
	}
}

func TestOperatorIsSomebodyUnlessTheSystemHasNoNumber(t *testing.T) {
	for uid, want := range map[int]memory.Principal{
		0: {ID: 1, Login: "x"}, 1000: {ID: 1001, Login: "x"}, -1: {Login: "x"},
	} {
		if got := Operator(uid, "x"); got != want {
			t.Errorf("Operator(%d) = %+v, want %+v", uid, got, want)
		}
	}
}

func TestStoreFileIsOneHarmlessName(t *testing.T) {
	for _, c := range []struct{ owner, name, want string }{
		{"acme", "shop", "acme-shop-ff.db"},
		{"Acme", "Shop.js", "Acme-Shop.js-ff.db"},
		{"..", "..", "ff.db"},
		{"../../etc", "passwd", "etc-passwd-ff.db"},
		{"a/b", "c\\d\x00\n", "a-b-c-d---ff.db"},
		{"köln", "店", "k-ln---ff.db"},
	} {
		clone := &Clone{Identity: store.Identity{RepositoryID: 255, Owner: c.owner, Name: c.name}}
		if got := clone.StoreFile(); strings.TrimLeft(got, "-.") != c.want {
			t.Errorf("%q/%q: %q, want %q", c.owner, c.name, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		id := store.Identity{RepositoryID: rapid.Int64Min(1).Draw(t, "id"), Owner: rapid.String().Draw(t, "owner"), Name: rapid.String().Draw(t, "name")}
		got := (&Clone{Identity: id}).StoreFile()
		if strings.ContainsAny(got, "/\\\x00\n ") || strings.HasPrefix(got, ".") || !strings.HasSuffix(got, fmt.Sprintf("%x.db", id.RepositoryID)) {
			t.Fatalf("%q", got)
		}
	})
}
