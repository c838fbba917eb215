package memory

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
)

var quay = Coordinates{Owner: "Harbor", Name: "Quay", RepositoryID: 42, InstallationID: 7001}

func TestParseKeyTakesExactlyTheFormOfPage34(t *testing.T) {
	part64 := strings.Repeat("a", 64)
	for _, tc := range []struct {
		about, in, detail string // detail "": accepted
	}{
		{"a namespace and one part", "repo/harbor/quay/rules/money", ""},
		{"all signs that a part may have", "repo/harbor/quay/n.1_a-b/0.x_y-z", ""},
		{"eight parts", "repo/o/n/a/b/c/d/e", ""},
		{"a part of 64 bytes", "repo/o/n/a/" + part64, ""},
		{"a repository named .github", "repo/o/.github/a/b", ""},
		{"an owner with an underscore, as managed users have", "repo/octo_corp/n/a/b", ""},
		{"a tenant key", "tenant/7001/tone/replies", ""},
		{"nothing", "", "empty"},
		{"nine parts", "repo/o/n/a/b/c/d/e/f", "more than 8 parts"},
		{"257 bytes", "repo/o/n/" + part64 + "/" + part64 + "/" + part64 + "/" + strings.Repeat("b", 53), "longer than 256"},
		{"a part of 65 bytes", "repo/o/n/a/a" + part64, "at most 64 bytes"},
		{"no namespace", "repo/harbor/quay/money", "a namespace and at least one more part"},
		{"coordinates alone", "repo/harbor/quay", "a namespace and at least one more part"},
		{"an owner alone", "repo/harbor", "owner and name"},
		{"a parent folder", "repo/harbor/quay/../mole/x", "empty"},
		{"a dot part", "repo/harbor/quay/./x", "empty"},
		{"an empty part", "repo/harbor/quay//x", "empty"},
		{"a slash at the end", "repo/harbor/quay/a/b/", "ends with a slash"},
		{"a slash at the start", "/repo/harbor/quay/a/b", "empty"},
		{"a percent escape", "repo/harbor/quay/a/b%2fc", "at most 64 bytes"},
		{"a capital in a part", "repo/harbor/quay/Rules/x", "a-z or 0-9"},
		{"a part that starts with a dot", "repo/harbor/quay/a/.x", "a-z or 0-9"},
		{"a letter outside ASCII", "repo/harbor/quay/a/ü", "outside ASCII"},
		{"a space", "repo/harbor/quay/a/b c", "space"},
		{"a line feed at the end", "repo/harbor/quay/a/b\n", "control character"},
		{"a zero byte", "repo/harbor/quay/a/b\x00", "control character"},
		{"another root", "user/harbor/quay/a/b", "must start with repo/"},
		{"a root in capitals", "Repo/harbor/quay/a/b", "must start with repo/"},
		{"an owner of 40 bytes", "repo/" + strings.Repeat("o", 40) + "/n/a/b", "owner is no name"},
		{"an owner with a dot", "repo/har.bor/n/a/b", "owner is no name"},
		{"a repository of 101 bytes", "repo/o/" + strings.Repeat("n", 101) + "/a/b", "repository is no name"},
		{"a repository that ends in .git", "repo/o/quay.git/a/b", "repository is no name"},
		{"a tenant without an id", "tenant/x/a/b", "positive installation id"},
		{"a tenant of id zero", "tenant/0/a/b", "positive installation id"},
		{"a tenant with a leading zero", "tenant/07001/a/b", "positive installation id"},
		{"a tenant with a sign", "tenant/+7001/a/b", "positive installation id"},
		{"a tenant beyond 63 bits", "tenant/9223372036854775808/a/b", "positive installation id"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			key, problem := ParseKey(tc.in)
			if tc.detail == "" {
				if problem != nil || key.String() != tc.in {
					t.Fatalf("ParseKey(%q) = %q, %v", tc.in, key, problem)
				}
				return
			}
			if problem == nil || key != "" {
				t.Fatalf("ParseKey(%q) = %q, want a problem", tc.in, key)
			}
			if !strings.Contains(problem.Error(), tc.detail) {
				t.Errorf("problem %q does not say %q", problem.Error(), tc.detail)
			}
		})
	}
}

