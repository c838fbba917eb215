package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
)

func TestWorkspaceHoldsTheChangedFilesAndNothingOutside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "workspace")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files := []diff.File{
		{Path: "a/b.txt", Status: diff.Modified}, {Path: "gone.txt", Status: diff.Deleted}, {Path: "sub", Status: diff.Modified, Submodule: true},
		{Path: "../outside.txt", Status: diff.Added}, {Path: "/etc/outside", Status: diff.Added}, {Path: "large.bin", Status: diff.Added},
	}
	read := func(_ context.Context, path string) ([]byte, bool) {
		return []byte("at the head: " + path), path != "large.bin"
	}
	if err := writeWorkspace(t.Context(), dir, files, read); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(filepath.Dir(dir), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			got = append(got, rel)
		}
		return err
	})
	if err != nil || len(got) != 1 || got[0] != "a/b.txt" {
		t.Fatalf("files %q, %v", got, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a/b.txt")); err != nil || string(data) != "at the head: a/b.txt" {
		t.Errorf("%q, %v", data, err)
	}
}
