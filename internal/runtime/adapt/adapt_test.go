package adapt

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
)

var changed = []string{"services/retry.go", "services/retry.py", "web/app.js"}

func kept(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func source(form Form, data []byte) Source {
	return Source{Form: form, Data: data, Paths: changed, Repo: "ledger", Line: func(path string, line int) (string, bool) {
		return "if x == None:", path == "services/retry.py" && line == 4
	}}
}

// said is what matters of a candidate, on one line.
func said(c review.Candidate) string {
	s := string(c.Severity) + " " + c.Path
	if c.Line > 0 {
		s += ":" + strconv.Itoa(c.Line)
	}
	return s + " [" + c.Rule + "] " + c.Title
}

func TestWhatToolsWrite(t *testing.T) {
	const wait = "high services/retry.go:4 [] This wait cannot be cancelled"
	for _, c := range []struct {
		file     string
		form     Form
		want     []string
		reviewed string
	}{
		{"golangci-lint.sarif", SARIF, []string{
			"medium services/retry.go:4 [golangci-lint/errcheck] Error return value of `c.Close` is not checked",
			"medium services/untouched.go:11 [golangci-lint/govet] printf: fmt.Printf format %d has arg name of wrong type string",
		}, ""},
		{"staticcheck.sarif", SARIF, []string{"low services/retry.go:4 [staticcheck/SA4006] this value of a is never used"}, ""},
		{"gosec.sarif", SARIF, []string{"medium services/retry.go:4 [gosec/G204] Subprocess launched with variable"}, ""},
		{"eslint.sarif", SARIF, []string{
			"medium web/app.js:1 [eslint/no-eval] `eval` can be harmful",
			"low web/app.js:2 [eslint/eqeqeq] Expected '===' and instead saw '=='",
		}, "web/app.js /home/runner/work/ledger/ledger/web/untouched.js"},
		{"semgrep.sarif", SARIF, []string{"medium web/app.js:1 [semgrep-oss/javascript.browser.security.eval-detected.eval-detected] Detected the use of eval()"}, ""},
		{"codeql.sarif", SARIF, []string{
			"high services/retry.go:4 [codeql/go/path-injection] This path depends on a user-provided value",
			"low services/retry.go:5 [codeql/go/useless-assignment-to-local] This definition of err is never used",
		}, "services/retry.go services/untouched.go"},
		{"ruff.sarif", SARIF, []string{"medium services/retry.py:4 [ruff/E711] Comparison to `None` should be `cond is None`"}, ""},
		{"findings.json", Findings, []string{wait}, "services/retry.go"},
		{"findings.md", Findings, []string{wait, "low web/app.js [] The file has no test"}, ""},
		{"claude-code.json", ClaudeCode, []string{wait}, "services/retry.go"},
		{"claude-code-schema.json", ClaudeCode, []string{wait}, "services/retry.go"},
		{"claude-code-stream.jsonl", ClaudeCode, []string{wait}, "services/retry.go"},
		{"gemini-cli.json", GeminiCLI, []string{wait}, "services/retry.go"},
		{"gemini-cli-stream.jsonl", GeminiCLI, []string{wait}, "services/retry.go"},
		{"codex.jsonl", Codex, []string{"high services/retry.go:4 [] Make the wait cancellable"}, ""},
		{"codex-last-message.json", Codex, []string{"high services/retry.go:4 [] Make the wait cancellable"}, ""},
		{"copilot-cli.txt", CopilotCLI, []string{wait}, "services/retry.go"},
		{"copilot-cli.jsonl", CopilotCLI, []string{wait}, "services/retry.go"},
		{"coven-code.json", CovenCode, []string{wait}, "services/retry.go"},
		{"coven-code.json", Result, []string{wait}, "services/retry.go"},
	} {
		t.Run(c.file, func(t *testing.T) {
			out, err := Read(source(c.form, kept(t, c.file)))
			if err != nil || out.Outcome != runtime.Finished {
				t.Fatalf("%s, %v", out.Detail, err)
			}
			var got []string
			for _, x := range out.Candidates {
				got = append(got, said(x))
			}
			if a, b := strings.Join(got, "\n"), strings.Join(c.want, "\n"); a != b {
				t.Errorf("got\n%s\nwant\n%s", a, b)
			}
			if got := strings.Join(out.Reviewed, " "); got != c.reviewed {
				t.Errorf("reviewed %q, want %q", got, c.reviewed)
			}
		})
	}
}

func TestWhatElseIsTakenOver(t *testing.T) {
	out, err := Read(source(SARIF, kept(t, "ruff.sarif")))
	if err != nil {
		t.Fatal(err)
	}
	c := out.Candidates[0]
	if c.Replacement == nil || *c.Replacement != "if x is None:" || c.Recommendation != "Replace with `cond is None`" {
		t.Errorf("a fix within one line is a suggestion: %+v", c)
	}
	out, err = Read(source(Findings, kept(t, "findings.json")))
	if err != nil {
		t.Fatal(err)
	}
	if c = out.Candidates[0]; len(c.Because) != 1 || c.Because[0] != "m-7f3k2q8a" || c.Recommendation != "Use a timer and select." || out.Summary != "One wait cannot be cancelled." {
		t.Errorf("%+v, summary %q", c, out.Summary)
	}
	out, err = Read(source(SARIF, kept(t, "semgrep.sarif")))
	if err != nil || !strings.Contains(out.Candidates[0].Body, "code injection") {
		t.Errorf("a long message is kept whole: %+v, %v", out.Candidates, err)
	}
	out, err = Read(source(Findings, kept(t, "findings.md")))
	if err != nil || out.Candidates[0].Body != "time.Sleep ignores the context.\n\nUse a timer and select." || out.Candidates[1].Body != "" {
		t.Errorf("bodies: %+v, %v", out.Candidates, err)
	}
	covered := source(SARIF, kept(t, "golangci-lint.sarif"))
	covered.Covers = []string{"**/*.go"}
	if out, err = Read(covered); err != nil || strings.Join(out.Reviewed, " ") != "services/retry.go" {
		t.Errorf("what the operator vouches for: %v, %v", out.Reviewed, err)
	}
}

func TestSeveritiesOfSARIF(t *testing.T) {
	for name, c := range map[string]struct {
		result, rule string
		want         contract.Severity
	}{
		"an error alone":               {`"level":"error"`, `{}`, "medium"},
		"nothing said":                 {`"ruleId":"r"`, `{}`, "low"},
		"the rule's level":             {`"ruleId":"r"`, `{"defaultConfiguration":{"level":"note"}}`, "info"},
		"none":                         {`"level":"none"`, `{}`, "info"},
		"a critical score of the rule": {`"level":"note"`, `{"properties":{"security-severity":"9.8"}}`, "critical"},
		"the result's score decides":   {`"properties":{"security-severity":"3.9"}`, `{"properties":{"security-severity":"9.8"}}`, "low"},
		"a score of nothing":           {`"level":"error"`, `{"properties":{"security-severity":"0.0"}}`, "info"},
		"a score that is none":         {`"level":"error"`, `{"properties":{"security-severity":"bad"}}`, "medium"},
		"A65: Level is not level":      {`"Level":"error"`, `{}`, "low"},
		"a level that nobody knows":    {`"level":"fatal"`, `{}`, "fatal"},
	} {
		t.Run(name, func(t *testing.T) {
			rule := strings.Replace(c.rule, "{", `{"id":"r",`, 1)
			rule = strings.Replace(rule, ",}", "}", 1)
			log := `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x","rules":[` + rule + `]}},"results":[{"ruleIndex":0,"message":{"text":"m"},` + c.result + `,"locations":[{"physicalLocation":{"artifactLocation":{"uri":"web/app.js"},"region":{"startLine":1}}}]}]}]}`
			out, err := Read(source(SARIF, []byte(log)))
			if err != nil || len(out.Candidates) != 1 || out.Candidates[0].Severity != c.want {
				t.Errorf("%+v, %v; want %s", out.Candidates, err, c.want)
			}
		})
	}
}

func TestPathsOfTools(t *testing.T) {
	for uri, want := range map[string]string{
		"web/app.js":             "web/app.js",
		"./web/app.js":           "web/app.js",
		`web\\app.js`:            "web/app.js",
		"web/../web/app.js":      "web/app.js",
		"web/%61pp.js":           "web/app.js",
		"file:///src/web/app.js": "web/app.js",
		"file:///home/runner/work/ledger/ledger/web/app.js":  "web/app.js",
		"file://localhost/github/workspace/web/app.js":       "web/app.js",
		"/builds/lumen/ledger/web/app.js":                    "web/app.js",
		"file:///usr/lib/node/web/app.js":                    "/usr/lib/node/web/app.js",
		"file:///home/runner/work/other/other/web/app.js":    "/home/runner/work/other/other/web/app.js",
		"../../etc/passwd":                                   "../../etc/passwd",
		"https://example.com/src/web/app.js":                 "https://example.com/src/web/app.js",
		"app.js":                                             "app.js",
		"file:///home/runner/work/ledger/ledger/web/none.js": "/home/runner/work/ledger/ledger/web/none.js",
	} {
		log := `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"` + uri + `"}}}]}]}]}`
		out, err := Read(source(SARIF, []byte(log)))
		if err != nil || len(out.Candidates) != 1 || out.Candidates[0].Path != want {
			t.Errorf("%s: %+v, %v; want %s", uri, out.Candidates, err, want)
		}
	}
}

// TestPathsBelowAFolderThatIsGiven: the folder that we laid the files in, or
// the clone of the person who asks.
func TestPathsBelowAFolderThatIsGiven(t *testing.T) {
	for name, want := range map[string]string{
		"/tmp/x/workspace/web/app.js":          "web/app.js",
		"/tmp/x/workspace/../etc/web/app.js":   "/tmp/x/etc/web/app.js",
		"/tmp/x/workspaces/web/app.js":         "/tmp/x/workspaces/web/app.js",
		"/tmp/x/workspace/none.js":             "/tmp/x/workspace/none.js",
		"/tmp/x/workspace/sub/web/app.js":      "/tmp/x/workspace/sub/web/app.js",
		"/home/dev/shop with space/web/app.js": "web/app.js",
	} {
		s := source(Findings, []byte(`[{"severity":"low","file":"`+name+`","title":"t"}]`))
		s.Roots = []string{"", "/tmp/x/workspace", "/home/dev/shop with space/"}
		out, err := Read(s)
		if err != nil || len(out.Candidates) != 1 || out.Candidates[0].Path != want {
			t.Errorf("%s: %+v, %v; want %s", name, out.Candidates, err, want)
		}
	}
}

func TestAnotherFormIsKnownByWhatItIs(t *testing.T) {
	for data, want := range map[string]Form{
		`{"version":"2.1.0","runs":[]}`:          SARIF,
		"\ufeff" + `{"runs":[{}],"version":"1"}`: SARIF, // and refused for its version
		`{"contract_version":"2","runs":[]}`:     "",
		`{"contract_version":"2"}`:               "",
		`{"findings":[]}`:                        "",
		`[{"runs":[]}]`:                          "",
		`{"runs":`:                               "",
		``:                                       "",
		string(kept(t, "coven-code.json")):       "",
		string(kept(t, "staticcheck.sarif")):     SARIF,
	} {
		if got, ok := Another([]byte(data)); got != want || ok != (want != "") {
			t.Errorf("%.60s: %q, %v; want %q", data, got, ok, want)
		}
	}
}

// TestA100AFindingElsewhereStaysElsewhere: a tool's word for a file is never
// bent towards one of the change.
func TestA100AFindingElsewhereStaysElsewhere(t *testing.T) {
	out, err := Read(source(Findings, []byte(`[{"severity":"high","file":"/root/web/app.js","line":1,"title":"as memory says"}]`)))
	if err != nil || out.Candidates[0].Path != "/root/web/app.js" {
		t.Errorf("%+v, %v", out.Candidates, err)
	}
}

func TestWhatIsRefusedWhole(t *testing.T) {
	stream := string(kept(t, "claude-code-stream.jsonl"))
	cut := stream[:strings.LastIndex(strings.TrimSpace(stream), "\n")]
	codexStream := string(kept(t, "codex.jsonl"))
	copilotStream := string(kept(t, "copilot-cli.jsonl"))
	for name, c := range map[string]struct {
		form  Form
		data  string
		words string
	}{
		"an unknown form":                          {"xml", "{}", `no form "xml"`},
		"SARIF of another version":                 {SARIF, `{"version":"2.0.0","runs":[]}`, "version 2.1.0"},
		"SARIF without runs":                       {SARIF, `{"version":"2.1.0","runs":[]}`, "no runs"},
		"A65: a key twice":                         {SARIF, `{"version":"2.1.0","version":"2.1.0","runs":[{}]}`, "duplicate"},
		"A65: a second value":                      {SARIF, string(kept(t, "eslint.sarif")) + "{}", "ends before"},
		"A65: Version is not version":              {SARIF, `{"Version":"2.1.0","runs":[{}]}`, "version 2.1.0"},
		"A65: Findings is not findings":            {Findings, `{"Findings":[]}`, "no list of findings"},
		"not JSON":                                 {SARIF, "<xml/>", "$"},
		"a result that is none":                    {Result, `{"status":"success"}`, "missing"},
		"an answer without a list":                 {Findings, "Looks good to me!", "no list of findings"},
		"an answer that declines":                  {CopilotCLI, "I cannot help with that.", "no list of findings"},
		"a finding without a file":                 {Findings, `[{"severity":"low","title":"x"}]`, "findings[0]: it names no file"},
		"a finding without a severity":             {Findings, `[{"file":"a.go","title":"x"}]`, "no severity"},
		"a finding without words":                  {Findings, `[{"file":"a.go","severity":"low"}]`, "neither title nor body"},
		"A101: Claude Code breaks off":             {ClaudeCode, cut, "did not come to its end"},
		"A101: a stream cut inside a line":         {ClaudeCode, stream[:len(stream)-20], "line 4"},
		"A101: Codex breaks off":                   {Codex, codexStream[:strings.LastIndex(strings.TrimSpace(codexStream), "\n")], "did not come to its end"},
		"A101: Copilot breaks off before its end":  {CopilotCLI, strings.Join(strings.SplitAfter(copilotStream, "\n")[:6], ""), "did not come to its end"},
		"A101: Gemini breaks off":                  {GeminiCLI, strings.Join(strings.SplitAfter(string(kept(t, "gemini-cli-stream.jsonl")), "\n")[:6], ""), "did not come to its end"},
		"a block of JSON that is none":             {CopilotCLI, "```json\n{\"findings\": [}\n```", "$"},
		"too large":                                {Findings, strings.Repeat(" ", limits.MaxBytes+1), "at most"},
		"deeper than anything that a tool writes":  {SARIF, strings.Repeat("[", 100) + strings.Repeat("]", 100), "deep"},
		"Gemini without an answer":                 {GeminiCLI, `{"session_id":"x","stats":{}}`, "no list of findings"},
		"an object of another tool in Claude Code": {ClaudeCode, `{"response":"No findings."}`, "did not come to its end"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Read(source(c.form, []byte(c.data)))
			if err == nil || !strings.Contains(err.Error(), c.words) {
				t.Fatalf("%v, want %q", err, c.words)
			}
			if out.Outcome != "" || len(out.Candidates) > 0 {
				t.Error("there are findings beside the error")
			}
		})
	}
}

