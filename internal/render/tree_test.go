package render

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// nodes returns the names of the elements of GitHub's own parser's tree of a
// Markdown text, in order, with the targets of links behind them; ok is false
// where the parser is not installed (.ci/run installs it).
func nodes(t *testing.T, md string) (names []string, ok bool) {
	t.Helper()
	bin, err := exec.LookPath("cmark-gfm")
	if err != nil {
		return nil, false
	}
	cmd := exec.Command(bin, "-t", "xml", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-e", "tasklist", "-e", "footnotes")
	cmd.Stdin = strings.NewReader(md)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("cmark-gfm: %v", err)
	}
	d := xml.NewDecoder(&out)
	d.Strict = false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return names, true
		}
		if err != nil {
			t.Fatalf("the tree cannot be read: %v", err)
		}
		if e, is := token.(xml.StartElement); is {
			name := e.Name.Local
			for _, a := range e.Attr {
				if a.Name.Local == "destination" {
					name += " " + a.Value
				}
			}
			names = append(names, name)
		}
	}
}

// onlyNodes fails for a node that is not among the allowed ones.
func onlyNodes(t *testing.T, md string, allowed ...string) {
	t.Helper()
	names, ok := nodes(t, md)
	if !ok {
		kinds, _ := parsed(t, md) // the other parser stands in where this one is not
		if kinds["Link"]+kinds["Image"]+kinds["AutoLink"]+kinds["RawHTML"] > 0 {
			t.Errorf("%q has nodes %v", md, kinds)
		}
		return
	}
	for _, n := range names {
		if name, _, _ := strings.Cut(n, " "); name != "document" && !strings.Contains(" "+strings.Join(allowed, " ")+" ", " "+name+" ") {
			t.Fatalf("GitHub's parser makes a %s of\n%s", n, md)
		}
	}
}

// casesOf is n, or less with the race detector.
func casesOf(n int) int {
	if raced {
		return n / 5
	}
	return n
}

// hostileTexts are texts that attack, joined with each other.
func hostileTexts() []string {
	var out []string
	for _, c := range hostile {
		out = append(out, c.in, c.in+"\n"+c.in, "\n\n"+c.in, "    "+c.in, "> "+c.in, "- "+c.in, c.in+"\\", "`"+c.in, c.in+"`", "|"+c.in+"|", "<details>"+c.in)
	}
	for i := range casesOf(200) {
		out = append(out, hostileText().Example(i))
	}
	return out
}

func TestGitHubsParserMakesTheTreeThatWasMeant(t *testing.T) {
	texts := hostileTexts()
	all := func(f func(string) string, sep string) string {
		var parts []string
		for _, s := range texts {
			parts = append(parts, f(s))
		}
		return strings.Join(parts, sep)
	}
	for _, c := range []struct {
		name, md string
		allowed  []string
	}{
		{"A56, A75: words are paragraphs of text and code", all(Text, "\n\n"), []string{"paragraph", "text", "code"}},
		{"A56: sentences too", all(Prose, "\n\n"), []string{"paragraph", "text", "code"}},
		{"A57: code is code", all(Code, "\n\n"), []string{"paragraph", "code"}},
		{"A57: a fence is a block of code", all(func(s string) string { return Fence(s, s) }, "\n\n"), []string{"code_block"}},
		{"A46, A98: a quote is a quote", all(Quote, "\n\nbetween\n\n"), []string{"block_quote", "paragraph", "text", "code", "softbreak"}},
		{
			"a cell is a cell", "| a | b |\n|---|---|\n" + all(func(s string) string { return "| " + TableCell(s) + " | end |" }, "\n") + "\n",
			[]string{"table", "table_header", "table_row", "table_cell", "text", "code"},
		},
	} {
		t.Run(c.name, func(t *testing.T) { onlyNodes(t, c.md, c.allowed...) })
	}
	t.Run("every cell stands in its row", func(t *testing.T) {
		var rows []string
		for _, s := range texts {
			rows = append(rows, "| "+TableCell(s)+" | end |")
		}
		names, ok := nodes(t, "| a | b |\n|---|---|\n"+strings.Join(rows, "\n")+"\n")
		if got, want := strings.Count(strings.Join(names, " ")+" ", "table_cell "), 2*len(rows)+2; ok && got != want {
			t.Errorf("%d cells, want %d", got, want)
		}
	})
}

func TestA48A55A56AWholeCommentHasTheTreeThatWasMeant(t *testing.T) {
	allowed := []string{"paragraph", "text", "code", "strong", "heading", "list", "item", "block_quote", "html_block", "code_block", "softbreak", "link"}
	for i := range casesOf(40) {
		m := hostileStatus().Example(i)
		md := StatusComment(m).String()
		onlyNodes(t, md, allowed...)
		names, _ := nodes(t, md)
		for _, n := range names {
			if target, is := strings.CutPrefix(n, "link "); is && !strings.HasPrefix(target, "https://") {
				t.Errorf("a link to %q", target)
			}
		}
	}
}

func FuzzBlocks(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if kinds, seen := parsed(t, Code(s)); kinds["CodeSpan"] != 1 || seen != "\x00" {
			t.Fatalf("%q is not one code span", Code(s))
		}
		if kinds, seen := parsed(t, Fence(s, s)+"\n\nend"); kinds["FencedCodeBlock"] != 1 || seen != "end" {
			t.Fatalf("%q is not one block", Fence(s, s))
		}
		if kinds, seen := parsed(t, "before\n\n"+Quote(s)+"\n\nend"); kinds["Blockquote"] != 1 || !strings.HasSuffix(seen, "end") {
			t.Fatalf("%q is not one quote", Quote(s))
		}
		if kinds, _ := parsed(t, "| a | b |\n|---|---|\n| "+TableCell(s)+" | end |\n"); kinds["TableCell"] != 4 {
			t.Fatalf("%q breaks its table", TableCell(s))
		}
		if line := Log(s); strings.ContainsAny(line, "\n\r\x1b") || strings.Contains(line, "::") || strings.Contains(line, "##[") {
			t.Fatalf("the log gets %q", line)
		}
	})
}
