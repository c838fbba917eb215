package render

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestAnAnswerSetsInCodeWhatSomebodyMayType(t *testing.T) {
	for said, want := range map[string]string{
		"No lesson of this repository has the id m-00000000. list shows all. Nothing was changed.": "No lesson of this repository has the id `m-00000000`. `list` shows all. Nothing was changed.",
		`No lesson of this repository has the id "m-00000000"; there is m-7f3k2q8a.`:               "No lesson of this repository has the id `m-00000000`; there is `m-7f3k2q8a`.",
		"No id was given; list shows those there are.":                                             "No id was given; `list` shows those there are.",
		"m-7f3k2q8a has no version 9; show m-7f3k2q8a lists those there are.":                      "`m-7f3k2q8a` has no version 9; `show m-7f3k2q8a` lists those there are.",
		"m-7f3k2q8a@1 is durable; forget it first, then purge.":                                    "`m-7f3k2q8a@1` is durable; forget it first, then purge.",
		"An admin may lift that with unrevoke.":                                                    "An admin may lift that with `unrevoke`.",
		"Look at it with show and approve it again.":                                               "Look at it with `show` and approve it again.",
		"Decide which holds: retire m-7f3k2q8a m-2xw9d4hc, or edit m-c41vz0pm@2.":                  "Decide which holds: `retire m-7f3k2q8a m-2xw9d4hc`, or `edit m-c41vz0pm@2`.",
		"The same text is remembered already, as m-7f3k2q8a@1; reject this one.":                   "The same text is remembered already, as `m-7f3k2q8a@1`; reject this one.",
		"`list` shows all, as m-7f3k2q8a and `show m-7f3k2q8a` do":                                 "`list` shows all, as `m-7f3k2q8a` and `show m-7f3k2q8a` do",
		"Retire m-7f3k2q8a first.":                                                                 "Retire `m-7f3k2q8a` first.",
		"That comes with list and table.":                                                          "That comes with `list` and table.",
		"A reviewer shows it. Nobody lists it.":                                                    "A reviewer shows it. Nobody lists it.",
		"an open ` mark and m-7f3k2q8a":                                                            "an open ` mark and m-7f3k2q8a",
		"m-7f3k2q8 and m-7f3k2q8ab are none":                                                       "m-7f3k2q8 and m-7f3k2q8ab are none",
		"":                                                                                         "",
	} {
		if got := marked(said); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	t.Run("on every surface of refusals", func(t *testing.T) {
		const said, want = "No lesson has the id m-00000000. list shows all.", "No lesson has the id `m-00000000`. `list` shows all."
		m := Status{Refusals: []memory.Refusal{{Op: "read", Detail: said}}, Answers: []Answer{{Command: "x", Text: said}}}
		if body := StatusComment(m).String(); strings.Count(body, want) != 2 {
			t.Errorf("the comment is\n%s", body)
		}
		if body := RefusedTicks("mara", []string{said}).String(); !strings.Contains(body, want) {
			t.Errorf("below a dashboard stands\n%s", body)
		}
	})
}

// TestMarksAddNothing: marks alone are added, and doing it twice adds none.
func TestMarksAddNothing(t *testing.T) {
	part := rapid.SampledFrom([]string{"m-7f3k2q8a", "m-2xw9d4hc@3", "list", "shows", "with", "show", "lists", ".", ";", "`", "retire", "and", "the"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "words"), " ")
		once := marked(s)
		if strings.ReplaceAll(once, "`", "") != strings.ReplaceAll(s, "`", "") || marked(once) != once {
			t.Fatalf("%q became %q, then %q", s, once, marked(once))
		}
	})
}

// What is code already, is no sentence of ours, or is hidden.
var (
	notSaid  = regexp.MustCompile("(?s)(?:^|\n)```.*?\n```|``.*?``|`[^`\n]*`|<!--.*?-->|<code>.*?</code>|(?m:^ *>.*$)")
	bareWord = regexp.MustCompile(`\bm-[0-9a-z]{8}\b|(?:^|[.;] )(?:list|show|status|help) (?:shows|lists|says)\b`)
)

// TestNoAnswerNamesWhatIsTypedWithoutMarks looks at all that the stories and
// the gallery say on GitHub.
func TestNoAnswerNamesWhatIsTypedWithoutMarks(t *testing.T) {
	looked := 0
	look := func(name, body string) {
		looked++
		for line := range strings.SplitSeq(notSaid.ReplaceAllString(body, ""), "\n") {
			if found := bareWord.FindString(line); found != "" {
				t.Errorf("%s names %q without marks: %s", name, found, line)
			}
		}
	}
	stories, err := filepath.Glob("../cli/testdata/github/*.txtar")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories (%v)", err)
	}
	for _, path := range stories {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".md") && strings.Contains(string(f.Data), "<!-- familiar:") { // else a person says it
				look(filepath.Base(path)+" "+f.Name, string(f.Data))
			}
		}
	}
	exhibits, err := filepath.Glob("testdata/*.md")
	if err != nil || len(exhibits) == 0 {
		t.Fatalf("no exhibits (%v)", err)
	}
	for _, path := range exhibits {
		if filepath.Base(path) == "attacked.md" { // says nothing but what others wrote
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		look(path, string(data))
	}
	if looked < 60 {
		t.Errorf("only %d texts were looked at", looked)
	}
}
