package intent

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// commandsOf says which commands a body gives, as "line verb".
func commandsOf(body string) string {
	var out []string
	for _, in := range Parse(body, Options{}) {
		out = append(out, fmt.Sprintf("%d %s", in.Line, in.Verb))
	}
	return strings.Join(out, ", ")
}

const review = "@familiar review"

func TestACommandStartsOnlyWhereTheAuthorSpeaks(t *testing.T) {
	for _, c := range []struct {
		name, body, want string
	}{
		{"alone", review, "1 review"},
		{"with a slash", "/familiar review", "1 review"},
		{"the handle in capitals", "@FAMILIAR review", "1 review"},
		{"the verb in capitals", "@familiar Review", "1 review"},
		{"a colon behind the handle", "@familiar: review", "1 review"},
		{"a comma behind the handle", "@familiar, review", "1 review"},
		{"a tab between", "@familiar\treview", "1 review"},
		{"a full stop behind the verb", "@familiar review.", "1 review"},
		{"up to three spaces before", "   " + review, "1 review"},
		{"below a sentence", "Thanks!\n" + review, "2 review"},
		{"line ends of Windows", "Thanks!\r\n\r\n" + review + "\r\n", "3 review"},
		{"line ends of old", "a\r" + review, "2 review"},
		{"below a list item, as its text", "- a\n  " + review, "2 review"},
		{"in a folded part, below a blank line", "<details>\n\n" + review + "\n\n</details>", "3 review"},
		{"several", review + "\n@familiar pause\n\n/familiar status", "1 review, 2 pause, 4 status"},
		{"behind code", "```\nx\n```\n" + review, "4 review"},
		{"behind an indented line of a paragraph", "a\n    " + review, "2 review"},

		{"casual: nothing", "", ""},
		{"casual: a bare handle", "@familiar", ""},
		{"casual: a bare handle and spaces", "@familiar   ", ""},
		{"casual: within a sentence", "please @familiar review", ""},
		{"casual: at the end", "ask @familiar", ""},
		{"another: a longer name", "@familiarx review", ""},
		{"another: a dash", "@familiar-2 review", ""},
		{"another: a team", "@familiar/team review", ""},
		{"another: an address", "@familiar.com review", ""},
		{"another: an underscore", "@familiar_ review", ""},
		{"another: a full-width sign", "\uFF20familiar review", ""},
		{"another: an entity", "&#64;familiar review", ""},
		{"another: an escaped sign", `\@familiar review`, ""},
		{"another: a hidden character", "@\u200bfamiliar review", ""},
		{"a list item", "- " + review, ""},
		{"within bold text over lines", "**a\n" + review + "\nb**", "2 review"},
		{"bold", "**@familiar review**", ""},
		{"a link", "[@familiar review](https://h.test)", ""},

		{"A46: a quote", "> " + review, ""},
		{"A46: a quote in a quote", "> > " + review, ""},
		{"A46: a quote that goes on without its sign", "> somebody wrote\n" + review, ""},
		{"A46: a quote in a list", "- > a\n  > b\n" + review, ""},
		{"A46: a code fence", "```\n" + review + "\n```", ""},
		{"A46: a code fence of tildes", "~~~\n" + review + "\n~~~", ""},
		{"A46: a code fence that never ends", "```\n" + review, ""},
		{"A46: a longer code fence", "````\n```\n" + review + "\n````", ""},
		{"A46: indented code", "    " + review, ""},
		{"A46: code by a tab", "\t" + review, ""},
		{"A46: code in a list", "- a\n\n      " + review, ""},
		{"A46: inline code", "`" + review + "`", ""},
		{"A46: inline code over lines", "`a\n" + review + "\nb`", ""},
		{"A46: inline code of two ticks over lines", "``a`\n" + review + "\n``", ""},
		{"A46: a comment", "<!-- " + review + " -->", ""},
		{"A46: a comment over lines", "<!--\n" + review + "\n-->", ""},
		{"A46: a comment that never ends", "<!--\n\n" + review, ""},
		{"A46: a comment within a paragraph", "a <!--\n" + review + "\n-->", ""},
		{"A46: a block of HTML", "<div>\n" + review + "\n</div>", ""},
		{"A46: preformatted HTML", "<pre>\n\n" + review + "\n</pre>", ""},
		{"A46: an attribute over lines", "a <b title=\"\n" + review + "\n\">b</b>", ""},
		{"A46: the text of a picture", "![a\n" + review + "](x.png)", ""},
		{"A46: the title of a link", "[a](x \"\n" + review + "\n\")", ""},
		{"A46: a definition of a link", "[a]: x \"\n" + review + "\n\"", ""},

		{"A46: an e-mail reply", "Thanks\n\nOn Mon, Nov 2, 2026 at 10:12 AM Ada <ada@h.test> wrote:\n" + review, ""},
		{"A46: an e-mail reply with its line wrapped", "On Mon, Nov 2, 2026 at 10:12 AM mara\n<ada@h.test> wrote:\n" + review, ""},
		{"A46: an e-mail reply in German", "Am 2.11.2026 um 10:12 schrieb Ada:\n" + review, ""},
		{"A46: an e-mail reply in French", "Le lun. 2 nov. 2026 à 10:12, Ada a écrit :\n" + review, ""},
		{"A46: an e-mail reply in Spanish", "El lun, 2 nov 2026 a las 10:12, Ada escribió:\n" + review, ""},
		{"A46: an original message", "-----Original Message-----\n" + review, ""},
		{"A46: a forwarded head", "From: Ada\nSent: Monday\n" + review, ""},
		{"A46: a forwarded head below a rule of underscores", strings.Repeat("_", 32) + "\nFrom: Ada\nSent: Monday\n\n" + review, ""},
		{"A46: a rule of underscores is doubtful, and said so", strings.Repeat("_", 32) + "\n\n" + review, "3 unknown"},
		{"A46: a signature is doubtful, and said so once", "Thanks\n\n-- \n" + review + "\n" + review, "4 unknown"},
		{"A46: a signature and an earlier message", review + "\n-- \nAda\n\nOn Mon, Nov 2, 2026 at 10:12 AM Ada <ada@h.test> wrote:\n" + review, "1 review"},
		{"A46: a quote below a signature", "Thanks\n\n--\n> " + review, ""},
		{"a heading that is underlined with two dashes", "Decision\n--\n\n" + review, "4 review"},
		{"A46: above the reply it counts", review + "\n\nOn Mon, Nov 2, 2026 at 10:12 AM Ada <ada@h.test> wrote:\n\n@familiar purge m-7f3k2q8a", "1 review"},
		{"talk that begins with On", "On Monday I wrote a test.\n" + review, "2 review"},
		{"code that looks like a signature", "```sql\n--\n```\n" + review, "4 review"},
		{"a table's rule", "a\n---\n" + review, "3 review"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := commandsOf(c.body); got != c.want {
				t.Errorf("%q gives %q, want %q", c.body, got, c.want)
			}
		})
	}
}

