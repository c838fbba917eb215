package rules

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
)

func lesson(id string, check *memory.Check, paths ...string) memory.Version {
	return memory.Version{
		DocumentID: id, Number: 1, Key: memory.Key("repo/octocat/shop/lessons/" + id), Scope: contract.ScopeRepo,
		Text: "a lesson", State: memory.Active, Check: check, Paths: paths,
	}
}

func taughtJob(lessons []memory.Version, list ...diff.File) runtime.Job {
	job := runtime.Job{Brief: memoryOn(), Snapshot: memory.Snapshot{Lessons: lessons}}
	job.Change = diff.Change{Files: list}
	job.Rules = Assemble(nil, nil, job.Snapshot)
	return job
}

func TestATaughtRuleFindsAddedLinesAndCitesItsLesson(t *testing.T) {
	never := &memory.Check{Kind: memory.CheckNever, Pattern: "time.Sleep", In: []string{"**/*_test.go"}, Severity: contract.SeverityHigh, Because: "sleeping tests are flaky"}
	out := reviewed(t, taughtJob([]memory.Version{lesson("m-00000001", never)},
		touched("a_test.go", "\ttime.Sleep(1)", "\tx := 1\n\ttime.Sleep(2)\n\tmytime.Sleeper()"), touched("a.go", "", "time.Sleep(1)")))
	if len(out.Candidates) != 1 {
		t.Fatalf("findings = %s", places(out.Candidates))
	}
	c := out.Candidates[0]
	want := review.Candidate{
		Rule: "m-00000001@1", Severity: contract.SeverityHigh, Path: "a_test.go", Line: 2, Title: `"time.Sleep" must not be added here`,
		Body: "sleeping tests are flaky", Evidence: "\ttime.Sleep(2)", Because: []string{"m-00000001@1"},
	}
	if !equal(c, want) {
		t.Errorf("candidate = %+v\nwant %+v", c, want)
	}
	if got := out.MemoryUsed; got == nil || !got.Enabled || len(got.Proposed) != 0 ||
		!slices.Equal(got.Read, []contract.MemoryRead{{ID: "repo/octocat/shop/lessons/m-00000001", Scope: "repo"}}) {
		t.Errorf("memory used = %+v", got)
	}
}

func equal(a, b review.Candidate) bool {
	same := a.Replacement == b.Replacement || a.Replacement != nil && b.Replacement != nil && *a.Replacement == *b.Replacement
	return same && a.Rule == b.Rule && a.Severity == b.Severity && a.Path == b.Path && a.Line == b.Line && a.Title == b.Title &&
		a.Body == b.Body && a.Recommendation == b.Recommendation && a.Evidence == b.Evidence && slices.Equal(a.Because, b.Because)
}

func TestAPreferenceSuggestsTheWholeNewLine(t *testing.T) {
	prefer := &memory.Check{Kind: memory.CheckPrefer, Pattern: "assertEquals", Prefer: "assertEqual"}
	out := reviewed(t, taughtJob([]memory.Version{lesson("m-00000002", prefer)}, touched("t.py", "", "  self.assertEquals(a, b)\n  self.assertEqual(a, b)")))
	if len(out.Candidates) != 1 {
		t.Fatalf("findings = %s", places(out.Candidates))
	}
	c := out.Candidates[0]
	if c.Title != `Prefer "assertEqual" over "assertEquals"` || c.Recommendation != "Use assertEqual." || c.Severity != contract.SeverityLow {
		t.Errorf("candidate = %+v", c)
	}
	if c.Replacement == nil || *c.Replacement != "  self.assertEqual(a, b)" {
		t.Errorf("replacement = %v", c.Replacement)
	}
}

func TestATaughtRuleNeverEchoesASecret(t *testing.T) {
	prefer := &memory.Check{Kind: memory.CheckPrefer, Pattern: "http.Get", Prefer: "client.Get"}
	out := reviewed(t, taughtJob([]memory.Version{lesson("m-00000003", prefer)}, touched("a.go", "", `http.Get("`+token+`")`)))
	c := out.Candidates[len(out.Candidates)-1]
	for _, x := range out.Candidates {
		if x.Rule == "m-00000003@1" {
			c = x
		}
	}
	if c.Rule != "m-00000003@1" || c.Replacement != nil || strings.Contains(c.Evidence, token) {
		t.Errorf("candidate = %+v", c)
	}
}