func TestAKeyOfExactly256BytesIsAccepted(t *testing.T) {
	long := "repo/o/n/" + strings.Repeat("a", 64) + "/" + strings.Repeat("b", 64) + "/" + strings.Repeat("c", 64) + "/" + strings.Repeat("d", 52)
	if len(long) != 256 {
		t.Fatalf("the test's key has %d bytes", len(long))
	}
	if _, problem := ParseKey(long); problem != nil {
		t.Error(problem)
	}
	if _, problem := ParseKey(long + "d"); problem == nil {
		t.Error("257 bytes were accepted")
	}
}

func TestAProblemRepeatsAtMost80CharactersAndNoSecret(t *testing.T) {
	_, problem := ParseKey(strings.Repeat("é", 5000))
	if problem.Value != strings.Repeat("é", 80)+"..." {
		t.Errorf("%q", problem.Value)
	}
	secret := strings.Repeat("Zq8vT2mKx4", 9)
	if _, problem = ParseKey("https://svc:" + secret + "@db.corp.net"); strings.Contains(problem.Error(), secret[:10]) {
		t.Errorf("%q repeats a password", problem.Value)
	}
}

func TestAKeyTellsItsParts(t *testing.T) {
	repo, _ := ParseKey("repo/Harbor/quay/rules/money/rounding")
	if repo.Owner() != "Harbor" || repo.Name() != "quay" || repo.Namespace() != "rules" || repo.Rest() != "money/rounding" ||
		!repo.IsRepo() || repo.InstallationID() != 0 {
		t.Errorf("parts of %s: %q %q %q %q", repo, repo.Owner(), repo.Name(), repo.Namespace(), repo.Rest())
	}
	tenant, _ := ParseKey("tenant/7001/tone/replies")
	if tenant.InstallationID() != 7001 || tenant.Namespace() != "tone" || tenant.Rest() != "replies" ||
		tenant.IsRepo() || tenant.Owner() != "" || tenant.Name() != "" {
		t.Errorf("parts of %s: %d %q %q", tenant, tenant.InstallationID(), tenant.Namespace(), tenant.Rest())
	}
	var zero Key
	if zero.IsRepo() || zero.Owner()+zero.Name()+zero.Namespace()+zero.Rest() != "" || zero.InstallationID() != 0 {
		t.Error("the zero key has parts")
	}
}

func TestAKeyLiesOnlyInItsOwnScopeAndCoordinates(t *testing.T) {
	for _, tc := range []struct {
		about, key string
		scope      contract.MemoryScope
		want       bool
	}{
		{"own repository", "repo/Harbor/Quay/a/b", contract.ScopeRepo, true},
		{"own repository in another case", "repo/hARBOR/quay/a/b", contract.ScopeRepo, true},
		{"another repository of the owner", "repo/Harbor/Mole/a/b", contract.ScopeRepo, false},
		{"a name that extends ours", "repo/Harbor/Quay2/a/b", contract.ScopeRepo, false},
		{"an owner that extends ours", "repo/Harbor2/Quay/a/b", contract.ScopeRepo, false},
		{"own tenant", "tenant/7001/a/b", contract.ScopeTenantShared, true},
		{"another tenant", "tenant/7002/a/b", contract.ScopeTenantShared, false},
		{"tenant key as repo", "tenant/7001/a/b", contract.ScopeRepo, false},
		{"repo key as tenant", "repo/Harbor/Quay/a/b", contract.ScopeTenantShared, false},
		{"familiar_global owns nothing", "repo/Harbor/Quay/a/b", contract.ScopeFamiliarGlobal, false},
		{"no scope", "repo/Harbor/Quay/a/b", "", false},
	} {
		key, problem := ParseKey(tc.key)
		if problem != nil {
			t.Fatal(problem)
		}
		if got := key.Within(quay, tc.scope); got != tc.want {
			t.Errorf("%s: %s within %s: %v", tc.about, tc.key, tc.scope, got)
		}
	}
	if Key("tenant/0/a/b").Within(Coordinates{}, contract.ScopeTenantShared) || Key("repo///a").Within(Coordinates{}, contract.ScopeRepo) {
		t.Error("empty coordinates own something")
	}
}

