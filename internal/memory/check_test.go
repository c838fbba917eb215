package memory

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
)

func never(pattern string, in ...string) Check {
	return Check{Kind: CheckNever, Pattern: pattern, In: in}
}

func mustCompile(t testing.TB, c Check) *CompiledCheck {
	t.Helper()
	compiled, problem := CompileCheck(c)
	if problem != nil {
		t.Fatal(problem)
	}
	return compiled
}

func TestALiteralIsFoundAtTheEdgesOfWords(t *testing.T) {
	for _, tc := range []struct {
		about, pattern, line, want string // want "": no match
	}{
		{"as a word", "print", "  print(x)", "print"},
		{"not inside a longer word", "print", "sprint(x)", ""},
		{"not before more of a word", "print", "printer(x)", ""},
		{"not beside an underscore", "print", "my_print(x)", ""},
		{"after a dot", "Sleep", "time.Sleep(d)", "Sleep"},
		{"the second place, where the first is inside a word", "print", "sprint(print)", "print"},
		{"a sign at the edge needs no edge of a word", "print(", "x=print(1)", "print("},
		{"a sign at the edge, the other edge still counts", "print(", "sprint(1)", ""},
		{"signs alone", "==", "a==b", "=="},
		{"letters outside ASCII are letters", "maß", "maßband", ""},
		{"dots are dots", "a.b", "axb", ""},
		{"case counts", "TODO", "todo", ""},
		{"at the end of the line", "panic", "don't panic", "panic"},
		{"nothing on an empty line", "print", "", ""},
		{"an overlapping start inside a word", "aa", "aaa aa", "aa"},
	} {
		start, end, ok := mustCompile(t, never(tc.pattern)).MatchLine(tc.line)
		if ok != (tc.want != "") || ok && tc.line[start:end] != tc.want {
			t.Errorf("%s: %q in %q: %d-%d %v", tc.about, tc.pattern, tc.line, start, end, ok)
		}
	}
	start, _, _ := mustCompile(t, never("print")).MatchLine("sprint(print)")
	if start != 7 {
		t.Errorf("found at %d", start)
	}
}

func TestARegularExpressionSaysItselfWhereWordsEnd(t *testing.T) {
	c := mustCompile(t, Check{Kind: CheckNever, Pattern: `fmt\.Print(ln|f)?\(`, Regex: true})
	start, end, ok := c.MatchLine(`	fmt.Println("x")`)
	if !ok || start != 1 || end != 13 {
		t.Errorf("%d-%d %v", start, end, ok)
	}
	if _, _, ok := c.MatchLine("log.Print(x)"); ok {
		t.Error("matched another call")
	}
	optional := mustCompile(t, Check{Kind: CheckNever, Pattern: `x+y*`, Regex: true})
	if _, _, ok := optional.MatchLine("yyy"); ok {
		t.Error("matched nothing at all")
	}
}

