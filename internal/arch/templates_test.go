package arch

import (
	"slices"
	"strings"
	"testing"
)

// templated are the packages that execute text/template or html/template.
// A program in which that can happen calls methods by name, so the linker
// keeps every exported method of every type in it: seven megabytes here, of
// the 24 that a binary may have (internal/cli/usage.go).
var templated = []string{"text/template", "html/template", "github.com/spf13/cobra/doc", "expvar", "net/http/pprof"}

// templateCalls are the functions of cobra through which a template is
// executed after all.
var templateCalls = []string{".SetUsageTemplate", ".SetHelpTemplate", ".SetVersionTemplate", ".UsageTemplate", ".HelpTemplate", ".VersionTemplate", ".MethodByName"}

func TestNothingOfOursExecutesATemplate(t *testing.T) {
	for _, s := range sources(t) {
		for _, p := range imports(s.ast) {
			if slices.Contains(templated, p) {
				t.Errorf("internal/%s imports %s: write the text out, with one escaping door", s.file, p)
			}
		}
		_, names := uses(s.ast)
		for _, n := range names {
			if slices.Contains(templateCalls, n) {
				t.Errorf("internal/%s calls %s: the linker then keeps every method of every type", s.file, strings.TrimPrefix(n, "."))
			}
		}
	}
}
