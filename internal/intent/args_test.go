package intent

import (
	"reflect"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

func TestArgumentsGiveTheSameIntentsAsComments(t *testing.T) {
	for _, c := range []struct {
		name string
		verb string
		args []string
		opts map[string]string
		want Intent
	}{
		{"words", "remember", []string{"money", "is rounded"}, map[string]string{"paths": "billing/**"},
			Intent{Verb: VerbRemember, Text: "money is rounded", Raw: "remember money is rounded", Argument: "money is rounded",
				Options: LessonOptions{Paths: []string{"billing/**"}}}},
		{"a pattern as the shell gave it", "never", []string{`"a in b"`, "in", "**/*.go", "!vendor/**"}, nil,
			Intent{Verb: VerbNever, Raw: `never "a in b" in **/*.go !vendor/**`, Argument: `"a in b" in **/*.go !vendor/**`,
				Check: &memory.Check{Kind: memory.CheckNever, Pattern: `"a in b"`, In: []string{"**/*.go", "!vendor/**"}}}},
		{"a comma between braces is the glob's own", "never", []string{"x", "in", "src/{api,web}/**,docs/**"}, nil,
			Intent{Verb: VerbNever, Raw: "never x in src/{api,web}/**,docs/**", Argument: "x in src/{api,web}/**,docs/**",
				Check: &memory.Check{Kind: memory.CheckNever, Pattern: "x", In: []string{"src/{api,web}/**", "docs/**"}}}},
		{"a brace that is left open ends with its word", "never", []string{"x", "in", "src/{a,b !c,d"}, nil,
			Intent{Verb: VerbNever, Raw: "never x in src/{a,b !c,d", Argument: "x in src/{a,b !c,d",
				Check: &memory.Check{Kind: memory.CheckNever, Pattern: "x", In: []string{"src/{a,b", "!c", "d"}}}},
		{"a pattern in backticks", "never", []string{"`x`", "in", "docs"}, map[string]string{"bad": "x\n`y`", "severity": "low"},
			Intent{Verb: VerbNever, Raw: "never `x` in docs", Argument: "`x` in docs",
				Check: &memory.Check{Kind: memory.CheckNever, Pattern: "x", In: []string{"docs"}, Bad: []string{"x", "y"}, Severity: contract.SeverityLow}}},
		{"everything in one argument", "never", []string{"a b in *.go"}, nil,
			Intent{Verb: VerbNever, Raw: "never a b in *.go", Argument: "a b in *.go",
				Check: &memory.Check{Kind: memory.CheckNever, Pattern: "a b", In: []string{"*.go"}}}},
		{"a preference", "prefer", []string{"errors.Is(", "over", "err ==", "in", "**/*.go"}, nil,
			Intent{Verb: VerbPrefer, Raw: "prefer errors.Is( over err == in **/*.go", Argument: "errors.Is( over err == in **/*.go",
				Check: &memory.Check{Kind: memory.CheckPrefer, Prefer: "errors.Is(", Pattern: "err ==", In: []string{"**/*.go"}}}},
		{"ids", "Forget", []string{"m-7f3k2q8a", "m-2xw9d4hc"}, nil,
			Intent{Verb: VerbForget, IDs: []string{"m-7f3k2q8a", "m-2xw9d4hc"}, Raw: "Forget m-7f3k2q8a m-2xw9d4hc", Argument: "m-7f3k2q8a m-2xw9d4hc"}},
		{"nothing", "list", nil, nil, Intent{Verb: VerbList, Raw: "list"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want.Check != nil {
				c.want.Text = c.want.Check.Text()
			}
			got, err := FromArgs(c.verb, c.args, c.opts)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v %+v %v\nwant %+v %+v", got, got.Check, err, c.want, c.want.Check)
			}
		})
	}
}

func TestArgumentsThatAreWrongAreAnError(t *testing.T) {
	for _, c := range []struct {
		verb string
		args []string
		opts map[string]string
		want string
	}{
		{"forgte", nil, nil, "`forgte` is no command of mine. Did you mean `forget`? `familiar help` lists all of them."},
		{"forget", []string{"it"}, nil, "\"it\" is no id of a lesson, which looks like `m-7f3k2q8a`; `list` finds them"},
		{"remember", []string{"a"}, map[string]string{"path": "x"}, "`path:` is no line of `remember`; did you mean `paths:`?"},
		{"remember", []string{"a"}, map[string]string{"colour": "x"}, "`remember` does not take `colour`; it takes `key:`, `paths:`, `about:`, `class:`, `until:`, `again:`, `with:`, `severity:`, `because:`"},
		{"forget", []string{"m-7f3k2q8a"}, map[string]string{"zzz": "x"}, "`forget` does not take `zzz`; it takes no such lines"},
		{"remember", []string{"a"}, map[string]string{"key": ""}, "the line `key:` has no value; it takes a key such as `lessons/rounding`"},
		{"keep", []string{"m-7f3k2q8a"}, map[string]string{"class": "durable\nstandard"}, "the line `class:` stands there more than once; it takes one value"},
		{"unknown", nil, nil, "`unknown` is no command of mine. `familiar help` lists all of them."},
		{"", nil, nil, "`` is no command of mine. `familiar help` lists all of them."},
	} {
		got, err := FromArgs(c.verb, c.args, c.opts)
		if err == nil || err.Error() != c.want || got.Problem != c.want {
			t.Errorf("%s %v: got %v and the problem %q\nwant %q", c.verb, c.args, err, got.Problem, c.want)
		}
		if got.IDs != nil || got.Text != "" || got.Check != nil {
			t.Errorf("%s: something is left to act on: %+v", c.verb, got)
		}
	}
}
