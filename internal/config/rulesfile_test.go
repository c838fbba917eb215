package config

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

const rulesToml = ".github/familiar/rules.toml"

func TestTheThreeFormsOfARule(t *testing.T) {
	got, diagnostics := ParseRules(rulesToml, []byte(`
[[rule]]
id = "no-sleep"
never = "time.Sleep("
in = ["**/*_test.go", "!slow/**"]
severity = "high"
because = "flaky"
bad = "  time.Sleep(1)"
good = ["clock.Sleep(1)"]

[[rule]]
id = "equal"
prefer = "assertEqual"
over = '''assertEquals\b'''
regex = true

[[rule]]
id = "docs"
paths = ["api/**"]
with = "docs/**"
bad = ["api/a.go"]
good = ["api/a.go docs/a.md"]
`))
	if len(diagnostics) > 0 {
		t.Fatal(diagnostics)
	}
	want := []Rule{
		{ID: "no-sleep", Line: 2, Check: memory.Check{Kind: memory.CheckNever, Pattern: "time.Sleep(", In: []string{"**/*_test.go", "!slow/**"},
			Severity: contract.SeverityHigh, Because: "flaky", Bad: []string{"  time.Sleep(1)"}, Good: []string{"clock.Sleep(1)"}}},
		{ID: "equal", Line: 11, Check: memory.Check{Kind: memory.CheckPrefer, Prefer: "assertEqual", Pattern: `assertEquals\b`, Regex: true}},
		{ID: "docs", Line: 17, Check: memory.Check{Kind: memory.CheckWith, In: []string{"api/**"}, With: []string{"docs/**"},
			Bad: []string{"api/a.go"}, Good: []string{"api/a.go docs/a.md"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestABrokenRuleCostsThatRuleOnly(t *testing.T) {
	const good = "[[rule]]\nid = \"good\"\nnever = \"x\"\n"
	for _, c := range []struct{ name, rule, want string }{
		{"a misspelt key", "id = \"a\"\nnever = \"x\"\nserverity = \"low\"", `7:1: error: unknown key "serverity"; did you mean severity?`},
		{"a key like nothing", "id = \"a\"\nnever = \"x\"\nqqqq = 1", `7:1: error: unknown key "qqqq"; known: id, never, prefer, over, paths, with, in, regex, severity, because, bad, good`},
		{"no id", "never = \"x\"", `4:1: error: the rule has no id; give it one, such as id = "no-sleep"`},
		{"an id that is none", "id = \"No Sleep\"\nnever = \"x\"", `5:1: error: "No Sleep" is no id of a rule; use lower-case letters, digits, dots, dashes and underscores, at most 64`},
		{"an id that is taken", "id = \"good\"\nnever = \"y\"", `5:1: error: the id "good" is taken by the rule in line 1; give it another id`},
		{"no form", "id = \"a\"", `4:1: error: a rule has exactly one of never, prefer with over, paths with with; give it never = "...", or prefer and over, or paths and with`},
		{"two forms", "id = \"a\"\nnever = \"x\"\nprefer = \"y\"\nover = \"x\"", `4:1: error: a rule has exactly one of never, prefer with over, paths with with; give it never = "...", or prefer and over, or paths and with`},
		{"half a form", "id = \"a\"\nprefer = \"y\"", `6:1: error: prefer needs over beside it; add over`},
		{"in beside paths", "id = \"a\"\npaths = \"a\"\nwith = \"b\"\nin = \"c\"", `8:1: error: a rule with paths takes no in; put its globs into paths`},
		{"a wrong type", "id = \"a\"\nnever = 3", `6:1: error: never takes a string, not the number 3; write never = "..."`},
		{"a wrong severity", "id = \"a\"\nnever = \"x\"\nseverity = \"hihg\"", `7:1: error: severity does not know "hihg"; did you mean "high"?`},
		{"a broken pattern", "id = \"a\"\nnever = \"(\"\nregex = true", "6:1: error: rule \"a\" is left out: pattern \"(\": it is no RE2 regular expression: missing closing ): `(`"},
		{"a bad example that is not found", "id = \"a\"\nnever = \"x\"\nbad = \"y\"", `7:1: error: rule "a" is left out: bad "y": the rule does not find it, although it is an example of what is wrong`},
		{"a good example that is found", "id = \"a\"\nprefer = \"z\"\nover = \"x\"\ngood = \"x\"", `8:1: error: rule "a" is left out: good "x": the rule finds it, although it is an example of what is right`},
		{"a broken glob", "id = \"a\"\npaths = \"a[\"\nwith = \"b\"", `6:1: error: rule "a" is left out: in "a[": it is no glob: a bracket, brace or backslash is left open`},
		{"broken notation", "id = \"a\nnever = \"x\"", `5:8: error: this rule is left out: not valid TOML: strings cannot contain newlines; see https://toml.io for the notation`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, diagnostics := ParseRules(rulesToml, []byte(good+"[[rule]]\n"+c.rule+"\n[[rule]]\nid = \"last\"\nnever = \"z\"\n"))
			var ids []string
			for _, r := range got {
				ids = append(ids, r.ID)
			}
			if strings.Join(ids, " ") != "good last" {
				t.Errorf("rules = %v, want good and last", ids)
			}
			if want := 6 + strings.Count(c.rule, "\n"); got[len(got)-1].Line != want {
				t.Errorf("the last rule is said to stand in line %d, want %d", got[len(got)-1].Line, want)
			}
			if len(diagnostics) != 1 || diagnostics[0].String() != rulesToml+":"+c.want {
				t.Errorf("got  %v\nwant %s:%s", diagnostics, rulesToml, c.want)
			}
		})
	}
}

func TestARulesFileHoldsNothingButRules(t *testing.T) {
	got, diagnostics := ParseRules(rulesToml, []byte("[rules]\nid = \"a\"\n[[rule]]\nid = \"b\"\nnever = \"x\"\n"))
	if len(got) != 1 || len(diagnostics) != 1 || diagnostics[0].String() != rulesToml+`:1:1: error: unknown table or key "rules"; a rules file holds [[rule]] tables only; write [[rule]] before each rule` {
		t.Errorf("%v, %v", got, diagnostics)
	}
	got, diagnostics = ParseRules(rulesToml, []byte("[rule]\nid = \"a\"\nnever = \"x\"\n"))
	if len(got) != 0 || len(diagnostics) != 1 || diagnostics[0].Message != "rule is no array of tables" {
		t.Errorf("%v, %v", got, diagnostics)
	}
	got, diagnostics = ParseRules(rulesToml, []byte("not toml"))
	if len(got) != 0 || len(diagnostics) != 1 || diagnostics[0].Line != 1 {
		t.Errorf("%v, %v", got, diagnostics)
	}
	if got, diagnostics = ParseRules(rulesToml, nil); len(got) != 0 || len(diagnostics) != 0 {
		t.Errorf("an empty file: %v, %v", got, diagnostics)
	}
}

func TestRulesAreBoundedInNumber(t *testing.T) {
	var b strings.Builder
	for i := range MaxRules + 3 {
		b.WriteString("[[rule]]\nid = \"r" + strconv.Itoa(i) + "\"\nnever = \"x\"\n")
	}
	got, diagnostics := ParseRules(rulesToml, []byte(b.String()))
	if len(got) != MaxRules || len(diagnostics) != 1 || diagnostics[0].Message != "only the first 500 rules are read" || diagnostics[0].Line != 3*MaxRules+1 {
		t.Errorf("%d rules, %v", len(got), diagnostics)
	}
}

func FuzzParseRules(f *testing.F) {
	for _, seed := range []string{
		"[[rule]]\nid='a'\nnever='x'\n", "[[rule]]\nid='a\n[[rule]]\nid='b'\nnever='x'", "rule = [{id='a', never='x'}]",
		"[[rule]]\nid='a'\nnever='''\n[[rule]]\n'''\n", "[[rule.x]]\n[[rule]]", "[[rule]]\nid='a'\npaths='a/**'\nwith='b'\nbad='a/x'",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, diagnostics := ParseRules(rulesToml, data)
		seen := map[string]bool{}
		for _, r := range rules {
			if _, problem := memory.CompileCheck(r.Check); problem != nil || seen[r.ID] || r.Line < 1 {
				t.Fatalf("rule %+v: %v", r, problem)
			}
			seen[r.ID] = true
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, d := range diagnostics {
			if d.Line < 0 || d.Line > lines || strings.ContainsAny(d.String(), "\n\r\x00") {
				t.Fatalf("diagnostic %q in a file of %d lines", d.String(), lines)
			}
		}
	})
}
