package cli

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/runtime"
)

func given(pairs map[string]string) (func(string) string, []string) {
	env := map[string]string{"INPUT_GITHUB-TOKEN": "t"}
	for k, v := range pairs {
		env["INPUT_"+strings.ToUpper(k)] = v
	}
	var environ []string
	for k, v := range env {
		environ = append(environ, k+"="+v)
	}
	return func(k string) string { return env[k] }, environ
}

// TestStepRefusesWrongInputs: an unknown or malformed value is an error that
// names the input and says what it takes.
func TestStepRefusesWrongInputs(t *testing.T) {
	for _, c := range []struct {
		name  string
		given map[string]string
		want  string
	}{
		{"an unknown input with a near name", map[string]string{"memory_key": "x"}, `there is no input "memory_key"; did you mean memory-key?`},
		{"an unknown input like none", map[string]string{"colour": "x"}, `there is no input "colour"; the inputs are github-token, app-id`},
		{"no token", map[string]string{"github-token": ""}, "the input github-token is empty"},
		{"an unknown operation", map[string]string{"operation": "swep"}, `the input operation takes auto, prepare, publish, sweep, memory, uninstall or recover, but got "swep"; did you mean sweep?`},
		{"an unknown runtime", map[string]string{"runtime": "gpt"}, `the input runtime takes rules, models or exec, but got "gpt"`},
		{"exec without a command", map[string]string{"runtime": "exec"}, "needs the input exec-command"},
		{"models without an endpoint", map[string]string{"runtime": "models", "model-api-key": "k"}, "needs the inputs model-endpoint, model-api-key and model"},
		{"an endpoint without its key", map[string]string{"model-endpoint": "https://models.example"}, "go together"},
		{"days out of range", map[string]string{"artifact-days": "0"}, `the input artifact-days takes a number of days from 1 to 400, but got "0"`},
		{"days that are no number", map[string]string{"artifact-days": "ninety"}, "artifact-days takes a number of days"},
		{"too many retries", map[string]string{"max-retries": "11"}, "the input max-retries takes a number of retries from 0 to 10"},
		{"retries below none", map[string]string{"max-retries": "-1"}, "max-retries takes"},
		{"a severity that is none", map[string]string{"fail-on": "severe"}, "the input fail-on takes none, info, low, medium, high or critical"},
		{"a dry run that is neither", map[string]string{"dry-run": "maybe"}, "the input dry-run takes true or false"},
		{"an App's id that is no number", map[string]string{"app-id": "seven", "app-private-key": "k"}, "the input app-id takes a positive number"},
		{"half an App", map[string]string{"app-id": "7"}, "go together"},
		{"the other half", map[string]string{"app-private-key": "k"}, "go together"},
		{"a negative installation", map[string]string{"installation-id": "-7"}, "the input installation-id takes a positive number"},
		{"a configuration outside", map[string]string{"config": "../familiar.toml"}, "the input config takes a path within the repository"},
		{"an absolute configuration", map[string]string{"config": "/etc/familiar.toml"}, "the input config takes a path within the repository"},
		{"a relative state folder", map[string]string{"state-dir": "state"}, "the input state-dir takes the absolute path"},
		{"arguments of an operation without any", map[string]string{"arguments": "list"}, "the operation auto takes no arguments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readInputs(given(c.given))
			var exit exitError
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &exit) || exit.code != ExitUsage {
				t.Errorf("got %v, want exit %d and %q", err, ExitUsage, c.want)
			}
		})
	}
}

