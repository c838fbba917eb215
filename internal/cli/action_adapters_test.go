package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryAdapterInTheWholeBinary: what each tool writes is published as a
// review, between prepare and publish.
func TestEveryAdapterInTheWholeBinary(t *testing.T) {
	for _, c := range []struct {
		file, form string
		findings   string
		outcome    string
	}{
		{"golangci-lint.sarif", "sarif\n**/*.go", "1", "reviewed"},
		{"golangci-lint.sarif", "", "1", "partly_reviewed"}, // by its name; nobody vouches for what it looked at
		{"staticcheck.sarif", "sarif\n**/*.go", "1", "reviewed"},
		{"gosec.sarif", "sarif\n**/*.go", "1", "reviewed"},
		{"codeql.sarif", "sarif", "2", "reviewed"},
		{"findings.json", "findings", "1", "reviewed"},
		{"findings.md", "", "1", "partly_reviewed"},
		{"recorded/claude-code.json", "claude-code", "1", "reviewed"},
		{"recorded/claude-code-stream.jsonl", "claude-code", "1", "reviewed"},
		{"recorded/gemini-cli.json", "gemini-cli", "1", "reviewed"},
		{"recorded/gemini-cli-stream.jsonl", "gemini-cli", "1", "reviewed"},
		{"recorded/codex.jsonl", "codex", "1", "reviewed"},
		{"codex-last-message.json", "codex\n**", "1", "reviewed"},
		{"recorded/copilot-cli.txt", "copilot-cli", "1", "reviewed"},
		{"recorded/copilot-cli.jsonl", "copilot-cli", "1", "reviewed"},
		{"coven-code.json", "coven-code", "1", "reviewed"},
	} {
		t.Run(c.file+" "+strings.ReplaceAll(c.form, "\n", " "), func(t *testing.T) {
			r := newRunner(t)
			p := r.pull("mara", map[string]string{"services/retry.go": "package services\n\nfunc retry() {\n\ttime.Sleep(second)\n\terr = nil\n}\n"})
			r.newRun("pull_request_target")
			j := r.newJob("")
			if got := j.does(p, "mara", map[string]string{"operation": "prepare"}); got.status != 0 {
				t.Fatalf("exit %d\n%s", got.status, got.log)
			}
			result := j.path("familiar", "result", filepath.Base(c.file))
			data, err := os.ReadFile(filepath.Join("..", "runtime", "adapt", "testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(result, data, 0o644); err != nil {
				t.Fatal(err)
			}
			sarif := j.path("out.sarif")
			got := j.does(p, "mara", map[string]string{"operation": "publish", "result": result, "arguments": c.form, "sarif": sarif, "fail-on": "critical"})
			if got.status != 0 || got.outputs["findings"] != c.findings || got.outputs["outcome"] != c.outcome {
				t.Fatalf("exit %d, outputs %v\n%s\n%s", got.status, got.outputs, got.log, got.summary)
			}
			var log struct {
				Version string
				Runs    []struct {
					Results []struct{ Message struct{ Text string } }
				}
			}
			if err := json.Unmarshal([]byte(read(t, sarif)), &log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 || itoa(int64(len(log.Runs[0].Results))) != c.findings {
				t.Errorf("SARIF out: %v\n%s", err, read(t, sarif))
			}
		})
	}
}

// TestALinterThatWasRunIsPublishedOnItsLines: the files that real linters wrote
// for these very sources, as docs/reviewers.md has them published.
func TestALinterThatWasRunIsPublishedOnItsLines(t *testing.T) {
	kept := filepath.Join("..", "runtime", "adapt", "testdata", "recorded")
	files := map[string]string{}
	for _, name := range []string{"services/retry.go", "services/retry.py", "web/app.js"} {
		files[name] = read(t, filepath.Join(kept, name))
	}
	for _, c := range []struct{ name, arguments, lines, outcome string }{
		{"staticcheck.sarif", "sarif\n**/*.go", "services/retry.go:8", "partly_reviewed"},
		{"ruff.sarif", "sarif\n**", "services/retry.py:6", "reviewed"},
		{"eslint.sarif", "sarif", "web/app.js:3 web/app.js:3", "partly_reviewed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			p := r.pull("mara", files)
			r.newRun("pull_request_target")
			j := r.newJob("")
			prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
			j.writes(prepared, []byte(read(t, filepath.Join(kept, c.name))))
			got := j.does(p, "mara", map[string]string{"operation": "publish", "arguments": c.arguments})
			var lines []string
			for _, l := range r.server.PullComments(r.repo, p.Number) {
				lines = append(lines, l.Path+":"+itoa(int64(l.Line)))
			}
			if got.status != 0 || got.outputs["outcome"] != c.outcome || strings.Join(lines, " ") != c.lines {
				t.Errorf("exit %d, outputs %v, on lines %v\n%s", got.status, got.outputs, lines, got.log)
			}
			if c.name == "ruff.sarif" && !strings.Contains(r.server.PullComments(r.repo, p.Number)[0].Body, "```suggestion\n    if error is None:\n```") {
				t.Errorf("no suggestion in\n%s", r.server.PullComments(r.repo, p.Number)[0].Body)
			}
		})
	}
}

// TestATurnThatBrokeOffIsNoReview (A101): nothing of it is published.
func TestATurnThatBrokeOffIsNoReview(t *testing.T) {
	for form, text := range map[string]string{
		"claude-code": `{"type":"assistant","message":{"content":[{"type":"text","text":"- high services/retry.go:4: half a review"}]}}`,
		"codex":       `{"type":"thread.started"}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message","text":"- high services/retry.go:4: half a review"}}`,
	} {
		t.Run("A101: "+form, func(t *testing.T) {
			r := newRunner(t)
			p := r.pull("mara", map[string]string{"services/retry.go": retry})
			r.newRun("pull_request_target")
			j := r.newJob("")
			j.writes(j.does(p, "mara", map[string]string{"operation": "prepare"}), []byte(text))
			got := j.does(p, "mara", map[string]string{"operation": "publish", "arguments": form})
			if got.status != 1 || got.outputs["findings"] != "0" || strings.Contains(strings.Join(r.ours(p.Number), ""), "half a review") || !strings.Contains(got.log, "did not come to its end") {
				t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
			}
		})
	}
}

// TestArgumentsThatNothingTakes: each names what it takes instead.
func TestArgumentsThatNothingTakes(t *testing.T) {
	r := newRunner(t)
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	r.newRun("pull_request_target")
	for name, c := range map[string]struct {
		inputs map[string]string
		says   string
	}{
		"an unknown form":            {map[string]string{"operation": "publish", "arguments": "xml"}, "takes in arguments the form of the result (result, sarif, findings"},
		"an unknown verb of prepare": {map[string]string{"operation": "prepare", "arguments": "everything"}, "takes in arguments nothing, clear"},
		"open without a file":        {map[string]string{"operation": "prepare", "arguments": "open"}, "the path of the file to open"},
		"open a file that is none":   {map[string]string{"operation": "prepare", "arguments": "open\n/nowhere/familiar-handover.sealed"}, "there is no file /nowhere"},
		"seal without a hand-over":   {map[string]string{"operation": "publish", "arguments": "seal"}, "open it first"},
		"a key that is none":         {map[string]string{"operation": "prepare", "handover-key": "hunter2-is-no-key"}, "the input handover-key: "},
	} {
		t.Run(name, func(t *testing.T) {
			got := r.newJob("").does(p, "mara", c.inputs)
			if got.status == 0 || !strings.Contains(got.log, c.says) || strings.Contains(strings.ReplaceAll(got.log, "::add-mask::hunter2-is-no-key", ""), "hunter2") {
				t.Errorf("exit %d, want %q\n%s", got.status, c.says, got.log)
			}
		})
	}
}
