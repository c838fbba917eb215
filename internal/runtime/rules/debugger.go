package rules

import (
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/text"
)

var debuggerLeftover = BuiltIn{
	ID: "builtin/debugger", Title: "Debugger call left in", Severity: contract.SeverityMedium,
	About:  "Statements that stop a program and wait for a person, or dump values while one is debugging: `debugger;`, `breakpoint()`, `pdb.set_trace()`, `binding.pry`, `byebug`, `dbg!`, `dd($x)`, `spew.Dump`, `IEx.pry`.",
	Leaves: "Prints and logs of any kind, prose, comments, files that are about debugging by their path.",
	Bad:    Example{Path: "app/views.py", Added: "    import pdb; pdb.set_trace()"},
	Good:   Example{Path: "app/views.py", Added: "    hint = \"call breakpoint() to look around\""},
	advice: "Remove the statement.",
	find:   findDebuggers,
}

var debuggerPatterns = map[language]*text.Regexp{
	javascript: text.Lazy(`^debugger;?$`),
	python:     text.Lazy(`^(?:import (?:pdb|ipdb|pudb);\s*)?(?:(?:pdb|ipdb|pudb)\.set_trace\(.*\)|breakpoint\(\))\s*(?:#.*)?$`),
	ruby:       text.Lazy(`^(?:require ['"](?:pry|byebug|debug)['"];\s*)?(?:binding\.(?:pry|irb|break|remote_pry)|byebug|debugger)\s*(?:#.*|(?:if|unless) .*)?$`),
	rust:       text.Lazy(`^(?:let \w+ = )?dbg!\(`),
	php:        text.Lazy(`^(?:dd|ddd|var_dump)\(\$.*\);$`),
	golang:     text.Lazy(`^(?:runtime\.Breakpoint\(\)|spew\.Dump\(.*\))$`),
	elixir:     text.Lazy(`^(?:require IEx;\s*)?IEx\.pry(?:\(\))?$`),
}

func findDebuggers(v *view, emit func(hit)) {
	for _, f := range v.code() {
		pattern := debuggerPatterns[f.language]
		if pattern == nil || f.example() || aboutDebugging(f.Path) || f.language == php && f.test {
			continue
		}
		v.fresh(f, func(l diff.Line, trimmed string) {
			if pattern.MatchString(trimmed) {
				emit(at(f, l, "This is a statement for a debugging session, not for the program."))
			}
		})
	}
}

// aboutDebugging tells files that deal with debuggers for a living.
func aboutDebugging(name string) bool {
	lower := strings.ToLower(name)
	for _, word := range []string{"debug", "pdb", "pry", "breakpoint", "dbg", "inspector"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
