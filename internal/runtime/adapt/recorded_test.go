package adapt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/runtime"
)

// recorded is what a tool wrote when it was run; testdata/README.md says how.
func recorded(t *testing.T, form Form, name string) runtime.Output {
	t.Helper()
	out, err := Read(Source{
		Form: form, Data: kept(t, filepath.Join("recorded", name)), Paths: changed, Repo: "ledger",
		Line: func(path string, line int) (string, bool) {
			data, err := os.ReadFile(filepath.Join("testdata", "recorded", path))
			lines := strings.Split(string(data), "\n")
			if err != nil || line < 1 || line > len(lines) {
				return "", false
			}
			return lines[line-1], true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatToolsWroteWhenTheyWereRun(t *testing.T) {
	const wait = "high services/retry.go:4 [] This wait cannot be cancelled"
	for _, c := range []struct {
		file     string
		form     Form
		want     string
		reviewed string
	}{
		{"staticcheck.sarif", SARIF, "low services/retry.go:8 [staticcheck/SA1004] sleeping for 5 nanoseconds is probably a bug; be explicit if it isn't", ""},
		{"ruff.sarif", SARIF, "medium services/retry.py:6 [ruff/E711] Comparison to `None` should be `cond is None`", ""},
		{"eslint.sarif", SARIF, "medium web/app.js:3 [eslint/no-eval] `eval` can be harmful\nlow web/app.js:3 [eslint/eqeqeq] Expected '===' and instead saw '=='", "web/app.js"},
		{"claude-code.json", ClaudeCode, wait, "services/retry.go"},
		{"claude-code-stream.jsonl", ClaudeCode, wait, "services/retry.go"},
		{"gemini-cli.json", GeminiCLI, wait, "services/retry.go"},
		{"gemini-cli-stream.jsonl", GeminiCLI, wait, "services/retry.go"},
		{"codex.jsonl", Codex, wait, "services/retry.go"},
		{"codex-last-message.json", Codex, wait, "services/retry.go"},
		{"copilot-cli.txt", CopilotCLI, wait, "services/retry.go"},
		{"copilot-cli.jsonl", CopilotCLI, wait, "services/retry.go"},
	} {
		t.Run(c.file, func(t *testing.T) {
			out := recorded(t, c.form, c.file)
			var got []string
			for _, x := range out.Candidates {
				got = append(got, said(x))
			}
			if out.Outcome != runtime.Finished || strings.Join(got, "\n") != c.want || strings.Join(out.Reviewed, " ") != c.reviewed {
				t.Errorf("%s (%s)\n%s\nreviewed %q; want\n%s", out.Outcome, out.Detail, strings.Join(got, "\n"), out.Reviewed, c.want)
			}
		})
	}
}

func TestRunsThatFailedWhenTheyWereRun(t *testing.T) {
	for _, c := range []struct {
		file string
		form Form
		says string
	}{
		{"claude-code-not-logged-in.json", ClaudeCode, "Not logged in"},
		{"claude-code-overloaded.json", ClaudeCode, "API Error: 529"},
		{"gemini-cli-fails.json", GeminiCLI, "Overloaded"},
		{"codex-fails.jsonl", Codex, "Overloaded"},
		{"copilot-cli-fails.jsonl", CopilotCLI, "400 Overloaded"},
	} {
		t.Run(c.file, func(t *testing.T) {
			out := recorded(t, c.form, c.file)
			if out.Outcome != runtime.Infra || !strings.Contains(out.Detail, c.says) || len(out.Candidates) > 0 {
				t.Errorf("%+v", out)
			}
		})
	}
}

func TestAStreamThatWasRecordedAndBreaksOffIsNoReview(t *testing.T) {
	for file, form := range map[string]Form{
		"claude-code-stream.jsonl": ClaudeCode, "gemini-cli-stream.jsonl": GeminiCLI, "codex.jsonl": Codex,
	} {
		t.Run("A101: "+file, func(t *testing.T) {
			lines := strings.SplitAfter(strings.TrimSpace(string(kept(t, filepath.Join("recorded", file)))), "\n")
			out, err := Read(source(form, []byte(strings.Join(lines[:len(lines)-1], ""))))
			if err == nil || !strings.Contains(err.Error(), "did not come to its end") || len(out.Candidates) > 0 {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

func TestAFixIsSuggestedWhereThereIsOneAndNamedWhereThereAreMore(t *testing.T) {
	one := recorded(t, SARIF, "ruff.sarif").Candidates[0]
	if one.Replacement == nil || *one.Replacement != "    if error is None:" {
		t.Errorf("one fix: %+v", one)
	}
	two := recorded(t, SARIF, "staticcheck.sarif").Candidates[0]
	if two.Replacement != nil || two.Recommendation != "Explicitly use nanoseconds, or: Use seconds" {
		t.Errorf("two fixes: %+v", two)
	}
}
