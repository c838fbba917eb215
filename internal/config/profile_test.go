package config

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const goodProfile = `# what we care about this quarter
schema_version: 1
kind: review_profile
metadata:
  owner: payments
repository: acme/shop
review_scope:
  mode: scoped
  roots: [services/api, web/]
required_stages: [scope, correctness, security, tests, operations, reconcile, synthesize]
components:
  - name: ledger
    evidence: [services/api/ledger_test.go]
priorities:
  - money is never a float
test_surfaces: []
evidence_policy:
unresolved_questions: []
`

func problemsOf(list []Diagnostic) string {
	var out []string
	for _, d := range list {
		out = append(out, d.String())
	}
	return strings.Join(out, "\n")
}

func with(old, now string) string {
	if !strings.Contains(goodProfile, old) {
		panic("the profile does not hold " + old)
	}
	return strings.Replace(goodProfile, old, now, 1)
}

func listOf(key string, n int) string {
	return with(key, strings.TrimSuffix(key, "[]")+"["+strings.TrimSuffix(strings.Repeat("a, ", n), ", ")+"]")
}

func TestAProfileIsCheckedByPlace(t *testing.T) {
	if got := problemsOf(ParseProfile(ProfilePath, []byte(goodProfile))); got != "" {
		t.Fatalf("the good profile has problems:\n%s", got)
	}
	for _, c := range []struct{ name, profile, want string }{
		{"nothing at all", "", "not valid YAML"},
		{"a list", "- a\n", "a profile is a mapping"},
		{"a word", "hello\n", "a profile is a mapping"},
		{"two documents", goodProfile + "---\na: 1\n", "more than one YAML document"},
		{"broken YAML", "a: [\n", "not valid YAML"},
		{"not UTF-8", "a: \xff\n", "profile.yaml:1:4: error: the text is not UTF-8 here"},
		{"an unknown key", with("kind:", "knd: x\nkind:"), `profile.yaml:3:1: error: unknown key "knd"; the nearest is kind`},
		{"a key twice", with("kind:", "kind: x\nkind:"), `profile.yaml:4:1: error: the key "kind" is there twice`},
		{"a merge key", with("  owner: payments", "  <<: x"), "merges another"},
		{"an anchor", with("owner: payments", "owner: &a payments"), "profile.yaml:5:10: error: anchors and aliases are not read"},
		{"an alias bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n", "anchors and aliases are not read"},
		{"a tag", with("owner: payments", "owner: !!python/object x"), "is not read"},
		{"another version", with("schema_version: 1", "schema_version: 2"), "profile.yaml:2:17: error: schema_version is not 1"},
		{"a version in words", with("schema_version: 1", "schema_version: \"1\""), "schema_version is not 1"},
		{"a kind that is a list", with("kind: review_profile", "kind: [a]"), "kind must be a word"},
		{"metadata that is a word", with("metadata:\n  owner: payments", "metadata: us"), "metadata must be a mapping"},
		{"a repository without an owner", with("acme/shop", "shop"), "repository names no repository"},
		{"no mode", with("mode: scoped", "mood: scoped"), `review_scope.mode is ""`},
		{"a blank scope", with("review_scope:\n  mode: scoped\n  roots: [services/api, web/]", "review_scope:"), "review_scope has no mode"},
		{"a mode that nobody knows", with("mode: scoped", "mode: all"), `review_scope.mode is "all"; it takes repository or scoped`},
		{"an absolute root", with("services/api", "/etc"), `"/etc" is no folder of the repository`},
		{"a root outside", with("services/api", "../other"), `"../other" is no folder`},
		{"a root that is no word", with("services/api", "{a: b}"), "is no folder"},
		{"stages in another order", with("[scope, correctness", "[correctness, scope"), "not the stages of a review in their order"},
		{"components that are a mapping", with("components:\n  - name: ledger\n    evidence: [services/api/ledger_test.go]", "components: {}"), "components must be a list"},
		{"depth", with("owner: payments", "owner: "+strings.Repeat("[", 40)+strings.Repeat("]", 40)), "levels deep"},
		{"a flood of brackets", strings.Repeat("[", 100_000), "opens 100000 lists and mappings"},
		{"a flood of values", with("unresolved_questions: []", "unresolved_questions: []\nmore: ["+strings.Repeat("a,", 60_000)+"]"), "more than 50000 values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := ParseProfile(ProfilePath, []byte(c.profile))
			if got := problemsOf(list); !HasErrors(list) || !strings.Contains(got, c.want) {
				t.Errorf("got\n%s\nwant %q", got, c.want)
			}
		})
	}
}

