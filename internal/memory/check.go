package memory

import "github.com/familiarhq/familiar/internal/contract"

// CheckKind is the form of a checkable lesson (page 7.2).
type CheckKind string

// The closed set of check kinds.
const (
	CheckNever  CheckKind = "never"  // PATTERN must not be added in GLOBS
	CheckPrefer CheckKind = "prefer" // X over Y: adding Y is a finding that suggests X
	CheckWith   CheckKind = "with"   // touching GLOBS needs touching With as well
)

// Check is the checkable part of a lesson. All three sources of rules (built
// in, rules.toml, remembered) use this one form.
type Check struct {
	Kind     CheckKind
	Pattern  string   // what must not be added: of never, and Y of prefer
	Prefer   string   // X of prefer
	In       []string // globs with negation ("!vendor/**"); none: everywhere
	With     []string // of CheckWith: globs of which one must be touched too
	Regex    bool     // Pattern is RE2; otherwise literal
	Severity contract.Severity
	Because  string
	Bad      []string // examples that must match
	Good     []string // examples that must not match
}
