package memory

import (
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/redact"
)

// Error returns one sentence that names the field, the value and the fault.
func (p *CheckProblem) Error() string {
	if p.Value == "" {
		return string(p.Field) + ": " + p.Detail
	}
	return string(p.Field) + " " + strconv.Quote(p.Value) + ": " + p.Detail
}

func checkProblem(field CheckField, value, detail string) *CheckProblem {
	return &CheckProblem{Field: field, Value: redact.Cut(value, 80), Detail: detail}
}

// Text returns the check as one sentence for people, which is also the text
// of a lesson taught as a check: "never X in G", "prefer X over Y in G",
// "touching P needs W as well".
func (c Check) Text() string {
	var b strings.Builder
	switch c.Kind {
	case CheckNever:
		b.WriteString("never ")
		b.WriteString(c.patternText())
	case CheckPrefer:
		b.WriteString("prefer " + c.Prefer + " over " + c.patternText())
	case CheckWith:
		b.WriteString("touching " + listOr(c.In, "anything") + " needs " + strings.Join(c.With, " or ") + " as well")
	}
	if c.Kind != CheckWith && len(c.In) > 0 {
		b.WriteString(" in " + strings.Join(c.In, ", "))
	}
	if c.Because != "" {
		b.WriteString(", because " + c.Because)
	}
	return b.String()
}

func (c Check) patternText() string {
	if c.Regex {
		return "regex " + c.Pattern
	}
	return c.Pattern
}

func listOr(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}
