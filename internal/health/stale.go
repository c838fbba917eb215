package health

import (
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/memory"
)

// stale finds lessons that speak of something that the default branch does
// not have any more: a cited file or snippet, or files for their globs.
func stale(live []memory.Version, code *Code) []Finding {
	if code == nil {
		return nil
	}
	var out []Finding
	for _, v := range live {
		if message, reason := staleCitation(v, *code); message != "" {
			out = append(out, Finding{
				Check: CheckStale, Severity: Note, Field: v.DocumentID, Lessons: []string{v.DocumentID}, Message: message, Reason: reason,
				Fix: fmt.Sprintf("If it still holds, say so with keep %s; else edit or retire it.", v.DocumentID),
			})
			continue
		}
		if globs := idleGlobs(v, *code); globs != nil {
			out = append(out, Finding{
				Check: CheckStale, Severity: Note, Field: v.DocumentID, Lessons: []string{v.DocumentID},
				Message: fmt.Sprintf("%s is for %s, and the default branch has no such file.", v.DocumentID, and(each(globs, quoted))),
				Reason:  "It is found by its words alone now, or by nothing.",
				Fix:     fmt.Sprintf("Say where it belongs with edit and paths:, or retire %s.", v.DocumentID),
			})
		}
	}
	return out
}

// staleCitation says which citation of a lesson is gone, "" for none. A
// snippet that moved within its file is not gone.
func staleCitation(v memory.Version, code Code) (message, reason string) {
	for _, c := range v.Citations {
		content, read := code.Files[c.Path]
		switch {
		case !read && code.Paths != nil && slices.Contains(code.Paths, c.Path):
			continue // there, and could not be read: nothing is known
		case !read && code.Paths == nil:
			continue
		case !read:
			return fmt.Sprintf("%s cites %s, which the default branch does not have.", v.DocumentID, quoted(c.Path)),
				"The code that it was learned from is gone or was renamed."
		case !c.Stands(content):
			return fmt.Sprintf("%s cites lines %d to %d of %s, and they read differently now.", v.DocumentID, c.StartLine, c.EndLine, quoted(c.Path)),
				"The code that it was learned from was changed."
		}
	}
	return "", ""
}

// idleGlobs are the globs of a lesson if no file of the default branch is
// meant by them.
func idleGlobs(v memory.Version, code Code) []string {
	globs := v.Paths
	if v.Check != nil {
		globs = v.Check.In
	}
	if code.Paths == nil || len(globs) == 0 {
		return nil
	}
	for _, p := range code.Paths {
		if memory.MatchGlobs(globs, p) {
			return nil
		}
	}
	return globs
}
