package rules

import (
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/text"
)

var skippedTest = BuiltIn{
	ID: "builtin/skipped-test", Title: "Test is skipped", Severity: contract.SeverityInfo,
	About:  "Tests that a change switches off without a condition: `.skip`, `xit`, `@pytest.mark.skip`, `#[ignore]`, `@Disabled`, a `t.Skip` as the first statement.",
	Leaves: "Skips under a condition (platform, version, short runs), pending examples without a body, moved lines.",
	Bad:    Example{Path: "tests/test_cart.py", Added: "@pytest.mark.skip(reason=\"flaky\")\ndef test_total():"},
	Good:   Example{Path: "tests/test_cart.py", Added: "@pytest.mark.skipif(sys.platform == \"win32\", reason=\"no fork\")\ndef test_total():"},
	advice: "Say in the change why it is skipped and what brings it back.",
	find: func(v *view, emit func(hit)) {
		const body = "The change makes the test framework pass over this test."
		v.matchTests(skipPatterns, emit, body)
		v.goSkips(emit, body)
	},
}

var skipPatterns = map[language]*text.Regexp{
	javascript: text.Lazy("^(?:(?:describe|it|test|context|suite|specify)(?:\\.(?:concurrent|sequential|each|describe))*\\.skip\\s*\\(\\s*['\"`]|(?:xdescribe|xit|xcontext|xtest)\\s*\\(\\s*['\"`])"),
	python:     text.Lazy(`^@(?:pytest\.mark\.skip|unittest\.skip|skip)(?:\(|\s*$)`),
	ruby:       text.Lazy(`^(?:xdescribe|xit|xcontext|xspecify|xexample)\s*\(?\s*['"]`),
	rust:       text.Lazy(`^#\[ignore(?:\s*=\s*".*")?\]`),
	java:       text.Lazy(`^@(?:Disabled|Ignore)(?:\(|\s*$)`),
	php:        text.Lazy(`^(?:it|test)\(['"].*\)->skip\(\)`),
}

var goTestFunc = text.Lazy(`^func Test\w*\(\w+ \*testing\.T\) \{$`)

// goSkips finds a skip that is the first statement of a test; elsewhere it
// stands under a condition.
func (v *view) goSkips(emit func(hit), body string) {
	for _, f := range v.code() {
		if f.language != golang || !f.test {
			continue
		}
		for _, h := range f.Hunks {
			before := ""
			for _, l := range h.Lines {
				if l.Op == diff.Delete {
					continue
				}
				trimmed := strings.TrimSpace(l.Text)
				call := strings.HasPrefix(trimmed, "t.Skip(") || trimmed == "t.SkipNow()" || strings.HasPrefix(trimmed, "t.Skipf(")
				if l.Op == diff.Add && call && goTestFunc.MatchString(before) && v.moved[trimmed] == 0 {
					emit(at(f, l, body))
				}
				before = l.Text
			}
		}
	}
}
