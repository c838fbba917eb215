package rules

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
)

var dependencyLocal = BuiltIn{
	ID: "builtin/local-dependency", Title: "Dependency on a place outside the repository", Severity: contract.SeverityHigh,
	About:  "A `replace` in `go.mod`, a `file:` or `link:` in `package.json`, a `path` in `Cargo.toml`, `pyproject.toml` or a `Gemfile` that leads out of the repository or, for `replace`, to a folder that is not there.",
	Leaves: "Paths that stay within the repository, as in a repository of several modules.",
	Bad:    Example{Path: "go.mod", Added: "replace example.org/money => ../../money"},
	Good: Example{Path: "tools/go.mod", Added: "replace example.com/shop => ../",
		Head: map[string]string{"go.mod": "module example.com/shop\n"}},
	advice: "Use a released version before this is merged.",
	find:   findLocal,
}

func findLocal(v *view, emit func(hit)) {
	for _, f := range v.files {
		e, ok := ecosystemOf(f)
		if !ok || f.Status == diff.Deleted || f.fixture || f.vendored {
			continue
		}
		added := v.newDependencies(f, e)
		for _, n := range slices.Sorted(maps.Keys(added)) {
			d := added[n]
			if d.path == "" {
				continue
			}
			joined, stays := inside(path.Dir(f.Path), d.path)
			switch {
			case !stays:
				emit(hit{file: f, line: n, body: fmt.Sprintf("%s is taken from %s, which lies outside the repository: it works on one machine only.", d.name, d.path)})
			case e.manifest == "go.mod" && v.job.Contents != nil && !v.exists(path.Join(joined, "go.mod")):
				emit(hit{file: f, line: n, body: fmt.Sprintf("%s is taken from %s, and there is no module in that folder.", d.name, d.path)})
			}
		}
	}
}

func (v *view) exists(name string) bool {
	_, ok := v.head(name)
	return ok
}
