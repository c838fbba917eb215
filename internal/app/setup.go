package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
)

// SetupRequest asks for the workflow files and the configuration in a clone.
type SetupRequest struct {
	Dir     string       // top of the work tree
	Trigger SetupTrigger // "": as an earlier set-up has it
	Auth    SetupAuth    // "": as an earlier set-up has it, else the workflow's token
	Yes     bool         // overwrite workflow files that say something else
	DryRun  bool
}

// SetupReport is what was found, and what was written.
type SetupReport struct {
	Trigger  SetupTrigger
	Auth     SetupAuth
	Files    []SetupFile
	Blocked  bool // a file differs and Yes was not given: nothing was written
	Outcomes []plan.Outcome
}

// ErrNoTrigger says that nobody told which trigger to use.
var ErrNoTrigger = errors.New("no trigger was given, and there is no earlier set-up to go by")

// SetUp writes what is missing, and overwrites only with Yes. Whatever it
// writes stays below the folder, also where a path holds a symbolic link.
func SetUp(ctx context.Context, r SetupRequest) (SetupReport, error) {
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return SetupReport{}, err
	}
	defer func() { _ = root.Close() }() // a folder's handle
	existing := func(path string) ([]byte, bool, error) { return readSetupFile(root, path) }
	report := SetupReport{Trigger: r.Trigger, Auth: r.Auth}
	if report.Auth == "" {
		if report.Auth, err = authBefore(existing); err != nil {
			return report, err
		}
	}
	if report.Trigger == "" {
		if report.Trigger, err = setUpBefore(existing); err != nil {
			return report, err
		}
		if report.Trigger == "" {
			return report, ErrNoTrigger
		}
	}
	if report.Files, err = setupFiles(report.Trigger, report.Auth, existing); err != nil {
		return report, err
	}
	if report.Blocked = blocked(report.Files) && !r.Yes; report.Blocked {
		return report, nil
	}
	actions := setupActions(report.Files)
	if r.DryRun {
		report.Outcomes = plan.DryRun{}.Execute(ctx, actions)
		return report, nil
	}
	write := func(_ context.Context, a plan.Action) error { return writeSetupFile(root, a.Payload.(SetupFile)) }
	report.Outcomes = plan.Doer{Handlers: map[plan.Kind]plan.Handler{plan.WriteFile: write}}.Execute(ctx, actions)
	for _, o := range plan.Failed(report.Outcomes) {
		err = errors.Join(err, fmt.Errorf("%s was not written: %w", o.Action.Payload.(SetupFile).Path, o.Err))
	}
	return report, err
}

func setupActions(files []SetupFile) []plan.Action {
	var out []plan.Action
	for _, f := range files {
		if f.State == SetupNew || f.State == SetupDiffers {
			out = append(out, plan.Action{
				Kind: plan.WriteFile, Key: memory.NewCause("write_file", f.Path, memory.TextDigest(string(f.data))),
				Summary: "write " + f.Path, Payload: f,
			})
		}
	}
	return out
}

// maxSetupFile bounds what is read of a file that is there.
const maxSetupFile = 1 << 20

// readSetupFile reads a regular file below root. Anything else in its place
// is an error: nobody wants a link or a folder there overwritten.
func readSetupFile(root *os.Root, name string) ([]byte, bool, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("%s cannot be looked at: %w", name, err)
	case !info.Mode().IsRegular():
		return nil, false, fmt.Errorf("%s is not a regular file; move it away and run again", name)
	case info.Size() > maxSetupFile:
		return nil, false, fmt.Errorf("%s has %d bytes, which is more than any workflow file; move it away and run again", name, info.Size())
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }() // read only
	data, err := io.ReadAll(io.LimitReader(f, maxSetupFile))
	return data, true, err
}

// writeSetupFile writes beside and renames, so that a run that dies leaves
// the file as it was.
func writeSetupFile(root *os.Root, f SetupFile) error {
	dir := path.Dir(f.Path)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	beside := path.Join(dir, ".familiar-"+rand.Text()+".tmp")
	if err := root.WriteFile(beside, f.data, 0o644); err != nil {
		return errors.Join(err, root.RemoveAll(beside))
	}
	if err := root.Rename(beside, f.Path); err != nil {
		return errors.Join(err, root.Remove(beside))
	}
	return nil
}
