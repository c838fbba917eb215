package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// This is the proof by types that text which a person or a model wrote has no
// other way than its doors. The compiler keeps strings from becoming
// render.Markup outside of render; here every use of what lies behind a door is
// looked up by what it is, however it is named, stored or passed on.

// typed is one of our packages with what each name in it means.
type typed struct {
	rel   string         // below internal/
	fset  *token.FileSet // of the world
	files []*ast.File
	info  *types.Info
	pkg   *types.Package
}

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// world is all packages of the program.
type world struct {
	packages []typed
	export   map[string]string // files of export data, by import path
	fset     *token.FileSet
	imported types.Importer // which reads each file of export data once
}

var load = sync.OnceValues(func() (*world, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./internal/...")
	cmd.Dir = filepath.Join("..", "..")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, problems.String())
	}
	w := &world{export: map[string]string{}, fset: token.NewFileSet()}
	w.imported = importer.ForCompiler(w.fset, "gc", func(path string) (io.ReadCloser, error) {
		if w.export[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(w.export[path])
	})
	var ours []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		w.export[l.ImportPath] = l.Export
		rel, is := strings.CutPrefix(l.ImportPath, module+"internal/")
		if is && !testHelper(rel+"/x.go") && !strings.HasPrefix(rel, "arch") && !strings.Contains(rel, "test/") {
			ours = append(ours, l)
		}
	}
	for _, l := range ours {
		sources := map[string][]byte{}
		for _, name := range l.GoFiles {
			data, err := os.ReadFile(filepath.Join(l.Dir, name))
			if err != nil {
				return nil, err
			}
			sources[name] = data
		}
		p, err := w.check(l.ImportPath, strings.TrimPrefix(l.ImportPath, module+"internal/"), sources)
		if err != nil {
			return nil, err
		}
		w.packages = append(w.packages, p)
	}
	return w, nil
})

// check gives every name of a package its meaning.
func (w *world) check(path, rel string, sources map[string][]byte) (typed, error) {
	p := typed{rel: rel, fset: w.fset, info: &types.Info{
		Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	for name, data := range sources {
		f, err := parser.ParseFile(p.fset, rel+"/"+name, data, parser.SkipObjectResolution)
		if err != nil {
			return p, err
		}
		p.files = append(p.files, f)
	}
	conf := types.Config{Importer: w.imported}
	var err error
	p.pkg, err = conf.Check(path, p.fset, p.files, p.info)
	return p, err
}

// found is one use of something in one file.
type found struct{ file, what string }

// full is the full name of what an identifier means, with the module's own
// path left out: "os.Stdout", "(*os.File).Write", "app.Summary".
func full(o types.Object) string {
	name := ""
	switch o := o.(type) {
	case *types.Func:
		name = o.Origin().FullName()
	default:
		if o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
			name = o.Pkg().Path() + "." + o.Name()
		} else if _, is := o.(*types.Builtin); is {
			name = o.Name()
		}
	}
	return strings.ReplaceAll(name, module+"internal/", "")
}

// uses lists what the names of a package mean, wherever they stand: called,
// stored in a variable, or handed on. Each is in it once for each file.
func (p typed) uses() []found {
	type use struct {
		file *token.File
		of   types.Object
	}
	seen, out := map[use]bool{}, map[found]bool{}
	for id, o := range p.info.Uses {
		if u := (use{p.fset.File(id.Pos()), o}); !seen[u] {
			seen[u] = true
			if name := full(o); name != "" {
				out[found{u.file.Name(), name}] = true
			}
		}
	}
	return slices.Collect(maps.Keys(out))
}

// writes lists the fields of structs that a package sets, and the structs that
// it makes: "type.Field" and "type{}".
func (p typed) writes() (out []found) {
	note := func(n ast.Node, t types.Type, field string) {
		if ptr, is := t.Underlying().(*types.Pointer); is {
			t = ptr.Elem()
		}
		name := strings.ReplaceAll(types.TypeString(t, nil), module+"internal/", "")
		out = append(out, found{p.fset.Position(n.Pos()).Filename, name + field})
	}
	set := func(e ast.Expr) {
		if s, is := ast.Unparen(e).(*ast.SelectorExpr); is && p.info.Selections[s] != nil {
			note(s, p.info.Selections[s].Recv(), "."+s.Sel.Name)
		}
	}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if len(n.Elts) > 0 {
					note(n, p.info.Types[n].Type, "{}")
				}
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					set(l)
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					set(n.X) // whoever has the address can write there
				}
			}
			return true
		})
	}
	return out
}

// sealed is what lies behind a door: what it is, by its full name, and the only
// files that may use it.
type sealed struct {
	name string
	what *regexp.Regexp
	only []string // files below internal/; a folder ends in "/"
}

const gitHubAPI = `github\.com/google/go-github/v62/github\.`