// TestRunsThatSayThatTheyFailed: such a run is no review, and says why.
func TestRunsThatSayThatTheyFailed(t *testing.T) {
	for name, c := range map[string]struct {
		form Form
		data string
		says string
	}{
		"SARIF":                     {SARIF, `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"invocations":[{"executionSuccessful":false}],"results":[]}]}`, "did not run to its end"},
		"Claude Code, out of turns": {ClaudeCode, `{"type":"result","subtype":"error_max_turns","is_error":true}`, "error_max_turns"},
		"Claude Code, refused":      {ClaudeCode, `{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529"}`, "API Error: 529"},
		"Gemini CLI":                {GeminiCLI, `{"response":"","error":{"type":"ApiError","message":"quota","code":429}}`, "quota"},
		"Gemini CLI, a stream":      {GeminiCLI, `{"type":"init"}` + "\n" + `{"type":"result","status":"error","error":{"message":"no model"}}`, "no model"},
		"Codex":                     {Codex, `{"type":"thread.started"}` + "\n" + `{"type":"turn.failed","error":{"message":"stream error"}}`, "stream error"},
		"Copilot CLI":               {CopilotCLI, `{"type":"session.error","data":{"message":"no quota"}}`, "no quota"},
		"Copilot CLI, by exit code": {CopilotCLI, `{"type":"assistant.message","data":{"content":"No findings."}}` + "\n" + `{"type":"result","exitCode":1}`, "exit code 1"},
		"a result that gave up":     {Result, strings.Replace(strings.Replace(string(kept(t, "coven-code.json")), `"status": "success"`, `"status": "failure", "exit_reason": "infra_error"`, 1), "One wait", "No disk", 1), "No disk"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Read(source(c.form, []byte(c.data)))
			if err != nil || out.Outcome == runtime.Finished || out.Outcome == "" || !strings.Contains(out.Detail, c.says) || len(out.Candidates) > 0 {
				t.Errorf("%+v, %v; want %q", out, err, c.says)
			}
		})
	}
}