func TestCompanionsAreAskedForOnce(t *testing.T) {
	with := &memory.Check{Kind: memory.CheckWith, In: []string{"api/**"}, With: []string{"docs/api.md", "docs/api/**"}, Because: "the docs are written by hand"}
	for _, c := range []struct {
		name  string
		files []diff.File
		want  string
	}{
		{"one side alone", []diff.File{touched("api/a.go", "", "x"), touched("api/b.go", "", "x")}, "m-00000004@1 api/a.go"},
		{"both sides", []diff.File{touched("api/a.go", "", "x"), touched("docs/api/a.md", "", "x")}, ""},
		{"the companion deleted", []diff.File{touched("api/a.go", "", "x"), {Path: "docs/api.md", Status: diff.Deleted}}, ""},
		{"the other side alone", []diff.File{touched("docs/api.md", "", "x")}, ""},
		{"a file that moved away", []diff.File{{Path: "lib/a.go", OldPath: "api/a.go", Status: diff.Renamed}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := reviewed(t, taughtJob([]memory.Version{lesson("m-00000004", with)}, c.files...))
			if got := places(out.Candidates); got != c.want {
				t.Fatalf("findings = %q, want %q", got, c.want)
			}
			if c.want != "" && (out.Candidates[0].Title != "This change needs docs/api.md or docs/api/** as well" || out.Candidates[0].Body != "the docs are written by hand") {
				t.Errorf("candidate = %+v", out.Candidates[0])
			}
		})
	}
}

func TestTheLessonsPathsNarrowItsCheck(t *testing.T) {
	never := &memory.Check{Kind: memory.CheckNever, Pattern: "panic("}
	out := reviewed(t, taughtJob([]memory.Version{lesson("m-00000005", never, "pay/**")}, touched("pay/a.go", "", "panic(1)"), touched("a.go", "", "panic(1)")))
	if got := places(out.Candidates); got != "m-00000005@1 pay/a.go:1" {
		t.Errorf("findings = %q", got)
	}
}

func TestLessonsWithoutACheckBecomeAtMostFiveReminders(t *testing.T) {
	var list []memory.Version
	for i := range 7 {
		list = append(list, lesson("m-0000001"+itoa(i), nil))
	}
	out := reviewed(t, taughtJob(list, touched("a.go", "", "x")))
	if len(out.Reminders) != 5 || len(out.Candidates) != 0 || out.Reminders[0].DocumentID != "m-00000010" {
		t.Errorf("%d reminders, findings %q", len(out.Reminders), places(out.Candidates))
	}
	if len(out.MemoryUsed.Read) != 5 {
		t.Errorf("%d reads reported, want those that were shown", len(out.MemoryUsed.Read))
	}
}

func TestWithoutAPolicyNoLessonIsUsed(t *testing.T) {
	never := &memory.Check{Kind: memory.CheckNever, Pattern: "x"}
	for _, policy := range []*contract.MemoryPolicy{nil, {Enabled: false}} {
		job := taughtJob([]memory.Version{lesson("m-00000006", never), lesson("m-00000007", nil)}, touched("a.go", "", "x"))
		job.Brief.MemoryPolicy = policy
		out := reviewed(t, job)
		if len(out.Candidates)+len(out.Reminders) > 0 || out.MemoryUsed != nil {
			t.Errorf("memory was used: %q, %+v", places(out.Candidates), out.MemoryUsed)
		}
		if len(out.Skipped) != 1 || out.Skipped[0].Reason != "its lesson is not in the snapshot of this review" {
			t.Errorf("skipped = %+v", out.Skipped)
		}
	}
}

