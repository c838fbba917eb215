package memory

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of globs, so that no list of them makes a review slow.
const (
	MaxGlobs      = 32
	MaxGlobBytes  = 256
	maxGlobBraces = 3 // each group of alternatives multiplies the work
)

// GlobProblem returns what is wrong with a glob of a lesson, rule or
// configuration, "" if nothing. "!" before a glob negates it.
func GlobProblem(glob string) string {
	body := strings.TrimPrefix(glob, "!")
	switch {
	case strings.TrimSpace(body) == "":
		return "it is empty"
	case len(glob) > MaxGlobBytes:
		return "it is longer than 256 bytes"
	case strings.ContainsFunc(body, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "it holds a control character"
	case strings.HasPrefix(body, "!"):
		return "one ! negates it, two say nothing"
	case strings.HasPrefix(body, "/"):
		return "it starts with /; paths are relative to the top of the repository"
	case strings.HasPrefix(body, "./"), strings.HasPrefix(body, "../"), strings.Contains(body, "/../"):
		return "it has a . or .. part; paths are relative to the top of the repository"
	case strings.Count(body, "{") > maxGlobBraces:
		return "it has more than 3 groups of alternatives"
	case !doublestar.ValidatePattern(body):
		return "it is no glob: a bracket, brace or backslash is left open"
	}
	return ""
}

// MatchGlobs says whether path is one of those that the globs mean: at least
// one plain glob matches, or there is none, and no negated one ("!vendor/**")
// does; their order does not matter. "**" spans folders; a glob without a
// slash matches the file's name in any folder; a slash at the end means
// everything below. Case counts. Broken globs match nothing, and a broken
// negated one therefore excludes everything.
func MatchGlobs(globs []string, path string) bool {
	wanted, plain := false, false
	for _, glob := range globs {
		body, negated := strings.CutPrefix(glob, "!")
		if negated {
			if GlobProblem(glob) != "" || matchGlob(body, path) {
				return false
			}
			continue
		}
		plain = true
		wanted = wanted || GlobProblem(glob) == "" && matchGlob(body, path)
	}
	return wanted || !plain
}

// GlobSpecificity returns how closely the globs name path: 0 if they do not
// match it or say nothing of where it lies ("**", none, only negated ones);
// else what the closest glob scores, three for every literal part, two for a
// part that is literal in part. Recall adds a bonus that grows with it (page
// 4.6).
func GlobSpecificity(globs []string, path string) int {
	if !MatchGlobs(globs, path) {
		return 0
	}
	best := 0
	for _, glob := range globs {
		if !strings.HasPrefix(glob, "!") && GlobProblem(glob) == "" && matchGlob(glob, path) {
			best = max(best, specificity(glob))
		}
	}
	return best
}

func matchGlob(glob, path string) bool {
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	if !strings.Contains(glob, "/") && glob != "**" {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return doublestar.MatchUnvalidated(glob, path)
}

func specificity(glob string) int {
	score := 0
	for part := range strings.SplitSeq(glob, "/") {
		switch literal := strings.Trim(part, "*?"); {
		case literal == "":
		case strings.ContainsAny(part, `*?[{\`):
			score += 2
		default:
			score += 3
		}
	}
	return score
}