func TestCanonicalTakesTheCaseOfTheRepository(t *testing.T) {
	for in, want := range map[Key]Key{
		"repo/harbor/QUAY/rules/money": "repo/Harbor/Quay/rules/money",
		"repo/harbor/mole/rules/money": "repo/harbor/mole/rules/money",
		"tenant/7001/tone/replies":     "tenant/7001/tone/replies",
	} {
		if got := in.Canonical(quay); got != want {
			t.Errorf("%s -> %s, want %s", in, got, want)
		}
	}
	key, problem := NewRepoKey(quay, "lessons/never-print")
	if problem != nil || key != "repo/Harbor/Quay/lessons/never-print" {
		t.Errorf("NewRepoKey = %q, %v", key, problem)
	}
	if _, problem := NewRepoKey(quay, "lessons"); problem == nil {
		t.Error("NewRepoKey took a namespace alone")
	}
}

func TestPrefixesMatchWholeParts(t *testing.T) {
	for _, tc := range []struct {
		about, prefix, key string
		want               bool
	}{
		{"the key itself", "repo/o/n/a/x", "repo/o/n/a/x", true},
		{"a child", "repo/o/n/a/x", "repo/o/n/a/x/y", true},
		{"weakness: a sibling that extends it", "repo/o/n/a/x", "repo/o/n/a/xylem", false},
		{"with a slash at its end, a child", "repo/o/n/a/", "repo/o/n/a/x", true},
		{"with a slash at its end, itself", "repo/o/n/a/x/", "repo/o/n/a/x", true},
		{"weakness: owner and name in another case", "repo/O/N/", "repo/o/n/a/x", true},
		{"a parent is not covered by its child", "repo/o/n/a/x", "repo/o/n/a", false},
		{"a tenant prefix", "tenant/7001/tone", "tenant/7001/tone/x", true},
		{"a tenant id that extends ours", "tenant/700", "tenant/7001/tone/x", false},
		{"empty", "", "repo/o/n/a/x", false},
		{"a slash alone", "/", "repo/o/n/a/x", false},
		{"too short to be given, yet it holds", "repo/", "repo/o/n/a", true},
	} {
		if got := Covers(tc.prefix, tc.key); got != tc.want {
			t.Errorf("%s: Covers(%q, %q) = %v", tc.about, tc.prefix, tc.key, got)
		}
	}
	if by, ok := CoveredBy([]string{"", "tenant/1", "repo/o/n/a"}, "repo/o/n/a/x"); !ok || by != "repo/o/n/a" {
		t.Errorf("CoveredBy = %q, %v", by, ok)
	}
}

func TestAPrefixIsNeverShorterThanTheOwningCoordinates(t *testing.T) {
	for _, tc := range []struct{ about, in, want, detail string }{
		{"the whole repository", "repo/harbor/quay/", "repo/Harbor/Quay", ""},
		{"a namespace", "repo/HARBOR/quay/rules", "repo/Harbor/Quay/rules", ""},
		{"a key", "repo/harbor/quay/rules/money", "repo/Harbor/Quay/rules/money", ""},
		{"the whole tenant", "tenant/7001", "tenant/7001", ""},
		{"empty", "", "", "empty"},
		{"blank", " ", "", "space"},
		{"a slash", "/", "", "empty"},
		{"repo alone", "repo/", "", "owner and name"},
		{"an owner alone", "repo/harbor/", "", "owner and name"},
		{"tenant alone", "tenant/", "", "positive installation id"},
		{"another repository", "repo/harbor/mole/rules", "", "another repository than Harbor/Quay"},
		{"another tenant", "tenant/7002/tone", "", "another installation"},
		{"a broken part", "repo/harbor/quay/../mole", "", "empty"},
		{"two slashes at the end", "repo/harbor/quay//", "", "ends with a slash"},
	} {
		got, problem := ParsePrefix(tc.in, quay)
		if got != tc.want || (problem == nil) != (tc.detail == "") {
			t.Errorf("%s: ParsePrefix(%q) = %q, %v", tc.about, tc.in, got, problem)
			continue
		}
		if problem != nil && !strings.Contains(problem.Error(), tc.detail) {
			t.Errorf("%s: %q does not say %q", tc.about, problem.Error(), tc.detail)
		}
	}
	if _, problem := ParsePrefix("tenant/7001", Coordinates{Owner: "o", Name: "n"}); problem == nil {
		t.Error("a tenant prefix was taken without a tenant")
	}
}

