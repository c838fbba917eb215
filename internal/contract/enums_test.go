package contract

import (
	"strings"
	"testing"
)

// set is one closed set as the tests see it.
type set struct {
	want  []string
	parse func(string) (string, bool)
	known func(string) bool
}

func setOf[T interface {
	~string
	Closed
}](parse func(string) (T, bool), want ...string) set {
	return set{want, func(s string) (string, bool) { v, ok := parse(s); return string(v), ok }, func(s string) bool { return T(s).Known() }}
}

func sets() map[string]set {
	return map[string]set{
		"trust scope":     setOf(ParseTrustScope, "maintainer", "collaborator", "external", "fork_pr", "scheduled"),
		"memory scope":    setOf(ParseMemoryScope, "repo", "tenant_shared", "familiar_global"),
		"severity":        setOf(ParseSeverity, "info", "low", "medium", "high", "critical"),
		"approval":        setOf(ParseApproval, "pending", "applied", "auto"),
		"status":          setOf(ParseStatus, "success", "failure", "partial", "needs_input"),
		"exit reason":     setOf(ParseExitReason, "test_failure", "ambiguous_spec", "git_conflict", "infra_error"),
		"review mode":     setOf(ParseReviewMode, "none", "pull_request", "review_comment"),
		"evidence status": setOf(ParseEvidenceStatus, "not_applicable", "complete", "partial", "missing"),
		"test status":     setOf(ParseTestStatus, "passed", "failed", "not_run", "unknown"),
		"decline reason":  setOf(ParseDeclineReason, "pii", "secret", "out_of_scope", "low_confidence"),
		"brief trigger":   setOf(ParseBriefTrigger, "issue_assigned", "pr_review_comment", "issue_mention"),
		"task kind":       setOf(ParseTaskKind, "fix_issue", "address_review_comment", "respond_to_mention"),
		"review context":  setOf(ParseReviewContextKind, "pull_request"),
		"policy shape":    setOf(ParsePolicyShape, "nested", "flat"),
	}
}

func TestClosedSetsParseTheirMembersAndNothingElse(t *testing.T) {
	for name, set := range sets() {
		t.Run(name, func(t *testing.T) {
			for _, word := range set.want {
				if got, ok := set.parse(word); !ok || got != word {
					t.Errorf("%q parses to %q, %v", word, got, ok)
				}
				if !set.known(word) {
					t.Errorf("%q is not known", word)
				}
				for _, other := range []string{strings.ToUpper(word), " " + word, word + "\n", word + "s"} {
					if got, ok := set.parse(other); ok || got != "" {
						t.Errorf("%q parses to %q, %v", other, got, ok)
					}
				}
			}
			for _, other := range []string{"", "zebra", "null"} {
				if got, ok := set.parse(other); ok || got != "" || set.known(other) {
					t.Errorf("%q parses to %q, %v", other, got, ok)
				}
			}
		})
	}
}

func TestSeveritiesAreOrdered(t *testing.T) {
	for i, word := range []Severity{"zebra", SeverityInfo, SeverityLow, SeverityMedium, SeverityHigh, SeverityCritical} {
		if got := word.Rank(); got != i {
			t.Errorf("rank of %q is %d, want %d", word, got, i)
		}
	}
	for _, c := range []struct {
		v, least Severity
		want     bool
	}{
		{SeverityHigh, SeverityHigh, true},
		{SeverityCritical, SeverityInfo, true},
		{SeverityInfo, SeverityLow, false},
		{"", SeverityInfo, false},
		{"zebra", SeverityInfo, false},
		{SeverityCritical, "", false},
		{"", "", false},
	} {
		if got := c.v.AtLeast(c.least); got != c.want {
			t.Errorf("%q at least %q is %v", c.v, c.least, got)
		}
	}
}