func TestHandlesAreTheConfiguredOnes(t *testing.T) {
	opts := Options{Handles: []string{"robin", "familiar-app[bot]", "@wren", ""}}
	for body, want := range map[string]int{
		"@robin review": 1, "/familiar-app review": 1, "@wren review": 1, "@familiar review": 0, "@familiar-app[bot] review": 0,
	} {
		if got := Parse(body, opts); len(got) != want {
			t.Errorf("%q gives %d commands, want %d", body, len(got), want)
		}
	}
}

func TestEachVerbReadsItsArguments(t *testing.T) {
	end := time.Date(2027, time.April, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		body string // without the handle
		want Intent // without Line, Raw and Argument
	}{
		{"remember money is rounded half-even", Intent{Verb: VerbRemember, Text: "money is rounded half-even"}},
		{"remember: a\n\nb", Intent{Verb: VerbRemember, Text: "a\n\nb"}},
		{"remember\nmoney is rounded", Intent{Verb: VerbRemember, Text: "money is rounded"}},
		{"remember a\nkey: lessons/x\npaths: billing/**, `a b/*`\nPaths: !**/gen/**\nabout: money, cents\nclass: Durable\nuntil: 2027-03-31\nagain: yes",
			Intent{Verb: VerbRemember, Text: "a", Options: LessonOptions{Key: "lessons/x", Paths: []string{"billing/**", "a b/*", "!**/gen/**"},
				About: []string{"money", "cents"}, Class: memory.Durable, Until: end, Again: true}}},
		{"remember a\n\u2014paths: billing/**", Intent{Verb: VerbRemember, Text: "a", Options: LessonOptions{Paths: []string{"billing/**"}}}},
		{"remember a\npaths: \u201cbilling/**\u201d\n\n", Intent{Verb: VerbRemember, Text: "a", Options: LessonOptions{Paths: []string{"billing/**"}}}},
		{"remember \u201ca\u201d \u2014 b", Intent{Verb: VerbRemember, Text: "\u201ca\u201d \u2014 b"}},
		{"remember a\nNote: b", Intent{Verb: VerbRemember, Text: "a\nNote: b"}},
		{"remember a\n```yaml\npaths: x\n```", Intent{Verb: VerbRemember, Text: "a\n```yaml\npaths: x\n```"}},
		{"remember a\n```\n@familiar review\n```", Intent{Verb: VerbRemember, Text: "a\n```\n@familiar review\n```"}},
		{"remember say what changed in the docs\npaths: api/**\nwith: docs/api.md\nbecause: users read it", Intent{
			Verb: VerbRemember, Text: "say what changed in the docs", Options: LessonOptions{Paths: []string{"api/**"}},
			Check: &memory.Check{Kind: memory.CheckWith, In: []string{"api/**"}, With: []string{"docs/api.md"}, Because: "users read it"}}},
		{"remember m-7F3K2Q8A", Intent{Verb: VerbApprove, IDs: []string{"m-7f3k2q8a"}}},
		{"remember m-7f3k2q8a is the rule", Intent{Verb: VerbRemember, Text: "m-7f3k2q8a is the rule"}},

		{"never `time.Sleep(` in **/*_test.go", Intent{Verb: VerbNever,
			Check: &memory.Check{Kind: memory.CheckNever, Pattern: "time.Sleep(", In: []string{"**/*_test.go"}}}},
		{"never sleep in tests in **/*.go, !vendor/**", Intent{Verb: VerbNever,
			Check: &memory.Check{Kind: memory.CheckNever, Pattern: "sleep in tests", In: []string{"**/*.go", "!vendor/**"}}}},
		{"never \u201cfmt.Print\u201d in **/*.go", Intent{Verb: VerbNever,
			Check: &memory.Check{Kind: memory.CheckNever, Pattern: "fmt.Print", In: []string{"**/*.go"}}}},
		{"never `` a`b `` in `c d.md`", Intent{Verb: VerbNever,
			Check: &memory.Check{Kind: memory.CheckNever, Pattern: "a`b", In: []string{"c d.md"}}}},
		{"never x\\d in *.go\nregex: yes\nbad: `x1`\nbad: y = \u201cx2\u201d\ngood: xx\nseverity: High\nbecause: we said: no", Intent{
			Verb: VerbNever, Check: &memory.Check{Kind: memory.CheckNever, Pattern: "x\\d", In: []string{"*.go"},
				Regex: true, Bad: []string{"x1", `y = "x2"`}, Good: []string{"xx"}, Severity: contract.SeverityHigh, Because: "we said: no"}}},
		{"prefer errors.Is( over err == in **/*.go", Intent{Verb: VerbPrefer,
			Check: &memory.Check{Kind: memory.CheckPrefer, Prefer: "errors.Is(", Pattern: "err ==", In: []string{"**/*.go"}}}},
		{"prefer `a over b` over `c in d` in *", Intent{Verb: VerbPrefer,
			Check: &memory.Check{Kind: memory.CheckPrefer, Prefer: "a over b", Pattern: "c in d", In: []string{"*"}}}},
		{"with: docs/api.md, `CHANGE LOG`\npaths: api/**", Intent{Verb: VerbWith,
			Options: LessonOptions{Paths: []string{"api/**"}},
			Check:   &memory.Check{Kind: memory.CheckWith, In: []string{"api/**"}, With: []string{"docs/api.md", "CHANGE LOG"}}}},

		{"approve m-7f3k2q8a, `m-2xw9d4hc@2` and M-OIL00000.\nThank you!", Intent{Verb: VerbApprove, IDs: []string{"m-7f3k2q8a", "m-2xw9d4hc@2", "m-01100000"}}},
		{"approve m-7f3k2q8a m-7f3k2q8a", Intent{Verb: VerbApprove, IDs: []string{"m-7f3k2q8a"}}},
		{"approve m\u20137f3k2q8a", Intent{Verb: VerbApprove, IDs: []string{"m-7f3k2q8a"}}},
		{"approve all", Intent{Verb: VerbApprove, All: true}},
		{"approve m-7f3k2q8a as: Say it so.\nIn two lines.", Intent{Verb: VerbApprove, IDs: []string{"m-7f3k2q8a"}, Reworded: true, Text: "Say it so.\nIn two lines."}},
		{"approve m-7f3k2q8a\nas: words", Intent{Verb: VerbApprove, IDs: []string{"m-7f3k2q8a"}, Reworded: true, Text: "words"}},
		{"reject all.", Intent{Verb: VerbReject, All: true}},
		{"reject m-7f3k2q8a\nbut not m-2xw9d4hc", Intent{Verb: VerbReject, IDs: []string{"m-7f3k2q8a"}}},
		{"edit m-7f3k2q8a: new\nwords\npaths: a/**", Intent{Verb: VerbEdit, IDs: []string{"m-7f3k2q8a"}, Text: "new\nwords", Options: LessonOptions{Paths: []string{"a/**"}}}},
		{"forget m-7f3k2q8a m-2xw9d4hc", Intent{Verb: VerbForget, IDs: []string{"m-7f3k2q8a", "m-2xw9d4hc"}}},
		{"retire m-7f3k2q8a", Intent{Verb: VerbRetire, IDs: []string{"m-7f3k2q8a"}}},
		{"keep m-7f3k2q8a\nclass: durable\nuntil: 2027-03-31", Intent{Verb: VerbKeep, IDs: []string{"m-7f3k2q8a"}, Options: LessonOptions{Class: memory.Durable, Until: end}}},
		{"purge m-7f3k2q8a", Intent{Verb: VerbPurge, IDs: []string{"m-7f3k2q8a"}}},
		{"redact m-7f3k2q8a", Intent{Verb: VerbRedact, IDs: []string{"m-7f3k2q8a"}}},
		{"revoke lessons/x", Intent{Verb: VerbRevoke, Target: "lessons/x"}},
		{"revoke `repo/o/r/lessons/`", Intent{Verb: VerbRevoke, Target: "repo/o/r/lessons/"}},
		{"unrevoke m-7f3k2q8a", Intent{Verb: VerbUnrevoke, IDs: []string{"m-7f3k2q8a"}}},

		{"accept F2", Intent{Verb: VerbAccept, Finding: "F2"}},
		{"accept f12: well seen", Intent{Verb: VerbAccept, Finding: "F12", Text: "well seen"}},
		{"dismiss F2: we vendor   this\nfile", Intent{Verb: VerbDismiss, Finding: "F2", Text: "we vendor this file"}},
		{"dismiss F2 we vendor this", Intent{Verb: VerbDismiss, Finding: "F2", Text: "we vendor this"}},
		{"correct `F2`: it is the lock", Intent{Verb: VerbCorrect, Finding: "F2", Text: "it is the lock"}},
		{"feedback F2 dismissed: we vendor this", Intent{Verb: VerbDismiss, Finding: "F2", Text: "we vendor this"}},
		{"feedback F2 Corrected it is the lock", Intent{Verb: VerbCorrect, Finding: "F2", Text: "it is the lock"}},
		{"feedback F2 accepted", Intent{Verb: VerbAccept, Finding: "F2"}},

		{"list", Intent{Verb: VerbList}},
		{"list pending", Intent{Verb: VerbList, Pending: true}},
		{"list billing/round.go", Intent{Verb: VerbList, Text: "billing/round.go"}},
		{"show m-7f3k2q8a@1", Intent{Verb: VerbShow, IDs: []string{"m-7f3k2q8a@1"}}},
		{"why m-7f3k2q8a", Intent{Verb: VerbWhy, IDs: []string{"m-7f3k2q8a"}}},
		{"why F2", Intent{Verb: VerbWhy, Finding: "F2"}},
		{"review\n\nI pushed the fix.", Intent{Verb: VerbReview}},
		{"review full", Intent{Verb: VerbReview, Full: true}},
		{"review please", Intent{Verb: VerbReview}},
		{"pause", Intent{Verb: VerbPause}},
		{"resume", Intent{Verb: VerbResume}},
		{"status", Intent{Verb: VerbStatus}},
		{"help", Intent{Verb: VerbHelp}},
		{"help `forget`?", Intent{Verb: VerbHelp, Topic: "forget"}},
		{"help me", Intent{Verb: VerbHelp}},
	} {
		t.Run(strings.ReplaceAll(c.body, "\n", "|"), func(t *testing.T) {
			got := Parse("@familiar "+c.body, Options{})
			if len(got) != 1 {
				t.Fatalf("%d commands, want one", len(got))
			}
			got[0].Line, got[0].Raw, got[0].Argument = 0, "", ""
			if c.want.Check != nil && c.want.Text == "" {
				c.want.Text = c.want.Check.Text()
			}
			if !reflect.DeepEqual(got[0], c.want) {
				t.Errorf("got  %+v %+v\nwant %+v %+v", got[0], got[0].Check, c.want, c.want.Check)
			}
		})
	}
}