func TestPreferSuggestsTheReplacement(t *testing.T) {
	for _, tc := range []struct {
		about          string
		c              Check
		line, replaced string // replaced "": no match and no change
	}{
		{"a literal", Check{Kind: CheckPrefer, Pattern: "ioutil.ReadAll", Prefer: "io.ReadAll"}, "b, _ := ioutil.ReadAll(r)", "b, _ := io.ReadAll(r)"},
		{"every place", Check{Kind: CheckPrefer, Pattern: "foo", Prefer: "bar"}, "foo(foo, food)", "bar(bar, food)"},
		{"not what already is preferred", Check{Kind: CheckPrefer, Pattern: "print", Prefer: "logger.print"}, "logger.print(x)", ""},
		{"only what is not preferred yet", Check{Kind: CheckPrefer, Pattern: "print", Prefer: "logger.print"}, "logger.print(x); print(y)", "logger.print(x); logger.print(y)"},
		{"a shorter preferred form does not hide the longer one", Check{Kind: CheckPrefer, Pattern: "old.name", Prefer: "old"}, "old.name", "old"},
		{"a regular expression", Check{Kind: CheckPrefer, Pattern: `assertEquals\((\w+), (\w+)\)`, Prefer: "assertThat($1).isEqualTo($2)", Regex: true},
			"assertEquals(a, b)", "assertThat(a).isEqualTo(b)"},
		{"a regular expression that the preferred form fits too", Check{Kind: CheckPrefer, Pattern: `log\.\w+`, Prefer: "log.Info", Regex: true}, "log.Info(x)", ""},
		{"nothing to replace", Check{Kind: CheckPrefer, Pattern: "foo", Prefer: "bar"}, "baz", ""},
		{"brackets that stay open on both sides", Check{Kind: CheckPrefer, Pattern: "http.Get(", Prefer: "client.Get("}, "r := http.Get(u)", "r := client.Get(u)"},
		{"an argument more", Check{Kind: CheckPrefer, Pattern: "http.NewRequest(", Prefer: "http.NewRequestWithContext(ctx, "}, "http.NewRequest(m)", "http.NewRequestWithContext(ctx, m)"},
		{"a whole type", Check{Kind: CheckPrefer, Pattern: "interface{}", Prefer: "any"}, "map[string]interface{}{}", "map[string]any{}"},
		{"an operator for an operator", Check{Kind: CheckPrefer, Pattern: "==", Prefer: "==="}, "if (a == b)", "if (a === b)"},
		{"a word that is an operator", Check{Kind: CheckPrefer, Pattern: "== None", Prefer: "is None"}, "if x == None:", "if x is None:"},
		{"a word between spaces that is an operator", Check{Kind: CheckPrefer, Pattern: "x == None", Prefer: "x is None"}, "if x == None:", "if x is None:"},
		{"a keyword that goes on", Check{Kind: CheckPrefer, Pattern: "var x", Prefer: "let x"}, "var x = 1", "let x = 1"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			c := mustCompile(t, tc.c)
			got, changed := c.Replace(tc.line)
			_, _, matched := c.MatchLine(tc.line)
			want := tc.replaced
			if want == "" {
				want = tc.line
			}
			if got != want || changed != (tc.replaced != "") || matched != changed {
				t.Errorf("%q -> %q, changed %v, matched %v", tc.line, got, changed, matched)
			}
		})
	}
	if got, changed := mustCompile(t, never("foo")).Replace("foo"); changed || got != "foo" {
		t.Errorf("never suggests %q", got)
	}
}

// A line that was put together from halves of two expressions does not
// compile, and a button on GitHub would commit it.
func TestNoReplacementIsSuggestedWhereTheTwoFormsAreNotOfOneShape(t *testing.T) {
	for _, tc := range []struct {
		about, over, prefer, line string
		regex                     bool
	}{
		{"a bracket that only one opens", "err ==", "errors.Is(", "if err == io.EOF {", false},
		{"a bracket that only one closes", "== nil)", "is null", "if (x == nil) {", false},
		{"brackets of two kinds", "new(", "make[", "new(int)", false},
		{"a closer before an opener", "f()", ")(", "f()", false},
		{"a quote that only one has", "\"a", "a", "x := \"a b\"", false},
		{"a backtick that only one has", "`a", "a", "x := `a`", false},
		{"an operator at one end", "err ==", "errors.Is", "if err == io.EOF {", false},
		{"an operator at one beginning", "== nil", "nil", "x == nil", false},
		{"a comma at one end", "a,", "b", "f(a, c)", false},
		{"a semicolon at one end", "foo()", "bar();", "foo();", false},
		{"an operator at the top of one alone", "isEmpty(x)", "len(x) == 0", "if !isEmpty(x) {", false},
		{"a word that is an operator at the top of one alone", "both(a, b)", "a and b", "if not both(a, b):", false},
		{"a word that is an operator at one end", "x ==", "x", "x == y", false},
		{"a group that takes half of a bracket along", "assertEquals\\((\\w+), (.*)", "assert $1 == $2", "assertEquals(a, b)", true},
		{"one place of two that is not of the shape", "log\\.\\w+\\(?", "slog.Info(", "log.Print(log.Prefix)", true},
	} {
		t.Run(tc.about, func(t *testing.T) {
			c := mustCompile(t, Check{Kind: CheckPrefer, Pattern: tc.over, Prefer: tc.prefer, Regex: tc.regex})
			if _, _, ok := c.MatchLine(tc.line); !ok {
				t.Fatalf("%q is not found in %q", tc.over, tc.line)
			}
			if got, changed := c.Replace(tc.line); changed || got != tc.line {
				t.Errorf("%q -> %q", tc.line, got)
			}
		})
	}
}

