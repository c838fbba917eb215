package render

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAMessageIsBrokenOnlyWhereNothingIsCopied(t *testing.T) {
	for _, x := range []struct{ name, message, want string }{
		{"a short one stays", "there is no clone here", "familiar: there is no clone here\n"},
		{"at spaces", "nothing was taught in this repository yet and so nothing can be shown of it",
			"familiar: nothing was taught in this repository yet and so\n  nothing can be shown of it\n"},
		{"not within a command", `there is no command "memorize" that does this; run familiar memory --help for the list`,
			"familiar: there is no command \"memorize\" that does this; run\n  familiar memory --help for the list\n"},
		{"nor between a command and its arguments", "an export in Markdown is for people, so: familiar memory export --format jsonl -o FILE",
			"familiar: an export in Markdown is for people, so:\n  familiar memory export --format jsonl -o FILE\n"},
		{"nor one of another program", "set it, for example to what is the output of the command gh auth token",
			"familiar: set it, for example to what is the output of the\n  command gh auth token\n"},
		{"nor a flag and its value", "memory of the whole repository on GitHub is named with --repo OWNER/NAME",
			"familiar: memory of the whole repository on GitHub is named\n  with --repo OWNER/NAME\n"},
		{"nor code", "the clone is shallow and holds only two; run the fetch: `git fetch --deepen=20 origin`",
			"familiar: the clone is shallow and holds only two; run the\n  fetch: `git fetch --deepen=20 origin`\n"},
		{"nor a quotation", `what was given to this one option must be a time and is "next week at noon"`,
			"familiar: what was given to this one option must be a time and\n  is \"next week at noon\"\n"},
		{"a path is longer than a line", "cannot read /home/ada/a/very/long/path/that/nobody/would/ever/want/to/see/broken.db: it is gone",
			"familiar: cannot read\n  /home/ada/a/very/long/path/that/nobody/would/ever/want/to/see/broken.db:\n  it is gone\n"},
		{"a shell's parentheses", "there is no key to seal it with here: make one with (umask 077; familiar keygen > FILE), then go on",
			"familiar: there is no key to seal it with here: make one with\n  (umask 077; familiar keygen > FILE), then go on\n"},
		{"control characters are seen, not obeyed", "a\x1b[31mred\x00 word", "familiar: " + Plain("a\x1b[31mred\x00 word") + "\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			if got := Message(x.message, "familiar: ", 62); got != x.want {
				t.Errorf("got\n%s\nwant\n%s", got, x.want)
			}
		})
	}
}

// TestAMessageKeepsItsWords: nothing is lost or joined by breaking, and no line
// is wider than it has to be.
func TestAMessageKeepsItsWords(t *testing.T) {
	part := rapid.SampledFrom([]string{"familiar memory list --all", "`git fetch --all`", "a", "wait", "--repo OWNER/NAME", "\"two words\"", "/etc/x", "'", "`", "\"", "familiar", "m-7f3k2q8a", "FILE", "--json", "gh auth token,", "(umask 077;", "x)"})
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Join(rapid.SliceOfN(part, 1, 40).Draw(t, "words"), " ")
		width := rapid.IntRange(0, 120).Draw(t, "width")
		got := Message(words, "familiar: ", width)
		if a, b := strings.Fields(got), strings.Fields("familiar: "+words); strings.Join(a, " ") != strings.Join(b, " ") {
			t.Fatalf("%q became %q", words, got)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(got, "\n"), "\n") {
			if columns(line) > max(width, minWidth) && columns(line) < 2*minWidth && !copied.MatchString(line) {
				t.Fatalf("%q has a line of %d columns: %q", got, columns(line), line)
			}
		}
	})
}
