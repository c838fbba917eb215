package intent

import (
	"strings"
	"testing"
)

func TestAnAnswerInAShellNamesFlagsAndNothingThatTheShellWouldRun(t *testing.T) {
	for _, c := range []struct {
		verb string
		args []string
		opts map[string]string
		want string
	}{
		{"never", []string{"foo"}, nil,
			"write familiar never PATTERN in GLOB, such as familiar never 'time.Sleep(' in '**/*_test.go' (in '**' for every file)"},
		{"prefer", []string{"a", "b"}, nil,
			"write familiar prefer X over Y in GLOB, such as familiar prefer any over 'interface{}' in '**/*.go'; where X or Y has the word over in it, put each in quotes of its own"},
		{"with", []string{"docs/api.md"}, nil,
			"familiar with needs --paths, which says for which files: familiar with docs/api.md --paths 'api/**'"},
		{"with", nil, map[string]string{"paths": "api/**"},
			"write familiar with GLOB --paths GLOB, such as familiar with docs/api.md --paths 'api/**'"},
		{"remember", nil, nil, "familiar remember needs the lesson itself: familiar remember money is rounded half-even"},
		{"forget", nil, nil, "familiar forget needs the id of a lesson, such as m-7f3k2q8a; familiar list shows them"},
		{"approve", nil, nil, "name lessons by id, or all: familiar approve m-7f3k2q8a"},
		{"remember", []string{"a"}, map[string]string{"until": "soon"}, `--until takes a day such as 2027-03-31, not "soon"`},
		{"accept", []string{"F1", "F2"}, nil, "one finding a command: give each a command of its own"},
		{"remember", []string{"a"}, map[string]string{"key": ""}, "--key has no value; it takes a key such as lessons/rounding"},
		{"remember", []string{"a"}, map[string]string{"class": "durable\nstandard"}, "--class was given more than once; it takes one value"},
	} {
		_, err := FromArgs(c.verb, c.args, c.opts)
		if err == nil {
			t.Errorf("%s %v: no error", c.verb, c.args)
			continue
		}
		got := ShellWords(err.Error())
		if got != c.want {
			t.Errorf("%s %v %v:\ngot  %s\nwant %s", c.verb, c.args, c.opts, got, c.want)
		}
		if strings.Contains(got, "`") {
			t.Errorf("a backtick is left in %s", got)
		}
	}
}

func TestWordsThatAreNoOptionStayAsTheyAre(t *testing.T) {
	for give, want := range map[string]string{
		"the key `todo:` is text":   "the key todo: is text",
		"nothing of ours":           "nothing of ours",
		"ask `familiar list`":       "ask familiar list",
		"`again:` and `list`":       "--again and familiar list",
		"use `m-7f3k2q8a` with `x`": "use m-7f3k2q8a with x",
		"use `retire` or `forget`":  "use familiar memory retire or familiar forget",
	} {
		if got := ShellWords(give); got != want {
			t.Errorf("%s: got %q, want %q", give, got, want)
		}
	}
}