func TestALongLineIsLookedAtUpToItsBound(t *testing.T) {
	c := mustCompile(t, Check{Kind: CheckPrefer, Pattern: "foo", Prefer: "bar"})
	pad := strings.Repeat("é ", MaxMatchLineSize/3)
	if _, _, ok := c.MatchLine(pad[:MaxMatchLineSize-6] + " foo "); !ok {
		t.Error("not found before the bound")
	}
	long := pad + pad + " foo"
	if _, _, ok := c.MatchLine(long); ok {
		t.Error("found beyond the bound")
	}
	if got, changed := c.Replace(long); changed || got != long {
		t.Error("a line beyond the bound was rewritten")
	}
	// The offsets are those of the line, also where a byte is no UTF-8.
	broken := "\xff\xfe foo" + strings.Repeat(" x", MaxMatchLineSize)
	if start, end, ok := c.MatchLine(broken); !ok || broken[start:end] != "foo" {
		t.Errorf("%d-%d %v", start, end, ok)
	}
}

func TestACheckAppliesToTheFilesThatItsGlobsMean(t *testing.T) {
	for _, tc := range []struct {
		about string
		globs []string
		path  string
		want  bool
	}{
		{"none: everywhere", nil, "a/b.go", true},
		{"a folder", []string{"services/**"}, "services/pay/main.go", true},
		{"another folder", []string{"services/**"}, "libs/pay/main.go", false},
		{"everything", []string{"**"}, "a/b/c.go", true},
		{"a name without a slash, in any folder", []string{"*.go"}, "a/b/c.go", true},
		{"a name without a slash, another name", []string{"*.go"}, "a/b/c.py", false},
		{"a folder with a slash at its end", []string{"vendor/"}, "vendor/x/y.go", true},
		{"one of two", []string{"*.py", "*.go"}, "c.go", true},
		{"negated", []string{"**", "!vendor/**"}, "vendor/x.go", false},
		{"negated first, order does not matter", []string{"!vendor/**", "**"}, "vendor/x.go", false},
		{"negated alone: everywhere else", []string{"!vendor/**"}, "src/x.go", true},
		{"negated alone, there", []string{"!vendor/**"}, "vendor/x.go", false},
		{"alternatives", []string{"src/**/*.{ts,tsx}"}, "src/a/b.tsx", true},
		{"a class", []string{"v[0-9]/x"}, "v1/x", true},
		{"case counts", []string{"Docs/**"}, "docs/x", false},
		{"a broken glob matches nothing", []string{"src/[a"}, "src/a", false},
		{"a broken negated glob excludes everything", []string{"**", "!src/[a"}, "lib/a", false},
	} {
		if got := MatchGlobs(tc.globs, tc.path); got != tc.want {
			t.Errorf("%s: %v on %q: %v", tc.about, tc.globs, tc.path, got)
		}
		if GlobsOK(tc.globs) && mustCompile(t, never("x", tc.globs...)).AppliesTo(tc.path) != tc.want {
			t.Errorf("%s: the check says otherwise", tc.about)
		}
	}
	if (&CompiledCheck{}).AppliesTo("a") {
		t.Error("the zero check applies to something")
	}
	if _, _, ok := (&CompiledCheck{}).MatchLine("a"); ok {
		t.Error("the zero check matches something")
	}
	if mustCompile(t, never("x")).AppliesTo("") {
		t.Error("a check applies to no path")
	}
}

// GlobsOK says whether all globs are sound.
func GlobsOK(globs []string) bool {
	for _, glob := range globs {
		if GlobProblem(glob) != "" {
			return false
		}
	}
	return true
}

func TestSpecificityGrowsWithWhatAGlobSaysOfThePlace(t *testing.T) {
	path := "services/pay/api/main.go"
	order := [][]string{{"**"}, {"*.go"}, {"services/**"}, {"services/**/*.go"}, {"services/pay/**"}, {"services/pay/**/*.go"}, {"services/pay/api/main.go"}}
	for i := 1; i < len(order); i++ {
		less, more := GlobSpecificity(order[i-1], path), GlobSpecificity(order[i], path)
		if less >= more {
			t.Errorf("%v scores %d, %v scores %d", order[i-1], less, order[i], more)
		}
	}
	for about, globs := range map[string][]string{
		"none": nil, "everything": {"**"}, "only a negated one": {"!vendor/**"}, "no match": {"libs/**"}, "excluded": {"services/**", "!**/api/**"},
	} {
		if got := GlobSpecificity(globs, path); got != 0 {
			t.Errorf("%s: %d", about, got)
		}
	}
	if GlobSpecificity([]string{"**", "services/pay/**"}, path) != GlobSpecificity([]string{"services/pay/**"}, path) {
		t.Error("not the closest glob counts")
	}
}

