package diff

import (
	"strings"
	"testing"
)

func TestAttributesSayWhichFilesAreGenerated(t *testing.T) {
	const file = `
# a comment that says linguist-generated
*.lock.json linguist-generated
/api/*.ts linguist-generated=true
docs/** text linguist-generated -diff
docs/hand.md -linguist-generated
docs/other.md linguist-generated=false
docs/back.md !linguist-generated
"with space/*.go" linguist-generated
gen/ linguist-generated
!not.go linguist-generated
a{b,c}.go linguist-generated
[broken linguist-generated
*.vendored linguist-vendored
`
	a := ParseAttributes([]byte(file))
	for _, c := range []struct {
		path            string
		generated, said bool
	}{
		{"x.lock.json", true, true},
		{"deep/er/x.lock.json", true, true},
		{"api/client.ts", true, true},
		{"other/api/client.ts", false, false},
		{"api/sub/client.ts", false, false},
		{"docs/a/b.md", true, true},
		{"docs/hand.md", false, true},
		{"docs/other.md", false, true},
		{"docs/back.md", false, false},
		{"with space/x.go", true, true},
		{"gen/x.go", false, false},
		{"not.go", false, false},
		{"ab.go", false, false},
		{"a{b,c}.go", true, true},
		{"x.vendored", false, false},
	} {
		if generated, said := a.Generated(c.path); generated != c.generated || said != c.said {
			t.Errorf("%s: generated %v, said %v; want %v, %v", c.path, generated, said, c.generated, c.said)
		}
	}
}

func TestAttributesOutrankThePatterns(t *testing.T) {
	a := ParseAttributes([]byte("go.sum -linguist-generated\nhand.go linguist-generated\n"))
	for path, want := range map[string]bool{
		"go.sum": false, "hand.go": true, "sub/package-lock.json": true, "x/api.pb.go": true, "web/app.min.js": true,
		"a/__generated__/q.ts": true, "pkg/zz_generated.deepcopy.go": true, "main.go": false, "generate.go": false, "sum.go": false,
	} {
		if got := Generated(path, a); got != want {
			t.Errorf("%s: generated %v, want %v", path, got, want)
		}
	}
}

func TestAttributesAreBounded(t *testing.T) {
	many := ParseAttributes([]byte(strings.Repeat("*.x linguist-generated\n", 10_000)))
	if len(many.rules) != maxAttributeRules {
		t.Errorf("%d rules are kept, want %d", len(many.rules), maxAttributeRules)
	}
	long := ParseAttributes([]byte(strings.Repeat("x", maxAttributeGlob+1) + " linguist-generated\n"))
	if len(long.rules) != 0 {
		t.Error("a pattern beyond the bound is kept")
	}
	late := ParseAttributes([]byte(strings.Repeat("#", maxAttributesBytes) + "\n*.x linguist-generated\n"))
	if len(late.rules) != 0 {
		t.Error("a line beyond the bound is read")
	}
}
