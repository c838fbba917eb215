package review

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/diff"
)

func TestRiskGoesByWhatANameTells(t *testing.T) {
	attributes := diff.ParseAttributes([]byte("api/*.ts linguist-generated\n"))
	for path, want := range map[string]Risk{
		".github/workflows/ci.yml":     RiskRights,
		".github/CODEOWNERS":           RiskRights,
		"Dockerfile":                   RiskRights,
		"deploy/main.tf":               RiskRights,
		"sub/action.yml":               RiskRights,
		".github/README.md":            RiskProse,
		"internal/auth/check.go":       RiskSensitive,
		"app/SessionToken.java":        RiskSensitive,
		"db/migrations/007_users.sql":  RiskSensitive,
		"app/authors.go":               RiskSource, // an author is no auth
		"internal/retry.go":            RiskSource,
		"config/app.yaml":              RiskSettings,
		"go.mod":                       RiskSettings,
		"internal/auth/check_test.go":  RiskTest,
		"tests/login.py":               RiskTest,
		"web/login.spec.ts":            RiskTest,
		"docs/security.md":             RiskProse,
		"go.sum":                       RiskGenerated,
		"api/client.ts":                RiskGenerated,
		"vendor/example.com/auth/a.go": RiskGenerated,
		"internal/auth/auth.pb.go":     RiskGenerated,
	} {
		if got := RiskOf(path, attributes); got != want {
			t.Errorf("%s: risk %d, want %d", path, got, want)
		}
	}
}

func TestOrderOfRiskDoesNotDependOnTheOrderOfFiles(t *testing.T) {
	names := rapid.SampledFrom([]string{"a.go", "auth.go", "a_test.go", "go.sum", "README.md", "x.yml", ".github/workflows/a.yml", "b.go", "c.pb.go"})
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfDistinct(names, rapid.ID).Draw(t, "paths")
		shuffled := rapid.Permutation(paths).Draw(t, "shuffled")
		a, b := pathsOf(ByRisk(filesOf(paths), diff.Attributes{})), pathsOf(ByRisk(filesOf(shuffled), diff.Attributes{}))
		if !slices.Equal(a, b) {
			t.Fatalf("%v and %v", a, b)
		}
		for i := 1; i < len(a); i++ {
			if RiskOf(a[i-1], diff.Attributes{}) < RiskOf(a[i], diff.Attributes{}) {
				t.Fatalf("%s stands before %s", a[i-1], a[i])
			}
		}
	})
}

func filesOf(paths []string) []diff.File {
	var out []diff.File
	for _, p := range paths {
		out = append(out, diff.File{Path: p, Status: diff.Modified})
	}
	return out
}

func pathsOf(files []diff.File) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}
