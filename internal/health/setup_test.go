package health

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/memory"
)

// TestDoctorConformance carries the shared cases of the area "doctor".
func TestDoctorConformance(t *testing.T) {
	data, err := os.ReadFile("../../testdata/conformance/doctor.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		var c struct {
			Name  string
			Input struct{ TOML string }
			Want  []struct{ Field, Severity string }
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(c.Name, func(t *testing.T) {
			parsed, diagnostics := config.Parse(".github/familiar.toml", []byte(c.Input.TOML))
			got := Settings(SettingsFacts{File: ".github/familiar.toml", Config: parsed, Diagnostics: diagnostics})
			if len(got) != len(c.Want) {
				t.Fatalf("got %q", lines(got))
			}
			for i, f := range got {
				if f.Field != c.Want[i].Field || string(f.Severity) != c.Want[i].Severity || f.Check != CheckGate {
					t.Errorf("got %+v, want %+v", f, c.Want[i])
				}
			}
		})
	}
	if n < 4 {
		t.Errorf("%d cases, want at least 4", n)
	}
}

func TestTheStoreAsAWhole(t *testing.T) {
	day := 24 * time.Hour
	sound := StoreFacts{
		LessonFacts: LessonFacts{Now: now}, Settings: config.Defaults().Memory.MemorySettings,
		SavedAt: daysAgo(10), ExpiresAt: now.AddDate(0, 0, 80), SweepEvery: day, Bytes: 1 << 20, MaxBytes: 128 << 20, Active: 100, Pending: 3,
	}
	for _, c := range []struct {
		name   string
		change func(*StoreFacts)
		want   []string
	}{
		{"nothing is wrong", func(*StoreFacts) {}, nil},
		{"a file does not expire", func(f *StoreFacts) { f.ExpiresAt = time.Time{} }, nil},
		{"nobody has stored it anew", func(f *StoreFacts) { f.SavedAt, f.ExpiresAt = daysAgo(50), now.AddDate(0, 0, 40) },
			[]string{"warning store : The memory is deleted on 2027-01-09, in 40 days, and no run has stored it anew for 50 days."}},
		{"expired", func(f *StoreFacts) { f.ExpiresAt = now }, []string{"error store : The memory expired on 2026-11-30."}},
		{"two sweeps outlast it", func(f *StoreFacts) { f.SavedAt, f.ExpiresAt, f.SweepEvery = now, now.AddDate(0, 0, 14), 7*day },
			[]string{"error artifact : The memory lives for 14 days, and the sweep that stores it anew comes every 7 days."}},
		{"three sweeps are enough", func(f *StoreFacts) { f.SavedAt, f.ExpiresAt, f.SweepEvery = now, now.AddDate(0, 0, 21), 7*day }, nil},
		{"many lessons", func(f *StoreFacts) { f.Active = 1600 }, []string{"warning store : The memory has 1600 of at most 2000 current lessons."}},
		{"just below", func(f *StoreFacts) { f.Active = 1599 }, nil},
		{"as many as there may be", func(f *StoreFacts) { f.Active = 2000 }, []string{"error store : The memory has 2000 of at most 2000 current lessons."}},
		{"proposals pile up", func(f *StoreFacts) { f.Pending = 200 }, []string{"error store : The memory has 200 of at most 200 proposals that wait."}},
		{"A113: near the cap of bytes", func(f *StoreFacts) { f.Bytes = f.MaxBytes * 85 / 100 }, []string{"warning store : The memory has 114085068 of at most 134217728 bytes in the database."}},
		{"A113: additions are refused", func(f *StoreFacts) { f.Bytes = f.MaxBytes * 91 / 100 }, []string{"error store : The memory has 122138132 of at most 134217728 bytes in the database."}},
		{"nobody approved them", func(f *StoreFacts) { f.Auto = 2 }, []string{"warning gate : There are 2 lessons in use that no person approved."}},
		{"nobody approved one", func(f *StoreFacts) { f.Auto = 1 }, []string{"warning gate : There is 1 lesson in use that no person approved."}},
		{"with lessons", func(f *StoreFacts) {
			f.Versions = []memory.Version{lesson("m-a", "x y"), lesson("m-b", "x y")}
			f.Auto = 1
		}, []string{"warning gate : There is 1 lesson in use that no person approved.", "note duplicate : m-b says the same as m-a."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := sound
			c.change(&f)
			got := Memory(f)
			if !slices.Equal(lines(got), c.want) {
				t.Errorf("got %q, want %q", lines(got), c.want)
			}
			for _, x := range got {
				if x.Reason == "" || x.Fix == "" {
					t.Errorf("%+v", x)
				}
			}
		})
	}
}

