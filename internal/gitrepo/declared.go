package gitrepo

import (
	"context"
	"os"
	"path/filepath"

	"github.com/familiarhq/familiar/internal/diff"
)

// Bounds of the second look at files that git calls binary.
const (
	maxDeclared     = 200     // files
	maxDeclaredSize = 1 << 20 // bytes of one
)

// declared looks again at the files that git calls binary although they hold
// text: an attribute says so, and a change must not hide behind one (attack
// A114). content reads a file as it is after the change; again asks for the
// difference of some paths with everything taken for text. What is binary
// indeed, or beyond the bounds, stays as it is, and is named as not reviewed.
func declared(files []diff.File, content func(path string) ([]byte, bool), again func(paths []string) ([]diff.File, error)) error {
	at := map[string]int{}
	var paths []string
	for i, f := range files {
		if !f.Binary || f.Submodule || f.Status == diff.Deleted || len(at) == maxDeclared {
			continue
		}
		if data, ok := content(f.Path); !ok || diff.IsBinary(data) {
			continue
		}
		at[f.Path] = i
		paths = append(paths, f.Path)
		if f.OldPath != "" && f.OldPath != f.Path {
			paths = append(paths, f.OldPath)
		}
	}
	if len(at) == 0 {
		return nil
	}
	shown, err := again(paths)
	if err != nil {
		return err
	}
	for _, f := range shown {
		if i, ok := at[f.Path]; ok && !f.Binary {
			files[i] = f
		}
	}
	return nil
}

// asText are the options of a difference in which no attribute makes a file
// binary.
var asText = append([]string{"--text"}, diffOptions...)

// literal names exactly these paths, whatever stands in them.
func literal(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = ":(top,literal)" + p
	}
	return out
}

// hasOwnAttributes says whether the clone has attributes beside those of its
// trees. Those of trees do not count where only objects are looked at.
func (r *Repo) hasOwnAttributes() bool {
	_, err := os.Lstat(filepath.Join(r.commonDir, "info", "attributes"))
	return err == nil
}

// treesAsText is trees for some paths, taken for text.
func (r *Repo) treesAsText(ctx context.Context, before, after string, paths []string) ([]diff.File, error) {
	args := append([]string{"diff-tree", "-r"}, asText...)
	files, _, err := r.difference(ctx, objects, append(append(args, before, after, "--"), literal(paths)...))
	return files, err
}
