package runtime

import (
	"fmt"
	"os"
	"path/filepath"
)

// LayHandover writes read-only files into a folder, which must be empty, as
// WriteHandover does: 0444 in a 0755 folder.
func LayHandover(dir string, files map[string][]byte) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the folder for the brief cannot be read: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("the folder for the brief is not empty: %s holds %s; name an empty one", dir, entries[0].Name())
	}
	for name, data := range files {
		if err := LayFile(dir, name, data); err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o755)
}

// LayFile writes one read-only file that was not there.
func LayFile(dir, name string, data []byte) error {
	if err := writeReadOnly(filepath.Join(dir, name), data); err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

// ReadCarried reads a file that another step or job left, at most max bytes,
// without following a link.
func ReadCarried(path string, max int64) ([]byte, error) { return readNoFollow(path, max) }
