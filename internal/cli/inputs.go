package cli

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/runtime"
)

// inputs are the inputs of action.yml (page 6.7), checked. The runner names
// them INPUT_ and the upper-case name, dashes kept.
type inputs struct {
	token, appKey, memoryKey string
	tokenFrom                string // the variable that a person took it from; "": the inputs
	appID, installation      int64  // 0: not given
	config                   string
	operation                app.Operation
	arguments                []string // one a line, the verb first
	runtime                  runtime.Kind
	execCommand              []string // a program and its arguments
	model, modelEndpoint     string
	modelKey, handoverKey    string
	stateDir, brief, result  string
	sarif                    string
	days, retries            int
	failOn                   contract.Severity // "": none
	dryRun                   bool
}

// input is one row of the closed set of inputs: its name, whether its value
// is kept out of the log, and what reads it. A reader's error says what the
// input takes; the input's name is put before it.
type input struct {
	name   string
	secret bool
	read   func(in *inputs, value string) error
}

// inputTable is the closed set, in the order of page 6.7.
var inputTable = []input{
	{"github-token", true, verbatim(func(in *inputs) *string { return &in.token })},
	{"app-id", false, positive(func(in *inputs) *int64 { return &in.appID })},
	{"app-private-key", true, verbatim(func(in *inputs) *string { return &in.appKey })},
	{"installation-id", false, positive(func(in *inputs) *int64 { return &in.installation })},
	{"memory-key", true, verbatim(func(in *inputs) *string { return &in.memoryKey })},
	{"config", false, readConfigPath},
	{"operation", false, readOperation},
	{"arguments", false, func(in *inputs, v string) error { in.arguments = lines(v); return nil }},
	{"runtime", false, readRuntime},
	{"exec-command", false, func(in *inputs, v string) error { in.execCommand = words(v); return nil }},
	{"model", false, verbatim(func(in *inputs) *string { return &in.model })},
	{"model-endpoint", false, verbatim(func(in *inputs) *string { return &in.modelEndpoint })},
	{"model-api-key", true, verbatim(func(in *inputs) *string { return &in.modelKey })},
	{"handover-key", true, verbatim(func(in *inputs) *string { return &in.handoverKey })},
	{"state-dir", false, absolute(func(in *inputs) *string { return &in.stateDir })},
	{"brief", false, verbatim(func(in *inputs) *string { return &in.brief })},
	{"result", false, verbatim(func(in *inputs) *string { return &in.result })},
	{"sarif", false, verbatim(func(in *inputs) *string { return &in.sarif })},
	{"artifact-days", false, between(1, 400, "a number of days", func(in *inputs) *int { return &in.days })},
	{"max-retries", false, between(0, 10, "a number of retries", func(in *inputs) *int { return &in.retries })},
	{"fail-on", false, readFailOn},
	{"dry-run", false, readDryRun},
}

// inputNames are the names of the closed set.
func inputNames() []string {
	var out []string
	for _, i := range inputTable {
		out = append(out, i.name)
	}
	return out
}

// readInputs checks all inputs of the step: that each is known, each on its
// own, and then against each other.
func readInputs(getenv func(string) string, environ []string) (inputs, error) {
	if err := knownInputs(environ); err != nil {
		return inputs{}, err
	}
	in := inputs{config: app.ConfigPath, operation: app.OperationAuto, days: 90, retries: 2}
	for _, i := range inputTable {
		value := inputValue(getenv, i.name)
		if value == "" {
			continue
		}
		if err := i.read(&in, value); err != nil {
			return in, usage("%s", redact.Scrub(fmt.Sprintf("the input %s takes %v", i.name, err)))
		}
	}
	return in, in.together()
}

func inputValue(getenv func(string) string, name string) string {
	return strings.TrimSpace(getenv("INPUT_" + strings.ToUpper(name)))
}

// secretInputs are the values to keep out of the log, whether or not the
// other inputs are well formed.
func secretInputs(getenv func(string) string) []string {
	var out []string
	for _, i := range inputTable {
		if v := inputValue(getenv, i.name); i.secret && v != "" {
			out = append(out, v)
		}
	}
	return out
}

// knownInputs refuses what is no input: the runner warns of a wrong name and
// goes on without it, and a misspelt one should not be without effect.
func knownInputs(environ []string) error {
	known := inputNames()
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		rest, ok := strings.CutPrefix(name, "INPUT_")
		if !ok {
			continue
		}
		name = strings.ToLower(rest)
		if slices.Contains(known, name) {
			continue
		}
		if near := config.Nearest(name, known); near != "" {
			return usage("there is no input %q; did you mean %s?", name, near)
		}
		return usage("there is no input %q; the inputs are %s", name, strings.Join(known, ", "))
	}
	return nil
}