func TestTouchingAPathMayNeedACompanion(t *testing.T) {
	c := mustCompile(t, Check{Kind: CheckWith, In: []string{"**/*.proto", "!third_party/**"}, With: []string{"gen/**", "docs/api.md"},
		Bad: []string{"api/a.proto", "api/a.proto, api/b.go"}, Good: []string{"api/a.proto gen/a.pb.go", "api/b.go"}})
	for _, tc := range []struct {
		about   string
		paths   []string
		trigger string
		missing bool
	}{
		{"alone", []string{"api/a.proto", "main.go"}, "api/a.proto", true},
		{"two of them", []string{"api/a.proto", "api/b.proto"}, "api/a.proto api/b.proto", true},
		{"with one companion", []string{"api/a.proto", "docs/api.md"}, "", false},
		{"the companion first", []string{"gen/a.pb.go", "api/a.proto"}, "", false},
		{"the companion alone", []string{"gen/a.pb.go"}, "", false},
		{"negated", []string{"third_party/a.proto"}, "", false},
		{"nothing", nil, "", false},
	} {
		trigger, missing := c.TouchedWithout(tc.paths)
		if missing != tc.missing || strings.Join(trigger, " ") != tc.trigger {
			t.Errorf("%s: %v, %v", tc.about, trigger, missing)
		}
	}
	if _, missing := mustCompile(t, never("x", "**")).TouchedWithout([]string{"a"}); missing {
		t.Error("a check of another kind asks for a companion")
	}
	if _, _, ok := c.MatchLine("api/a.proto"); ok {
		t.Error("a check of companions matches a line")
	}
}

func TestAnUnsoundCheckIsRefusedWithFieldAndReason(t *testing.T) {
	long := strings.Repeat("a", MaxPatternBytes+1)
	prefer := func(change func(*Check)) Check {
		c := Check{Kind: CheckPrefer, Pattern: "foo", Prefer: "bar"}
		change(&c)
		return c
	}
	for _, tc := range []struct {
		about  string
		c      Check
		field  CheckField
		detail string
	}{
		{"no kind", Check{Pattern: "x"}, FieldKind, "one of never, prefer, with"},
		{"an unknown kind", Check{Kind: "always", Pattern: "x"}, FieldKind, "one of never, prefer, with"},
		{"no pattern", never(""), FieldPattern, "empty"},
		{"a blank pattern", never("  "), FieldPattern, "empty"},
		{"513 bytes", never(long), FieldPattern, "longer than 512"},
		{"two lines", never("a\nb"), FieldPattern, "one line"},
		{"not UTF-8", never("a\xff"), FieldPattern, "valid UTF-8"},
		{"an expression that does not parse", Check{Kind: CheckNever, Pattern: "a(", Regex: true}, FieldPattern, "missing closing )"},
		{"a look-around, which RE2 has not", Check{Kind: CheckNever, Pattern: "(?=a)b", Regex: true}, FieldPattern, "invalid or unsupported Perl syntax"},
		{"an expression that matches every line", Check{Kind: CheckNever, Pattern: "a*", Regex: true}, FieldPattern, "every line"},
		{"never with a replacement", Check{Kind: CheckNever, Pattern: "a", Prefer: "b"}, FieldPrefer, "prefer X over Y"},
		{"never with companions", Check{Kind: CheckNever, Pattern: "a", With: []string{"b"}}, FieldWith, "without a pattern"},
		{"prefer without a replacement", prefer(func(c *Check) { c.Prefer = "" }), FieldPrefer, "empty"},
		{"prefer of the same", prefer(func(c *Check) { c.Prefer = "foo" }), FieldPrefer, "the very pattern"},
		{"a replacement of two lines", prefer(func(c *Check) { c.Prefer = "a\rb" }), FieldPrefer, "one line"},
		{"companions without paths", Check{Kind: CheckWith, With: []string{"b"}}, FieldIn, "name the paths"},
		{"paths without companions", Check{Kind: CheckWith, In: []string{"b"}}, FieldWith, "name the paths"},
		{"companions with a pattern", Check{Kind: CheckWith, In: []string{"a"}, With: []string{"b"}, Pattern: "x"}, FieldPattern, "no pattern"},
		{"an unknown severity", Check{Kind: CheckNever, Pattern: "a", Severity: "fatal"}, FieldSeverity, "one of info, low"},
		{"a reason of two lines", Check{Kind: CheckNever, Pattern: "a", Because: "x\ny"}, FieldBecause, "one line"},
		{"an open class", never("x", "src/[a"), FieldIn, "no glob"},
		{"an empty glob", never("x", ""), FieldIn, "empty"},
		{"an exclamation mark alone", never("x", "!"), FieldIn, "empty"},
		{"two exclamation marks", never("x", "!!a"), FieldIn, "one !"},
		{"an absolute glob", never("x", "/src/**"), FieldIn, "relative to the top"},
		{"a glob that leaves the repository", never("x", "../**"), FieldIn, "relative to the top"},
		{"a glob of 257 bytes", never("x", strings.Repeat("a", 257)), FieldIn, "longer than 256"},
		{"a glob with a line feed", never("x", "a\nb"), FieldIn, "control character"},
		{"too many alternatives", never("x", "{a,b}{a,b}{a,b}{a,b}"), FieldIn, "more than 3"},
		{"33 globs", never("x", strings.Split(strings.Repeat("a ", 33), " ")[:33]...), FieldIn, "more than 32"},
		{"a bad example that is not found", Check{Kind: CheckNever, Pattern: "print", Bad: []string{"print(1)", "sprint(1)"}}, FieldBad, "does not find it"},
		{"a good example that is found", Check{Kind: CheckNever, Pattern: "print", Good: []string{"log(1)", "print(1)"}}, FieldGood, "finds it"},
		{"a blank example", Check{Kind: CheckNever, Pattern: "print", Good: []string{" "}}, FieldGood, "between 1 and 2000"},
		{"an example of 2001 bytes", Check{Kind: CheckNever, Pattern: "print", Good: []string{strings.Repeat("a", 2001)}}, FieldGood, "between 1 and 2000"},
		{"17 examples", Check{Kind: CheckNever, Pattern: "a", Bad: strings.Split(strings.Repeat("a ", 17), " ")[:17]}, FieldBad, "more than 16"},
		{"a bad example of paths that have their companion", Check{Kind: CheckWith, In: []string{"a"}, With: []string{"b"}, Bad: []string{"a b"}}, FieldBad, "does not find it"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			compiled, problem := CompileCheck(tc.c)
			if problem == nil || compiled != nil {
				t.Fatal("it was accepted")
			}
			if problem.Field != tc.field || !strings.Contains(problem.Detail, tc.detail) {
				t.Errorf("%v", problem)
			}
			if len(problem.Error()) > 400 || !strings.HasPrefix(problem.Error(), string(tc.field)) {
				t.Errorf("message: %s", problem.Error())
			}
		})
	}
}

