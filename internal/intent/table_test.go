package intent

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files")

func TestHelpIsMadeFromTheTable(t *testing.T) {
	forget, ok := HelpFor(VerbKeep)
	if !ok {
		t.Fatal("keep has no help")
	}
	for name, got := range map[string]string{"help.md": HelpMarkdown(""), "help.txt": HelpText(""), "keep.txt": forget} {
		name := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatalf("%v; write it with: go test ./internal/intent -update", err)
		}
		if got != string(want) {
			t.Errorf("%s differs; see the difference after: go test ./internal/intent -update\ngot:\n%s", name, got)
		}
	}
}

func TestHelpNamesTheConfiguredHandleAndFitsATerminal(t *testing.T) {
	if md := HelpMarkdown("robin"); !strings.Contains(md, "`@robin` or `/robin`") || strings.Contains(md, "familiar") {
		t.Error(md)
	}
	for _, line := range strings.Split(HelpText("robin"), "\n") {
		if len([]rune(line)) > 80 {
			t.Errorf("%d columns: %s", len([]rune(line)), line)
		}
	}
}

func TestHelpCommandsNobody(t *testing.T) {
	for _, text := range []string{HelpMarkdown(""), "@familiar help\n\n> " + HelpMarkdown("")} {
		for _, in := range Parse(text, Options{}) {
			if in.Verb != VerbHelp {
				t.Errorf("the help commands %q", in.Raw)
			}
		}
	}
}

func TestEveryVerbHasOneRowWithEverything(t *testing.T) {
	seen := map[Verb]bool{}
	for _, row := range Table() {
		if seen[row.Verb] {
			t.Errorf("%s has two rows", row.Verb)
		}
		seen[row.Verb] = true
		if row.parse == nil || row.Does == "" || strings.HasSuffix(row.Does, ".") || len(row.Forms) == 0 {
			t.Errorf("the row of %s lacks something", row.Verb)
		}
		for _, f := range row.Forms {
			if !strings.HasPrefix(f, string(row.Verb)) {
				t.Errorf("the form %q is not one of %s", f, row.Verb)
			}
		}
		for _, o := range row.Options {
			known := false
			for _, a := range allOptions() {
				known = known || a == o
			}
			if !known {
				t.Errorf("%s: the option %s is in no list", row.Verb, o.Name)
			}
		}
	}
	if len(seen) != 26 {
		t.Errorf("%d verbs, page 6.1 has 26", len(seen))
	}
}

// The standings of page 4.3, and of the table of page 6.1.
func TestWhoMayGiveACommand(t *testing.T) {
	for who, verbs := range map[Who]string{
		Anyone:       "status help",
		Collaborator: "list show why",
		Maintainer: "remember never prefer with approve reject edit forget retire keep accept dismiss correct feedback " +
			"review pause resume",
		Admin: "purge revoke unrevoke redact unknown nonsense",
	} {
		for _, v := range strings.Fields(verbs) {
			if got := WhoMay(Verb(v)); got != who {
				t.Errorf("%s: %s, want %s", v, got, who)
			}
		}
	}
}

func TestVerbsParseExactly(t *testing.T) {
	for _, v := range Verbs() {
		if got, ok := ParseVerb(string(v)); !ok || got != v {
			t.Errorf("%s does not parse", v)
		}
	}
	for _, s := range []string{"", "Forget", "unknown", "forget ", "delete"} {
		if _, ok := ParseVerb(s); ok {
			t.Errorf("%q parses", s)
		}
	}
}

// Every form that the help shows is understood once its placeholders are
// filled in.
func TestTheFormsInTheHelpAreUnderstood(t *testing.T) {
	fill := strings.NewReplacer("m-ID...", "m-7f3k2q8a m-2xw9d4hc", "m-ID", "m-7f3k2q8a", "TEXT", "a lesson", "PATTERN", "`x`", "GLOB", "**/*.go",
		"LESSON", "because", "KEY", "lessons/x", "QUERY", "money", "VERB", "forget", " X ", " a ", " Y ", " b ", "PATH", "docs/api.md")
	for _, row := range Table() {
		for _, f := range row.Forms {
			body := "@familiar " + fill.Replace(f)
			if row.Verb == VerbWith {
				body += "\npaths: api/**"
			}
			if regexp.MustCompile(`[A-Z]{3,}`).MatchString(body) {
				t.Errorf("%q has a placeholder that nothing fills", body)
			}
			if got := Parse(body, Options{}); len(got) != 1 || got[0].Problem != "" {
				t.Errorf("%q: %+v", body, got)
			}
		}
	}
}

func TestLabelsAreComparedExactly(t *testing.T) {
	names := DefaultLabelNames()
	for name, want := range map[string]LabelIntent{
		"familiar:approve": LabelApprove, "familiar:reject": LabelReject, "familiar:review": LabelReview,
		"familiar:no-memory": LabelNoMemory, "familiar:skip": LabelSkip,
	} {
		if got, ok := ParseLabel(name, names); !ok || got != want {
			t.Errorf("%s gives %s", name, got)
		}
	}
	for _, name := range []string{"", "Familiar:approve", "familiar:approve ", "familiar:approved", "approve", "familiar"} {
		if got, ok := ParseLabel(name, names); ok {
			t.Errorf("%q gives %s", name, got)
		}
	}
}

func TestConfiguredLabels(t *testing.T) {
	names := LabelNames{Approve: "memory ok", Review: "memory ok"}
	if got, _ := ParseLabel("memory ok", names); got != LabelReview {
		t.Errorf("a name of two intents asks for %s, want the one that does less", got)
	}
	if got, ok := ParseLabel("", names); ok {
		t.Errorf("no name gives %s", got)
	}
	if got, ok := ParseLabel("familiar:skip", names); ok {
		t.Errorf("a label without a configured name gives %s", got)
	}
}

func TestNearest(t *testing.T) {
	words := []string{"forget", "retire", "keep", "why", "list"}
	for word, want := range map[string]string{
		"forgte": "forget", "forgett": "forget", "retier": "retire", "kepe": "keep", "keeep": "keep", "wyh": "why",
		"kip": "", "lsit": "list", "": "", "purge": "", "forgotten": "", strings.Repeat("forget", 9): "",
	} {
		if got := nearest(word, words); got != want {
			t.Errorf("%q is near %q, want %q", word, got, want)
		}
	}
}

func TestDistanceIsAMetric(t *testing.T) {
	word := rapid.StringMatching(`[a-d]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if distance(a, b) != distance(b, a) || (distance(a, b) == 0) != (a == b) || distance(a, b) > max(len(a), len(b)) {
			t.Fatalf("%q %q: %d and %d", a, b, distance(a, b), distance(b, a))
		}
	})
}
