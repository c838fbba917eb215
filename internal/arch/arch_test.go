package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/familiarhq/familiar/"

// layer says what a package may touch.
type layer int

const (
	pure    layer = iota // values in, values out
	adapter              // may touch the world; sees pure packages
	top                  // wires everything
)

// table is page 2 of the design, top to bottom: a package imports only
// packages above it. gitrepo joined by decision 0001.
var table = []struct {
	name  string
	layer layer
}{
	{"contract", pure},
	{"text", pure},
	{"redact", pure},
	{"event", pure},
	{"trust", pure},
	{"memory", pure},
	{"policy", pure},
	{"intent", pure},
	{"diff", pure},
	{"review", pure},
	{"plan", pure},
	{"render", pure},
	{"config", pure},
	{"health", pure},
	{"store", adapter},
	{"vault", adapter},
	{"home", adapter},
	{"github", adapter},
	{"gitrepo", adapter},
	{"runtime", adapter},
	{"app", top},
	{"cli", top},
}

// adapterNeeds lists the imports between adapters that the design wants: the
// file home opens stores through nobody else, and so on. Everything else
// between adapters is refused.
var adapterNeeds = map[string][]string{}

// forbidden are the packages of the standard library and of others that
// reach the world.
var forbidden = []string{
	"os", "os/exec", "os/signal", "os/user", "io/ioutil", "net", "net/http",
	"database/sql", "syscall", "math/rand", "math/rand/v2", "crypto/rand", "log", "log/slog",
	"github.com/google/go-github/v62/github", "modernc.org/sqlite",
}

// clockCalls are the functions of package time that read a clock.
var clockCalls = []string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker", "AfterFunc"}

type source struct {
	pkg  string // first element below internal/
	file string
	ast  *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	out, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("found %d source files below internal/, expected many more", len(out))
	}
	return out
}

var parsed = sync.OnceValues(func() (out []source, err error) {
	root := ".."
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, source{pkg: strings.Split(rel, "/")[0], file: rel, ast: f})
		return nil
	})
	return out, err
})

func rank(name string) int {
	for i, row := range table {
		if row.name == name {
			return i
		}
	}
	return -1
}

func imports(f *ast.File) []string {
	var out []string
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		out = append(out, p)
	}
	return out
}

// testHelper tells packages that only tests import.
func testHelper(file string) bool {
	dir := path.Base(path.Dir(file))
	return strings.HasSuffix(dir, "test") && dir != "test"
}

func TestEveryPackageIsInTheTable(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg != "arch" && rank(s.pkg) < 0 {
			t.Errorf("internal/%s: package %s is not in the table of page 2; record a decision and add it", s.file, s.pkg)
		}
	}
}

func TestImportsPointUpwards(t *testing.T) {
	for _, s := range sources(t) {
		from := rank(s.pkg)
		if from < 0 || testHelper(s.file) {
			continue
		}
		for _, p := range imports(s.ast) {
			rest, ok := strings.CutPrefix(p, module+"internal/")
			if !ok {
				continue
			}
			to := strings.Split(rest, "/")[0]
			if to == s.pkg {
				continue
			}
			if complaint := judge(s.pkg, to); complaint != "" {
				t.Errorf("internal/%s imports %s: %s", s.file, to, complaint)
			}
		}
	}
}

// judge says what is wrong with an import, or "".
func judge(from, to string) string {
	f, o := rank(from), rank(to)
	switch {
	case o < 0:
		return "which is not in the table"
	case o >= f:
		return "which stands below it in the table"
	case table[f].layer == adapter && table[o].layer == adapter && !slices.Contains(adapterNeeds[from], to):
		return "an adapter sees pure packages only; wire the two in app"
	}
	return ""
}

func TestJudgeRefusesBackwardAndSidewaysImports(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"policy", "memory", ""},
		{"memory", "policy", "which stands below it in the table"},
		{"render", "store", "which stands below it in the table"},
		{"runtime", "store", "an adapter sees pure packages only; wire the two in app"},
		{"app", "store", ""},
		{"cli", "app", ""},
		{"app", "nothing", "which is not in the table"},
	} {
		if got := judge(c.from, c.to); got != c.want {
			t.Errorf("judge(%s, %s) = %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

func TestPurePackagesTouchNothing(t *testing.T) {
	for _, s := range sources(t) {
		r := rank(s.pkg)
		if r < 0 || table[r].layer != pure || testHelper(s.file) {
			continue
		}
		for _, p := range imports(s.ast) {
			if slices.Contains(forbidden, p) {
				t.Errorf("internal/%s imports %s: a pure package takes values and returns values", s.file, p)
			}
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clockCalls, sel.Sel.Name) {
				t.Errorf("internal/%s calls time.%s: time is a fact, passed in", s.file, sel.Sel.Name)
			}
			return true
		})
	}
}

func TestEveryPackageSaysWhatItNeverDoes(t *testing.T) {
	dirs := map[string]bool{}
	for _, s := range sources(t) {
		dirs[path.Dir(s.file)] = true
	}
	for dir := range dirs {
		name := filepath.Join("..", filepath.FromSlash(dir), "doc.go")
		data, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("internal/%s has no doc.go", dir)
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ParseComments)
		if err != nil || f.Doc == nil {
			t.Errorf("internal/%s/doc.go has no package comment", dir)
			continue
		}
		doc := f.Doc.Text()
		if !strings.Contains(strings.ToLower(doc), "never") {
			t.Errorf("internal/%s/doc.go does not say what the package never does", dir)
		}
		if strings.Contains(strings.TrimSpace(doc), "\n\n") {
			t.Errorf("internal/%s/doc.go has more than one paragraph", dir)
		}
	}
}