func TestTheFirstFileOfTheBaseThatIsThereInstructs(t *testing.T) {
	file := func(text string) BaseFile { return BaseFile{Data: []byte(text), There: true} }
	for _, c := range []struct {
		name       string
		files      map[string]BaseFile
		from, want string // want: of the problems
	}{
		{"nothing", nil, "", ""},
		{"the profile beats the others", map[string]BaseFile{ProfilePath: file(goodProfile), "AGENTS.md": file("a")}, ProfilePath, ""},
		{"AGENTS.md without one", map[string]BaseFile{"AGENTS.md": file("# a"), ".github/copilot-instructions.md": file("b")}, "AGENTS.md", ""},
		{"the last resort", map[string]BaseFile{".github/copilot-instructions.md": file("b")}, ".github/copilot-instructions.md", ""},
		{"a broken profile is none, and no other takes its place", map[string]BaseFile{ProfilePath: file("a: 1"), "AGENTS.md": file("a")}, "", `unknown key "a"`},
		{"a link is none", map[string]BaseFile{ProfilePath: {There: true, Problem: "it is a symbolic link"}}, "", "it is a symbolic link, so the reviewer is told nothing of it; make it a regular file"},
		{"AGENTS.md of more than 1 MiB", map[string]BaseFile{"AGENTS.md": file(strings.Repeat("a", MaxProfileBytes+1))}, "", "1048577 bytes, more than the 1048576 that are read"},
		{"AGENTS.md that is no UTF-8", map[string]BaseFile{"AGENTS.md": file("a\xff")}, "", "not UTF-8"},
		{"AGENTS.md that is no text", map[string]BaseFile{"AGENTS.md": file("a\x00")}, "", "is not text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, list := ChooseInstruction(c.files)
			if got.Path != c.from {
				t.Errorf("from %q, want %q", got.Path, c.from)
			}
			if p := problemsOf(list); c.want == "" && p != "" || !strings.Contains(p, c.want) {
				t.Errorf("problems %q, want %q", p, c.want)
			}
			if c.from == "" && got.Audit("abc") != "" {
				t.Error("no instruction says something")
			}
			if c.from != "" && (len(got.Digest) != 64 || !strings.HasPrefix(got.Audit("abc"), "What the maintainers care about, from "+c.from+" at commit abc (sha256 "+got.Digest+"):\n\n")) {
				t.Errorf("audit %q", got.Audit("abc"))
			}
		})
	}
	blank, _ := ChooseInstruction(map[string]BaseFile{"AGENTS.md": file(" \n")})
	if blank.Audit("") != "" {
		t.Error("a blank file says something")
	}
}

// carried reads the cases of one area of testdata/conformance.
func carried(t *testing.T, area string, run func(t *testing.T, input, want map[string]any)) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/conformance/" + area + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		var c struct {
			Name        string
			Input, Want map[string]any
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) { run(t, c.Input, c.Want) })
		n++
	}
	if n < 5 {
		t.Fatalf("%d cases of %s", n, area)
	}
}

