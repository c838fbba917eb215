package health

import (
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// LessonFacts is what the checks of single lessons regard.
type LessonFacts struct {
	Now      time.Time
	Versions []memory.Version // all that the store has; those without text are passed over
	Uses     map[string]int   // document id to how often a review read it, as the store counts
	// Retention are the ages that the sweep goes by.
	Retention memory.Retention
	// Code is the head of the default branch; nil: it was not looked at, so
	// nothing is called stale.
	Code *Code
}

// Code is what is needed of the default branch's files to know whether a
// lesson still speaks of something.
type Code struct {
	Paths []string // of all files; nil: not known, and then only Files counts
	// Files are the contents of the files that lessons cite, by path. A path
	// without an entry that stands in Paths could not be read.
	Files map[string][]byte
}

// CitedPaths returns the paths whose contents Code.Files should have, each
// once, in order.
func CitedPaths(versions []memory.Version) []string {
	seen := map[string]bool{}
	for _, v := range current(versions) {
		for _, c := range v.Citations {
			seen[c.Path] = true
		}
	}
	return sortedKeys(seen)
}

// Lessons returns what is wrong with single lessons and between them:
// contradictions, duplicates, stale citations and paths, those that end soon
// and those that nobody ever used.
func Lessons(f LessonFacts) []Finding {
	live := current(f.Versions)
	var out []Finding
	out = append(out, contradictions(live, f.Code)...)
	out = append(out, duplicates(f.Versions, f.Code, f.Now)...)
	out = append(out, stale(live, f.Code)...)
	out = append(out, expiring(live, f)...)
	out = append(out, revoked(f.Versions)...)
	out = append(out, unused(live, f)...)
	Sort(out)
	return out
}

// current are the versions that a review may read.
func current(versions []memory.Version) []memory.Version {
	var out []memory.Version
	for _, v := range versions {
		if v.State == memory.Active && v.Class != memory.SourceOnly && v.Denied == "" {
			out = append(out, v)
		}
	}
	return out
}
