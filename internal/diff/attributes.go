package diff

import (
	"bytes"
	slash "path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of a .gitattributes file: what lies beyond them says nothing.
const (
	maxAttributesBytes = 1 << 20
	maxAttributeRules  = 500 // that speak of generated files
	maxAttributeGlob   = 256 // bytes of one pattern
)

// Attributes are what a .gitattributes file at the top of a repository says
// about generated files (linguist-generated). The zero value says nothing.
type Attributes struct{ rules []attributeRule }

type attributeRule struct {
	glob string
	base bool // the pattern has no slash, so it matches names in any folder
	// set and unset are both false where the line takes an earlier one back.
	set, unset bool
}

// ParseAttributes reads a .gitattributes file. It has no errors: a line that
// git would not take is a line that says nothing here either. It must come
// from the base commit, since a change would else call itself generated.
func ParseAttributes(data []byte) Attributes {
	var a Attributes
	data = data[:min(len(data), maxAttributesBytes)]
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || !bytes.Contains(line, []byte("linguist-generated")) {
			continue
		}
		rule, ok := attributeLine(line)
		if ok && len(a.rules) < maxAttributeRules {
			a.rules = append(a.rules, rule)
		}
	}
	return a
}

func attributeLine(line []byte) (attributeRule, bool) {
	pattern, rest := line, []byte(nil)
	if line[0] == '"' {
		p, after, ok := unquote(line)
		if !ok {
			return attributeRule{}, false
		}
		pattern, rest = []byte(p), after
	} else if i := bytes.IndexAny(line, " \t"); i > 0 {
		pattern, rest = line[:i], line[i:]
	}
	r := attributeRule{}
	said := false
	for word := range strings.FieldsSeq(string(rest)) {
		switch word {
		case "linguist-generated", "linguist-generated=true":
			r.set, r.unset, said = true, false, true
		case "-linguist-generated", "linguist-generated=false":
			r.set, r.unset, said = false, true, true
		case "!linguist-generated":
			r.set, r.unset, said = false, false, true
		}
	}
	// Git takes no negative pattern here, and one that ends in a slash never
	// matches a file.
	glob := string(pattern)
	if !said || len(glob) > maxAttributeGlob || strings.HasPrefix(glob, "!") || strings.HasSuffix(glob, "/") {
		return attributeRule{}, false
	}
	r.base = !strings.Contains(glob, "/")
	r.glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(glob, "/"))
	return r, doublestar.ValidatePattern(r.glob)
}

// Generated says what the attributes say of a path; said is false where they
// say nothing. The last line that matches decides, as in git.
func (a Attributes) Generated(file string) (generated, said bool) {
	for i := len(a.rules) - 1; i >= 0; i-- {
		r := a.rules[i]
		name := file
		if r.base {
			name = slash.Base(file)
		}
		if doublestar.MatchUnvalidated(r.glob, name) {
			return r.set, r.set || r.unset
		}
	}
	return false, false
}

// Names of files and folders that programs write, in lower case.
var (
	generatedSuffixes = []string{
		".pb.go", ".pb.gw.go", ".pb.cc", ".pb.h", ".pb.swift", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb.js", "_pb.d.ts", "_pb.ts", "_pb.rb",
		"_generated.go", ".gen.go", "_gen.go", ".generated.go", ".generated.ts", ".generated.tsx", ".generated.js", ".generated.cs", ".gen.ts",
		".g.dart", ".freezed.dart", ".g.cs", ".designer.cs", ".min.js", ".min.css", ".bundle.js", ".js.map", ".css.map", ".snap", "_string.go",
	}
	generatedNames = []string{
		"go.sum", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "cargo.lock", "poetry.lock",
		"uv.lock", "pdm.lock", "pipfile.lock", "composer.lock", "gemfile.lock", "mix.lock", "flake.lock", "packages.lock.json", "gradle.lockfile",
		"podfile.lock", "package.resolved", "deno.lock", "pubspec.lock",
	}
	generatedFolders = []string{"__generated__", "__snapshots__", "node_modules"}
)

// Generated says whether a program wrote the file and not a person: as the
// attributes have it, and where they say nothing by patterns that hardly ever
// name anything else. It is a hint about where to look first, and never a
// reason not to look for secrets and the like.
func Generated(file string, a Attributes) bool {
	if generated, said := a.Generated(file); said {
		return generated
	}
	lower := strings.ToLower(file)
	base := slash.Base(lower)
	if strings.HasPrefix(base, "zz_generated") {
		return true
	}
	for _, s := range generatedSuffixes {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	for _, n := range generatedNames {
		if base == n {
			return true
		}
	}
	for dir := range strings.SplitSeq(slash.Dir(lower), "/") {
		for _, g := range generatedFolders {
			if dir == g {
				return true
			}
		}
	}
	return false
}