func TestNothingFoundIsSaid(t *testing.T) {
	for form, data := range map[Form]string{
		Findings:   `{"findings": [], "reviewed_files": ["web/app.js"]}`,
		CopilotCLI: "I looked at web/app.js.\n\nNo findings.\n",
		Codex:      `{"findings": [], "overall_correctness": "patch is correct"}`,
		SARIF:      `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[]}]}`,
	} {
		out, err := Read(source(form, []byte(data)))
		if err != nil || out.Outcome != runtime.Finished || len(out.Candidates) != 0 {
			t.Errorf("%s: %+v, %v", form, out, err)
		}
	}
}

func TestFormsByName(t *testing.T) {
	for file, want := range map[string]Form{"a/lint.sarif": SARIF, "lint.sarif.json": SARIF, "LINT.SARIF": SARIF, "review.md": Findings, "result.json": Result, "x": Result} {
		if got := FormOf(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	for _, f := range Forms() {
		if got, ok := ParseForm(f); !ok || string(got) != f {
			t.Errorf("%s does not parse", f)
		}
	}
	if _, ok := ParseForm("SARIF"); ok {
		t.Error("another spelling is another word")
	}
}

func FuzzRead(f *testing.F) {
	entries, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			for i := range readers {
				f.Add(i, kept(f, e.Name()))
			}
		}
	}
	f.Fuzz(func(t *testing.T, form int, data []byte) {
		s := source(readers[(form%len(readers)+len(readers))%len(readers)].form, data)
		out, err := Read(s)
		if err != nil {
			if out.Outcome != "" || len(out.Candidates) > 0 {
				t.Fatal("findings beside an error")
			}
			return
		}
		for _, c := range out.Candidates {
			if c.Line < 0 {
				t.Fatalf("a line below 1: %+v", c)
			}
			if c.Replacement != nil && (c.Path != "services/retry.py" || c.Line != 4) {
				t.Fatalf("a suggestion for a line that nobody knows: %+v", c)
			}
		}
		again, err := Read(Source{Form: s.Form, Data: bytes.Clone(data), Paths: changed, Repo: "ledger", Line: s.Line})
		if err != nil || len(again.Candidates) != len(out.Candidates) {
			t.Fatal("the same data says something else")
		}
	})
}
