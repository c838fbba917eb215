package rules

import (
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/text"
)

var focusedTest = BuiltIn{
	ID: "builtin/focused-test", Title: "Only this test runs", Severity: contract.SeverityHigh,
	About:  "Tests marked so that the framework runs them and silently leaves out all others: `.only`, `fdescribe`, `fit`, `focus: true`, `FIt`.",
	Leaves: "Everything outside test files, comments, functions that merely have such a name.",
	Bad:    Example{Path: "src/cart.test.ts", Added: "  it.only('adds up', () => {"},
	Good:   Example{Path: "src/cart.test.ts", Added: "  it('adds up only once', () => {"},
	advice: "Remove the focus, so that the whole suite runs.",
	find: func(v *view, emit func(hit)) {
		v.matchTests(focusPatterns, emit, "The test framework now leaves out every other test of the suite.")
	},
}

// A focus or a skip counts at the start of a statement, with what makes it a
// call that declares a test behind it.
var focusPatterns = map[language]*text.Regexp{
	javascript: text.Lazy("^(?:(?:(?:describe|it|test|context|suite|specify|QUnit|bench)(?:\\.(?:concurrent|sequential|serial|parallel|describe|each|runIf|failing))*\\.only(?:\\.each)?\\s*[(`])" +
		"|(?:fdescribe|fit|fcontext|ddescribe|iit)\\s*\\(\\s*['\"`])"),
	ruby: text.Lazy(`^(?:(?:RSpec\.)?(?:fdescribe|fit|fcontext|fspecify|fexample|focus)\s*\(?\s*['"]` +
		`|(?:RSpec\.)?(?:describe|it|context|specify|example|feature|scenario)\b.*,\s*(?:focus:\s*true|:focus(?:\s*=>\s*true)?)\s*(?:,|do\b|\)|\{))`),
	golang: text.Lazy("^(?:var _ = )?(?:ginkgo\\.)?(?:FDescribe|FDescribeTable|FIt|FContext|FWhen|FSpecify|FEntry)\\(\\s*[\"`]"),
	php:    text.Lazy(`^(?:it|test|describe)\(['"].*\)->only\(\)`),
	elixir: text.Lazy(`^@(?:tag|moduletag|describetag) (?::focus|focus: true)\s*$`),
	swift:  text.Lazy(`^(?:fdescribe|fit|fcontext)\("`),
}

// matchTests runs one pattern a language over the new lines of test files. A
// line that replaces one of its kind, such as a skip that gets a reason, makes
// nothing new.
func (v *view) matchTests(patterns map[language]*text.Regexp, emit func(hit), body string) {
	for _, f := range v.code() {
		pattern := patterns[f.language]
		if pattern == nil || !f.test {
			continue
		}
		replaced := 0
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == diff.Delete && pattern.MatchString(strings.TrimSpace(l.Text)) {
					replaced++
				}
			}
		}
		v.fresh(f, func(l diff.Line, trimmed string) {
			if !pattern.MatchString(trimmed) {
				return
			}
			if replaced--; replaced < 0 {
				emit(at(f, l, body))
			}
		})
	}
}
