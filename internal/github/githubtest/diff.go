package githubtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// File is one changed file as the files route lists it. Patch begins with its
// first hunk header and is empty for binary files and pure renames.
type File struct {
	Path, Previous       string
	Status               string // added, removed, modified, renamed
	SHA                  string
	Additions, Deletions int
	Patch                string

	binary bool
}

// diffTrees lists what changed between two trees, sorted by path. A removed
// and an added file of which at least half the lines are equal are one rename.
func diffTrees(base, head map[string]string) []File {
	var files []File
	var added, removed []string
	for _, p := range slices.Sorted(maps.Keys(head)) {
		before, existed := base[p]
		switch {
		case !existed:
			added = append(added, p)
		case before != head[p]:
			files = append(files, diffFile(p, p, "modified", before, head[p]))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(base)) {
		if _, stays := head[p]; !stays {
			removed = append(removed, p)
		}
	}
	for _, p := range added {
		if i := slices.IndexFunc(removed, func(old string) bool { return alike(base[old], head[p]) }); i >= 0 {
			files = append(files, diffFile(removed[i], p, "renamed", base[removed[i]], head[p]))
			removed = slices.Delete(removed, i, i+1)
			continue
		}
		files = append(files, diffFile(p, p, "added", "", head[p]))
	}
	for _, p := range removed {
		files = append(files, diffFile(p, p, "removed", base[p], ""))
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

func alike(a, b string) bool {
	if a == b {
		return a != ""
	}
	count := map[string]int{}
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for _, l := range la {
		count[l]++
	}
	same := 0
	for _, l := range lb {
		if count[l] > 0 {
			count[l]--
			same++
		}
	}
	return len(a) > 0 && len(b) > 0 && same*2 > max(len(la), len(lb))
}

func diffFile(from, to, status, before, after string) File {
	f := File{Path: to, Status: status, SHA: blobSHA(after)}
	if from != to {
		f.Previous = from
	}
	if status == "removed" {
		f.SHA = blobSHA(before)
	}
	before, after = strings.TrimPrefix(before, linkMark), strings.TrimPrefix(after, linkMark)
	if f.binary = binary(before) || binary(after); f.binary {
		return f
	}
	f.Patch, f.Additions, f.Deletions = patch(before, after)
	return f
}

func binary(s string) bool {
	return strings.ContainsRune(s[:min(len(s), 8000)], 0) || !utf8.ValidString(s)
}

// Unified is the whole diff with git's file headers, as the diff media type
// gives it.
func Unified(files []File) string {
	var b strings.Builder
	for _, f := range files {
		old := f.Path
		if f.Previous != "" {
			old = f.Previous
		}
		fmt.Fprintf(&b, "diff --git a/%s b/%s\n", old, f.Path)
		from, to := "a/"+old, "b/"+f.Path
		switch f.Status {
		case "added":
			b.WriteString("new file mode 100644\n")
			from = "/dev/null"
		case "removed":
			b.WriteString("deleted file mode 100644\n")
			to = "/dev/null"
		case "renamed":
			fmt.Fprintf(&b, "similarity index 90%%\nrename from %s\nrename to %s\n", old, f.Path)
		}
		if f.binary {
			fmt.Fprintf(&b, "index 0000000..%s\nBinary files %s and %s differ\n", f.SHA[:7], from, to)
			continue
		}
		if f.Patch == "" {
			continue
		}
		fmt.Fprintf(&b, "index 0000000..%s 100644\n--- %s\n+++ %s\n%s\n", f.SHA[:7], from, to, f.Patch)
	}
	return b.String()
}