var behindDoors = []sealed{
	{"the process writes through the Env of its command line", regexp.MustCompile(`^(os\.Std(out|err)|fmt\.Print(|f|ln)|print(|ln)|log\.\w+|log/slog\.\w+|os\.NewFile|syscall\.(Write|Pwrite)|golang\.org/x/sys/unix\.(Write|Pwrite))$`),
		[]string{"cli/env.go"}},
	{"commands of the runner are written between the lines of the log", regexp.MustCompile(`^cli\.command$|^\(\*cli\.logWriter\)\.command$`),
		[]string{"cli/log.go", "cli/action.go"}},
	{"the step's files are written by the step", regexp.MustCompile(`^cli\.appendFile$`), []string{"cli/action.go"}},
	{"the API of GitHub is called by its client", regexp.MustCompile(`^\(\*` + gitHubAPI + `\w+\)\.\w+$`), []string{"github/"}},
	{"what stands on GitHub goes back there as it is only below a line that changes", regexp.MustCompile(`^render\.AsItStands$`), []string{"app/lines.go"}},
	{"programs are started by the reviewer that runs them and by git", regexp.MustCompile(`^(os/exec\.Command(|Context)|os\.StartProcess|syscall\.(ForkExec|Exec|StartProcess))$`),
		[]string{"runtime/exec.go", "gitrepo/run.go"}},
	{"secrets are found by redact alone", regexp.MustCompile(`^(\(\*)?github\.com/zricethezav/gitleaks/`), []string{"redact/library.go"}},
	{"no type is got round", regexp.MustCompile(`^unsafe\.|^\(reflect\.Value\)\.(UnsafeAddr|UnsafePointer)$|^reflect\.NewAt$`), []string{"store/image.go"}},
}

var madeBehindDoors = []sealed{
	{"a brief is put together where it is searched for live tokens", regexp.MustCompile(`^contract\.(Brief|Task|ReviewContext|ContextFile)[.{]`), []string{"review/brief.go", "contract/session_brief.go"}}, // the contract decodes one
	{"a lesson is admitted where it is searched for secrets", regexp.MustCompile(`^store\.admitted[.{]`), []string{"store/admit.go"}},
	{"Markup is made by the functions that escape", regexp.MustCompile(`^render\.Markup[.{]`), []string{"render/"}},
	{"what the client sends people is made of Markup", regexp.MustCompile(`^` + gitHubAPI + `\w*(Comment|Issue|IssueRequest|ReviewRequest|CheckRun\w*)[.{]`), []string{"github/"}},
}

// offences are the uses that go round a door.
func offences(uses []found, doors []sealed) (out []string) {
	for _, u := range uses {
		for _, d := range doors {
			if d.what.MatchString(u.what) && !(door{only: d.only}).holds(u.file) {
				out = append(out, fmt.Sprintf("internal/%s: %s, but here is %s", u.file, d.name, u.what))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestA63A80TextHasNoOtherWayThanItsDoors(t *testing.T) {
	w, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(w.packages) < 20 {
		t.Fatalf("%d packages", len(w.packages))
	}
	for i, doors := range [][]sealed{behindDoors, madeBehindDoors} {
		var all []found
		for _, p := range w.packages {
			if i == 0 {
				all = append(all, p.uses()...)
			} else {
				all = append(all, p.writes()...)
			}
		}
		for _, o := range offences(all, doors) {
			t.Error(o)
		}
		for _, d := range doors {
			if !slices.ContainsFunc(all, func(u found) bool { return d.what.MatchString(u.what) }) {
				t.Errorf("nothing is behind the door %q: it is told by the wrong thing", d.name)
			}
		}
	}
}

// textFields are the fields of GitHub's requests in which GitHub acts on what
// people read; it acts on nothing in the description of a label.
var textFields = regexp.MustCompile(`^(Body|Title|Summary|Text|Message|RawDetails)$`)

// TestEveryTextForPeopleIsMarkup: in what the client sends, each field that
// people read is filled by onGitHub, which takes Markup, and the client's own
// functions take no string for one.
func TestEveryTextForPeopleIsMarkup(t *testing.T) {
	w, err := load()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(w.packages, func(p typed) bool { return p.rel == "github" })
	filled, complaints := w.packages[i].textsForPeople()
	if filled < 8 {
		t.Errorf("only %d texts are sent: they are told by the wrong thing", filled)
	}
	for _, c := range complaints {
		t.Error(c)
	}
}

// textsForPeople counts the fields that onGitHub fills, and names those that
// something else does.
func (p typed) textsForPeople() (filled int, complaints []string) {
	judge := func(n ast.Node, t types.Type, field string, value ast.Expr) {
		if !textFields.MatchString(field) || !strings.Contains(types.TypeString(t, nil), "google/go-github/") {
			return
		}
		if call, is := ast.Unparen(value).(*ast.CallExpr); is {
			if id, is := call.Fun.(*ast.Ident); is && full(p.info.Uses[id]) == p.pkg.Name()+".onGitHub" {
				filled++
				return
			}
		}
		complaints = append(complaints, fmt.Sprintf("%s: %s is not filled by onGitHub", p.fset.Position(n.Pos()), field))
	}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					if kv, is := e.(*ast.KeyValueExpr); is {
						if id, is := kv.Key.(*ast.Ident); is {
							judge(kv, p.info.Types[n].Type, id.Name, kv.Value)
						}
					}
				}
			case *ast.AssignStmt:
				for j, l := range n.Lhs {
					if s, is := ast.Unparen(l).(*ast.SelectorExpr); is && p.info.Selections[s] != nil && len(n.Rhs) == len(n.Lhs) {
						judge(s, p.info.Selections[s].Recv(), s.Sel.Name, n.Rhs[j])
					}
				}
			case *ast.FuncDecl:
				for _, param := range n.Type.Params.List {
					for _, name := range param.Names {
						if n.Name.IsExported() && n.Recv != nil && regexp.MustCompile(`^(body|text|title|summary)$`).MatchString(name.Name) && types.TypeString(p.info.TypeOf(param.Type), nil) == "string" {
							complaints = append(complaints, fmt.Sprintf("%s: %s takes a string for %s", p.fset.Position(name.Pos()), n.Name.Name, name.Name))
						}
					}
				}
			}
			return true
		})
	}
	return filled, complaints
}

