package render

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))

// failer is a test or one try of a property.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// parsed returns the kinds of nodes in a Markdown text, below the document,
// and the words that a reader sees outside code.
func parsed(t failer, md string) (kinds map[string]int, seen string) {
	t.Helper()
	src := []byte(md)
	kinds = map[string]int{}
	var b strings.Builder
	_ = ast.Walk(gfm.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Kind() == ast.KindDocument {
			return ast.WalkContinue, nil
		}
		kinds[n.Kind().String()]++
		if n.Type() == ast.TypeBlock && b.Len() > 0 {
			b.WriteByte('\n') // words of two blocks do not meet
		}
		if n.Kind() == ast.KindCodeSpan {
			b.WriteString("\x00")
			return ast.WalkSkipChildren, nil
		}
		if leaf, ok := n.(*ast.Text); ok {
			b.Write(unescaped(leaf.Segment.Value(src)))
			if leaf.SoftLineBreak() {
				b.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return kinds, b.String()
}

var escaped = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")

func unescaped(b []byte) []byte { return escaped.ReplaceAll(b, []byte("$1")) }

// acted matches what GitHub acts on in finished text outside code: names,
// references, addresses.
var acted = regexp.MustCompile(`(?i)@[a-z0-9]|\x{FF20}|#[0-9]|\bgh-[0-9]|https?://|www\.|\b[0-9a-f]{7,40}\b|:[a-z0-9_+-]+:|\$`)

// onlyWords fails unless md is one paragraph of text and code in which
// nothing acts.
func onlyWords(t failer, md string) {
	t.Helper()
	kinds, seen := parsed(t, md)
	for k := range kinds {
		if k != "Paragraph" && k != "Text" && k != "CodeSpan" {
			t.Fatalf("%q has a node %s", md, k)
		}
	}
	if kinds["Paragraph"] > 1 {
		t.Fatalf("%q is %d paragraphs", md, kinds["Paragraph"])
	}
	if hit := acted.FindString(seen); hit != "" {
		t.Fatalf("%q shows %q, in which GitHub acts on %q", md, seen, hit)
	}
}

var hostile = []struct {
	name string // with the attack, where it is one
	in   string
	text string
}{
	{"A56: the name of a person", "thanks @octocat!", "thanks `@octocat`!"},
	{"A56: a team", "ask @org/team", "ask `@org/team`"},
	{"A56: an entity-encoded team", "&#64;org/team", "`&#64;org/team`"},
	{"A56: an entity by name", "&commat;org", `\&commat;org`},
	{"A56: a full-width sign", "\uFF20octocat", "`\uFF20octocat`"},
	{"A56: a name behind a hidden character", "@\u200boctocat", "`@[U+200B]octocat`"},
	{"A56: a name within brackets", "(@octocat)", "(`@octocat`)"},
	{"A56: an escaped name", `\@octocat`, "`\\@octocat`"},
	{"an e-mail address", "write to ada@host.test now", "write to `ada@host.test` now"},
	{"a link", "[click](https://evil.test)", "`[click](https://evil.test)`"},
	{"a bare address", "see https://evil.test/x?a=b.", "see `https://evil.test/x?a=b`."},
	{"an address without a scheme", "www.evil.test", "`www.evil.test`"},
	{"what a full stop of ours would make an address", "see www", "see `www`"},
	{"a reference to an issue", "fixes #12", "fixes `#12`"},
	{"a reference to another repository", "octocat/hello#12", "`octocat/hello#12`"},
	{"a reference in the old form", "GH-12", "`GH-12`"},
	{"a commit", "in 4f2a91c03b", "in `4f2a91c03b`"},
	{"a picture", "![x](y.png)", `!\[x\](y.png)`},
	{"HTML", "<img src=x onerror=alert(1)>", `\<img src=x onerror=alert(1)\>`},
	{"the end of a folded part", "</details>", `\</details\>`},
	{"the beginning of a comment", "<!-- familiar:status v1 o/r#1 -->", "\\<\\!-- familiar:status v1 `o/r#1` --\\>"},
	{"A57: runs of backticks", "a ``` b `` c", "a \\`\\`\\` b \\`\\` c"},
	{"a heading", "# big", `\# big`},
	{"a list", "- item", `\- item`},
	{"a numbered list", "1. item", `1\. item`},
	{"a quote", "> said", `\> said`},
	{"a rule", "---", `\---`},
	{"an underlined heading", "===", `\===`},
	{"a table", "a | b", `a \| b`},
	{"emphasis", "*a* _b_ ~~c~~", `\*a\* \_b\_ \~\~c\~\~`},
	{"a task", "[x] done", `\[x\] done`},
	{"an alert", "[!NOTE] hear", "`[!NOTE]` hear"},
	{"a footnote", "a[^1]", `a\[^1\]`},
	{"an emoji code", ":+1:", "`:+1:`"},
	{"a formula", "$x^2$ costs", "`$x^2$` costs"},
	{"a backslash at the end", `a\`, `a\\`},
	{"line breaks", "a\r\nb\nc", "a b c"},
	{"A75: tag characters", "a\U000E0041\U000E0042", `a\[U+E0041\]\[U+E0042\]`},
	{"A75: a turn of direction", "a\u202Eb", `a\[U+202E\]b`},
	{"A75: an invisible operator", "a\u2063b", `a\[U+2063\]b`},
	{"A75: a stray variation selector", "a\uFE0Fb", `a\[U+FE0F\]b`},
	{"an emoji sequence stays", "\U0001F469\u200D\U0001F4BB", "\U0001F469\u200D\U0001F4BB"},
	{"a control sequence", "\x1b[31mred", `\[U+001B\]\[31mred`},
	{"bytes that are no UTF-8", "a\xffb", "a\uFFFDb"},
	{"A98: a command that names nobody", "/familiar purge m-7f3k2q8a", `\/familiar purge m-7f3k2q8a`},
	{"A98: a command", "@familiar purge m-7f3k2q8a", "`@familiar` purge m-7f3k2q8a"},
}

func TestTextShowsWordsAndNothingElse(t *testing.T) {
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			got := Text(c.in)
			if got != c.text {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.text)
			}
			onlyWords(t, got)
		})
	}
}

// fragments are what hostile texts are made of.
var fragments = append(func() (out []string) {
	for _, c := range hostile {
		out = append(out, c.in)
	}
	return out
}(), "`", "``", "|", "\\", " ", "\n", "\n\n", "@", "a", "#", "1", "<", ">", "!", "[", "]", "(", ")", "-->", "<!--", "```", "~~~",
	"    ", "\t", "://", "http", "www.", ":", "-", "=", "+", "*", "_", "$", "&", ";", ".", "é", "漢", "deadbee", "|--|")

func hostileText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(fragments), rapid.StringN(0, 6, -1)), 0, 12).Draw(t, "parts"), "")
	})
}

func TestNoWordThatIsAliveIsHeldBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if s := hostileText().Draw(t, "text"); alive.MatchString(s) && !mayBeAlive(s) {
			t.Fatalf("%q is alive", s)
		}
	})
	for _, c := range hostile {
		for _, word := range strings.Fields(c.in) {
			if alive.MatchString(word) && !mayBeAlive(word) {
				t.Errorf("%q is alive", word)
			}
		}
	}
}

func TestTextNeverLeaksAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { onlyWords(t, Text(hostileText().Draw(t, "text"))) })
}

func TestProseNeverLeaksAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { onlyWords(t, Prose(hostileText().Draw(t, "text"))) })
}

func TestProseKeepsCodeOfOurSentences(t *testing.T) {
	for in, want := range map[string]string{
		"Say `approve m-1` or `reject m-1`.": "Say `approve m-1` or `reject m-1`.",
		"`forget` needs an id":               "`forget` needs an id",
		"odd ` tick":                         "odd \\` tick",
		"an empty `` pair":                   "an empty \\`\\` pair",
		"a name `x` @octocat":                "a name `x` `@octocat`",
		"# not `a` heading":                  "\\# not `a` heading",
	} {
		if got := Prose(in); got != want {
			t.Errorf("Prose(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestA57CodeIsOneSpanThatHoldsTheWholeText(t *testing.T) {
	for in, want := range map[string]string{
		"a":                      "`a`",
		"a`b":                    "``a`b``",
		"`a`":                    "`` `a` ``",
		"```":                    "```` ``` ````",
		" a ":                    "`  a  `",
		"":                       "`(empty)`",
		"  ":                     "`(empty)`",
		"a\nb":                   "`a[U+000A]b`",
		"a\tb":                   "`a b`",
		"@octocat":               "`@octocat`",
		"<!-- a":                 "`<!-- a`",
		"<!--Familiar:status v1": "`<! --Familiar:status v1`",
	} {
		if got := Code(in); got != want {
			t.Errorf("Code(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		md := Code(hostileText().Draw(t, "text"))
		kinds, seen := parsed(t, md)
		if kinds["CodeSpan"] != 1 || seen != "\x00" {
			t.Fatalf("%q is not one code span: %v, outside of it %q", md, kinds, seen)
		}
	})
}

func TestA57FenceHoldsTheWholeText(t *testing.T) {
	if got, want := Fence("a\n```\nb\n", "go<x"), "````gox\na\n```\nb\n````"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		md := Fence(hostileText().Draw(t, "text"), hostileText().Draw(t, "info")) + "\n\nend"
		kinds, seen := parsed(t, md)
		if kinds["FencedCodeBlock"] != 1 || kinds["Paragraph"] != 1 || len(kinds) != 3 || seen != "end" {
			t.Fatalf("%q is not one block: %v, outside of it %q", md, kinds, seen)
		}
	})
}

func TestQuoteKeepsEachLineInside(t *testing.T) {
	if got, want := Quote("# a\n\n@b\r\n- c\n"), "> \\# a\n>\n> `@b`\n> \\- c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		md := "before\n\n" + Quote(hostileText().Draw(t, "text")) + "\n\nend"
		kinds, seen := parsed(t, md)
		for k := range kinds {
			if k != "Paragraph" && k != "Text" && k != "CodeSpan" && k != "Blockquote" {
				t.Fatalf("%q has a node %s", md, k)
			}
		}
		if kinds["Blockquote"] != 1 || !strings.HasPrefix(seen, "before") || !strings.HasSuffix(seen, "end") {
			t.Fatalf("%q is not one quote: %v", md, kinds)
		}
		if hit := acted.FindString(seen); hit != "" {
			t.Fatalf("%q shows %q, in which GitHub acts on %q", md, seen, hit)
		}
	})
}

