package cli

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/app"
)

// TestA63EverythingThatTheActionPrintsPassesOneWriter: the whole action, given
// an environment that puts commands and the run's token into its messages.
func TestA63EverythingThatTheActionPrintsPassesOneWriter(t *testing.T) {
	token := "the9Live5Value" + "0fThisRun7xQ"
	dressed := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))
	for name, repository := range map[string]string{
		"commands in a message":        "a\r::stop-commands::x\n::set-output name=y::z ##[error]",
		"the token in a message":       token,
		"the token in another dress":   dressed,
		"the token, split and escaped": token[:9] + "%" + fmt.Sprintf("%02X", token[9]) + "-" + token[10:],
		"a cleared line":               "\x1b[2K\x1b[1A::error::x",
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			event := filepath.Join(t.TempDir(), "event.json")
			if err := os.WriteFile(event, []byte(`{}`), 0o600); err != nil {
				t.Fatal(err)
			}
			vars := map[string]string{"GITHUB_ACTIONS": "true", "INPUT_GITHUB-TOKEN": token, "GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": event, "GITHUB_REPOSITORY": repository}
			var environ []string
			for k, v := range vars {
				environ = append(environ, k+"="+v)
			}
			slices.Sort(environ)
			env := Env{Stdout: &out, Stderr: &out, Getenv: func(name string) string { return vars[name] }, Dir: t.TempDir(), Now: time.Unix(1_800_000_000, 0)}
			if code := RunAction(t.Context(), env, environ); code == ExitOK {
				t.Error("it went well")
			}
			log := out.String()
			if log == "" || !strings.Contains(log, "::error::") {
				t.Fatalf("it says %q", log)
			}
			for _, line := range commands(log) {
				if line != "::add-mask::"+token && !strings.HasPrefix(line, "::error::") {
					t.Errorf("the runner would act on %q", line)
				}
			}
			rest := strings.ReplaceAll(log, "::add-mask::"+token+"\n", "")
			if strings.Contains(rest, token) || strings.Contains(rest, dressed) || strings.Contains(rest, token[10:]) {
				t.Errorf("the log tells the token: %q", rest)
			}
		})
	}
}

func TestCommandsOfOursStandBetweenTheLinesOfTheLog(t *testing.T) {
	var b bytes.Buffer
	env, flush := actionLog(Env{Stdout: &b, Stderr: &bytes.Buffer{}})
	_, _ = fmt.Fprint(env.Stdout, "no end ::error::x")
	command(env.Stdout, maskCommand, "the9Live5Value")
	annotate(env.Stdout, "warning", "It holds the9Live5Value.")
	_, _ = fmt.Fprintln(env.Stdout, "::notice::eulaV5eviL9eht")
	_, _ = fmt.Fprintln(env.Stderr, "the9Live5Value")
	flush()
	want := "no end ::error::x\n::add-mask::the9Live5Value\n::warning::It holds [redacted-secret].\n: :notice::[redacted-secret]\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestWhatAStepSaysIsWithoutCommands(t *testing.T) {
	var b bytes.Buffer
	env, flush := actionLog(Env{Stdout: &b, Stderr: &b, Getenv: func(string) string { return "" }})
	files := stepFiles{env: env}
	report := app.ActionReport{Outcome: "reviewed", Detail: "x\n::error::y", Said: []string{"::add-mask::z", "a\r##[group]"}, Warnings: []string{"%0A::warning::w"},
		Annotations: []app.Annotation{{Path: "a,line=1::b\n::error::c", Line: 3, Title: "t\n::error::d"}}}
	if err := files.write(report); err != nil {
		t.Fatal(err)
	}
	flush()
	for _, line := range commands(b.String()) {
		if !strings.HasPrefix(line, "::warning::%250A: :warning") && !strings.HasPrefix(line, "::warning file=a%2Cline=1%3A %3Ab %3A %3Aerror") {
			t.Errorf("the runner would act on %q", line)
		}
	}
}