func TestExamplesOfSeveralLinesAreTriedLineByLine(t *testing.T) {
	mustCompile(t, Check{Kind: CheckNever, Pattern: "^print", Regex: true, Bad: []string{"x = 1\nprint(x)"}, Good: []string{"x = 1\n  print(x)"}})
}

func TestA99ACostlyRegularExpressionIsRefusedOrStaysLinear(t *testing.T) {
	for _, pattern := range []string{
		`(a{1000}){1000}`, `((a{100}){100}){100}`, `a{1000}b{1000}c{1000}`, `(x{0,1000}y){500}`, `(\w{50}){50}`, `(?:(?:a?){200}){200}`,
		strings.Repeat("(", 200) + "a" + strings.Repeat("{9})", 40),
	} {
		_, problem := CompileCheck(Check{Kind: CheckNever, Pattern: pattern, Regex: true})
		if problem == nil || problem.Field != FieldPattern {
			t.Errorf("%q was accepted", pattern)
		}
	}
	// Exponential elsewhere, linear here: what passes comes to an end on a
	// whole line of the worst input, long before the test's own limit.
	line := strings.Repeat("a", MaxMatchLineSize)
	for _, pattern := range []string{`(a+)+$b`, `(a|aa)+b`, `(.*)(.*)(.*)(.*)b`, `a{1,450}b`} {
		c := mustCompile(t, Check{Kind: CheckNever, Pattern: pattern, Regex: true})
		if _, _, ok := c.MatchLine(line); ok {
			t.Errorf("%q matched", pattern)
		}
	}
	if _, problem := CompileCheck(Check{Kind: CheckNever, Pattern: strings.Repeat("a", 513), Regex: true}); problem == nil {
		t.Error("a pattern of 513 bytes was accepted")
	}
}