func TestTableCellKeepsTheTable(t *testing.T) {
	if got, want := TableCell("a|@b|`c`"), "a\\|`@b`\\|\\`c\\`"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		cell := TableCell(hostileText().Draw(t, "text"))
		md := "| a | b |\n|---|---|\n| " + cell + " | end |\n"
		kinds, seen := parsed(t, md)
		if kinds["TableCell"] != 4 || kinds["TableRow"] != 1 || !strings.HasSuffix(seen, "end") {
			t.Fatalf("%q broke the table: %v", md, kinds)
		}
		for k := range kinds {
			if !strings.HasPrefix(k, "Table") && k != "Table" && k != "Text" && k != "CodeSpan" {
				t.Fatalf("%q has a node %s", md, k)
			}
		}
	})
}

func TestA63LogIsOneLineWithoutCommands(t *testing.T) {
	for in, want := range map[string]string{
		"a\n::error::b":              "a : :error: :b",
		"a\r::error::b":              "a[U+000D]: :error: :b",
		"::::":                       ": : : :",
		"##[error]x":                 "# #[error]x",
		"\x1b[31mred":                "[U+001B][31mred",
		"name<<EOF\nvalue\nEOF":      "name<<EOF value EOF",
		"\u2028::set-output::\u202e": "[U+2028]: :set-output: :[U+202E]",
	} {
		if got := Log(in); got != want {
			t.Errorf("Log(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		got := Log(hostileText().Draw(t, "text"))
		if strings.ContainsAny(got, "\n\r\x1b\u0085\u2028") || strings.Contains(got, "::") || strings.Contains(got, "##[") {
			t.Fatalf("%q", got)
		}
	})
}

func TestA75PlainShowsEverythingThatCannotBeSeen(t *testing.T) {
	for r := rune(0); r <= 0x10FFFF; r++ {
		if r >= 0xD800 && r <= 0xDFFF {
			continue
		}
		unseen := r < 0x20 || (r >= 0x7f && r < 0xa0) || (r >= 0x200B && r <= 0x200F) || (r >= 0x2028 && r <= 0x202E) ||
			(r >= 0x2060 && r <= 0x206F) || (r >= 0xFE00 && r <= 0xFE0F) || r == 0xFEFF || r == 0x034F || r == 0x115F ||
			r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800 || r == 0xAD || (r >= 0xE0000 && r <= 0xE0FFF)
		if !unseen {
			continue
		}
		got := Plain("a" + string(r) + "b")
		if r == '\n' || r == '\t' {
			if got != "a b" {
				t.Errorf("U+%04X gives %q, want a space", r, got)
			}
			continue
		}
		if !strings.HasPrefix(got, "a[U+") {
			t.Errorf("U+%04X gives %q, in which it cannot be seen", r, got)
		}
	}
}

// cmark is GitHub's own parser, where it is installed.
func cmark(t *testing.T, md string) string {
	t.Helper()
	bin, err := exec.LookPath("cmark-gfm")
	if err != nil {
		return ""
	}
	cmd := exec.Command(bin, "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-e", "tasklist", "-e", "footnotes")
	cmd.Stdin = strings.NewReader(md)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("cmark-gfm: %v", err)
	}
	return out.String()
}

var tag = regexp.MustCompile(`</?[a-z][^>]*>`)

func TestGitHubsParserSeesWordsAndNothingElse(t *testing.T) {
	var md []string
	for _, c := range hostile {
		md = append(md, Text(c.in), Prose(c.in), Code(c.in), Text("x "+c.in))
		for _, d := range []string{"@octocat", "https://evil.test", "`"} {
			md = append(md, Text(c.in+d), Text(d+c.in), Text(c.in+" "+d))
		}
	}
	rendered := cmark(t, strings.Join(md, "\n\n"))
	for _, found := range tag.FindAllString(rendered, -1) {
		switch found {
		case "<p>", "</p>", "<code>", "</code>":
		default:
			t.Errorf("cmark-gfm made %s", found)
		}
	}
	outside := regexp.MustCompile(`(?s)<code>.*?</code>`).ReplaceAllString(rendered, "\x00")
	outside = regexp.MustCompile(`&(amp|lt|gt|quot);`).ReplaceAllString(outside, "?")
	if hit := acted.FindString(outside); hit != "" {
		t.Errorf("GitHub acts on %q", hit)
	}
}

func FuzzText(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		onlyWords(t, Text(s))
		onlyWords(t, Prose(s))
	})
}
