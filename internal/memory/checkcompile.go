package memory

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/contract"
)

// CompiledCheck is a check that was found sound and can be run. Only
// CompileCheck makes one; the zero value applies to nothing.
type CompiledCheck struct {
	check   Check
	pattern *regexp.Regexp // nil for a literal
}

// CompileCheck is the one door through which a check comes to be run, whether
// it is built in, from rules.toml or taught (page 7.2): pattern and globs are
// sound and bounded, every bad example matches and no good one does. It is
// called again whenever a check is loaded.
func CompileCheck(c Check) (*CompiledCheck, *CheckProblem) {
	if problem := checkShape(c); problem != nil {
		return nil, problem
	}
	compiled := &CompiledCheck{check: c}
	if c.Regex {
		pattern, problem := compilePattern(c.Pattern)
		if problem != nil {
			return nil, problem
		}
		compiled.pattern = pattern
	}
	if problem := compiled.tryExamples(); problem != nil {
		return nil, problem
	}
	return compiled, nil
}

func checkShape(c Check) *CheckProblem {
	if c.Severity != "" && c.Severity.Rank() == 0 {
		return checkProblem(FieldSeverity, string(c.Severity), "it is one of info, low, medium, high, critical")
	}
	if len(c.Because) > MaxBecauseBytes || strings.ContainsAny(c.Because, "\r\n") {
		return checkProblem(FieldBecause, c.Because, "it is one line of at most 500 bytes")
	}
	if problem := checkGlobs(FieldIn, c.In); problem != nil {
		return problem
	}
	if problem := checkGlobs(FieldWith, c.With); problem != nil {
		return problem
	}
	switch c.Kind {
	case CheckNever, CheckPrefer:
		return checkPatternShape(c)
	case CheckWith:
		return checkWithShape(c)
	}
	return checkProblem(FieldKind, string(c.Kind), "it is one of never, prefer, with")
}

func checkPatternShape(c Check) *CheckProblem {
	if problem := oneLine(FieldPattern, c.Pattern); problem != nil {
		return problem
	}
	if len(c.With) > 0 {
		return checkProblem(FieldWith, c.With[0], "only a rule without a pattern takes it")
	}
	if c.Kind == CheckNever {
		if c.Prefer != "" {
			return checkProblem(FieldPrefer, c.Prefer, "never takes no replacement; use prefer X over Y")
		}
		return nil
	}
	if problem := oneLine(FieldPrefer, c.Prefer); problem != nil {
		return problem
	}
	if c.Prefer == c.Pattern {
		return checkProblem(FieldPrefer, c.Prefer, "it is the very pattern that it should replace")
	}
	return nil
}

func checkWithShape(c Check) *CheckProblem {
	switch {
	case c.Pattern != "" || c.Prefer != "" || c.Regex:
		return checkProblem(FieldPattern, c.Pattern, "a rule with companions looks at paths alone and takes no pattern")
	case len(c.In) == 0:
		return checkProblem(FieldIn, "", "name the paths whose change needs a companion")
	case len(c.With) == 0:
		return checkProblem(FieldWith, "", "name the paths of which one must change too")
	}
	return nil
}

func oneLine(field CheckField, s string) *CheckProblem {
	switch {
	case strings.TrimSpace(s) == "":
		return checkProblem(field, s, "it is empty")
	case len(s) > MaxPatternBytes:
		return checkProblem(field, s, "it is longer than 512 bytes")
	case !utf8.ValidString(s) || strings.ContainsAny(s, "\r\n\x00"):
		return checkProblem(field, s, "it is one line of valid UTF-8; added lines are matched one by one")
	}
	return nil
}

func checkGlobs(field CheckField, globs []string) *CheckProblem {
	if len(globs) > MaxGlobs {
		return checkProblem(field, "", "it has more than 32 globs")
	}
	for _, glob := range globs {
		if detail := GlobProblem(glob); detail != "" {
			return checkProblem(field, glob, detail)
		}
	}
	return nil
}

// compilePattern bounds a regular expression before it is compiled: RE2 runs
// in linear time, but a counted repetition multiplies the program, and with
// it the time of every line (attack A99).
func compilePattern(s string) (*regexp.Regexp, *CheckProblem) {
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return nil, checkProblem(FieldPattern, s, "it is no RE2 regular expression: "+parseFault(err))
	}
	if programSize(tree) > MaxProgramSize {
		return nil, checkProblem(FieldPattern, s, "its counted repetitions make it too costly; use + or * or smaller counts")
	}
	pattern, err := regexp.Compile(s)
	if err != nil {
		return nil, checkProblem(FieldPattern, s, "it is no RE2 regular expression: "+parseFault(err))
	}
	if pattern.MatchString("") {
		return nil, checkProblem(FieldPattern, s, "it matches an empty line, and so every line")
	}
	return pattern, nil
}

func parseFault(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// programSize estimates how many instructions an expression compiles to. It
// stops counting at twice the limit, so that nested counts cannot overflow.
func programSize(re *syntax.Regexp) int {
	size := 1
	if re.Op == syntax.OpLiteral {
		size = len(re.Rune)
	}
	for _, sub := range re.Sub {
		size = min(size+programSize(sub), 2*MaxProgramSize)
	}
	if re.Op == syntax.OpRepeat {
		size = min(size*max(re.Max, re.Min+1, 1), 2*MaxProgramSize)
	}
	return size
}

func (c *CompiledCheck) tryExamples() *CheckProblem {
	for _, set := range []struct {
		field    CheckField
		examples []string
		want     bool
		detail   string
	}{
		{FieldBad, c.check.Bad, true, "the rule does not find it, although it is an example of what is wrong"},
		{FieldGood, c.check.Good, false, "the rule finds it, although it is an example of what is right"},
	} {
		if len(set.examples) > MaxExamples {
			return checkProblem(set.field, "", "there are more than "+strconv.Itoa(MaxExamples)+" examples")
		}
		for _, example := range set.examples {
			if strings.TrimSpace(example) == "" || len(example) > MaxExampleBytes {
				return checkProblem(set.field, example, "an example has between 1 and 2000 bytes")
			}
			if c.finds(example) != set.want {
				return checkProblem(set.field, example, set.detail)
			}
		}
	}
	return nil
}

// finds says whether the check would make a finding of an example: any line
// of it for a pattern; for companions, its words are the touched paths.
func (c *CompiledCheck) finds(example string) bool {
	if c.check.Kind == CheckWith {
		_, missing := c.TouchedWithout(strings.FieldsFunc(example, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' }))
		return missing
	}
	for line := range strings.SplitSeq(example, "\n") {
		if _, _, ok := c.MatchLine(line); ok {
			return true
		}
	}
	return false
}

// Check returns the check as it was compiled.
func (c *CompiledCheck) Check() Check { return c.check }

// Severity returns how grave a finding of this check is: what the check says,
// else medium for never and low for the other kinds.
func (c *CompiledCheck) Severity() contract.Severity {
	switch {
	case c.check.Severity != "":
		return c.check.Severity
	case c.check.Kind == CheckNever:
		return contract.SeverityMedium
	}
	return contract.SeverityLow
}
