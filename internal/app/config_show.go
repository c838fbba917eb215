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
	counts, err := report.take(ctx, live, path, path)
	if err != nil {
		return report, err
	}
	trusted := counts.side
	base := trusted
	if r.Base != "" {
		sha, err := r.Clone.Repo.Resolve(ctx, r.Base)
		if err != nil {
			return report, err
		}
		at, err := report.take(ctx, commitFiles{r.Clone.Repo, sha}, path, short(sha)+":"+path)
		if err != nil {
			return report, err
		}
		if base = at.side; base.Broken {
			base, _ = config.ReadSide(base.File, nil)
		}
	}
	report.Values = config.Explain(trusted, base, r.Owner, r.Name)
	applyStep(report.Values, workflows)
	if trusted.Broken {
		report.Notes = append(report.Notes, fmt.Sprintf("%s is broken on %s, so memory is off and everything else is the default.", path, from))
	}
	if !r.Worktree && !r.Clone.Repo.IsBare() {
		here, err := readConfigFile(ctx, treeFiles{r.Clone.Repo}, path, path)
		if err != nil {
			return report, err
		}
		if p := here.pending(counts, r.Owner, r.Name); p != "" {
			report.Notes = append(report.Notes, fmt.Sprintf("%s here %s. That branch decides; --worktree shows what would hold.", path, p))
		}
	}
	return report, nil
}

// take reads one of the two files, and notes what is wrong with it.
func (c *ConfigReport) take(ctx context.Context, from source, path, name string) (configFile, error) {
	f, err := readConfigFile(ctx, from, path, name)
	if err == nil && f.problem != "" {
		c.Notes = append(c.Notes, fmt.Sprintf("%s cannot be used: %s.", name, f.problem))
	}
	c.Diagnostics = append(c.Diagnostics, f.diagnostics...)
	return f, err
}

// configFile is the configuration as one place has it.
type configFile struct {
	side        config.Side
	diagnostics []config.Diagnostic
	there       bool
	problem     string // why it cannot be used, which makes it a broken one; "" if it can
}

// readConfigFile reads and parses the file; name is for messages.
func readConfigFile(ctx context.Context, from source, path, name string) (configFile, error) {
	data, problem, err := from.read(ctx, path)
	if err != nil {
		return configFile{}, err
	}
	f := configFile{there: data != nil || problem != "", problem: problem}
	if problem != "" {
		data = []byte("\x00")
	}
	f.side, f.diagnostics = config.ReadSide(name, data)
	return f, nil
}

// pending says how the file of the work tree stands to the one that counts,
// where another value would hold with it.
func (f configFile) pending(counts configFile, owner, name string) health.Pending {
	switch {
	case config.SameValues(f.side, counts.side, owner, name):
		return ""
	case !counts.there:
		return health.PendingNew
	case !f.there:
		return health.PendingGone
	}
	return health.PendingOther
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
