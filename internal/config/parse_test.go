package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

const file = ".github/familiar.toml"

// whole is the file of page 6.5, with the keys that other pages add.
const whole = `
[familiar]
handle = "familiar"
comment = "when_needed"    # when_needed | always | never
[familiar.labels]
approve = "familiar:approve"
[memory]                   # on when the step has memory-key
mode = "manual_with_drafts"
approval_required = true
max_age_days = 365
max_unused_days = 0
[trust]
bots = []
[review]
paths = ["**"]
ignore = ["vendor/**", "**/*.lock"]
min_severity = "low"
max_comments = 10
skip_authors = []
skip_labels = []
base_branches = ["**"]
drafts = false
external = "label"
disable_rules = []
[runtime]
kind = "rules"
tokens_per_run = 200000
tokens_per_day = 2000000
`

func TestTheDocumentedFileIsTheDefaults(t *testing.T) {
	for name, data := range map[string]string{"empty": "", "whole": whole, "with a byte order mark and CRLF": "\uFEFF" + strings.ReplaceAll(whole, "\n", "\r\n")} {
		got, diagnostics := Parse(file, []byte(data))
		if len(diagnostics) > 0 {
			t.Errorf("%s: %v", name, diagnostics)
		}
		want := Defaults()
		if name != "empty" { // an empty list is written down, where the default has none
			want.Trust.Bots, want.Review.SkipAuthors, want.Review.SkipLabels, want.Review.DisableRules = []string{}, []string{}, []string{}, []string{}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant %+v", name, got, want)
		}
	}
}

