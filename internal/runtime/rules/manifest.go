package rules

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/familiarhq/familiar/internal/text"
)

// dependency is one that a manifest declares.
type dependency struct {
	name string
	spec string // the version that is asked for, as written; "" if none
	path string // a place on disk; "" for a registry
}

// ecosystem is a kind of manifest and what locks its versions.
type ecosystem struct {
	manifest string
	locks    []lockfile
	// declared lists the dependencies that a manifest declares.
	declared func(manifest string) []dependency
}

// lockfile is one kind of lockfile.
type lockfile struct {
	name string
	// covers says whether a lockfile in a folder above locks the manifest in
	// dir, relative to the lockfile's own; nil: it never does.
	covers func(lock, dir, manifest string) bool
	// holds says whether the lockfile knows the dependency.
	holds func(lock string, d dependency) bool
}

var ecosystems = []ecosystem{
	{"go.mod", []lockfile{{"go.sum", nil, goSumHolds}}, goDependencies},
	{"package.json", []lockfile{
		{"package-lock.json", npmCovers, npmHolds}, {"npm-shrinkwrap.json", npmCovers, npmHolds},
		{"pnpm-lock.yaml", pnpmCovers, pnpmHolds}, {"yarn.lock", yarnCovers, yarnHolds}, {"bun.lock", npmCovers, npmHolds},
	}, npmDependencies},
	{"cargo.toml", []lockfile{{"Cargo.lock", cargoCovers, cargoHolds}}, cargoDependencies},
	{"pyproject.toml", []lockfile{{"poetry.lock", nil, pythonHolds}, {"uv.lock", nil, pythonHolds}, {"pdm.lock", nil, pythonHolds}}, pythonDependencies},
	{"gemfile", []lockfile{{"Gemfile.lock", nil, gemHolds}}, gemDependencies},
	{"composer.json", []lockfile{{"composer.lock", nil, composerHolds}}, composerDependencies},
}

func ecosystemOf(f *file) (ecosystem, bool) {
	i := slices.IndexFunc(ecosystems, func(e ecosystem) bool { return e.manifest == f.base })
	if i < 0 {
		return ecosystem{}, false
	}
	return ecosystems[i], true
}

