package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/runtime/adapt"
)

// inputLine is one input of a step.
var inputLine = regexp.MustCompile(`(?m)^ {10}([a-z-]+): ?(.*)$`)

// TestTheReviewersExamplesSayWhatTheActionTakes: inputs, operations and forms
// in the workflows to copy and in the page are those of the program.
func TestTheReviewersExamplesSayWhatTheActionTakes(t *testing.T) {
	files, err := filepath.Glob("../../examples/reviewers/*.yml")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d workflows, %v", len(files), err)
	}
	for _, file := range files {
		text := read(t, file)
		uses := strings.Count(text, "uses: familiarhq/familiar@v1")
		if asksItself := strings.Contains(text, "runtime: models"); !asksItself && (uses < 2 || !strings.Contains(text, "operation: prepare") || !strings.Contains(text, "operation: publish")) {
			t.Errorf("%s does not go from prepare to publish", file)
		}
		for _, block := range strings.Split(text, "uses: familiarhq/familiar@v1\n        with:\n")[1:] {
			for _, m := range inputLine.FindAllStringSubmatch(untilNextStep(block), -1) {
				if !slices.Contains(inputNames(), m[1]) {
					t.Errorf("%s gives an input %q", file, m[1])
				}
				if _, ok := app.ParseOperation(m[2]); m[1] == "operation" && !ok {
					t.Errorf("%s asks for the operation %q", file, m[2])
				}
				if m[1] == "arguments" {
					first := m[2]
					if strings.HasPrefix(first, "|") {
						_, rest, _ := strings.Cut(block[strings.Index(block, "arguments:"):], "\n")
						first, _, _ = strings.Cut(rest, "\n")
					}
					word := strings.TrimSpace(first)
					if _, ok := adapt.ParseForm(word); !ok && !slices.Contains([]string{"open", "seal", "answer", "clear"}, word) {
						t.Errorf("%s gives the argument %q", file, word)
					}
				}
			}
		}
	}
	page := read(t, "../../docs/reviewers.md")
	for _, form := range adapt.Forms() {
		if !strings.Contains(page, "| `"+form+"` |") {
			t.Errorf("docs/reviewers.md does not say what %s is", form)
		}
	}
	for _, file := range files {
		if !strings.Contains(page, "examples/reviewers/"+filepath.Base(file)) {
			t.Errorf("docs/reviewers.md does not name %s", filepath.Base(file))
		}
	}
}

// untilNextStep is the text of one step, without those after it.
func untilNextStep(block string) string {
	if i := strings.Index(block, "\n      - "); i >= 0 {
		block = block[:i+1]
	}
	return block
}

// TestThePlainListInThePageIsOne: what the page shows is read as it says.
func TestThePlainListInThePageIsOne(t *testing.T) {
	page := read(t, "../../docs/reviewers.md")
	_, after, ok := strings.Cut(page, "### The plain list")
	if !ok {
		t.Fatal("the page lost its section")
	}
	for _, c := range []struct {
		fence string
		n     int
	}{{"```json\n", 1}, {"```markdown\n", 2}} {
		_, block, _ := strings.Cut(after, c.fence)
		block, _, _ = strings.Cut(block, "```")
		out, err := adapt.Read(adapt.Source{Form: adapt.Findings, Data: []byte(block)})
		if err != nil || len(out.Candidates) != c.n || out.Candidates[0].Title != "This wait cannot be cancelled" {
			t.Errorf("%s%s: %+v, %v", c.fence, block, out.Candidates, err)
		}
	}
}