// bypasses are ways round the doors, each of which must be seen.
const bypasses = `package app

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"unsafe"

	api "github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/render"
)

var kept = fmt.Println // kept for later

type writers struct{ out io.Writer }

func bypass(c *api.Client, s string) {
	w := writers{out: os.Stdout}
	_, _ = io.WriteString(w.out, s)
	println(s)
	post := c.Issues.CreateComment // handed on
	_, _, _ = post(nil, "o", "r", 1, &api.IssueComment{Body: &s})
	var b contract.Brief
	b.Task.CommentBody = s
	p := &b.Task
	p.CommentBody = s
	_ = render.AsItStands(s)
	_ = *(*render.Markup)(unsafe.Pointer(&s))
	_ = exec.Command(s)
}

type client struct{}

func onGitHub(m render.Markup) *string { s := m.String(); return &s }

func (client) CreateComment(body string) {
	in := &api.IssueComment{}
	in.Body = &body
	in.Body = onGitHub(render.Line(body))
}
`

func TestTheProofSeesEveryBypass(t *testing.T) {
	w, err := load()
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.check(module+"internal/app", "app", map[string][]byte{"bypass.go": []byte(bypasses)})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(append(offences(p.uses(), behindDoors), offences(p.writes(), madeBehindDoors)...), "\n")
	for _, want := range []string{
		"here is fmt.Println", "here is os.Stdout", "here is println", "here is (*github.com/google/go-github/v62/github.IssuesService).CreateComment",
		"here is github.com/google/go-github/v62/github.IssueComment{}", "here is github.com/google/go-github/v62/github.IssueComment.Body",
		"here is contract.Brief.Task", "here is contract.Task.CommentBody", "here is render.AsItStands", "here is unsafe.Pointer", "here is os/exec.Command",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not seen among\n%s", want, got)
		}
	}
	filled, complaints := p.textsForPeople()
	all := strings.Join(complaints, "\n")
	if filled != 1 || strings.Count(all, "Body is not filled by onGitHub") != 2 || !strings.Contains(all, "CreateComment takes a string for body") {
		t.Errorf("%d filled:\n%s", filled, all)
	}
	for name, source := range map[string]string{
		"a string is no Markup":                    `var _ render.Markup = "x"`,
		"a string does not become Markup":          `var s string; var _ = render.Markup(s)`,
		"Markup is not put together elsewhere":     `var s string; var _ = render.Markup{md: s}`,
		"only constants are words of ours":         `var s string; var _ = render.Words(s)`,
		"a function's string is no word of ours":   `func f() string { return "" }; var _ = render.Words(f())`,
		"the type of our words has no name abroad": `var s string; var _ = render.Words(render.ours(s))`,
	} {
		_, err := w.check(module+"internal/app", "app", map[string][]byte{"forged.go": []byte("package app\nimport \"github.com/familiarhq/familiar/internal/render\"\n" + source)})
		if err == nil || strings.Contains(err.Error(), "no export data") {
			t.Errorf("%s: it compiles (%v)", name, err)
		}
	}
}

// TestTheTableOfMarkupIsWhole: every exported function of render that makes
// Markup is named by the tests that attack them.
func TestTheTableOfMarkupIsWhole(t *testing.T) {
	w, err := load()
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile("../render/markup_test.go")
	if err != nil {
		t.Fatal(err)
	}
	p := w.packages[slices.IndexFunc(w.packages, func(p typed) bool { return p.rel == "render" })]
	scope, n := p.pkg.Scope(), 0
	for _, name := range scope.Names() {
		f, is := scope.Lookup(name).(*types.Func)
		if !is || !f.Exported() || f.Signature().Results().Len() == 0 || !strings.HasSuffix(types.TypeString(f.Signature().Results().At(0).Type(), nil), "render.Markup") {
			continue
		}
		n++
		if name != "Words" && name != "AsItStands" && !strings.Contains(string(tests), `"`+name+`":`) {
			t.Errorf("render.%s makes Markup and is not attacked in markup_test.go", name)
		}
	}
	if n < 12 {
		t.Errorf("only %d functions make Markup", n)
	}
}