// TestStepReadsItsInputs: what is not given has its default, and what is
// given is read whole.
func TestStepReadsItsInputs(t *testing.T) {
	in, err := readInputs(given(nil))
	if err != nil || in.config != app.ConfigPath || in.operation != app.OperationAuto || in.days != 90 || in.retries != 2 || in.failOn != "" || in.dryRun || in.runtime != "" {
		t.Errorf("the defaults are %+v, %v", in, err)
	}
	in, err = readInputs(given(map[string]string{
		"app-id": "7", "app-private-key": "pem", "installation-id": "8", "memory-key": "k1\nk2", "config": "ci/familiar.toml",
		"operation": "memory", "arguments": "approve\n\n m-1 \nm-2\n", "runtime": "exec", "exec-command": "node\n/opt/my reviewer.js",
		"artifact-days": "30", "max-retries": "0", "fail-on": "high", "dry-run": "true", "state-dir": "/var/lib/familiar",
		"brief": "b", "result": "r.json", "sarif": "out.sarif", "handover-key": "age1x", "model": "m", "model-endpoint": "https://models.example/v1", "model-api-key": "k",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if in.appID != 7 || in.installation != 8 || in.config != "ci/familiar.toml" || in.operation != app.OperationMemory || !slices.Equal(in.arguments, []string{"approve", "m-1", "m-2"}) {
		t.Errorf("read %+v", in)
	}
	if in.runtime != runtime.Exec || !slices.Equal(in.execCommand, []string{"node", "/opt/my reviewer.js"}) || in.days != 30 || in.retries != 0 || in.failOn != contract.SeverityHigh || !in.dryRun {
		t.Errorf("read %+v", in)
	}
	var r app.ActionRequest
	in.into(&r)
	if r.Model != (app.Model{Name: "m", Endpoint: "https://models.example/v1", Key: "k"}) || r.BriefPath != "b" || r.ResultPath != "r.json" || r.SARIFPath != "out.sarif" || r.HandoverKey != "age1x" || r.StateDir != "/var/lib/familiar" {
		t.Errorf("handed over %+v", r)
	}
}

// TestSecretInputsAreMaskedFirst: also where another input is wrong, so that
// no error can say them.
func TestSecretInputsAreMaskedFirst(t *testing.T) {
	secrets := map[string]string{
		"github-token": "token-value", "app-id": "7", "app-private-key": "pem line one\npem line two", "memory-key": "key-one\nkey-two",
		"model-endpoint": "https://models.example", "model-api-key": "model-value", "handover-key": "handover-value", "dry-run": "maybe",
	}
	getenv, environ := given(secrets)
	var out bytes.Buffer
	status := RunAction(t.Context(), Env{Getenv: getenv, Stdout: &out, Stderr: &out}, environ)
	if status != ExitUsage {
		t.Errorf("exit %d, want %d", status, ExitUsage)
	}
	log, said, _ := strings.Cut(out.String(), "::error::")
	for _, want := range []string{"token-value", "pem line one", "pem line two", "key-one", "key-two", "model-value", "handover-value"} {
		if !strings.Contains(log, "::add-mask::"+want+"\n") || strings.Contains(said, want) {
			t.Errorf("%s is not masked, or said, in %q", want, out.String())
		}
	}
}

// TestOperationThatIsNotThereYet: refused before anything is asked.
func TestOperationThatIsNotThereYet(t *testing.T) {
	for _, name := range app.Operations() {
		op, _ := app.ParseOperation(name)
		if op.Available() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			getenv, environ := given(map[string]string{"operation": name})
			var out bytes.Buffer
			status := RunAction(t.Context(), Env{Getenv: getenv, Stdout: &out, Stderr: &out}, environ)
			if status != ExitUsage || !strings.Contains(out.String(), "the operation "+name+" is not there yet") {
				t.Errorf("exit %d: %s", status, out.String())
			}
		})
	}
}

// TestActionFileNamesTheInputsThatAreRead holds action.yml against the code:
// the names, in order, and the defaults.
func TestActionFileNamesTheInputsThatAreRead(t *testing.T) {
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	section, _, _ := strings.Cut(string(data), "\noutputs:")
	var names []string
	defaults := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z-]+):\n    description: .+\n(?:    default: (.+)\n)?`).FindAllStringSubmatch(section, -1) {
		names = append(names, m[1])
		if m[2] != "" && m[1] != "github-token" {
			defaults[m[1]] = strings.Trim(m[2], `"`)
		}
	}
	if !slices.Equal(names, inputNames()) {
		t.Errorf("action.yml has %v, the code reads %v", names, inputNames())
	}
	withDefaults, err := readInputs(given(defaults))
	if err != nil {
		t.Fatal(err)
	}
	without, _ := readInputs(given(nil))
	if a, b := summary(withDefaults), summary(without); a != b {
		t.Errorf("action.yml's defaults give %s, none gives %s", a, b)
	}
}

func summary(in inputs) string {
	var r app.ActionRequest
	in.into(&r)
	return strings.Join([]string{string(r.Operation), r.Config, string(r.Reviewer), itoa(int64(in.days)), itoa(int64(in.retries)), string(in.failOn)}, " ")
}
