package trust

import (
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
)

// explained is how many reasons a line carries before it counts the rest.
const explained = 3

// Explain says a verdict in one line for people, without Markdown and without
// a full stop, such as "trust is fork_pr: the head repository ...". Logins in
// it are untrusted and not escaped.
func Explain(v Verdict) string {
	scope := v.Scope
	if !scope.Known() {
		scope = contract.TrustExternal
	}
	if len(v.Reasons) == 0 {
		return fmt.Sprintf("trust is %s: nothing was derived", scope)
	}
	texts := make([]string, 0, explained+1)
	for _, r := range v.Reasons[:min(len(v.Reasons), explained)] {
		texts = append(texts, r.Text)
	}
	line := fmt.Sprintf("trust is %s: %s", scope, strings.Join(texts, "; "))
	if rest := len(v.Reasons) - explained; rest > 0 {
		line += fmt.Sprintf("; and %d more", rest)
	}
	return line
}
