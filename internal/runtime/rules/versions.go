package rules

import (
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// plainVersion is a requirement of Cargo without an operator: a caret range.
var plainVersion = text.Lazy(`^\d+(?:\.\d+){0,2}$`)

// caret says whether a version is in the caret range of a requirement: not
// older, and equal up to the first part that is not zero.
func caret(requirement, version string) bool {
	want, got := numbers(requirement), numbers(version)
	for i, n := range want {
		if got[i] < n {
			return false
		}
		if got[i] > n {
			return caretFree(want, i)
		}
	}
	return true
}

// caretFree says whether part i may be larger: a part before it is not zero.
func caretFree(want [3]int, i int) bool {
	for _, n := range want[:i] {
		if n != 0 {
			return true
		}
	}
	return false
}

// numbers reads up to three numbers; build and pre-release words are dropped.
func numbers(version string) (out [3]int) {
	version, _, _ = strings.Cut(version, "+")
	version, _, _ = strings.Cut(version, "-")
	for i, part := range strings.SplitN(version, ".", 3) {
		out[i], _ = strconv.Atoi(part)
	}
	return out
}
