package app

import (
	"context"
	"os"
	"path"
	"path/filepath"

	"github.com/familiarhq/familiar/internal/diff"
)

// maxWorkspace bounds what is written for a reviewer to read, in bytes.
const maxWorkspace = 64 << 20

// writeWorkspace lays the changed files, as they stand at the head, into a
// folder for a reviewer: it may look at them whole, and whatever it does to
// them is done to copies. A file that is missing, too large, or whose name
// cannot be one here is left out; the change itself is in diff.patch.
func writeWorkspace(ctx context.Context, dir string, files []diff.File, read func(ctx context.Context, path string) ([]byte, bool)) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // a handle on a folder
	total := 0
	for _, f := range files {
		if f.Status == diff.Deleted || f.Submodule || !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			continue
		}
		data, ok := read(ctx, f.Path)
		if !ok || total+len(data) > maxWorkspace {
			continue
		}
		total += len(data)
		// os.Root keeps every name inside the folder. A name that the system
		// does not take is the file's own loss, not the review's.
		if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
			continue
		}
		_ = root.WriteFile(f.Path, data, 0o644)
	}
	return ctx.Err()
}
