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

func TestACloneWithoutACommitBindsNothing(t *testing.T) {
	dir := newRepository(t, "https://github.com/Acme/Shop.git")
	one, other := openClone(t, dir), openClone(t, newRepository(t, "https://github.com/acme/shop"))
	const want = "this clone has no commit yet, so nothing says which repository it is; commit once, then teach"
	if one.Unknown != want || other.Unknown != want {
		t.Errorf("%q and %q", one.Unknown, other.Unknown)
	}
	if one.Identity.RepositoryID == other.Identity.RepositoryID {
		t.Error("two folders share a store because they have the same name")
	}
	commit(t, dir, map[string]string{"a": "1\n"}, "First")
	git(t, dir, "checkout", "-q", "--orphan", "fresh")
	if unborn := openClone(t, dir); unborn.Unknown != want {
		t.Errorf("on a branch without a commit: %q", unborn.Unknown)
	}
}

func TestACloneWhoseHistoryIsCutGoesByItsNameOnAHost(t *testing.T) {
	whole := newRepository(t, "https://github.com/acme/shop.git")
	commit(t, whole, map[string]string{"a": "1\n"}, "First")
	commit(t, whole, map[string]string{"a": "2\n"}, "Second")
	dir := t.TempDir()
	git(t, dir, "clone", "-q", "--depth", "1", "file://"+whole, "cut")
	cut := openClone(t, dir+"/cut")
	if want := "the history of this clone is cut and its origin is on no host, so nothing says which repository it is; run git fetch --unshallow, then teach"; cut.Unknown != want {
		t.Errorf("without a host: %q", cut.Unknown)
	}
	git(t, dir+"/cut", "remote", "set-url", "origin", "git@github.com:Acme/Shop.git")
	cut = openClone(t, dir+"/cut")
	if cut.Unknown != "" || cut.Identity.RepositoryID != derivedID("name:github.com/acme/shop") {
		t.Errorf("%q, %d", cut.Unknown, cut.Identity.RepositoryID)
	}
	made := cut.StoreFile(nil)
	if got := openClone(t, whole).CutStore([]string{"x-1.db", made}); got != made {
		t.Errorf("the whole clone names %q, want %q", got, made)
	}
	if got := cut.CutStore([]string{made}); got != "" {
		t.Errorf("a clone takes its own store %q for that of another time", got)
	}
}

func TestAStoreKeepsTheNameThatItWasMadeUnder(t *testing.T) {
	clone := &Clone{Identity: store.Identity{RepositoryID: 255, Owner: "acme", Name: "shop"}}
	for _, c := range []struct {
		is    string
		names []string
		want  string
	}{
		{"nothing lies there", nil, "acme-shop-ff.db"},
		{"one of another name", []string{"local-shop-ff.db"}, "local-shop-ff.db"},
		{"its own name comes before a later one", []string{"local-shop-ff.db", "acme-shop-ff.db"}, "acme-shop-ff.db"},
		{"of two others the latest", []string{"b-b-ff.db", "a-a-ff.db"}, "b-b-ff.db"},
		{"ids that only end alike are others", []string{"acme-shop-1ff.db", "acme-shop-ff.db.last-review.json", "ff.db"}, "acme-shop-ff.db"},
	} {
		if got := clone.StoreFile(c.names); got != c.want {
			t.Errorf("%s: %q, want %q", c.is, got, c.want)
		}
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
		if got := clone.StoreFile(nil); strings.TrimLeft(got, "-.") != c.want {
			t.Errorf("%q/%q: %q, want %q", c.owner, c.name, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		id := store.Identity{RepositoryID: rapid.Int64Min(1).Draw(t, "id"), Owner: rapid.String().Draw(t, "owner"), Name: rapid.String().Draw(t, "name")}
		got := (&Clone{Identity: id}).StoreFile(nil)
		if strings.ContainsAny(got, "/\\\x00\n ") || strings.HasPrefix(got, ".") || !strings.HasSuffix(got, fmt.Sprintf("%x.db", id.RepositoryID)) {
			t.Fatalf("%q", got)
		}
	})
}