func TestAProblemSaysWhatToWriteInstead(t *testing.T) {
	const noID = " is no id of a lesson, which looks like `m-7f3k2q8a`; `list` finds them"
	for body, want := range map[string]string{
		"forgot m-7f3k2q8a":             "`forgot` is no command of mine. Did you mean `forget`? `/familiar help` lists all of them.",
		"teh":                           "`teh` is no command of mine. `/familiar help` lists all of them.",
		"a`b":                           "`a?b` is no command of mine. `/familiar help` lists all of them.",
		"remember":                      "`remember` needs the lesson itself: `remember money is rounded half-even`",
		"remember a\npath: x":           "`path:` is no line of `remember`; did you mean `paths:`?",
		"remember a\nregex: yes":        "`regex:` is no line of `remember`, which takes `key:`, `paths:`, `about:`, `class:`, `until:`, `again:`, `with:`, `severity:`, `because:`; if it belongs to the text, write it before other words",
		"remember a\npaths: x\nThanks!": "the line `paths:` stands before other words; put it at the end of the command",
		"remember a\npaths:":            "the line `paths:` has no value; it takes globs, such as `billing/**, !**/testdata/**`",
		"remember a\nclass: durable\nclass: standard": "the line `class:` stands there more than once; it takes one value",
		"remember a\nclass: forever":                  `unknown retention class "forever": it is one of durable, standard, ephemeral, source_only`,
		"remember a\nuntil: soon":                     "`until:` takes a day such as `2027-03-31`, not \"soon\"",
		"remember a\nagain: perhaps":                  "`again:` takes yes or no, not \"perhaps\"",
		"remember a\nwith: b":                         "`with:` needs a line `paths:` that says for which files: " + withForm,
		"never x":                                     "write " + neverForm + " (`in **` for every file)",
		"never":                                       "write " + neverForm + " (`in **` for every file)",
		"never use println in production code":        "\"production code\" is no list of globs, such as `**/*.go, !vendor/**`; a lesson in plain words is taught with `remember`",
		"never x in *\nbecuase: y":                    "`becuase:` is no line of `never`; did you mean `because:`?",
		"never x in *\nplease":                        `"please" is neither a part of ` + neverForm + " nor one of its lines",
		"never x in *\nseverity: awful":               "`severity:` is one of info, low, medium, high, critical, not \"awful\"",
		"prefer a in *":                               "write " + preferForm + "; where X or Y has the word over in it, put both in backticks",
		"prefer a over b over c in *":                 "write " + preferForm + "; where X or Y has the word over in it, put both in backticks",
		"prefer a over b":                             "write " + preferForm + " (`in **` for every file)",
		"with\npaths: a":                              "write " + withForm,
		"with b":                                      "`with:` needs a line `paths:` that says for which files: " + withForm,
		"approve":                                     "name lessons by id, or `all`: `approve m-7f3k2q8a`",
		"approve everything":                          `"everything"` + noID,
		"approve all m-7f3k2q8a":                      `"all"` + noID,
		"approve m-7f3k2q8a m-2xw9d4hc as: x":         "`as:` gives one lesson other words, so name exactly one: `approve m-7f3k2q8a as: the new words`",
		"approve all as: x":                           "`as:` gives one lesson other words, so name exactly one: `approve m-7f3k2q8a as: the new words`",
		"approve m-7f3k2q8a as:":                      "`as:` needs the words to approve instead: `approve m-7f3k2q8a as: the new words`",
		"edit the words":                              "`edit` needs the id of a lesson and its new words: `edit m-7f3k2q8a the new words`",
		"edit m-7f3k2q8a":                             "`edit m-7f3k2q8a` needs the new words behind the id",
		"forget":                                      "`forget` needs the id of a lesson, such as `m-7f3k2q8a`; `list` shows them",
		"purge m-7f3k2q8a and the rest":               `"the"` + noID,
		"forget m-7f3k2q8":                            `"m-7f3k2q8"` + noID,
		"forget m-7f3k2q8a@0":                         `"m-7f3k2q8a@0"` + noID,
		"revoke":                                      "`revoke` needs an id, a key or the beginning of keys: `revoke lessons/rounding`",
		"revoke a b":                                  "`revoke` takes one id, key or beginning of keys; give each its own line",
		"dismiss":                                     "`dismiss` needs the id of a finding: `dismiss F2: why, as a lesson for the next review`",
		"accept":                                      "`accept` needs the id of a finding: `accept F2`, and a lesson if you like: `accept F2: why, as a lesson for the next review`",
		"correct":                                     "`correct` needs the id of a finding: `correct F2: what it should have been, as a lesson for the next review`",
		"correct F2":                                  "say what it should have been, as a lesson for the next review: `correct F2: the lock is missing, not the timeout`",
		"dismiss F0: x":                               "`dismiss` needs the id of a finding: `dismiss F2: why, as a lesson for the next review`",
		"dismiss F2":                                  "say why, as a lesson for the next review: `dismiss F2: we vendor this file, never lint it`",
		"dismiss F2 F3":                               "one finding a command: give each its own line",
		"dismiss F2: " + strings.Repeat("x", 701):     "a lesson of a finding may have 700 characters, this one has 701",
		"feedback F2 maybe: x":                        "write `feedback F2 dismissed: the lesson`, with accepted, dismissed or corrected",
		"feedback":                                    "write `feedback F2 dismissed: the lesson`, with accepted, dismissed or corrected",
		"why":                                         "`why` takes one lesson or one finding: `why m-7f3k2q8a` or `why F2`",
		"why F2 F3":                                   "`why` takes one lesson or one finding: `why m-7f3k2q8a` or `why F2`",
		"review this again":                           "`review` takes nothing behind it, or `full`",
		"pause for now":                               "`pause` takes no words behind it",
	} {
		t.Run(strings.ReplaceAll(body, "\n", "|"), func(t *testing.T) {
			got := Parse("@familiar "+body, Options{})
			if len(got) != 1 || got[0].Problem != want {
				t.Fatalf("got %+v\nwant the problem %q", got, want)
			}
			in := got[0]
			if in.IDs != nil || in.All || in.Text != "" || in.Check != nil || in.Target != "" || in.Finding != "" {
				t.Errorf("something is left to act on: %+v", in)
			}
		})
	}
}

