package arch

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestExpressionsAreCompiledWhenTheyAreUsed: an expression of a package
// variable is compiled at every start, whether the run needs it or not. Those
// of text.Lazy are not, so this test compiles them in the product's place.
func TestExpressionsAreCompiledWhenTheyAreUsed(t *testing.T) {
	all := sources(t)
	constants := map[string]map[string]ast.Expr{}
	for _, s := range all {
		dir := s.file[:strings.LastIndex(s.file, "/")]
		if constants[dir] == nil {
			constants[dir] = map[string]ast.Expr{}
		}
		for name, value := range valuesOf(s.ast) {
			constants[dir][name] = value
		}
	}
	lazy := 0
	for _, s := range all {
		known := constants[s.file[:strings.LastIndex(s.file, "/")]]
		for _, call := range atStart(s.ast) {
			switch callee(call) {
			case "regexp.MustCompile":
				// contract stands above text; its few are small.
				if s.pkg != "contract" && s.pkg != "arch" && !testHelper(s.file) {
					t.Errorf("internal/%s compiles %s at every start; use text.Lazy", s.file, short(call))
				}
			case "text.Lazy", "expr.Lazy", "Lazy":
				lazy++
				source, ok := spelled(call.Args[0], known)
				if !ok {
					t.Errorf("internal/%s: the source of %s is no constant that this test can read", s.file, short(call))
				} else if _, err := regexp.Compile(source); err != nil {
					t.Errorf("internal/%s: %v", s.file, err)
				}
			}
		}
	}
	if lazy < 100 {
		t.Errorf("found %d lazy expressions, expected more", lazy)
	}
}

// valuesOf are the constants and variables of a file, by name.
func valuesOf(f *ast.File) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
				for i, name := range v.Names {
					out[name.Name] = v.Values[i]
				}
			}
		}
	}
	return out
}

// atStart are the calls in what package variables begin with, but for those
// inside functions, which run when they are called.
func atStart(f *ast.File) []*ast.CallExpr {
	var out []*ast.CallExpr
	for _, value := range valuesOf(f) {
		ast.Inspect(value, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok {
				out = append(out, call)
			}
			return true
		})
	}
	return out
}

// callee is what a call names: "text.Lazy".
func callee(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok {
			return x.Name + "." + fun.Sel.Name
		}
	}
	return ""
}

// spelled is the value of a string made of literals and constants.
func spelled(e ast.Expr, known map[string]ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, ok := spelled(e.X, known)
		right, ok2 := spelled(e.Y, known)
		return left + right, ok && ok2 && e.Op == token.ADD
	case *ast.ParenExpr:
		return spelled(e.X, known)
	case *ast.Ident:
		value, ok := known[e.Name]
		if !ok {
			return "", false
		}
		return spelled(value, known)
	}
	return "", false
}

// short is the beginning of a call's source, to find it by.
func short(call *ast.CallExpr) string {
	if s, ok := spelled(call.Args[0], nil); ok {
		return strconv.Quote(s[:min(len(s), 40)])
	}
	return "an expression"
}