func TestTheSizeOfAProgramIsEstimatedFromBelowTheLimit(t *testing.T) {
	for _, pattern := range []string{`\bfoo\b`, `[A-Za-z_]{1,64}`, `(?i)password\s*=\s*"[^"]{1,200}"`, `^\s*(import|from)\s+\S+`} {
		if _, problem := CompileCheck(Check{Kind: CheckNever, Pattern: pattern, Regex: true}); problem != nil {
			t.Errorf("an everyday pattern: %v", problem)
		}
	}
}

func TestACheckReadsAsASentence(t *testing.T) {
	for want, c := range map[string]Check{
		"never print in **": never("print", "**"),
		"never print":       never("print"),
		`never regex a+b in *.go, !vendor/**, because it is slow`: {Kind: CheckNever, Pattern: "a+b", Regex: true, In: []string{"*.go", "!vendor/**"}, Because: "it is slow"},
		"prefer io.ReadAll over ioutil.ReadAll in **/*.go":        {Kind: CheckPrefer, Pattern: "ioutil.ReadAll", Prefer: "io.ReadAll", In: []string{"**/*.go"}},
		"touching **/*.proto needs gen/** or docs/api.md as well": {Kind: CheckWith, In: []string{"**/*.proto"}, With: []string{"gen/**", "docs/api.md"}},
		"": {},
	} {
		if got := c.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSeverityHasADefaultForEachKind(t *testing.T) {
	for _, tc := range []struct {
		c    Check
		want contract.Severity
	}{
		{never("x"), contract.SeverityMedium},
		{Check{Kind: CheckPrefer, Pattern: "x", Prefer: "y"}, contract.SeverityLow},
		{Check{Kind: CheckWith, In: []string{"a"}, With: []string{"b"}}, contract.SeverityLow},
		{Check{Kind: CheckNever, Pattern: "x", Severity: contract.SeverityHigh}, contract.SeverityHigh},
	} {
		c := mustCompile(t, tc.c)
		if got := c.Severity(); got != tc.want {
			t.Errorf("%+v: %s", tc.c, got)
		}
		if c.Check().Kind != tc.c.Kind || c.Check().Pattern != tc.c.Pattern {
			t.Errorf("the compiled check lost its source: %+v", c.Check())
		}
	}
}

func TestPropertyAMatchLiesInTheLineAndAReplacementLeavesNone(t *testing.T) {
	word := rapid.StringMatching(`[a-c_.( ]{0,3}[a-c][a-c_.(]{0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		c, problem := CompileCheck(Check{Kind: CheckPrefer, Pattern: word.Draw(t, "pattern"), Prefer: "zz"})
		if problem != nil {
			t.Fatal(problem)
		}
		line := strings.Join(rapid.SliceOf(word).Draw(t, "line"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		start, end, ok := c.MatchLine(line)
		replaced, changed := c.Replace(line)
		if changed && (!ok || replaced == line) || ok && !changed && sameShape(c.Check().Pattern, "zz") {
			t.Fatalf("%q in %q: matched %v, replaced to %q", c.Check().Pattern, line, ok, replaced)
		}
		if ok && line[start:end] != c.Check().Pattern {
			t.Fatalf("%q in %q: %d-%d", c.Check().Pattern, line, start, end)
		}
	})
}

func FuzzCompileCheck(f *testing.F) {
	f.Add("print", "src/**", "sprint(1)", false)
	f.Add(`(a{1000}){1000}`, "", "a", true)
	f.Add("a|b", "!{a,b}", "\xff", true)
	f.Add(`\Qa`, "[", "a", true)
	f.Add("é", "*é", "éé é", false)
	f.Fuzz(func(t *testing.T, pattern, glob, line string, regex bool) {
		c := Check{Kind: CheckNever, Pattern: pattern, Regex: regex}
		if glob != "" {
			c.In = []string{glob}
		}
		compiled, problem := CompileCheck(c)
		if (compiled == nil) == (problem == nil) {
			t.Fatalf("%+v: %v, %v", c, compiled, problem)
		}
		if problem != nil {
			if problem.Field == "" || problem.Detail == "" {
				t.Fatalf("%+v: a problem without field or detail", c)
			}
			return
		}
		compiled.AppliesTo(line)
		start, end, ok := compiled.MatchLine(line)
		if ok && (start < 0 || start >= end || end > len(line) || !regex && line[start:end] != pattern) {
			t.Fatalf("%+v on %q: %d-%d", c, line, start, end)
		}
	})
}