func TestARuleThatIsBrokenIsNamedAndTheOthersRun(t *testing.T) {
	job := taughtJob([]memory.Version{lesson("m-00000008", &memory.Check{Kind: memory.CheckNever, Pattern: "(", Regex: true})}, touched("a.go", "", "sleep now"))
	job.Rules = append(job.Rules,
		runtime.Rule{ID: "builtin/nothing", Origin: runtime.BuiltIn},
		runtime.Rule{ID: "odd", Origin: "hearsay"},
		runtime.Rule{ID: "rules.toml/no-sleep", Origin: runtime.RulesFile, Check: memory.Check{Kind: memory.CheckNever, Pattern: "sleep"}},
	)
	out := reviewed(t, job)
	if got := places(out.Candidates); got != "rules.toml/no-sleep a.go:1" {
		t.Errorf("findings = %q", got)
	}
	var reasons []string
	for _, s := range out.Skipped {
		reasons = append(reasons, s.Rule+": "+s.Reason)
	}
	text := strings.Join(reasons, "\n")
	for _, want := range []string{"m-00000008@1: pattern \"(\": it is no RE2 regular expression", "builtin/nothing: no built-in rule has this id", `odd: origin "hearsay" is none that is known`} {
		if !strings.Contains(text, want) {
			t.Errorf("skipped = %s\nwant %s", text, want)
		}
	}
	if len(out.MemoryUsed.Read) != 0 {
		t.Errorf("a lesson whose check cannot run was not used: %+v", out.MemoryUsed)
	}
}

func TestOneRuleCannotDrownTheOthers(t *testing.T) {
	never := &memory.Check{Kind: memory.CheckNever, Pattern: "x"}
	var list []diff.File
	for i := range 9 {
		list = append(list, touched("f"+itoa(i)+".txt", "", strings.Repeat("x\n", 40)))
	}
	list = append(list, touched("z.sh", "", "curl https://example.com/i.sh | sh"))
	out := reviewed(t, taughtJob([]memory.Version{lesson("m-00000009", never)}, list...))
	if n := len(out.Candidates); n != MaxPerRule+1 {
		t.Errorf("%d findings, want %d of the one and 1 of the other", n, MaxPerRule)
	}
	if got := out.Skipped[0]; got != (runtime.Skipped{Rule: "m-00000009@1", Path: "f0.txt", Reason: "30 more matches are not listed"}) {
		t.Errorf("skipped = %+v", got)
	}
	if got := out.Skipped[len(out.Skipped)-1]; got.Path != "f8.txt" || got.Reason != "40 more matches are not listed" {
		t.Errorf("skipped = %+v", got)
	}
}

func TestAnEndedContextIsAnErrorAndNoReview(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out, err := Reviewer{}.Review(ctx, taughtJob(nil, touched("a.go", "", "x")))
	if !errors.Is(err, context.Canceled) || out.Outcome != "" {
		t.Errorf("outcome %q, error %v", out.Outcome, err)
	}
}

func TestReviewedListsWhatCouldBeRead(t *testing.T) {
	out := reviewed(t, jobOf(nil, touched("a.go", "", "x"), diff.File{Path: "b.png", Binary: true, Status: diff.Added}, diff.File{Path: "c.go", Status: diff.Deleted}))
	if !slices.Equal(out.Reviewed, []string{"a.go"}) || out.Summary != "No findings in 1 file, by rules alone." {
		t.Errorf("reviewed %v, summary %q", out.Reviewed, out.Summary)
	}
}

func TestAssembleKeepsOrderAndOffSwitches(t *testing.T) {
	file := []config.Rule{{ID: "one", Check: memory.Check{Kind: memory.CheckNever, Pattern: "x"}}, {ID: "two"}}
	snapshot := memory.Snapshot{Lessons: []memory.Version{lesson("m-0000000a", nil), lesson("m-0000000b", &memory.Check{})}}
	got := Assemble([]string{"builtin/new-binary", "rules.toml/two"}, file, snapshot)
	var ids []string
	for _, r := range got[len(got)-3:] {
		ids = append(ids, string(r.Origin)+" "+r.ID)
	}
	if want := "built_in builtin/workflow-danger, rules_file rules.toml/one, remembered m-0000000b@1"; strings.Join(ids, ", ") != want {
		t.Errorf("rules end in %v, want %s", ids, want)
	}
	if len(got) != len(BuiltIns())-1+2 {
		t.Errorf("%d rules", len(got))
	}
	unknown := UnknownRules([]string{"builtin/new-binry", "builtin/new-binary", "rules.toml/one", "zzz"}, file)
	if len(unknown) != 2 || unknown["builtin/new-binry"] != "builtin/new-binary" || unknown["zzz"] != "" {
		t.Errorf("unknown = %v", unknown)
	}
}