func TestALessonOfAFindingMayHave700Characters(t *testing.T) {
	lesson := strings.Repeat("ä", 700)
	if got := Parse("@familiar dismiss F2:  "+lesson+" ", Options{}); got[0].Problem != "" || got[0].Text != lesson {
		t.Errorf("%+v", got)
	}
}

func TestTheArgumentReachesToTheNextCommand(t *testing.T) {
	got := Parse("Hi\n@familiar remember one\ntwo\n\n> quoted\n@other\n\n/familiar forget m-7f3k2q8a\n\nOn Mon, Nov 2, 2026 at 10:12 AM Ada <ada@h.test> wrote:\n> x", Options{})
	if len(got) != 2 {
		t.Fatalf("%d commands, want 2", len(got))
	}
	if got[0].Line != 2 || got[0].Text != "one\ntwo\n\n> quoted\n@other" || got[0].Raw != "@familiar remember one\ntwo\n\n> quoted\n@other" {
		t.Errorf("%+v", got[0])
	}
	if got[1].Line != 8 || got[1].Raw != "/familiar forget m-7f3k2q8a" || got[1].Argument != "m-7f3k2q8a" {
		t.Errorf("%+v", got[1])
	}
}

func TestInputIsBounded(t *testing.T) {
	pad := strings.Repeat("ä", MaxBody-len("\n"+review))
	if got := commandsOf(pad + "\n" + review); got != "2 review" {
		t.Errorf("a body of exactly the limit gives %q", got)
	}
	if got := commandsOf(pad + "ä\n" + review); got != "" {
		t.Errorf("a body beyond the limit gives %q", got)
	}
	many := Parse(strings.Repeat(review+"\n", MaxCommands+5), Options{})
	last := many[len(many)-1]
	if len(many) != MaxCommands+1 || last.Verb != VerbUnknown || last.Line != MaxCommands+1 || !strings.Contains(last.Problem, "at most 50 commands") {
		t.Errorf("%d commands, the last %+v", len(many), last)
	}
	ids := strings.Repeat(" m-7f3k2q8a", MaxIDs+1)
	for i := range MaxIDs + 1 {
		ids = strings.Replace(ids, "m-7f3k2q8a", fmt.Sprintf("m-%08d", i), 1)
	}
	if got := Parse("@familiar forget"+ids, Options{}); got[0].Problem != "one command may name at most 50 lessons" {
		t.Errorf("%+v", got[0])
	}
}

