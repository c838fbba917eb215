package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the stories of testdata/script with the built binary:
// real clones, real store files, real processes.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(binary)+string(filepath.ListSeparator)+os.Getenv("PATH"))
			for name, value := range isolated(env.WorkDir) {
				env.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"lesson":  lessonID,
			"narrow":  narrow,
			"private": private,
		},
	})
}

// isolated is the environment of a person who has nothing set up but git's
// identity.
func isolated(dir string) map[string]string {
	return map[string]string{
		"HOME": filepath.Join(dir, "home"), "XDG_STATE_HOME": filepath.Join(dir, "state"), "NO_COLOR": "1",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_AUTHOR_NAME": "dev", "GIT_AUTHOR_EMAIL": "dev@example.com",
		"GIT_COMMITTER_NAME": "dev", "GIT_COMMITTER_EMAIL": "dev@example.com",
		"GIT_AUTHOR_DATE": "2026-11-30T12:00:00Z", "GIT_COMMITTER_DATE": "2026-11-30T12:00:00Z",
	}
}

var documentID = regexp.MustCompile(`m-[0-9a-hjkmnp-tv-z]{8}`)

// lessonID sets a variable to the first lesson id in the last output:
// `lesson ID`.
func lessonID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lesson VARIABLE")
	}
	id := documentID.FindString(ts.ReadFile("stdout"))
	if id == "" {
		ts.Fatalf("the last output names no lesson")
	}
	ts.Setenv(args[0], id)
}

// narrow fails when a line of the last output is wider than a terminal.
func narrow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: narrow")
	}
	for line := range strings.SplitSeq(ts.ReadFile("stdout"), "\n") {
		if n := len([]rune(line)); n > 80 {
			ts.Fatalf("%d columns: %s", n, line)
		}
	}
}

// private fails when a file can be read by anybody else.
func private(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: private FILE...")
	}
	for _, name := range args {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if info.Mode().Perm()&0o077 != 0 {
			ts.Fatalf("%s has mode %v", name, info.Mode())
		}
	}
}

// normal replaces what differs from run to run: ids, days, users, commits.
func normal(s string) string {
	s = documentID.ReplaceAllString(s, "m-00000000")
	s = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`).ReplaceAllString(s, "2000-01-01")
	s = regexp.MustCompile(`\bby \S+ on\b`).ReplaceAllString(s, "by you on")
	s = regexp.MustCompile(`\blearned from \S+ on\b`).ReplaceAllString(s, "learned from you on")
	// Wrapping depends on the length of a user's name.
	return strings.Join(strings.Fields(s), " ")
}

// step is one command of a console block and what it printed.
type step struct{ command, output string }

// console returns the steps of the README's console blocks.
func console(readme string) []step {
	var out []step
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(readme, -1) {
		for line := range strings.SplitSeq(block[1], "\n") {
			if cmd, ok := strings.CutPrefix(line, "$ "); ok {
				out = append(out, step{command: cmd})
			} else if n := len(out); n > 0 {
				out[n-1].output += line + "\n"
			}
		}
	}
	return out
}

// TestReadmeStory runs what the README shows, as it shows it, and compares
// what is printed.
func TestReadmeStory(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := console(string(data))
	if len(steps) < 5 {
		t.Fatalf("the README shows %d commands, want at least 5", len(steps))
	}
	shell := newShell(t)
	for _, s := range steps {
		got := shell.run(t, s.command)
		if normal(got) != normal(s.output) {
			t.Errorf("$ %s\nprinted:\n%s\nREADME.md says:\n%s", s.command, got, s.output)
		}
		if *update {
			fmt.Printf("$ %s\n%s", s.command, got)
		}
	}
}
