package diff

import "fmt"

// ParseStatus reads a status of this package's own words, and GitHub's words
// for the files of a pull request ("removed", "changed", "unchanged"). It
// refuses anything else.
func ParseStatus(s string) (Status, error) {
	switch s {
	case "added":
		return Added, nil
	case "modified", "changed", "unchanged":
		return Modified, nil
	case "deleted", "removed":
		return Deleted, nil
	case "renamed":
		return Renamed, nil
	case "copied":
		return Copied, nil
	case "type_changed":
		return TypeChanged, nil
	}
	return "", fmt.Errorf("%q is no status of a changed file; known are added, modified, changed, unchanged, deleted, removed, renamed, copied, type_changed", s)
}
