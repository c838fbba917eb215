package app

import (
	"context"
	"fmt"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/health"
)

// ConfigRequest asks which configuration holds in a clone.
type ConfigRequest struct {
	Clone       *Clone
	Worktree    bool   // the file of the work tree, for both parts
	Base        string // the revision whose [review] counts; "": the default branch's head
	Owner, Name string // whose overrides count
}

// ConfigReport is every value that holds, and where it comes from.
type ConfigReport struct {
	Repository  string              `json:"repository"`
	Values      []config.Value      `json:"values"`
	Notes       []string            `json:"notes"`
	Diagnostics []config.Diagnostic `json:"diagnostics"`
}

// ShowConfig reads the two files that make up what holds (page 3.1) and tells
// the values. What a step's input beats is told as the input has it.
func ShowConfig(ctx context.Context, r ConfigRequest) (ConfigReport, error) {
	report := ConfigReport{Repository: r.Owner + "/" + r.Name, Notes: []string{}, Diagnostics: []config.Diagnostic{}}
	head, err := newSettingsReader(r.Clone).defaultHead(ctx)
	if err != nil {
		return report, err
	}
	live, from := source(commitFiles{r.Clone.Repo, head}), "the default branch"
	if r.Worktree && !r.Clone.Repo.IsBare() {
		live, from = treeFiles{r.Clone.Repo}, "the work tree"
	}
	workflows, err := readWorkflows(ctx, live)
	if err != nil {
		return report, err
	}
	path := or(health.ConfigPath(workflows), ConfigPath)
	trusted, same, err := readSide(ctx, live, path, path, &report)
	if err != nil {
		return report, err
	}
	base := trusted
	if r.Base != "" {
		sha, err := r.Clone.Repo.Resolve(ctx, r.Base)
		if err != nil {
			return report, err
		}
		if base, _, err = readSide(ctx, commitFiles{r.Clone.Repo, sha}, path, short(sha)+":"+path, &report); err != nil {
			return report, err
		}
		if base.Broken {
			base, _ = config.ReadSide(base.File, nil)
		}
	}
	report.Values = config.Explain(trusted, base, r.Owner, r.Name)
	applyStep(report.Values, workflows)
	if trusted.Broken {
		report.Notes = append(report.Notes, fmt.Sprintf("%s is broken on %s, so memory is off and everything else is the default.", path, from))
	}
	if !r.Worktree && !r.Clone.Repo.IsBare() {
		here, _, err := treeFiles{r.Clone.Repo}.read(ctx, path)
		if err != nil {
			return report, err
		}
		if string(here) != string(same) {
			report.Notes = append(report.Notes, fmt.Sprintf("%s here differs from the one on the default branch, which is what counts; --worktree shows what it would say.", path))
		}
	}
	return report, nil
}

// readSide reads and parses one of the two files.
func readSide(ctx context.Context, from source, path, name string, report *ConfigReport) (config.Side, []byte, error) {
	data, problem, err := from.read(ctx, path)
	if err != nil {
		return config.Side{}, nil, err
	}
	if problem != "" {
		report.Notes = append(report.Notes, fmt.Sprintf("%s cannot be used: %s.", name, problem))
		data = []byte("\x00")
	}
	side, list := config.ReadSide(name, data)
	report.Diagnostics = append(report.Diagnostics, list...)
	return side, data, nil
}

// applyStep puts in what the step's inputs say.
func applyStep(values []config.Value, workflows []health.Workflow) {
	kind, file, line := health.Applied(workflows)
	if kind == "" {
		return
	}
	for i := range values {
		if values[i].Key == "runtime.kind" {
			values[i].Value, values[i].From, values[i].File, values[i].Line = kind, config.FromStep, file, line
		}
	}
}
