package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/familiarhq/familiar/examples"
	"github.com/familiarhq/familiar/internal/health"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
)

// FixedFile is a file that the doctor mends.
type FixedFile struct {
	Path string `json:"path"`
	New  bool   `json:"new"` // it was not there
	Diff string `json:"diff"`
	data []byte
}

// sweepWorkflow is the file that starts the daily sweep.
const sweepWorkflow = "familiar-sweep.yml"

// repairable adds to findings what only this package can offer: the file of
// the sweep, where no schedule starts familiar but something else does.
func repairable(list []health.Finding, workflows []health.Workflow) []health.Finding {
	started := health.StartsFamiliar(workflows)
	for i, f := range list {
		if f.Check != health.CheckSchedule || f.Severity != health.Warning || f.Line != 0 || f.File != workflowFolder || !started {
			continue
		}
		data, err := examples.Files.ReadFile("private/" + sweepWorkflow)
		if err == nil {
			list[i].Repair = &health.Repair{Path: workflowFolder + "/" + sweepWorkflow, Create: string(data)}
		}
	}
	return list
}

// FixesOf returns what the safe repairs of a report would change in the work
// tree.
func FixesOf(r DoctorRequest, list []health.Finding) ([]FixedFile, error) {
	root, err := os.OpenRoot(r.Clone.Repo.Root())
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // a folder's handle
	read := func(path string) (string, bool) {
		data, there, err := readSetupFile(root, path)
		return string(data), there && err == nil
	}
	changed := health.Repaired(list, read)
	var out []FixedFile
	for _, f := range list {
		text, ok := changed[pathOf(f)]
		if !ok {
			continue
		}
		delete(changed, pathOf(f))
		old, there := read(pathOf(f))
		d := diff.Diff("a/"+pathOf(f), []byte(old), "b/"+pathOf(f), []byte(text))
		out = append(out, FixedFile{Path: pathOf(f), New: !there, Diff: withoutCommand(d), data: []byte(text)})
	}
	return out, nil
}

// withoutCommand is a diff without its first line, which names no command that
// anybody ran.
func withoutCommand(d []byte) string {
	_, body, _ := strings.Cut(string(d), "\n")
	return body
}

func pathOf(f health.Finding) string {
	if f.Repair == nil {
		return ""
	}
	return f.Repair.Path
}

// Fix writes them, beside and renamed, as a set-up does.
func Fix(ctx context.Context, r DoctorRequest, files []FixedFile) error {
	root, err := os.OpenRoot(r.Clone.Repo.Root())
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // a folder's handle
	var actions []plan.Action
	for _, f := range files {
		actions = append(actions, plan.Action{
			Kind: plan.WriteFile, Key: memory.NewCause("write_file", f.Path, memory.TextDigest(string(f.data))), Summary: "write " + f.Path,
			Payload: SetupFile{Path: f.Path, data: f.data},
		})
	}
	write := func(_ context.Context, a plan.Action) error { return writeSetupFile(root, a.Payload.(SetupFile)) }
	outcomes := plan.Doer{Handlers: map[plan.Kind]plan.Handler{plan.WriteFile: write}}.Execute(ctx, actions)
	for _, o := range plan.Failed(outcomes) {
		err = errors.Join(err, fmt.Errorf("%s was not written: %w", o.Action.Payload.(SetupFile).Path, o.Err))
	}
	return err
}