// newDependencies lists what a change adds to a manifest, with the added line
// of each. A line that only moved is not new.
func (v *view) newDependencies(f *file, e ecosystem) map[int]dependency {
	manifest, ok := v.head(f.Path)
	if !ok { // the hunks are all there is to see
		manifest = strings.Join(v.lines(f), "\n")
	}
	out := map[int]dependency{}
	for _, d := range e.declared(manifest) {
		for _, l := range f.added {
			want := strings.ReplaceAll(d.spec+d.path, `\`, `\\`) // as both notations escape it
			trimmed := strings.TrimSpace(l.Text)
			if v.moved[trimmed] == 0 && mentions(l.Text, d.name) && strings.Contains(l.Text, want) {
				out[l.New] = d
			}
		}
	}
	return out
}

// mentions says whether a line has the name as a whole.
func mentions(line, name string) bool {
	for from := 0; ; {
		i := strings.Index(line[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		if (start == 0 || !nameByte(line[start-1])) && (end == len(line) || !nameByte(line[end])) {
			return true
		}
		from = start + 1
	}
}

func nameByte(c byte) bool { return letter(rune(c)) || c == '-' || c == '/' || c == '@' }

var (
	goRequire = text.Lazy(`^(?:require\s+)?([A-Za-z0-9.-]+\.[A-Za-z]+(?:/[A-Za-z0-9._~!-]+)*)\s+(v[0-9][0-9A-Za-z.+-]*)(?:\s*//.*)?$`)
	goReplace = text.Lazy(`^(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\S+)(?:\s+(v\S+))?(?:\s*//.*)?$`)
)

// goDependencies leaves out modules that are replaced: their version locks
// nothing.
func goDependencies(manifest string) []dependency {
	var out []dependency
	replaced := map[string]bool{}
	for line := range strings.SplitSeq(manifest, "\n") {
		trimmed := strings.TrimSpace(line)
		if m := goReplace.FindStringSubmatch(trimmed); m != nil {
			replaced[m[1]] = true
			if m[3] == "" {
				out = append(out, dependency{name: m[1], path: m[2]})
			}
		}
	}
	for line := range strings.SplitSeq(manifest, "\n") {
		if m := goRequire.FindStringSubmatch(strings.TrimSpace(line)); m != nil && !replaced[m[1]] {
			out = append(out, dependency{name: m[1], spec: m[2]})
		}
	}
	return out
}

func goSumHolds(lock string, d dependency) bool {
	return strings.Contains(lock, d.name+" "+d.spec+" h1:") || strings.Contains(lock, d.name+" "+d.spec+"/go.mod h1:")
}

// plainSpec is a version range of a registry; anything with a protocol in
// front is somewhere else.
var plainSpec = text.Lazy(`^[\^~<>=v]*\s*\d[\w.+-]*$`)

func npmDependencies(manifest string) []dependency {
	var doc struct {
		Dependencies, DevDependencies, OptionalDependencies map[string]string
	}
	if json.Unmarshal([]byte(manifest), &doc) != nil {
		return nil
	}
	var out []dependency
	for _, section := range []map[string]string{doc.Dependencies, doc.DevDependencies, doc.OptionalDependencies} {
		for _, name := range slices.Sorted(maps.Keys(section)) {
			spec := section[name]
			scheme, rest, _ := strings.Cut(spec, ":")
			switch {
			case plainSpec.MatchString(spec):
				out = append(out, dependency{name: name, spec: spec})
			case scheme == "file" || scheme == "link" || scheme == "portal":
				out = append(out, dependency{name: name, path: rest})
			}
		}
	}
	return out
}

func npmHolds(lock string, d dependency) bool {
	return strings.Contains(lock, `"`+d.name+`": "`+d.spec+`"`)
}

func npmCovers(lock, dir, _ string) bool { return strings.Contains(lock, `"`+dir+`": {`) }

func yarnHolds(lock string, d dependency) bool {
	return strings.Contains(lock, d.name+"@"+d.spec) || strings.Contains(lock, d.name+"@npm:"+d.spec)
}

func yarnCovers(lock, dir, _ string) bool { return strings.Contains(lock, "@workspace:"+dir+`"`) }

// pnpmHolds takes any range where overrides may have replaced it.
func pnpmHolds(lock string, d dependency) bool {
	if !strings.Contains(lock, d.name+":") && !strings.Contains(lock, d.name+"':") {
		return false
	}
	return strings.Contains(lock, "overrides:") || strings.Contains(lock, ": "+d.spec) || strings.Contains(lock, "'"+d.spec+"'")
}

func pnpmCovers(lock, dir, _ string) bool { return strings.Contains(lock, "\n  "+dir+":\n") }

func cargoDependencies(manifest string) []dependency {
	var root map[string]any
	if _, err := toml.Decode(manifest, &root); err != nil {
		return nil
	}
	var out []dependency
	cargoTables(root, 0, func(name string, value any) {
		d := dependency{name: name}
		switch value := value.(type) {
		case string:
			d.spec = value
		case map[string]any:
			d.spec, _ = value["version"].(string)
			d.path, _ = value["path"].(string)
			if p, ok := value["package"].(string); ok {
				d.name = p
			}
			if value["workspace"] == true || value["git"] != nil {
				return
			}
		}
		if d.path != "" {
			d.spec = ""
		}
		out = append(out, d)
	})
	return out
}

// cargoTables visits the entries of every table of dependencies.
func cargoTables(table map[string]any, depth int, visit func(string, any)) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		sub, ok := table[key].(map[string]any)
		if !ok || depth > 3 {
			continue
		}
		if key != "dependencies" && key != "dev-dependencies" && key != "build-dependencies" {
			cargoTables(sub, depth+1, visit)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(sub)) {
			visit(name, sub[name])
		}
	}
}

var cargoPackage = text.Lazy(`(?m)^name\s*=\s*"([^"]+)"`)

func cargoCovers(lock, _, manifest string) bool {
	m := cargoPackage.FindStringSubmatch(manifest)
	return m != nil && strings.Contains(lock, "name = \""+m[1]+"\"\n")
}

func cargoHolds(lock string, d dependency) bool {
	known := false
	head := "name = \"" + d.name + "\"\nversion = \""
	for rest := lock; ; {
		i := strings.Index(rest, head)
		if i < 0 {
			return known
		}
		rest = rest[i+len(head):]
		version, _, _ := strings.Cut(rest, "\"")
		if !plainVersion.MatchString(d.spec) || caret(d.spec, version) {
			return true
		}
	}
}

func pythonDependencies(manifest string) []dependency {
	var doc struct {
		Project struct {
			Dependencies         []string
			OptionalDependencies map[string][]string `toml:"optional-dependencies"`
		}
		Groups map[string][]any `toml:"dependency-groups"`
		Tool   struct {
			Poetry struct {
				Dependencies map[string]any
				Group        map[string]struct{ Dependencies map[string]any }
			}
			UV struct {
				Sources map[string]any
			}
		}
	}
	if _, err := toml.Decode(manifest, &doc); err != nil {
		return nil
	}
	requirements := doc.Project.Dependencies
	for _, group := range slices.Sorted(maps.Keys(doc.Project.OptionalDependencies)) {
		requirements = append(requirements, doc.Project.OptionalDependencies[group]...)
	}
	for _, group := range slices.Sorted(maps.Keys(doc.Groups)) {
		for _, entry := range doc.Groups[group] {
			if s, ok := entry.(string); ok {
				requirements = append(requirements, s)
			}
		}
	}
	var out []dependency
	for _, r := range requirements {
		if name := pythonName.FindString(r); name != "" {
			out = append(out, dependency{name: name})
		}
	}
	tables := []map[string]any{doc.Tool.Poetry.Dependencies, doc.Tool.UV.Sources}
	for _, group := range slices.Sorted(maps.Keys(doc.Tool.Poetry.Group)) {
		tables = append(tables, doc.Tool.Poetry.Group[group].Dependencies)
	}
	for _, table := range tables {
		out = append(out, pythonTable(table)...)
	}
	return out
}

func pythonTable(table map[string]any) []dependency {
	var out []dependency
	for _, name := range slices.Sorted(maps.Keys(table)) {
		d := dependency{name: name}
		if source, ok := table[name].(map[string]any); ok {
			d.path, _ = source["path"].(string)
		}
		if name != "python" {
			out = append(out, d)
		}
	}
	return out
}

var (
	pythonName = text.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]*`)
	pythonDash = text.Lazy(`[-_.]+`)
)

func pythonHolds(lock string, d dependency) bool {
	name := strings.ToLower(pythonDash.ReplaceAllString(d.name, "-"))
	return strings.Contains(lock, `name = "`+name+`"`) || strings.Contains(lock, `name = "`+d.name+`"`)
}

var gemLine = text.Lazy(`(?m)^\s*gem\s*\(?['"]([A-Za-z0-9._-]+)['"](.*)$`)
var gemPath = text.Lazy(`(?:path:|:path\s*=>)\s*['"]([^'"]+)['"]`)

func gemDependencies(manifest string) []dependency {
	var out []dependency
	for _, m := range gemLine.FindAllStringSubmatch(manifest, -1) {
		d := dependency{name: m[1]}
		if p := gemPath.FindStringSubmatch(m[2]); p != nil {
			d.path = p[1]
		}
		out = append(out, d)
	}
	return out
}

func gemHolds(lock string, d dependency) bool {
	for _, end := range []string{"\n", " (", "!"} {
		if strings.Contains(lock, "\n  "+d.name+end) || strings.Contains(lock, "\n    "+d.name+end) {
			return true
		}
	}
	return false
}

func composerDependencies(manifest string) []dependency {
	var doc struct {
		Require    map[string]string
		RequireDev map[string]string `json:"require-dev"`
	}
	if json.Unmarshal([]byte(manifest), &doc) != nil {
		return nil
	}
	var out []dependency
	for _, section := range []map[string]string{doc.Require, doc.RequireDev} {
		for _, name := range slices.Sorted(maps.Keys(section)) {
			if strings.Contains(name, "/") { // php, ext-* and lib-* are the platform
				out = append(out, dependency{name: name, spec: section[name]})
			}
		}
	}
	return out
}

func composerHolds(lock string, d dependency) bool {
	return strings.Contains(strings.ToLower(lock), `"name": "`+strings.ToLower(d.name)+`"`)
}

// inside says whether a path that a manifest in dir names stays within the
// repository, and where it leads.
func inside(dir, target string) (string, bool) {
	target = strings.ReplaceAll(strings.TrimPrefix(target, "//"), `\`, "/")
	if strings.HasPrefix(target, "/") || strings.HasPrefix(target, "~") || len(target) > 1 && target[1] == ':' {
		return "", false
	}
	joined := path.Join(dir, target)
	return joined, joined != ".." && !strings.HasPrefix(joined, "../")
}
