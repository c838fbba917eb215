package arch

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A door is the one place for a danger (page 2, "One door each"). What may
// only be written there is told by a literal, an import or a call; where else
// it occurs, text has found another way.
type door struct {
	name    string
	literal *regexp.Regexp // a string of the source that only the door holds
	imports string         // a package that only the door imports
	calls   []string       // functions and methods, "package.Name" or ".Name", that only the door calls
	only    []string       // files, by path below internal/; a folder ends in "/"
}

var doors = []door{
	{
		name: "secrets are found by redact alone", imports: "github.com/zricethezav/gitleaks/v8/detect",
		only: []string{"redact/library.go"},
	},
	{
		name: "commands of the runner are written by cli/log.go alone", literal: regexp.MustCompile(`^(?:::[a-z]|##\[[a-z])`),
	},
	{
		name: "the log is written through Env alone", calls: []string{"fmt.Print", "fmt.Println", "fmt.Printf", "os.Stdout", "os.Stderr", "log.Print", "log.Println", "log.Printf"},
		only: []string{"cli/env.go", "arch/bench/", "arch/count/", "arch/peak/", "arch/sbom/", "github/githubtest/openapigen/"},
	},
	{
		name: "the step's files are named by the action alone", literal: regexp.MustCompile(`^GITHUB_(?:OUTPUT|STEP_SUMMARY|ENV|PATH|STATE)$`),
		// exec takes them out of a reviewer's environment; replay makes them empty.
		only: []string{"cli/action.go", "cli/log.go", "cli/replay.go", "cli/step_files.go", "runtime/exec_rights_linux.go", "runtime/exec.go"},
	},
	{
		name: "a version of a lesson is inserted by store/write.go alone", literal: regexp.MustCompile(`(?i)\bINSERT\s+(?:OR\s+\w+\s+)?INTO\s+versions\b`),
		only: []string{"store/write.go"},
	},
	{
		name: "the gate is asked where a write is decided", calls: []string{"memory.Gate"},
		only: []string{"policy/writes.go", "store/decide.go"},
	},
	{
		name: "a brief is put together by review alone, which searches it for live tokens", calls: []string{"contract.Brief{}"},
		only: []string{"review/brief.go"},
	},
	{
		name: "comments are written where their text was rendered", calls: []string{".CreateComment", ".EditComment", ".CreateReview", ".EditReviewComment"},
		only: []string{"app/", "github/comments.go", "github/reviews.go"}, // the client defines them
	},
}

// uses lists what a source holds that doors are told by.
func uses(f *ast.File) (literals, names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil {
				literals = append(literals, s)
			}
		case *ast.SelectorExpr:
			names = append(names, "."+n.Sel.Name)
			if x, ok := n.X.(*ast.Ident); ok {
				names = append(names, x.Name+"."+n.Sel.Name)
			}
		case *ast.CompositeLit:
			if sel, ok := n.Type.(*ast.SelectorExpr); ok && len(n.Elts) > 0 {
				if x, ok := sel.X.(*ast.Ident); ok {
					names = append(names, x.Name+"."+sel.Sel.Name+"{}")
				}
			}
		}
		return true
	})
	return literals, names
}

// through says what of a source goes through a door: "" for nothing.
func (d door) through(s source) string {
	literals, names := uses(s.ast)
	if d.imports != "" && slices.Contains(imports(s.ast), d.imports) {
		return d.imports
	}
	for _, l := range literals {
		if d.literal != nil && d.literal.MatchString(l) {
			return strconv.Quote(l)
		}
	}
	for _, c := range d.calls {
		if slices.Contains(names, c) {
			return c
		}
	}
	return ""
}

func (d door) holds(file string) bool {
	return slices.ContainsFunc(d.only, func(o string) bool { return o == file || strings.HasSuffix(o, "/") && strings.HasPrefix(file, o) })
}

func TestEveryDangerHasOneDoor(t *testing.T) {
	all := sources(t)
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			used := false
			for _, s := range all {
				what := d.through(s)
				if what == "" || testHelper(s.file) && !d.holds(s.file) {
					continue
				}
				used = used || d.holds(s.file)
				if !d.holds(s.file) {
					t.Errorf("internal/%s holds %s: go through the door", s.file, what)
				}
			}
			if !used && len(d.only) > 0 {
				t.Error("nothing goes through the door: it is told by the wrong thing")
			}
		})
	}
}

// askers are the doors of redact and render, by the names of their functions:
// a file that lets text of others in, or out, asks one of them.
var askers = map[string][]string{
	// Text enters memory: a taught lesson, a runtime's proposal.
	"app/teach.go":     {"memory.UncleanTexts"},
	"store/admit.go":   {"memory.Unclean"},
	"memory/clean.go":  {".Refuse"},
	"policy/writes.go": {"memory.Gate"},
	// Text leaves the action: comments, replies, the summary, the log.
	"app/outputs.go":        {"render.JobSummary"},
	"app/comment_decide.go": {"render.UnknownCommand", "redact.Scrub"},
	"app/comment_deal.go":   {"redact.Scrub"},
	"render/reply.go":       {"Text", "Fence", "Code"},
	"app/status_comment.go": {"render.StatusComment"},
	"cli/log.go":            {"render.Log", ".ScrubLive"},
	"cli/action.go":         {"actionLog"},
	"cli/root.go":           {"render.Plain"},
	// Text reaches a reviewer.
	"review/brief.go": {"findLeak"},
	"review/leak.go":  {"redact.NewFinder"},
	"review/scrub.go": {"redact.Scrub"},
}

func TestTextPassesItsDoors(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		want, ok := askers[s.file]
		if !ok {
			continue
		}
		seen[s.file] = true
		_, names := uses(s.ast)
		for _, name := range want {
			if !slices.Contains(names, name) && !callsPlain(s.ast, name) {
				t.Errorf("internal/%s no longer asks %s", s.file, name)
			}
		}
	}
	for file := range askers {
		if !seen[file] {
			t.Errorf("internal/%s is gone: say where its text passes %v now", file, askers[file])
		}
	}
}

// callsPlain says whether a function of the same package is called.
func callsPlain(f *ast.File, name string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok && id.Name == name {
				found = true
			}
		}
		return !found
	})
	return found
}

func TestEveryDoorSaysThatItIsOne(t *testing.T) {
	want := []string{"redact/redact.go", "render/escape.go", "render/markup.go", "text/normalise.go", "cli/log.go"}
	for _, s := range sources(t) {
		i := slices.Index(want, s.file)
		if i < 0 {
			continue
		}
		want = slices.Delete(want, i, i+1)
		if !slices.ContainsFunc(s.ast.Comments, func(c *ast.CommentGroup) bool { return strings.Contains(c.Text(), "the one") }) {
			t.Errorf("internal/%s does not say that it is the one door", path.Clean(s.file))
		}
	}
	if len(want) > 0 {
		t.Errorf("these doors are gone: %v", want)
	}
}
