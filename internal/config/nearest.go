package config

import "strings"

// Nearest returns the known name that is most like a wrong one, or "" where
// none is near. Case and the choice between dash and underscore cost nothing.
func Nearest(wrong string, known []string) string {
	const longest = 64 // nothing longer is a slip of the fingers
	if len(wrong) > longest {
		return ""
	}
	w := foldName(wrong)
	best, bestDistance := "", len(w)
	for _, k := range known {
		d := distance(w, foldName(k))
		if d < bestDistance || (d == bestDistance && best != "" && k < best) {
			best, bestDistance = k, d
		}
	}
	if bestDistance > max(1, len(w)/3) {
		return ""
	}
	return best
}

func foldName(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}

// distance counts insertions, deletions, replacements and swaps of two
// neighbouring bytes.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
