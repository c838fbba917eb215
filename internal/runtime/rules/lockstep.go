package rules

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
)

var lockfileStale = BuiltIn{
	ID: "builtin/lockfile-stale", Title: "Lockfile does not know this dependency", Severity: contract.SeverityMedium,
	About:  "A dependency added or raised in `go.mod`, `package.json`, `Cargo.toml`, `pyproject.toml`, `Gemfile` or `composer.json` that the lockfile at the head does not hold.",
	Leaves: "Repositories without a lockfile, lockfiles that are part of the change, manifests that no lockfile covers, ranges that the locked version already meets.",
	Bad: Example{Path: "go.mod", Added: "require example.org/money v1.4.0", Head: map[string]string{
		"go.mod": "module example.com/shop\nrequire example.org/money v1.4.0\n", "go.sum": "example.org/money v1.3.0 h1:abc=\n"}},
	Good: Example{Path: "go.mod", Added: "require example.org/money v1.4.0 // indirect", Head: map[string]string{
		"go.mod": "module example.com/shop\nrequire example.org/money v1.4.0 // indirect\n", "go.sum": "example.org/money v1.4.0 h1:abc=\n"}},
	advice: "Run the package manager and commit the lockfile with the manifest.",
	find:   findStale,
}

func findStale(v *view, emit func(hit)) {
	for _, f := range v.files {
		e, ok := ecosystemOf(f)
		if !ok || f.Status == diff.Deleted || f.fixture || f.vendored || len(f.added) == 0 {
			continue
		}
		manifest, ok := v.head(f.Path)
		if !ok {
			continue
		}
		name, lock, kind, ok := v.lockOf(f, e, manifest)
		if !ok {
			continue
		}
		added := v.newDependencies(f, e)
		for _, n := range slices.Sorted(maps.Keys(added)) {
			if d := added[n]; d.path == "" && !kind.holds(lock, d) {
				emit(hit{file: f, line: n, body: fmt.Sprintf("%s asks for %s, and %s does not hold it.", f.Path, strings.TrimSpace(d.name+" "+d.spec), name)})
			}
		}
	}
}

// lockOf finds the lockfile that covers a manifest: beside it, or in a folder
// above that says so. One that the change touches, or that is too large to
// read, tells nothing: ok is false.
func (v *view) lockOf(f *file, e ecosystem, manifest string) (name, text string, kind lockfile, ok bool) {
	own := path.Dir(f.Path)
	for dir := own; ; dir = path.Dir(dir) {
		for _, kind := range e.locks {
			if dir != own && kind.covers == nil {
				continue
			}
			name := path.Join(dir, kind.name)
			if v.touches(name) {
				return "", "", lockfile{}, false
			}
			if e.manifest == "go.mod" {
				if _, workspace := v.head(path.Join(dir, "go.work")); workspace {
					return "", "", lockfile{}, false
				}
			}
			text, exists := v.head(name)
			if !exists {
				continue
			}
			relative := strings.TrimPrefix(strings.TrimPrefix(own, dir), "/")
			if dir == "." {
				relative = own
			}
			if dir != own && !kind.covers(text, relative, manifest) {
				return "", "", lockfile{}, false
			}
			return name, text, kind, true
		}
		if dir == "." || dir == "/" {
			return "", "", lockfile{}, false
		}
	}
}