func TestEveryKeyReachesItsField(t *testing.T) {
	got, diagnostics := Parse(file, []byte(`
familiar = { handle = "helper", comment = "always", dashboard = "never", labels = { approve = "a", reject = "b", review = "c", no_memory = "d", skip = "e" } }
[memory]
enabled = false
mode = "manual_only"
approval_required = false
max_age_days = 30
max_unused_days = 90
proposals_per_run = 1
pending_per_pull = 2
pending_per_repo = 3
active_per_repo = 4
recall_bytes = 2048
recall_lessons = 6
workflows = [".github/workflows/review.yml"]
[trust]
bots = ["renovate[bot]"]
collaborators_may_review = true
[review]
paths = ["src/**", "!src/gen/**"]
ignore = []
min_severity = "high"
max_comments = 3
skip_authors = ["hubot"]
skip_labels = ["wip"]
base_branches = ["main"]
drafts = true
external = "never"
disable_rules = ["builtin/new-binary"]
[runtime]
kind = "models"
tokens_per_run = 1000
tokens_per_day = 2000
policy_shape = "flat"
`))
	if len(diagnostics) > 0 {
		t.Fatal(diagnostics)
	}
	want := Config{
		Familiar: Familiar{Handle: "helper", Comment: CommentAlways, Dashboard: DashboardNever, Labels: Labels{"a", "b", "c", "d", "e"}},
		Memory: Memory{MemorySettings: MemorySettings{
			Mode: memory.ModeManualOnly, MaxAgeDays: 30, MaxUnusedDays: 90, ProposalsPerRun: 1, PendingPerPull: 2,
			PendingPerRepo: 3, ActivePerRepo: 4, RecallBytes: 2048, RecallLessons: 6, Workflows: []string{".github/workflows/review.yml"},
		}},
		Trust: Trust{Bots: []string{"renovate[bot]"}, CollaboratorsMayReview: true},
		Review: Review{
			Paths: []string{"src/**", "!src/gen/**"}, Ignore: []string{}, MinSeverity: contract.SeverityHigh, MaxComments: 3,
			SkipAuthors: []string{"hubot"}, SkipLabels: []string{"wip"}, BaseBranches: []string{"main"}, Drafts: true,
			DisableRules: []string{"builtin/new-binary"},
		},
		Runtime:  Runtime{Kind: RuntimeModels, TokensPerRun: 1000, TokensPerDay: 2000, PolicyShape: contract.ShapeFlat},
		External: ExternalNever,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestWhatIsWrongIsNamedWithPlaceAndFix(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"a misspelt key", "[memory]\nmax_age_dyas = 3", `2:1: error: unknown key memory.max_age_dyas; did you mean max_age_days?`},
		{"a key with dashes", "[memory]\n  max-age-days = 3", `2:3: error: unknown key memory.max-age-days; did you mean max_age_days?`},
		{"a key of another section", "[review]\nmode = \"off\"", `2:1: error: unknown key review.mode; move it to [memory]`},
		{"a misspelt section", "[memroy]\nmode = \"off\"", `1:1: error: unknown section memroy; did you mean memory?`},
		{"a section like nothing", "[zzzzzzzz]", `1:1: error: unknown section zzzzzzzz; known here: familiar, memory, trust, review, runtime`},
		{"a key without a section", "handle = \"x\"", `1:1: error: unknown section handle; move it to [familiar]`},
		{"a misspelt value", "[memory]\nmode = \"manual-only\"", `2:1: error: memory.mode does not know "manual-only"; did you mean "manual_only"?`},
		{"a value like nothing", "[familiar]\ncomment = \"zzzz\"", `2:1: error: familiar.comment does not know "zzzz"; known: when_needed, always, never`},
		{"a string for a number", "[review]\nmax_comments = \"3\"", `2:1: error: review.max_comments takes a whole number, not the string "3"; write max_comments = 1`},
		{"a fraction", "[review]\nmax_comments = 1.5", `2:1: error: review.max_comments takes a whole number, not the number 1.5; write max_comments = 1`},
		{"a word for a truth value", "[review]\ndrafts = \"yes\"", `2:1: error: review.drafts takes true or false, not the string "yes"; write drafts = true`},
		{"a string for a list", "[trust]\nbots = \"x\"", `2:1: error: trust.bots takes an array of strings, not the string "x"; write bots = ["..."]`},
		{"a mixed list", "[trust]\nbots = [\"x\", 1]", `2:1: error: trust.bots takes an array of strings, not an array; write bots = ["..."]`},
		{"a date", "[memory]\nmode = 2026-01-01", `2:1: error: memory.mode takes a string, not a date or time; write mode = "off"`},
		{"an age of 0", "[memory]\nmax_age_days = 0", `2:1: error: memory.max_age_days = 0 is out of range; give 1 to 3650 (0 would forget every lesson on the day it is taught)`},
		{"a negative age", "[memory]\nmax_unused_days = -1", `2:1: error: memory.max_unused_days = -1 is out of range; give 0 to 3650 (0 turns it off)`},
		{"an absurd age", "[memory]\nmax_age_days = 99999", `2:1: error: memory.max_age_days = 99999 is out of range; give 1 to 3650 (0 would forget every lesson on the day it is taught)`},
		{"a broken glob", "[review]\npaths = [\"src/[\"]", `2:1: error: review.paths: "src/[" is no pattern: it is no glob: a bracket, brace or backslash is left open; mend the pattern`},
		{"a handle with its sign", "[familiar]\nhandle = \"@familiar\"", `2:1: error: familiar.handle takes letters, digits and dashes, without the @, not "@familiar"; write handle = "familiar"`},
		{"a hidden character", "[trust]\nbots = [\"a\u202Eb\"]", `2:1: error: trust.bots takes entries of 1 to 512 bytes of visible text, not "a\u202eb"; mend or remove it`},
		{"a workflow by its name alone", "[memory]\nworkflows = [\"review.yml\"]", `2:1: error: memory.workflows takes paths of workflow files, not "review.yml"; write workflows = [".github/workflows/name.yml"]`},
		{"a label of 51 characters", "[familiar.labels]\nskip = \"" + strings.Repeat("é", 51) + "\"", `2:1: error: familiar.labels.skip is longer than the 50 characters of a label; shorten it`},
		{"an empty name", "[familiar.labels]\nskip = \"\"", `2:1: error: familiar.labels.skip takes 1 to 512 bytes of visible text; write skip = "..."`},
		{"a value for a section", "memory = 3", `1:1: error: memory is a table, not the number 3; write [memory] on a line of its own`},
		{"a key in an inline table", "memory = { mode = \"off\", moed = 1 }", `1:26: error: unknown key memory.moed; did you mean mode?`},
		{"a dotted key behind wide characters", "trust.bots = [\"é\"]; x", `1:19: error: not valid TOML: expected a top-level item to end with a newline, comment, or EOF, but got ';' instead; see https://toml.io for the notation`},
		{"a key twice", "[memory]\nmode = \"off\"\nmode = \"off\"", `3:1: error: not valid TOML: Key 'memory.mode' has already been defined.; see https://toml.io for the notation`},
		{"bytes that are no UTF-8", "[trust]\n# \xff", `2:3: error: the text is not UTF-8 here; save the file as UTF-8`},
		{"a repository by its name alone", "[memory.repos.shop]\nmode = \"off\"", `1:1: error: memory.repos holds one table for each repository, and "shop" is none; write [memory.repos."owner/name"]`},
		{"a misspelt key of an override", "[memory.repos.\"octocat/shop\"]\nmoed = \"off\"", `2:1: error: unknown key memory.repos."octocat/shop".moed; did you mean mode?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, diagnostics := Parse(file, []byte(c.data))
			if len(diagnostics) != 1 {
				t.Fatalf("diagnostics = %v", diagnostics)
			}
			if text := diagnostics[0].String(); text != file+":"+c.want {
				t.Errorf("got  %s\nwant %s:%s", text, file, c.want)
			}
			if !reflect.DeepEqual(got, broken()) {
				t.Errorf("a broken file gives %+v, want defaults with memory off", got)
			}
		})
	}
}

func TestABrokenFileIsDefaultsWithMemoryOff(t *testing.T) {
	got, diagnostics := Parse(file, []byte("[memory]\nmax_age_days = 10\n[review]\nmin_severity = \"critical\"\nfoo = 1\n"))
	if !HasErrors(diagnostics) || got.Memory.Enabled || got.Memory.Mode != memory.ModeOff || got.Review.MinSeverity != contract.SeverityLow || got.Memory.MaxAgeDays != 365 {
		t.Errorf("got %+v, %v", got, diagnostics)
	}
}

func TestSeveralProblemsAreListedInOrderAndBounded(t *testing.T) {
	_, diagnostics := Parse(file, []byte("[review]\nb = 1\na = 2\n[memory]\nz = 3\n"))
	var lines []int
	for _, d := range diagnostics {
		lines = append(lines, d.Line)
	}
	if !slices.Equal(lines, []int{2, 3, 5}) {
		t.Errorf("lines = %v", lines)
	}
	var b strings.Builder
	b.WriteString("[review]\n")
	for i := range 80 {
		b.WriteString("k" + strings.Repeat("x", i+1) + " = 1\n")
	}
	_, diagnostics = Parse(file, []byte(b.String()))
	if last := diagnostics[len(diagnostics)-1]; len(diagnostics) != maxDiagnostics+1 || last.Message != "30 more problems are not listed" {
		t.Errorf("%d diagnostics, the last %v", len(diagnostics), last)
	}
}

func TestSizeAndNestingAreBoundedBeforeParsing(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"size":         {strings.Repeat("#", maxFileBytes+1), "more than the 1048576 that are read"},
		"arrays":       {"a = " + strings.Repeat("[", 500_000), "brackets stand more than 16 deep"},
		"tables":       {"a = " + strings.Repeat("{a=", 300_000), "brackets stand more than 16 deep"},
		"dotted keys":  {strings.Repeat("a.", 400_000) + "a = 1", "a key has more than 8 parts"},
		"headers":      {"[" + strings.Repeat("a.", 400_000) + "a]", "a key has more than 8 parts"},
		"many headers": {strings.Repeat("[[a]]\n", 100_000), "the file has more than 20000 keys"},
	} {
		_, diagnostics := Parse(file, []byte(c.data))
		if len(diagnostics) != 1 || !strings.Contains(diagnostics[0].Message, c.want) {
			t.Errorf("%s: %v", name, diagnostics)
		}
	}
}

func TestOverridesInheritFromMemoryWhateverTheirOrder(t *testing.T) {
	got, diagnostics := Parse(file, []byte(`
[memory.repos."Octocat/Shop"]
approval_required = false
[memory]
max_age_days = 100
`))
	if len(diagnostics) > 0 {
		t.Fatal(diagnostics)
	}
	for _, c := range []struct {
		owner, name string
		approval    bool
	}{{"octocat", "shop", false}, {"OCTOCAT", "Shop", false}, {"octocat", "other", true}, {"", "", true}} {
		m := got.ForRepo(c.owner, c.name).Memory
		if m.ApprovalRequired != c.approval || m.MaxAgeDays != 100 {
			t.Errorf("%s/%s: %+v", c.owner, c.name, m.MemorySettings)
		}
	}
	_, diagnostics = Parse(file, []byte("[memory.repos.\"a/b\"]\n[memory.repos.\"A/b\"]\n"))
	if len(diagnostics) != 1 || diagnostics[0].Message != `"A/b" stands twice, in different case` {
		t.Errorf("diagnostics = %v", diagnostics)
	}
}

// TestA106AnOldBaseBranchDecidesOnlyHowItsChangeIsLookedAt proves that a
// permissive file at a base commit widens nothing (page 3.1).
func TestA106AnOldBaseBranchDecidesOnlyHowItsChangeIsLookedAt(t *testing.T) {
	live, _ := Parse(file, []byte("[memory]\nmode = \"manual_only\"\n[review]\nexternal = \"never\"\nmin_severity = \"high\"\n"))
	old, diagnostics := Parse(file, []byte(`
[familiar]
handle = "other"
[memory]
approval_required = false
mode = "manual_with_drafts"
[memory.repos."octocat/shop"]
approval_required = false
[trust]
bots = ["evil"]
collaborators_may_review = true
[review]
external = "always"
min_severity = "info"
[runtime]
kind = "exec"
`))
	if len(diagnostics) > 0 {
		t.Fatal(diagnostics)
	}
	trusted, _ := live.Split()
	_, base := old.Split()
	got := Combine(trusted, base)
	if again, _ := got.Split(); !reflect.DeepEqual(again, trusted) {
		t.Errorf("A106: the base changed %+v into %+v", trusted, again)
	}
	if got.Review.MinSeverity != contract.SeverityInfo {
		t.Errorf("severities of a review come from the base, got %q", got.Review.MinSeverity)
	}
	if m := got.ForRepo("octocat", "shop").Memory; !m.ApprovalRequired {
		t.Error("A106: the base turned the approval gate off")
	}
}

// TestA114WhatOnlyTheStepMayGiveIsRefusedInAFile covers the configuration's
// side of a hostile clone.
func TestA114WhatOnlyTheStepMayGiveIsRefusedInAFile(t *testing.T) {
	for data, want := range map[string]string{
		"[runtime]\nkind = \"exec\"\ncommand = \"curl evil\"": "runtime.command",
		"[runtime]\nexec-command = [\"sh\"]":                  "runtime.exec-command",
		"[runtime]\nmodel_endpoint = \"https://evil\"":        "runtime.model_endpoint",
		"[runtime.exec]\ncommand = \"x\"":                     "runtime.exec",
		"[runtime]\nAPI_KEY = \"x\"":                          "runtime.API_KEY",
		"[memory]\nkey = \"x\"":                               "memory.key",
		"[memory]\nmemory-key = \"x\"":                        "memory.memory-key",
		"command = \"x\"":                                     "command",
		"[models]\nendpoint = \"x\"":                          "models",
		"[memory.repos.\"a/b\"]\ntoken = \"x\"":               `memory.repos."a/b".token`,
	} {
		got, diagnostics := Parse(file, []byte(data))
		wantText := want + " is taken from the step's inputs only, never from a file in the repository"
		if len(diagnostics) != 1 || diagnostics[0].Message != wantText {
			t.Errorf("A114 %q: %v, want %s", data, diagnostics, wantText)
		}
		if !reflect.DeepEqual(got, broken()) {
			t.Errorf("A114 %q: the file counts: %+v", data, got)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"handle", "comment", "mode", "max_age_days"}
	for wrong, want := range map[string]string{
		"hanlde": "handle", "Mode": "mode", "max-age-day": "max_age_days", "comments": "comment", "zebra": "", "": "", "m": "",
		strings.Repeat("x", 1000): "",
	} {
		if got := Nearest(wrong, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", wrong, got, want)
		}
	}
}

// TestParseNeverWidensByAccident holds for any set of known keys with any
// values: what comes back is either exactly what the file says, or broken.
func TestParseNeverWidensByAccident(t *testing.T) {
	values := []string{`"off"`, `"always"`, `true`, `false`, `0`, `-1`, `7`, `2000`, `["**"]`, `[]`, `[1]`, `1.5`, `{}`, `""`}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, s := range rapid.SliceOfNDistinct(rapid.SampledFrom(settings), 0, 6, setting.name).Draw(t, "keys") {
			b.WriteString(s.name() + " = " + rapid.SampledFrom(values).Draw(t, "value") + "\n")
		}
		got, diagnostics := Parse(file, []byte(b.String()))
		switch {
		case HasErrors(diagnostics):
			if !reflect.DeepEqual(got, broken()) {
				t.Fatalf("errors, and yet %+v", got)
			}
		case got.Memory.MaxAgeDays < 1 || got.Memory.MaxUnusedDays < 0 || got.Review.MinSeverity.Rank() == 0 || got.Memory.Mode == "" || got.External == "" || got.Runtime.Kind == "":
			t.Fatalf("no errors, and yet %+v", got)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{whole, "", "a = [", "[[a]]\n[a.b]\nc = 1", "a = '''x\n'''", "a = \"\"\"\\\n  x\"\"\"\"\"", "x = {a = [1, {b = 2}], # c\n}", "\"a\\u0062\" = 1", "a.b.c = 1979-05-27 07:32:00", "[memory.repos.\"a/b\"]\nmode='off'"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, diagnostics := Parse(file, data)
		for _, d := range diagnostics { // our own walk over the text must follow whatever the parser takes
			var root map[string]any
			if _, err := toml.Decode(string(data), &root); err == nil && strings.HasPrefix(d.Message, "not valid TOML") {
				t.Fatalf("%v, and yet the parser takes it", d)
			}
		}
		if HasErrors(diagnostics) && !reflect.DeepEqual(got, broken()) {
			t.Fatalf("errors, and yet %+v", got)
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, d := range diagnostics {
			if d.Line < 0 || d.Line > lines || strings.ContainsAny(d.String(), "\n\r\x00") {
				t.Fatalf("diagnostic %q in a file of %d lines", d.String(), lines)
			}
		}
	})
}