// drawKey draws a valid repository or tenant key.
func drawKey(t *rapid.T) string {
	part := rapid.StringMatching(`[a-z0-9][a-z0-9._-]{0,20}`)
	rest := rapid.SliceOfN(part, 2, 5).Draw(t, "parts")
	if rapid.Bool().Draw(t, "tenant") {
		id := rapid.Int64Range(1, 1<<62).Draw(t, "id")
		return "tenant/" + int64String(id) + "/" + strings.Join(rest, "/")
	}
	owner := rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9-]{0,20}`).Draw(t, "owner")
	name := rapid.StringMatching(`[A-Za-z0-9._-]{0,20}[A-Za-z0-9]`).Draw(t, "name")
	if strings.HasSuffix(strings.ToLower(name), ".git") {
		name += "x"
	}
	return "repo/" + owner + "/" + name + "/" + strings.Join(rest, "/")
}

func TestPropertyAKeyParsesBackToItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawKey(t)
		key, problem := ParseKey(s)
		if problem != nil {
			t.Fatalf("%q: %v", s, problem)
		}
		var rebuilt string
		if key.IsRepo() {
			rebuilt = "repo/" + key.Owner() + "/" + key.Name() + "/" + key.Namespace() + "/" + key.Rest()
		} else {
			rebuilt = "tenant/" + int64String(key.InstallationID()) + "/" + key.Namespace() + "/" + key.Rest()
		}
		again, problem := ParseKey(rebuilt)
		if problem != nil || again != key || rebuilt != s {
			t.Fatalf("%q -> %q -> %q", s, key, again)
		}
	})
}

func TestPropertyAKeyIsCoveredByEachOfItsPrefixesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawKey(t)
		parts := strings.Split(s, "/")
		n := rapid.IntRange(1, len(parts)).Draw(t, "n")
		prefix := strings.Join(parts[:n], "/")
		if !Covers(prefix, s) || !Covers(prefix+"/", strings.ToUpper(s)) {
			t.Fatalf("%q does not cover %q", prefix, s)
		}
		if Covers(prefix, prefix+"x"+strings.TrimPrefix(s, prefix)) {
			t.Fatalf("%q covers a part that extends it", prefix)
		}
	})
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"", "repo/o/n/a/b", "tenant/1/a/b", "repo/o/n/../b", "repo/o/n/a/b/", "repo/é/n/a/b", strings.Repeat("a/", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, problem := ParseKey(s)
		if (problem == nil) == (key == "") {
			t.Fatalf("%q: key %q, problem %v", s, key, problem)
		}
		if problem != nil {
			return
		}
		if key.String() != s || len(s) > MaxKeyBytes || strings.Count(s, "/") >= MaxKeyParts ||
			strings.Contains(s, "//") || strings.Contains(s, "/../") || key.Namespace() == "" || key.Rest() == "" {
			t.Fatalf("accepted %q", s)
		}
		c := Coordinates{Owner: key.Owner(), Name: key.Name(), InstallationID: key.InstallationID()}
		scope := contract.ScopeTenantShared
		if key.IsRepo() {
			scope = contract.ScopeRepo
		}
		if !key.Within(c, scope) || key.Canonical(c) != key {
			t.Fatalf("%q is not within its own coordinates", s)
		}
	})
}