// allocated is what reading a body takes, in bytes: its steps follow it.
func allocated(body string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Parse(body, Options{})
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestHostileBodiesOfTwiceTheLengthTakeTwiceTheEffort(t *testing.T) {
	for name, piece := range map[string]string{
		"brackets": "[", "pairs": "[]", "quotes": "> ", "tight quotes": ">", "emphasis": "*a ", "two kinds": "*a_", "ticks": "`a``", "lists": "- ",
		"plus lists": "+ ", "numbers": "1. ", "quoted lists": "> - ", "images": "![", "links": "[a](", "angles": "[a](<", "html": "<a ",
		"open comments": "a <!--", "entities": "&a", "references": "[a]: b\n", "lines of quotes": "> a\n", "lines of lists": "- a\n  - b\n", "underscores": "__a",
	} {
		half := strings.Repeat(piece, (MaxBody-40)/len(piece)/2)
		once, twice := allocated(half+"\n\n"+review), allocated(half+half+"\n\n"+review)
		if twice > 3*once+1<<20 {
			t.Errorf("%s: %d bytes, of twice the text %d", name, once, twice)
		}
	}
	if got := commandsOf(strings.Repeat("[a](b) ", 900) + "\n\n" + review); got != "3 review" {
		t.Errorf("a body with 900 links gives %q", got)
	}
	got := Parse(strings.Repeat("[a](b) ", 1001)+"\n\n"+review+"\n"+review, Options{})
	if len(got) != 1 || got[0].Verb != VerbUnknown || got[0].Line != 3 || !strings.Contains(got[0].Problem, "more than 1000 links is not read; put the command into a comment of its own") {
		t.Errorf("a knot gives %+v", got)
	}
}

// A line that only a machine or a table has costs no command beside it.
func TestALineOfManyMarksCostsNoCommand(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"a rule of a table below":       {review + "\n\n```\n id | a\n" + strings.Repeat("-", 40) + "+" + strings.Repeat("-", 80) + "\n```", "1 review"},
		"dashes above":                  {strings.Repeat("-", 101) + "\n\n" + review, "3 review"},
		"spaced dashes above":           {strings.Repeat("- ", 500) + "\n\n" + review, "3 review"},
		"dots":                          {strings.Repeat(".", 101) + "\n" + review, "2 review"},
		"digits":                        {strings.Repeat("7", 101) + "\n" + review, "2 review"},
		"plus signs":                    {strings.Repeat("+", 101) + "\n" + review, "2 review"},
		"quotes, and a line behind":     {strings.Repeat("> ", 101) + "\n\n" + review, "3 review"},
		"quotes that go on":             {strings.Repeat("> ", 500) + "a\n" + review, ""},
		"a fence in quotes":             {strings.Repeat(">", 500) + " ```\n" + review, "2 review"},
		"a fence in quotes, still open": {strings.Repeat(">", 500) + " ```\n> " + review, ""},
		"numbers":                       {strings.Repeat("1. ", 500) + "\n\n" + review, "3 review"},
		"lists that go on":              {strings.Repeat("* ", 300) + "a\n" + review, "2 review"},
	} {
		if got := commandsOf(c.body); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// What reads like mail in the middle of somebody's words is their words.
func TestATextIsCutOnlyWhereAMailBegins(t *testing.T) {
	for name, c := range map[string]struct {
		body, text string
		tail       int
	}{
		"headers":             {"Mail is sent with these headers:\nFrom: the team\nDate: of the sending\nSubject: short", "Mail is sent with these headers:\nFrom: the team\nDate: of the sending\nSubject: short", 0},
		"who wrote":           {"Never log these columns.\nOn export it says who wrote:\nname, street", "Never log these columns.\nOn export it says who wrote:\nname, street", 0},
		"who wrote, below":    {"Never log these columns.\n\nOn export it says who wrote:\nname, street", "Never log these columns.\n\nOn export it says who wrote:\nname, street", 0},
		"a dash of the words": {"Two parts\n--\nand the second", "Two parts\n--\nand the second", 0},
		"a signature":         {"Amounts are in cents.\n-- \nAda", "Amounts are in cents.", 2},
		"an earlier message":  {"Amounts are in cents.\n\nOn Mon, Nov 2, 2026 at 10:12 AM Ada <ada@h.test> wrote:\n> x", "Amounts are in cents.", 3},
	} {
		got := Parse("@familiar remember "+c.body, Options{})
		if len(got) != 1 || got[0].Text != c.text || got[0].Tail != c.tail {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := Parse("Hi\n\n--\n\n@familiar remember one", Options{})
	if len(got) != 1 || got[0].Problem != "line 3 reads as the tail of an e-mail, so no command below it was read; if this one is meant, put it into a comment of its own" {
		t.Errorf("%+v", got)
	}
}

func TestParseNeverFindsACommandInAQuoteOrAFence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"@familiar purge m-7f3k2q8a", "/familiar approve all", "\n", "\n\n", "> ", "a", "`", "```\n", "- ", "    ", "<!--", "-->", "[", "](x)", "<p>"}), 0, 20).Draw(t, "parts"), "")
		quoted := "> " + strings.ReplaceAll(body, "\n", "\n> ")
		if got := Parse(quoted, Options{}); len(got) > 0 {
			t.Fatalf("%q commands %q", quoted, got[0].Raw)
		}
		fence := "``````\n" + body + "\n``````"
		if got := Parse(fence, Options{}); len(got) > 0 {
			t.Fatalf("%q commands %q", fence, got[0].Raw)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{review, "@familiar never `x` in *\nbad: y", "> " + review, "@familiar approve m-7f3k2q8a as: b", "/familiar edit m-7f3k2q8a: c\npaths: a,b",
		"@familiar prefer “a” over b in c", "@familiar feedback F1 dismissed", "@familiar \xff\x00", "[a]: b\n@familiar x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		last := 0
		for _, in := range Parse(body, Options{}) {
			if in.Line <= last {
				t.Fatalf("line %d behind line %d", in.Line, last)
			}
			last = in.Line
			if _, ok := ParseVerb(string(in.Verb)); !ok && in.Verb != VerbUnknown {
				t.Fatalf("verb %q", in.Verb)
			}
			if in.Verb == VerbUnknown && in.Problem == "" {
				t.Fatal("an unknown verb without an answer")
			}
			if strings.Contains(in.Problem, "\n") {
				t.Fatalf("the problem %q is not one line", in.Problem)
			}
			for _, id := range in.IDs {
				if _, _, ok := memory.ParseID(id); !ok {
					t.Fatalf("id %q", id)
				}
			}
			if in.Problem != "" && (in.IDs != nil || in.Text != "" || in.Check != nil) {
				t.Fatalf("something is left to act on: %+v", in)
			}
		}
	})
}
