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

// CheckKinds returns the closed set of kinds.
func CheckKinds() []CheckKind { return []CheckKind{CheckNever, CheckPrefer, CheckWith} }

// ParseCheckKind returns the kind that s names exactly.
func ParseCheckKind(s string) (CheckKind, error) {
	return parseMember("kind of check", s, ReasonCheckInvalid, CheckKinds())
}

// Limits of a check (page 7.2).
const (
	MaxPatternBytes  = 512
	MaxBecauseBytes  = 500
	MaxExamples      = 16
	MaxExampleBytes  = 2000
	MaxProgramSize   = 1000 // instructions of a compiled regular expression
	MaxMatchLineSize = 4096 // bytes of a line that a check looks at
)

// CheckField names the part of a check that a problem is about, in the words
// of the command and of rules.toml.
type CheckField string

// The closed set of fields.
const (
	FieldKind     CheckField = "kind"
	FieldPattern  CheckField = "pattern"
	FieldPrefer   CheckField = "prefer"
	FieldIn       CheckField = "in"
	FieldWith     CheckField = "with"
	FieldSeverity CheckField = "severity"
	FieldBecause  CheckField = "because"
	FieldBad      CheckField = "bad"
	FieldGood     CheckField = "good"
)

// CheckProblem says why a check was not accepted: the field, the value (cut)
// and a sentence without a full stop that says how to mend it.
type CheckProblem struct {
	Field  CheckField
	Value  string
	Detail string
}