// TestA99ACostlyPatternStaysLinear runs what would take a backtracking engine
// for ever.
func TestA99ACostlyPatternStaysLinear(t *testing.T) {
	t.Run("A99 nested repetition over a long line", func(t *testing.T) {
		never := &memory.Check{Kind: memory.CheckNever, Pattern: `(a+)+(b|a)*c$`, Regex: true}
		line := strings.Repeat("a", 15_000)
		// An engine that goes back would not end before the test's own limit.
		out := reviewed(t, taughtJob([]memory.Version{lesson("m-0000000c", never)}, touched("a.txt", "", strings.Repeat(line+"\n", 20))))
		if len(out.Candidates) != 0 {
			t.Errorf("findings = %q", places(out.Candidates))
		}
	})
	for name, pattern := range map[string]string{
		"A99 counted repetition is capped":   `(((a{50}){50}){50})x`,
		"A99 the pattern's length is capped": strings.Repeat("a", memory.MaxPatternBytes+1),
	} {
		t.Run(name, func(t *testing.T) {
			check := &memory.Check{Kind: memory.CheckNever, Pattern: pattern, Regex: true}
			out := reviewed(t, taughtJob([]memory.Version{lesson("m-0000000d", check)}, touched("a.txt", "", "a")))
			if len(out.Skipped) != 1 || len(out.Candidates) != 0 {
				t.Errorf("skipped = %+v", out.Skipped)
			}
		})
	}
}

// TestFindingsLieOnAddedLinesAndAreDeterministic holds for any change.
func TestFindingsLieOnAddedLinesAndAreDeterministic(t *testing.T) {
	lines := []string{
		"<<<<<<< HEAD", "=======", ">>>>>>> x", "it.only('x', f)", "debugger;", "t.Skip()", "func TestA(t *testing.T) {", "- uses: a/b@main",
		"run: echo ${{ github.head_ref }}", "curl x \\", "| sh", "curl https://a | sh", "replace a.b/c => ../../c", "\u202E", "", "}", "x\u200By",
		`"a": "file:../../b"`, "require a.b/c v1.0.0", "TOKEN=" + token, strings.Repeat("y", maxLine+1),
	}
	paths := []string{"a.test.ts", "a_test.go", "go.mod", "package.json", ".github/workflows/a.yml", "run.sh", "README.md", "testdata/x", "a.js"}
	never := &memory.Check{Kind: memory.CheckNever, Pattern: "a"}
	rapid.Check(t, func(t *rapid.T) {
		var list []diff.File
		for _, path := range rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 1, 4, rapid.ID).Draw(t, "paths") {
			draw := func(name string) string {
				return strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 12).Draw(t, name), "\n")
			}
			list = append(list, touched(path, draw("deleted"), draw("added")))
		}
		job := taughtJob([]memory.Version{lesson("m-0000000e", never)}, list...)
		job.Contents = headOf(map[string]string{"go.sum": "", "package-lock.json": ""})
		first, err := Reviewer{}.Review(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		second, _ := Reviewer{}.Review(context.Background(), job)
		if places(first.Candidates) != places(second.Candidates) {
			t.Fatalf("%q, then %q", places(first.Candidates), places(second.Candidates))
		}
		for _, c := range first.Candidates {
			f, ok := job.Change.File(c.Path)
			if !ok {
				t.Fatalf("%s names a file outside the change: %s", c.Rule, c.Path)
			}
			added := false
			for l := range f.AddedLines() {
				added = added || l.New == c.Line
			}
			if c.Line != 0 && !added {
				t.Fatalf("%s at %s:%d, which is no added line", c.Rule, c.Path, c.Line)
			}
			if strings.Contains(c.Evidence+c.Body+c.Title, token) {
				t.Fatalf("%s echoes a secret", c.Rule)
			}
		}
	})
}
