package file

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Names are the names of the regular files of a folder that end in suffix, the
// latest written first, then by name. A folder that is not there has none;
// links are not followed.
func Names(dir, suffix string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	written := map[string]time.Time{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue // gone meanwhile, or nothing that a home opens
		}
		names = append(names, e.Name())
		written[e.Name()] = info.ModTime()
	}
	slices.SortStableFunc(names, func(a, b string) int { return written[b].Compare(written[a]) })
	return names, nil
}
