package render

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

// TestWordingOfAComment: what a tired reader stumbled over in real comments.
func TestWordingOfAComment(t *testing.T) {
	long := "none of the containers opens (the newest, 1005: unknown key), so nothing is read or saved. Check that `memory-key` is the key that sealed them"
	for _, c := range []struct {
		name       string
		status     func(*Status)
		says, not  []string
		onlyOnceOf string
	}{
		{"an answer on an issue says nothing of a memory that it did not read", func(m *Status) {
			*m = Status{Repo: repo, Number: 3, Outcome: review.CommandsApplied, Trust: m.Trust, Answers: []Answer{{Command: "/familiar remember x", Done: true, Text: "Remembered."}}}
		}, []string{"**1 command done**", "<summary>Details: trust maintainer</summary>"}, []string{"memory off", "Memory: off"}, ""},
		{"a command that was refused is not done", func(m *Status) {
			m.Outcome, m.Answers = review.CommandsApplied, []Answer{{Command: "/familiar remember x", Text: "No."}}
		}, []string{"**1 command not done**"}, []string{"0 of 1"}, ""},
		{"several that were refused are none", func(m *Status) {
			m.Outcome, m.Answers = review.CommandsApplied, []Answer{{Command: "/familiar forget a"}, {Command: "/familiar forget b"}}
		}, []string{"**2 commands not done**"}, nil, ""},
		{"some were done", func(m *Status) {
			m.Outcome, m.Answers = review.CommandsApplied, []Answer{{Command: "/familiar forget a", Done: true}, {Command: "/familiar forget b"}}
		}, []string{"**1 of 2 commands done**"}, nil, ""},
		{"a command is shown by its first line", func(m *Status) {
			m.Answers = []Answer{{Command: "/familiar never `x(` in **\nbecause: it is slow", Done: true, Text: "Remembered."}}
		}, []string{"- ``/familiar never `x(` in **`` **done:** Remembered."}, []string{"because: it is slow"}, ""},
		{"a short detail stands in the headline", func(m *Status) { m.Outcome, m.Detail = review.Failed, "the reviewer gave up" },
			[]string{"`4f2a91c03b`: the reviewer gave up · [run]"}, nil, ""},
		{"a long one stands on a line of its own, and once", func(m *Status) {
			m.Outcome, m.Detail, m.MemoryOff = review.MemoryUnavailable, long, long
			m.Policy, m.PolicyReasons = contract.MemoryPolicy{TrustScope: contract.TrustMaintainer}, nil
		}, []string{"**Reviewed without memory: no findings** in 12 files at `4f2a91c03b` · [run]", "\n\nNone of the containers opens", "sealed them.\n", "- Memory: off, as said above\n"}, nil, "one of the containers"},
		{"a warning is a sentence", func(m *Status) { m.Notes = []string{"the configuration is broken", "Really?", "It is."} },
			[]string{"\nthe configuration is broken.\n", "\nReally?\n", "\nIt is.\n"}, []string{"is..", "?."}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := base()
			c.status(&m)
			got := StatusComment(m).String()
			for _, want := range c.says {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing", want)
				}
			}
			for _, not := range c.not {
				if strings.Contains(got, not) {
					t.Errorf("%q should not be said", not)
				}
			}
			if c.onlyOnceOf != "" && strings.Count(got, c.onlyOnceOf) != 1 {
				t.Errorf("%q is said %d times", c.onlyOnceOf, strings.Count(got, c.onlyOnceOf))
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}

// TestListInACommentNamesCommandsOfAComment: what it says to type works there.
func TestListInACommentNamesCommandsOfAComment(t *testing.T) {
	for _, c := range []struct {
		name, handle string
		lessons      []memory.Version
		want         string
	}{
		{"in a terminal", "", []memory.Version{rounding()}, "`familiar show m-7f3k2q8a`"},
		{"in a comment", "robin", []memory.Version{rounding()}, "`/robin show m-7f3k2q8a`"},
		{"an empty one in a comment", "robin", nil, "`/robin remember TEXT`"},
	} {
		if got := LessonList(c.lessons, TerminalOptions{Handle: c.handle}); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q is missing in %q", c.name, c.want, got)
		}
	}
}

// TestOneLine: trust and memory for a terminal, and nothing where nothing was
// decided.
func TestOneLine(t *testing.T) {
	m := base()
	if got, want := TrustLine(m), "maintainer (`ada` may write to this repository)"; got != want {
		t.Errorf("trust %q, want %q", got, want)
	}
	if got := MemoryLine(m); !strings.HasPrefix(got, "reads repo lessons; may propose repo lessons, with approval") {
		t.Errorf("memory %q", got)
	}
	if TrustLine(Status{})+MemoryLine(Status{}) != "" {
		t.Errorf("nothing was decided, but it says %q and %q", TrustLine(Status{}), MemoryLine(Status{}))
	}
}
