package rules

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated part of docs/rules.md")

const (
	docsFile = "../../../docs/rules.md"
	begin    = "<!-- begin: generated from the rules, see table_test.go -->\n"
	end      = "<!-- end: generated -->\n"
)

func TestTheDocumentedRulesAreTheOnesThatRun(t *testing.T) {
	raw, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	current, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("docs/rules.md has lost its marks %q and %q", begin, end)
	}
	want := "\n" + Table()
	if *update {
		if err := os.WriteFile(docsFile, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if current != want {
		t.Error("docs/rules.md is out of date; run: go test ./internal/runtime/rules -run Documented -update")
	}
	if strings.Contains(string(raw), token) || strings.ContainsAny(string(raw), "\u202e\u2066\u2069") {
		t.Error("docs/rules.md holds a secret or a hidden character of an example")
	}
}