// together checks what only several inputs can get wrong.
func (in inputs) together() error {
	switch {
	case (in.appID == 0) != (in.appKey == ""):
		return usage("the inputs app-id and app-private-key go together; give both or neither")
	case in.token == "" && in.appID == 0:
		return usage("the input github-token is empty; leave it out to use the workflow's token, or give app-id and app-private-key")
	case in.runtime == runtime.Exec && len(in.execCommand) == 0:
		return usage("the input runtime is exec, which needs the input exec-command: a program and its arguments")
	case in.runtime == runtime.Models && (in.modelEndpoint == "" || in.modelKey == "" || in.model == ""):
		return usage("the input runtime is models, which needs the inputs model-endpoint, model-api-key and model")
	case (in.modelEndpoint == "") != (in.modelKey == ""):
		return usage("the inputs model-endpoint and model-api-key go together; give both or neither")
	case len(in.arguments) > 0 && !in.operation.TakesArguments():
		return usage("the operation %s takes no arguments; the input arguments is for prepare, publish, memory and recover", in.operation)
	}
	if in.modelEndpoint != "" {
		if err := app.CheckModel(app.Model{Name: in.model, Endpoint: in.modelEndpoint, Key: in.modelKey}, []string{in.token, in.appKey, in.memoryKey}); err != nil {
			return usage("%w", err)
		}
	}
	return nil
}

// into hands over what a run takes as it was given.
func (in inputs) into(r *app.ActionRequest) {
	r.Operation, r.Arguments, r.Config = in.operation, in.arguments, in.config
	r.Reviewer, r.ExecCommand, r.Retries = in.runtime, in.execCommand, in.retries
	// Whatever else is live here goes to no reviewer (page 7.2).
	r.Secrets = append(r.Secrets, in.token, in.appKey, in.memoryKey, in.handoverKey)
	r.Model = app.Model{Name: in.model, Endpoint: in.modelEndpoint, Key: in.modelKey}
	r.BriefPath, r.ResultPath, r.HandoverKey, r.SARIFPath = in.brief, in.result, in.handoverKey, in.sarif
	r.StateDir, r.DryRun, r.FailOn = in.stateDir, in.dryRun, in.failOn
}

func verbatim(field func(*inputs) *string) func(*inputs, string) error {
	return func(in *inputs, v string) error { *field(in) = v; return nil }
}

func positive(field func(*inputs) *int64) func(*inputs, string) error {
	return func(in *inputs, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 {
			return fmt.Errorf("a positive number, but got %q", v)
		}
		*field(in) = n
		return nil
	}
}

func between(least, most int, what string, field func(*inputs) *int) func(*inputs, string) error {
	return func(in *inputs, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < least || n > most {
			return fmt.Errorf("%s from %d to %d, but got %q", what, least, most, v)
		}
		*field(in) = n
		return nil
	}
}

func absolute(field func(*inputs) *string) func(*inputs, string) error {
	return func(in *inputs, v string) error {
		if !path.IsAbs(v) {
			return fmt.Errorf("the absolute path of a folder that outlives a run, but got %q", v)
		}
		*field(in) = v
		return nil
	}
}

// readConfigPath takes the path of a file within the repository.
func readConfigPath(in *inputs, v string) error {
	if path.IsAbs(v) || path.Clean(v) != v || v == "." || v == ".." || strings.HasPrefix(v, "../") || strings.ContainsAny(v, "\\\n\x00") {
		return fmt.Errorf("a path within the repository, such as %s, but got %q", app.ConfigPath, v)
	}
	in.config = v
	return nil
}

func readOperation(in *inputs, v string) error {
	op, ok := app.ParseOperation(v)
	if !ok {
		return fmt.Errorf("%s, but got %q%s", listed(app.Operations()), v, maybe(v, app.Operations()))
	}
	in.operation = op
	return nil
}

// runtimes is the closed set of reviewers, as words.
var runtimes = []string{string(runtime.Rules), string(runtime.Models), string(runtime.Exec)}

func readRuntime(in *inputs, v string) error {
	if !slices.Contains(runtimes, v) {
		return fmt.Errorf("%s, but got %q%s", listed(runtimes), v, maybe(v, runtimes))
	}
	in.runtime = runtime.Kind(v)
	return nil
}

func readFailOn(in *inputs, v string) error {
	if v == "none" {
		return nil
	}
	s, ok := contract.ParseSeverity(v)
	if !ok {
		return fmt.Errorf("none, info, low, medium, high or critical, but got %q", v)
	}
	in.failOn = s
	return nil
}

func readDryRun(in *inputs, v string) error {
	if v != "true" && v != "false" {
		return fmt.Errorf("true or false, but got %q", v)
	}
	in.dryRun = v == "true"
	return nil
}

// words splits a command: at spaces, or, where it has several lines, one word
// a line, so that a word may hold a space.
func words(v string) []string {
	if strings.Contains(v, "\n") {
		return lines(v)
	}
	return strings.Fields(v)
}

// lines are the lines that are not blank, without the spaces around them.
func lines(v string) []string {
	var out []string
	for line := range strings.SplitSeq(v, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func listed(names []string) string {
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func maybe(wrong string, known []string) string {
	if near := config.Nearest(wrong, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
