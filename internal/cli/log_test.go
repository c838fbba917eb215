package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// commands are the lines of a log that the runner takes for commands, by its
// own rules: lines end at a line feed or a carriage return, blanks before
// "::" count for nothing, "##[" counts anywhere.
func commands(log string) (found []string) {
	for _, line := range regexp.MustCompile(`\r\n|\r|\n`).Split(log, -1) {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "::") || strings.Contains(t, "##[") {
			found = append(found, line)
		}
	}
	return found
}

func TestA63NothingThatIsPrintedIsACommandOfTheRunner(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"an error", "a\n::error::b\n", "a\n: :error::b\n"},
		{"behind blanks", " \t\u00a0::warning file=x::b\n", " \t\u00a0: :warning file=x::b\n"},
		{"behind a carriage return", "progress\r::set-output name=x::y\n", "progress\r: :set-output name=x::y\n"},
		{"stopping commands", "::stop-commands::mark\n::mark::\n", ": :stop-commands::mark\n: :mark::\n"},
		{"a group, a mask, a debug line", "::group::x\n::add-mask::a\n::debug::b\n", ": :group::x\n: :add-mask::a\n: :debug::b\n"},
		{"the old form within a line", "see ##[error]x\n", "see # #[error]x\n"},
		{"the old form in JSON", "  \"title\": \"##[error]\"\n", "  \"title\": \"\\u0023#[error]\"\n"},
		{"without an end", "::error::x", ": :error::x"},
		{"two colons in code stay", "std::vector\n", "std::vector\n"},
		{"colours stay", "\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n"},
		{"a cleared line does not", "ok\x1b[2K\x1b[1A::error::x\n", "ok::error::x\n"},
		{"a link of the terminal does not", "\x1b]8;;https://evil.test\x07text\x1b]8;;\x07\n", "text\n"},
		{"a sequence before a command", "\x1b[1A::error::x\n", ": :error::x\n"},
	} {
		t.Run("A63: "+c.name, func(t *testing.T) {
			var b bytes.Buffer
			env, flush := inLog(Env{Stdout: &b, Stderr: &b, Getenv: func(string) string { return "true" }})
			if n, err := env.Stdout.Write([]byte(c.in)); err != nil || n != len(c.in) {
				t.Fatalf("%d, %v", n, err)
			}
			flush()
			if b.String() != c.want {
				t.Errorf("got %q, want %q", b.String(), c.want)
			}
			if found := commands(b.String()); len(found) > 0 {
				t.Errorf("the runner would act on %q", found)
			}
		})
	}
	t.Run("away from a runner nothing is changed", func(t *testing.T) {
		var b bytes.Buffer
		env, flush := inLog(Env{Stdout: &b, Getenv: func(string) string { return "" }})
		_, _ = env.Stdout.Write([]byte("::x::"))
		flush()
		if b.String() != "::x::" {
			t.Errorf("got %q", b.String())
		}
	})
}

func TestA63HoweverItIsWrittenInPieces(t *testing.T) {
	piece := rapid.SampledFrom([]string{"::", ":", "#", "#[", "##[error]", "\n", "\r", "\r\n", " ", "error::x", "\x1b[1A", "\x1b]0;", "\x07", "a", "{", "\"", "\u2003"})
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		l := &logWriter{to: &b}
		for _, p := range rapid.SliceOf(piece).Draw(t, "pieces") {
			if _, err := l.Write([]byte(p)); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.flush(); err != nil {
			t.Fatal(err)
		}
		if found := commands(b.String()); len(found) > 0 {
			t.Fatalf("the runner would act on %q", found)
		}
	})
}

func TestA63AnnotationsAndOutputsAreOneOfOurs(t *testing.T) {
	var b bytes.Buffer
	annotate(&b, "error", "100% wrong\n::warning::x\r%0A::set-output::")
	if got, want := b.String(), "::error::100%25 wrong : :warning: :x[U+000D]%250A: :set-output: :\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	first, err := heredoc("findings", "1\nfamiliar_0\nEOF\nevil=1")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(first, "\n"), "\n")
	name, mark, _ := strings.Cut(lines[0], "<<")
	if name != "findings" || len(mark) < 32 || lines[len(lines)-1] != mark || strings.Count(first, mark) != 2 {
		t.Errorf("got %q", first)
	}
	if again, _ := heredoc("findings", "1"); strings.Contains(again, mark) {
		t.Error("the delimiter is not made anew")
	}
}

func FuzzLog(f *testing.F) {
	for _, s := range []string{"::error::x", "a\r::b::", "##[x]", "\x1b[1A::x::", "{\"##[\"", "\u2003::x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		l := &logWriter{to: &b}
		_, _ = l.Write([]byte(s))
		_ = l.flush()
		if found := commands(b.String()); len(found) > 0 {
			t.Fatalf("the runner would act on %q", found)
		}
	})
}
