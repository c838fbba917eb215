package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/intent"
)

// docPages are the pages that people wrote; the others are held by the tests
// that write them.
func docPages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "gallery.md" })
	return append(files, "../../README.md")
}

// TestDocStories runs what each page shows, as it shows it, and compares what
// is printed. A page is one story, in a folder of its own.
func TestDocStories(t *testing.T) {
	stories := 0
	for _, file := range docPages(t) {
		steps := console(read(t, file))
		if len(steps) == 0 || strings.HasSuffix(file, "README.md") { // TestReadmeStory
			continue
		}
		stories++
		t.Run(filepath.Base(file), func(t *testing.T) {
			shell := newShell(t)
			for _, s := range steps {
				if got := shell.run(t, s.command); normal(got) != normal(s.output) {
					t.Errorf("$ %s\nprinted:\n%s\n%s says:\n%s", s.command, got, filepath.Base(file), s.output)
				}
			}
		})
	}
	if stories < 2 {
		t.Errorf("%d pages tell a story, want at least 2", stories)
	}
}

var (
	inlineCode = regexp.MustCompile("`([^`\n]+(?:\n[^`\n]+)?)`")
	codeBlock  = regexp.MustCompile("(?ms)^ *```\\w*\n(.*?)^ *```|((?:^    \\S[^\n]*\n)+)")
)

// purposes are what docs/format.md derives keys for; they only look like
// commands.
var purposes = []string{"familiar key id 1", "familiar manifest 2", "familiar mac 1"}

// commandsIn are the commands of the command line, and those of a comment,
// that a page has in code.
func commandsIn(page string) (shell, comment []string) {
	var code []string
	for _, m := range codeBlock.FindAllStringSubmatch(page, -1) {
		code = append(code, strings.Split(m[1]+m[2], "\n")...)
	}
	for _, m := range inlineCode.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		code = append(code, strings.ReplaceAll(m[1], "\n", " "))
	}
	for _, line := range code {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		line = strings.TrimPrefix(line, "go run ./cmd/")
		switch {
		case slices.Contains(purposes, line):
		case strings.HasPrefix(line, "familiar "):
			shell = append(shell, line)
		case strings.HasPrefix(line, "@familiar "), strings.HasPrefix(line, "/familiar "):
			comment = append(comment, line)
		}
	}
	return shell, comment
}

// TestEveryCommandInThePagesExists: its words lead to a command, and the
// options that it is given are that command's.
func TestEveryCommandInThePagesExists(t *testing.T) {
	shells, comments := 0, 0
	for _, file := range docPages(t) {
		shell, comment := commandsIn(read(t, file))
		for _, line := range shell {
			shells++
			if complaint := knownCommand(line); complaint != "" {
				t.Errorf("%s: `%s`: %s", filepath.Base(file), line, complaint)
			}
		}
		for _, line := range comment {
			comments++
			verb := strings.Fields(line)[1]
			if _, ok := intent.ParseVerb(strings.TrimSuffix(verb, ":")); !ok && verb != "..." && !slices.Contains(deliberateSlips, verb) {
				t.Errorf("%s: `%s`: %q is no command of a comment", filepath.Base(file), line, verb)
			}
		}
	}
	if shells < 40 || comments < 15 {
		t.Errorf("found %d commands and %d of comments in the pages, expected more", shells, comments)
	}
}

// deliberateSlips are words that a page shows as wrong, or as a placeholder.
var deliberateSlips = []string{"VERB"}

// knownCommand says what is wrong with a command as a page shows it, or "".
func knownCommand(line string) string {
	line, _, _ = strings.Cut(line, " | ")
	line, _, _ = strings.Cut(line, " > ")
	fields := strings.Fields(line)[1:]
	cmd := newRoot(Env{})
	cmd.InitDefaultCompletionCmd("x")
	for len(fields) > 0 && !strings.HasPrefix(fields[0], "-") {
		next := child(cmd, fields[0])
		if next == nil {
			break
		}
		cmd, fields = next, fields[1:]
	}
	if cmd.HasSubCommands() && len(fields) > 0 && !strings.HasPrefix(fields[0], "-") && fields[0] != "..." {
		return "there is no command " + fields[0]
	}
	cmd.InitDefaultHelpFlag()
	for _, f := range fields {
		name, _, _ := strings.Cut(strings.TrimPrefix(f, "--"), "=")
		if !strings.HasPrefix(f, "--") || name == "" {
			continue
		}
		if cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
			return "there is no option --" + name
		}
	}
	return ""
}

func child(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return c
		}
	}
	return nil
}

func TestKnownCommand(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"familiar local --last 20", ""},
		{"familiar memory list --repo octo/shop", ""},
		{"familiar completion bash > file", ""},
		{"familiar --help", ""},
		{"familiar lokal", "there is no command lokal"},
		{"familiar memory lisst", "there is no command lisst"},
		{"familiar local --fast", "there is no option --fast"},
	} {
		if got := knownCommand(c.line); got != c.want {
			t.Errorf("knownCommand(%q) = %q, want %q", c.line, got, c.want)
		}
	}
}
