package app

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/familiarhq/familiar/examples"
	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/intent"
)

// SetupTrigger says which event starts a review (page 6.4).
type SetupTrigger string

// The closed set of triggers. The zero value sets nothing up.
const (
	// TriggerWorkflowRun is the pair of files for a public repository, where
	// GitHub blocks pull_request_target.
	TriggerWorkflowRun SetupTrigger = "workflow_run"
	// TriggerPullRequestTarget is one file, for a private repository.
	TriggerPullRequestTarget SetupTrigger = "pull_request_target"
)

// ParseSetupTrigger reads a trigger. Anything outside the set is false.
func ParseSetupTrigger(s string) (SetupTrigger, bool) {
	t := SetupTrigger(s)
	return t, t.folder() != ""
}

// folder is where the examples for the trigger lie.
func (t SetupTrigger) folder() string {
	switch t {
	case TriggerWorkflowRun:
		return "public"
	case TriggerPullRequestTarget:
		return "private"
	}
	return ""
}

// SetupState says what becomes of one file.
type SetupState string

// The closed set of states.
const (
	SetupNew     SetupState = "new"     // it is not there yet
	SetupSame    SetupState = "same"    // it is there, word for word
	SetupDiffers SetupState = "differs" // it is there and says something else
	SetupKept    SetupState = "kept"    // a configuration that is there is the team's own
	SetupStale   SetupState = "stale"   // of the other trigger; nothing needs it
)

// SetupFile is one file of the set-up.
type SetupFile struct {
	Path  string     `json:"path"` // relative to the top of the clone
	State SetupState `json:"state"`
	Diff  string     `json:"diff,omitempty"` // unified, of a file that differs
	data  []byte
}

const (
	workflowFolder  = ".github/workflows"
	requestWorkflow = workflowFolder + "/familiar-request.yml"
	mainWorkflow    = workflowFolder + "/familiar.yml"
)

// setupFiles compares what the trigger needs with what is there. There is
// what existing returns: the file's bytes, and whether it is there.
func setupFiles(t SetupTrigger, auth SetupAuth, existing func(path string) ([]byte, bool, error)) ([]SetupFile, error) {
	own, _, err := existing(ConfigPath)
	if err != nil {
		return nil, err
	}
	handle := configuredHandle(own)
	entries, err := fs.ReadDir(examples.Files, t.folder())
	if err != nil {
		return nil, fmt.Errorf("there is no set-up for the trigger %q", t)
	}
	var out []SetupFile
	for _, e := range entries {
		data, err := examples.Files.ReadFile(path.Join(t.folder(), e.Name()))
		if err != nil {
			return nil, err
		}
		if auth == AuthApp {
			data = withApp(data)
		}
		f, err := compared(path.Join(workflowFolder, e.Name()), withHandle(data, handle), existing)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	template, err := examples.Files.ReadFile("familiar.toml")
	if err != nil {
		return nil, err
	}
	f, err := compared(ConfigPath, template, existing)
	if f.State == SetupDiffers {
		f.State, f.Diff = SetupKept, ""
	}
	out = append(out, f)
	return withStale(t, out, existing, err)
}

func compared(path string, data []byte, existing func(string) ([]byte, bool, error)) (SetupFile, error) {
	f := SetupFile{Path: path, State: SetupNew, data: data}
	have, ok, err := existing(path)
	if err != nil || !ok {
		return f, err
	}
	f.State = SetupSame
	if d := diff.Diff("a/"+path, have, "b/"+path, data); d != nil {
		_, body, _ := strings.Cut(string(d), "\n") // without the command line
		f.State, f.Diff = SetupDiffers, body
	}
	return f, nil
}

// withStale names the file that only the other trigger needs.
func withStale(t SetupTrigger, files []SetupFile, existing func(string) ([]byte, bool, error), err error) ([]SetupFile, error) {
	if err != nil || t == TriggerWorkflowRun {
		return files, err
	}
	_, ok, err := existing(requestWorkflow)
	if ok {
		files = append(files, SetupFile{Path: requestWorkflow, State: SetupStale})
	}
	return files, err
}

// setUpBefore tells the trigger of an earlier set-up from the files that are
// there; "" if there was none.
func setUpBefore(existing func(string) ([]byte, bool, error)) (SetupTrigger, error) {
	for _, f := range []struct {
		path    string
		trigger SetupTrigger
	}{{requestWorkflow, TriggerWorkflowRun}, {mainWorkflow, TriggerPullRequestTarget}} {
		if _, ok, err := existing(f.path); err != nil || ok {
			return f.trigger, err
		}
	}
	return "", nil
}

// authBefore tells as whom an earlier set-up has the action act.
func authBefore(existing func(string) ([]byte, bool, error)) (SetupAuth, error) {
	data, _, err := existing(mainWorkflow)
	if err == nil && actsAsApp(data) {
		return AuthApp, nil
	}
	return AuthToken, err
}

// configuredHandle is the handle of the configuration at hand; the default
// one where there is none, or none that can be read.
func configuredHandle(data []byte) string {
	c, diagnostics := config.Parse(ConfigPath, data)
	if config.HasErrors(diagnostics) || c.Familiar.Handle == "" {
		return intent.DefaultHandle
	}
	return c.Familiar.Handle
}

// withHandle lets the filter of comments listen to another handle. A
// configured handle has letters, digits and dashes only.
func withHandle(data []byte, handle string) []byte {
	if handle == intent.DefaultHandle {
		return data
	}
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		if strings.Contains(line, "github.event.comment.body") {
			lines[i] = strings.ReplaceAll(line, intent.DefaultHandle, handle)
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// blocked says whether a file would be overwritten.
func blocked(files []SetupFile) bool {
	return slices.ContainsFunc(files, func(f SetupFile) bool { return f.State == SetupDiffers })
}
