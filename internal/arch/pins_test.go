package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	usesLine  = regexp.MustCompile(`(?m)^\s*(?:- )?uses: +(.+)$`)
	pinnedUse = regexp.MustCompile(`^([A-Za-z0-9_.-]+/[A-Za-z0-9_./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$`)
)

// TestActionsOfOthersAreNamedByTheirCommit: a tag can be moved, a commit
// cannot, so every action of others in our workflows and in those that people
// copy is named by a commit, with its version behind it; one action is one
// version everywhere. Our own is named by the tag that a release moves, and by
// its branch in this repository.
func TestActionsOfOthersAreNamedByTheirCommit(t *testing.T) {
	var files []string
	for _, pattern := range []string{".github/workflows/*.yml", "examples/*/*.yml"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	others, at := 0, map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range usesLine.FindAllStringSubmatch(string(data), -1) {
			action := strings.TrimSpace(m[1])
			if strings.HasPrefix(action, "./") || strings.HasPrefix(action, "familiarhq/familiar@") {
				continue
			}
			others++
			p := pinnedUse.FindStringSubmatch(action)
			if p == nil {
				t.Errorf("%s uses %q; name the commit and, behind it, the version: uses: owner/name@COMMIT # v1.2.3", file, action)
				continue
			}
			if pin := p[2] + " " + p[3]; at[p[1]] == "" {
				at[p[1]] = pin
			} else if at[p[1]] != pin {
				t.Errorf("%s uses %s at %s, another file at %s", file, p[1], pin, at[p[1]])
			}
		}
	}
	if others < 15 || len(at) < 5 {
		t.Errorf("%d uses of %d actions, expected more", others, len(at))
	}
}
