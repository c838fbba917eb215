package review

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/text"
)

// Risk says what is lost if nobody looks at a file: the higher, the sooner it
// is looked at. The zero value is looked at last.
type Risk int

// The closed set of risks, from low to high.
const (
	RiskGenerated Risk = iota // a program wrote it, or somebody else
	RiskProse                 // documentation and data
	RiskTest
	RiskSettings  // configuration and manifests
	RiskSource    // what runs
	RiskSensitive // what runs and guards something, by its name
	RiskRights    // what runs with the rights of the repository
)

var (
	rightsNames = []string{
		"dockerfile", "containerfile", "jenkinsfile", "makefile", "action.yml", "action.yaml", "codeowners", ".gitlab-ci.yml",
		"azure-pipelines.yml", "cloudbuild.yaml", ".npmrc", ".gitmodules", ".gitattributes",
	}
	rightsDirs      = []string{".github", ".circleci", ".buildkite", "terraform", ".husky", ".githooks"}
	sensitiveWords  = []string{"auth", "authn", "authz", "oauth", "login", "session", "token", "secret", "secrets", "crypto", "password", "credential", "credentials", "permission", "permissions", "policy", "acl", "rbac", "payment", "payments", "billing", "admin", "security", "sanitize", "escape", "signature", "jwt", "tls", "migration", "migrations", "upload", "webhook"}
	proseExtensions = []string{".md", ".mdx", ".rst", ".adoc", ".txt", ".csv", ".tsv", ".svg", ".po", ".html", ".css"}
	dataExtensions  = []string{".json", ".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".xml", ".env", ".properties", ".lock", ".mod", ".gradle"}
	testParts       = []string{"test", "tests", "testdata", "__tests__", "spec", "specs", "fixtures", "e2e", "testing"}
	vendoredParts   = []string{"vendor", "third_party", "third-party", "node_modules", "dist"}
)

// RiskOf ranks one path. It goes by names alone, so it orders the work and
// decides nothing.
func RiskOf(file string, generated diff.Attributes) Risk {
	lower := strings.ToLower(file)
	base, ext := path.Base(lower), path.Ext(lower)
	dirs := strings.Split(path.Dir(lower), "/")
	under := func(names []string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(names, d) })
	}
	switch {
	case slices.Contains(rightsNames, base) || slices.Contains(rightsDirs, dirs[0]) && ext != ".md" || ext == ".tf":
		return RiskRights
	case under(vendoredParts) || diff.Generated(file, generated):
		return RiskGenerated
	case under(testParts) || testFile(base):
		return RiskTest
	case slices.Contains(proseExtensions, ext):
		return RiskProse
	case sensitive(file):
		return RiskSensitive
	case slices.Contains(dataExtensions, ext):
		return RiskSettings
	}
	return RiskSource
}

func testFile(base string) bool {
	stem, _, _ := strings.Cut(base, ".")
	return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") || strings.HasPrefix(stem, "test_") ||
		strings.Contains(base, ".test.") || strings.Contains(base, ".spec.")
}

// sensitive looks at whole words of the path, so that an author is no auth.
func sensitive(file string) bool {
	return slices.ContainsFunc(text.SplitIdentifier(file), func(w string) bool {
		return slices.Contains(sensitiveWords, strings.ToLower(w))
	})
}

// ByRisk returns the files with the riskiest first, and those of one risk by
// path. The same files in another order give the same list.
func ByRisk(files []diff.File, generated diff.Attributes) []diff.File {
	type ranked struct {
		risk Risk
		file diff.File
	}
	list := make([]ranked, 0, len(files))
	for _, f := range files {
		list = append(list, ranked{RiskOf(f.Path, generated), f})
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.risk, a.risk), cmp.Compare(a.file.Path, b.file.Path))
	})
	out := make([]diff.File, 0, len(list))
	for _, r := range list {
		out = append(out, r.file)
	}
	return out
}