func TestConfigurationThatIsWrongOrUnwise(t *testing.T) {
	const file = ".github/familiar.toml"
	for _, c := range []struct {
		name, toml string
		visibility string
		want       []string
	}{
		{"an empty file", "", "", nil},
		{"a misspelt key", "[memory]\nmax_age_dyas = 3", "", []string{"error config " + file + ":2:1: Unknown key memory.max_age_dyas."}},
		{"an age of 0", "[memory]\nmax_age_days = 0", "", []string{"error config " + file + ":2:1: memory.max_age_days = 0 is out of range."}},
		{"a negative age", "[memory]\nmax_age_days = -1", "", []string{"error config " + file + ":2:1: memory.max_age_days = -1 is out of range."}},
		{"an absurd age", "[memory]\nmax_age_days = 99999", "", []string{"error config " + file + ":2:1: memory.max_age_days = 99999 is out of range."}},
		{"an age that is over once it is told", "[memory]\nmax_age_days = 30", "", []string{"warning ages " + file + ": Lessons end after 30 days."}},
		{"an age of ten years", "[memory]\nmax_age_days = 3650", "", []string{"note ages " + file + ": Lessons live for 10 years without anybody looking at them."}},
		{"a week without use", "[memory]\nmax_unused_days = 7", "", []string{"warning ages " + file + ": Lessons end after 7 days without use."}},
		{"unused longer than old", "[memory]\nmax_age_days = 100\nmax_unused_days = 100", "", []string{"note ages " + file + ": memory.max_unused_days does nothing: age ends a lesson before."}},
		{"ages where memory is off", "[memory]\nenabled = false\nmax_age_days = 1", "", nil},
		{"an age of one repository", "[memory.repos.\"a/b\"]\nmax_age_days = 2", "", []string{"warning ages " + file + ": Lessons end after 2 days."}},
		{"a paid reviewer for everybody", "[runtime]\nkind = \"models\"\n[review]\nexternal = \"always\"", "public", []string{"warning config " + file + ": A paid reviewer looks at every stranger's change."}},
		{"the same among ourselves", "[runtime]\nkind = \"models\"\n[review]\nexternal = \"always\"", "private", []string{"note config " + file + ": A paid reviewer looks at every stranger's change."}},
		{"rules cost nothing", "[review]\nexternal = \"always\"", "public", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			parsed, diagnostics := config.Parse(file, []byte(c.toml))
			got := Settings(SettingsFacts{File: file, Config: parsed, Diagnostics: diagnostics, Visibility: c.visibility})
			if !slices.Equal(lines(got), c.want) {
				t.Errorf("got %q, want %q", lines(got), c.want)
			}
			for _, f := range got {
				if f.Reason == "" || f.Fix == "" || !strings.HasSuffix(f.Fix, ".") && !strings.HasSuffix(f.Fix, "?") {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

func TestAgesThatNoParserLetsThroughAreNamedAllTheSame(t *testing.T) {
	m := config.Defaults().Memory.MemorySettings
	m.MaxAgeDays, m.MaxUnusedDays = 0, -2
	got := ages("f", "memory.", m)
	want := []string{"error ages f: memory.max_age_days is 0.", "error ages f: memory.max_unused_days is -2."}
	if !slices.Equal(lines(got), want) {
		t.Errorf("got %q", lines(got))
	}
}

func TestConfigurationBesideItsWorkflowAndItsBranch(t *testing.T) {
	steps := func(with string) []Workflow {
		return []Workflow{ParseWorkflow("w.yml", []byte(swap(t, base, "        with:\n", "        with:\n"+with)))}
	}
	models := config.Defaults()
	models.Runtime.Kind = config.RuntimeModels
	for _, c := range []struct {
		name  string
		facts SettingsFacts
		want  []string
	}{
		{"models without what it needs", SettingsFacts{Config: models, Workflows: steps("          model: m\n")}, []string{
			"error config w.yml:23: The reviewer `models` needs the input `model-api-key`, and the step does not give it.",
			"error config w.yml:23: The reviewer `models` needs the input `model-endpoint`, and the step does not give it."}},
		{"the step's own reviewer beats the file", SettingsFacts{Config: models, Workflows: steps("          runtime: rules\n")}, nil},
		{"exec by the step", SettingsFacts{Config: config.Defaults(), Workflows: steps("          runtime: exec\n")},
			[]string{"error config w.yml:23: The reviewer `exec` needs the input `exec-command`, and the step does not give it."}},
		{"a sweep reviews nothing", SettingsFacts{Config: models, Workflows: steps("          operation: sweep\n")}, nil},
		{"the file here is not the one that counts", SettingsFacts{File: "f", Config: config.Defaults(), Pending: PendingOther}, []string{"note config f: The file here differs from the one on the default branch."}},
		{"the file is only here", SettingsFacts{File: "f", Config: config.Defaults(), Pending: PendingNew}, []string{"note config f: The file here is not on the default branch yet."}},
		{"the file is only there", SettingsFacts{File: "f", Config: config.Defaults(), Pending: PendingGone}, []string{"note config f: The file here is gone, and still on the default branch."}},
		{"a broken rule", SettingsFacts{Config: config.Defaults(), Diagnostics: []config.Diagnostic{{File: ".github/familiar/rules.toml", Line: 3, Column: 1, Severity: config.Error, Message: "this rule is left out: x", Fix: "mend it"}}},
			[]string{"error config .github/familiar/rules.toml:3:1: This rule is left out: x."}},
		{"a broken profile", SettingsFacts{Config: config.Defaults(), Diagnostics: []config.Diagnostic{{File: config.ProfilePath, Severity: config.Warning, Message: "it is thin"}}},
			[]string{"warning profile .github/familiar/profile.yaml: It is thin."}},
	} {
		if got := lines(Settings(c.facts)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if kind, file, line := Applied(steps("          runtime: exec\n")); kind != "exec" || file != "w.yml" || line != 25 {
		t.Errorf("applied %q at %s:%d", kind, file, line)
	}
	if p := ConfigPath(steps("          config: other.toml\n")); p != "other.toml" {
		t.Errorf("configuration %q", p)
	}
}

func TestTheKey(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts KeyFacts
		want  []string
	}{
		{"none at hand", KeyFacts{Problem: "x"}, nil},
		{"a sound one", KeyFacts{Given: true, Identities: 1}, nil},
		{"no identity", KeyFacts{Given: true, Problem: "it holds no identity", Fix: "Run familiar keygen."}, []string{"error key : The memory key is no age identity: it holds no identity."}},
		{"one that somebody typed", KeyFacts{Given: true, Identities: 1, Weak: true}, []string{"error key : The memory key was not drawn at random."}},
		{"many old ones", KeyFacts{Given: true, Identities: 3}, []string{"note key : The memory key has 3 identities."}},
	} {
		got := Key(c.facts)
		if !slices.Equal(lines(got), c.want) {
			t.Errorf("%s: got %q, want %q", c.name, lines(got), c.want)
		}
	}
}

func remote(t *testing.T, change func(*RemoteFacts)) []Finding {
	t.Helper()
	l := config.Defaults().Familiar.Labels
	f := RemoteFacts{
		Now: now, Repository: "acme/shop", Visibility: "private", DefaultBranch: "main", Workflows: example(t, "private"), Config: config.Defaults(),
		Labels: Is([]string{l.Approve, l.Reject, strings.ToUpper(l.Review), l.NoMemory, l.Skip, "bug"}), RepoSecrets: Is([]string{"OTHER"}),
		Environments: Is([]Environment{{Name: "familiar", Restricted: true, Branches: []string{"main"}, Secrets: Is([]string{DefaultKeySecret})}}),
		States:       Is(map[string]string{".github/workflows/familiar.yml": "active", ".github/workflows/familiar-sweep.yml": "active"}),
		Policy:       Is(ActionsPolicy{Enabled: true, Allowed: "all"}), Containers: Is([]Container{{ID: 1, Created: daysAgo(1), Expires: now.AddDate(0, 0, 89)}}),
	}
	change(&f)
	return Remote(f)
}

func TestWhatGitHubSaysOfTheRepository(t *testing.T) {
	environment := func(e Environment) func(*RemoteFacts) {
		return func(f *RemoteFacts) {
			e.Name, e.Secrets = "familiar", Is([]string{DefaultKeySecret})
			f.Environments = Is([]Environment{e})
		}
	}
	for _, c := range []struct {
		name   string
		change func(*RemoteFacts)
		want   []string
	}{
		{"nothing is wrong", func(*RemoteFacts) {}, nil},
		{"labels that are not there", func(f *RemoteFacts) { f.Labels = Is([]string{"familiar:skip", "familiar:approve", "familiar:reject"}) },
			[]string{"note labels : The repository has no label `familiar:review` and `familiar:no-memory` yet."}},
		{"the key as a plain secret too", func(f *RemoteFacts) { f.RepoSecrets = Is([]string{"familiar_memory_key"}) },
			[]string{"error environment : FAMILIAR_MEMORY_KEY is a plain secret of the repository."}},
		{"no key anywhere", func(f *RemoteFacts) { f.Environments.Value[0].Secrets = Is([]string{"OTHER"}) },
			[]string{"warning key : There is no secret FAMILIAR_MEMORY_KEY."}},
		{"where the key lies is not known", func(f *RemoteFacts) { f.Environments.Value[0].Secrets = Known[[]string]{Why: "no"} }, nil},
		{"no environment", func(f *RemoteFacts) { f.Environments = Is([]Environment{{Name: "familiar", Missing: true}}) },
			[]string{"warning environment : There is no environment `familiar`.", "warning key : There is no secret FAMILIAR_MEMORY_KEY."}},
		{"an environment for every branch", environment(Environment{}), []string{"error environment : Every branch may use the environment `familiar`."}},
		{"one for protected branches", environment(Environment{Restricted: true, Protected: true}), []string{"note environment : Every protected branch may use the environment `familiar`."}},
		{"one for other branches too", environment(Environment{Restricted: true, Branches: []string{"main", "release/*"}}), []string{"warning environment : `release/*` may use the environment `familiar` too."}},
		{"turned off over sixty quiet days", func(f *RemoteFacts) { f.States.Value[".github/workflows/familiar-sweep.yml"] = "disabled_inactivity" },
			[]string{"error schedule .github/workflows/familiar-sweep.yml: GitHub has turned this workflow off, since the repository was quiet for 60 days."}},
		{"turned off by hand", func(f *RemoteFacts) { f.States.Value[".github/workflows/familiar.yml"] = "disabled_manually" },
			[]string{"warning workflow .github/workflows/familiar.yml: The workflow is turned off (disabled_manually)."}},
		{"Actions are off", func(f *RemoteFacts) { f.Policy = Is(ActionsPolicy{}) }, []string{"error actions : Actions are off in this repository."}},
		{"only our own actions", func(f *RemoteFacts) { f.Policy.Value.Allowed = "local_only" }, []string{"error actions : The Actions policy allows the owner's own actions only."}},
		{"only some actions", func(f *RemoteFacts) {
			f.Policy = Is(ActionsPolicy{Enabled: true, Allowed: "selected", Patterns: []string{"actions/*"}})
		},
			[]string{"error actions : The Actions policy does not allow `familiarhq/familiar@v1`."}},
		{"some actions, ours among them", func(f *RemoteFacts) {
			f.Policy = Is(ActionsPolicy{Enabled: true, Allowed: "selected", Patterns: []string{"actions/*", "FamiliarHQ/*@*"}})
		}, nil},
		{"the newest container decides", func(f *RemoteFacts) {
			f.Containers = Is([]Container{{Created: daysAgo(80), Expires: now.AddDate(0, 0, 10)}, {Created: daysAgo(1), Expires: now.AddDate(0, 0, 89)}, {Created: daysAgo(95), Expired: true}})
		}, nil},
		{"none is fresh", func(f *RemoteFacts) {
			f.Containers = Is([]Container{{Created: daysAgo(80), Expires: now.AddDate(0, 0, 10)}})
		},
			[]string{"warning store : The memory is deleted on 2026-12-10, in 10 days, and no run has stored it anew for 80 days."}},
		{"all have expired", func(f *RemoteFacts) { f.Containers = Is([]Container{{Expired: true}, {Expires: daysAgo(1)}}) }, []string{"error store : Every container of the memory has expired."}},
		{"nothing was taught yet", func(f *RemoteFacts) { f.Containers = Is([]Container{}) }, nil},
		{"what the token may not see", func(f *RemoteFacts) {
			f.RepoSecrets, f.Policy = Known[[]string]{Why: "the token may not see it"}, Known[ActionsPolicy]{Why: "it failed"}
		},
			[]string{"note access : It was not looked at: the Actions policy.", "note access : It was not looked at: the repository's secrets."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lines(remote(t, c.change)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := KeyedEnvironments(example(t, "public")); !reflect.DeepEqual(got, []string{"familiar"}) {
		t.Errorf("environments of the key: %q", got)
	}
	for pattern, want := range map[string]bool{"a/b@v1": true, "a/*": true, "*": true, "a/*@v1": true, "a/b": false, "*@v2": false, "b/*": false, "a/*x*@v1": false} {
		if got := starMatch(pattern, "a/b@v1"); got != want {
			t.Errorf("starMatch(%q) = %v", pattern, got)
		}
	}
}

func TestClosedSets(t *testing.T) {
	for _, c := range Checks() {
		if got, err := ParseCheck(string(c)); err != nil || got != c {
			t.Errorf("ParseCheck(%q) = %q, %v", c, got, err)
		}
	}
	if _, err := ParseCheck("zzz"); err == nil || !strings.HasPrefix(err.Error(), `there is no check "zzz"; known: config, gate,`) {
		t.Errorf("error %v", err)
	}
	for _, s := range Severities() {
		if got, err := ParseSeverity(string(s)); err != nil || got != s {
			t.Errorf("ParseSeverity(%q) = %q, %v", s, got, err)
		}
	}
	if _, err := ParseSeverity("bad"); err == nil || err.Error() != `a severity is error, warning or note, not "bad"` {
		t.Errorf("error %v", err)
	}
}

func TestFindingsInOrderAndInWords(t *testing.T) {
	list := []Finding{
		{Check: CheckUnused, Severity: Note, Message: "c."}, {Check: CheckConfig, Severity: Warning, File: "f", Line: 2, Message: "b."},
		{Check: CheckConfig, Severity: Warning, File: "f", Line: 1, Column: 4, Message: "a.", Fix: "Do it."}, {Check: CheckKey, Severity: Error, Message: "first."},
	}
	Sort(list)
	var got []string
	for _, f := range list {
		got = append(got, f.Sentence())
	}
	if want := []string{"first.", "f:1:4: a. Do it.", "f:2: b.", "c."}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if Worst(list) != Error || Worst(list[1:]) != Warning || Worst(nil) != "" {
		t.Errorf("worst of %v", list)
	}
	if Worst([]Finding{{Severity: Note}, {}}) != "" {
		t.Error("a severity outside the set counts for less than a note")
	}
}

func TestWhoMakesAKeyIsLeftWithACopy(t *testing.T) {
	for name, change := range map[string]func(*RemoteFacts){
		"a plain secret": func(f *RemoteFacts) { f.RepoSecrets = Is([]string{DefaultKeySecret}) },
		"no secret":      func(f *RemoteFacts) { f.Environments.Value[0].Secrets = Is([]string{}) },
	} {
		t.Run(name, func(t *testing.T) {
			got := remote(t, change)
			if len(got) != 1 {
				t.Fatalf("%d findings: %q", len(got), lines(got))
			}
			for _, want := range []string{"(umask 077; familiar keygen > ../familiar.key)", "gh secret set " + DefaultKeySecret + " --env familiar < ../familiar.key", "keep that file"} {
				if !strings.Contains(got[0].Fix, want) {
					t.Errorf("%q is missing in %s", want, got[0].Fix)
				}
			}
		})
	}
}