func TestConformanceProfile(t *testing.T) {
	carried(t, "profile", func(t *testing.T, input, want map[string]any) {
		switch {
		case want["keys"] != nil:
			for _, key := range want["keys"].([]any) {
				list := ParseProfile(ProfilePath, []byte(without(key.(string))))
				if p := problemsOf(list); !strings.Contains(p, fmt.Sprintf("the key %s is missing", key)) {
					t.Errorf("without %s: %q", key, p)
				}
			}
		case want["stages"] != nil:
			if got := fmt.Sprint(want["stages"]); got != fmt.Sprint(ProfileStages) {
				t.Errorf("stages %v", ProfileStages)
			}
		case want["lists"] != nil:
			for key, most := range want["lists"].(map[string]any) {
				checkCap(t, key, int(most.(float64)))
			}
		default:
			roots, err := json.Marshal(input["roots"])
			if err != nil {
				t.Fatal(err)
			}
			list := ParseProfile(ProfilePath, []byte(with("mode: scoped\n  roots: [services/api, web/]", fmt.Sprintf("mode: %s\n  roots: %s", input["mode"], roots))))
			if p := problemsOf(list); !strings.Contains(p, want["refused"].(string)) {
				t.Errorf("problems %q, want %q", p, want["refused"])
			}
		}
	})
}

// without takes one key of the top out of the good profile.
func without(key string) string {
	var out []string
	skip := false
	for line := range strings.Lines(goodProfile) {
		if !strings.HasPrefix(line, " ") {
			skip = strings.HasPrefix(line, key+":")
		}
		if !skip {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// checkCap holds a list at its bound and one beyond it.
func checkCap(t *testing.T, key string, most int) {
	t.Helper()
	make := map[string]func(n int) string{
		"components": func(n int) string {
			return with("components:\n  - name: ledger\n    evidence: [services/api/ledger_test.go]", "components: ["+strings.Repeat("a,", n)+"]")
		},
		"priorities": func(n int) string {
			return with("priorities:\n  - money is never a float", "priorities: ["+strings.Repeat("a,", n)+"]")
		},
		"test_surfaces":           func(n int) string { return listOf("test_surfaces: []", n) },
		"unresolved_questions":    func(n int) string { return listOf("unresolved_questions: []", n) },
		"review_scope.roots":      func(n int) string { return with("[services/api, web/]", "["+strings.Repeat("a,", n)+"]") },
		"evidence of a component": func(n int) string { return with("[services/api/ledger_test.go]", "["+strings.Repeat("a,", n)+"]") },
	}[key]
	if make == nil {
		t.Fatalf("no list %q", key)
	}
	if p := problemsOf(ParseProfile(ProfilePath, []byte(make(most)))); p != "" {
		t.Errorf("%d of %s: %s", most, key, p)
	}
	if p := problemsOf(ParseProfile(ProfilePath, []byte(make(most+1)))); !strings.Contains(p, fmt.Sprintf("%d entries, more than %d", most+1, most)) {
		t.Errorf("%d of %s: %q", most+1, key, p)
	}
}

func TestConformanceProfileLoad(t *testing.T) {
	carried(t, "profile-load", func(t *testing.T, input, want map[string]any) {
		text := goodProfile
		if n, ok := input["bytes"].(float64); ok {
			text += "#" + strings.Repeat("x", int(n)-len(text)-1)
		}
		if m, ok := input["metadata"].(string); ok {
			text = with("metadata:\n  owner: payments", "metadata:"+m)
		}
		files := map[string]BaseFile{}
		if input["base"] == "present" {
			files[ProfilePath] = BaseFile{Data: []byte(text), There: true}
		}
		// The head's file has no way in: the files are those of the base.
		got, list := ChooseInstruction(files)
		if from := map[bool]string{true: "base"}[got.Text == text]; from != want["from"] {
			t.Errorf("from %q, want %q", from, want["from"])
		}
		refused, _ := want["refused"].(string)
		if p := problemsOf(list); (refused == "") != (p == "") || !strings.Contains(p, refused) {
			t.Errorf("problems %q, want %q", p, refused)
		}
	})
}

func FuzzProfile(f *testing.F) {
	f.Add([]byte(goodProfile))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("? {a: b}\n: c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range ParseProfile(ProfilePath, data) {
			if d.Message == "" || d.Line < 0 || strings.ContainsAny(d.Message, "\n\r") || !slices.Contains([]Level{Error, Warning}, d.Severity) {
				t.Errorf("diagnostic %+v", d)
			}
		}
	})
}
