package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/runtime/adapt"
	"github.com/familiarhq/familiar/internal/runtime/models"
	"github.com/familiarhq/familiar/internal/runtime/rules"
)

// run starts the reviewer that was chosen, with nothing but its job.
func run(ctx context.Context, f facts, who reviewer, job runtime.Job) (runtime.Output, error) {
	switch who.kind {
	case runtime.Exec:
		return runExec(ctx, f, who, job)
	case runtime.Models:
		return runModels(ctx, f, who, job)
	}
	return rules.Reviewer{}.Review(ctx, job)
}

// runExec hands the change to a command. Its folder is the system's temporary
// one and never the runner's, which other steps share (page 7.2).
func runExec(ctx context.Context, f facts, who reviewer, job runtime.Job) (runtime.Output, error) {
	dir, err := os.MkdirTemp("", "familiar-review-")
	if err != nil {
		return runtime.Output{}, fmt.Errorf("no folder for the brief: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // only a copy of the hand-over is left there
	job.Brief.Workspace.Root = filepath.Join(dir, "workspace")
	if err := os.Mkdir(job.Brief.Workspace.Root, 0o755); err != nil {
		return runtime.Output{}, fmt.Errorf("no folder for the files of the change: %w", err)
	}
	if err := writeWorkspace(ctx, job.Brief.Workspace.Root, job.Change.Files, job.Contents); err != nil {
		return runtime.Output{}, err
	}
	var patch bytes.Buffer
	if err := diff.Format(&patch, job.Change.Files); err != nil {
		return runtime.Output{}, err
	}
	out, err := runtime.ExecReviewer{Options: runtime.ExecOptions{
		Command: who.command, Dir: dir, Local: f.local, Deadline: who.timeout, Retries: who.retries,
		Shape: f.settings.Runtime.PolicyShape, Diff: patch.Bytes(), Started: f.isolation.started,
		Adapt: adapting(f, who, job),
	}}.Review(ctx, job)
	if errors.Is(err, runtime.ErrPrivileges) {
		// No reason to lose what the run has to say about commands and memory.
		return runtime.Output{Outcome: runtime.Infra, Detail: err.Error()}, nil
	}
	return out, err
}

// adapting reads what a command writes in another form than the contract's:
// SARIF, so that a linter needs nothing but a line that starts it.
func adapting(f facts, who reviewer, job runtime.Job) func([]byte) (runtime.Output, bool, error) {
	return func(data []byte) (runtime.Output, bool, error) {
		form, ok := adapt.Another(data)
		if !ok {
			return runtime.Output{}, false, nil
		}
		f.change = job.Change
		s := sourceOf(f, left{form: form, result: data}, who.covers)
		s.Roots = append([]string{job.Brief.Workspace.Root}, who.roots...)
		out, err := adapt.Read(s)
		return out, true, err
	}
}

// runModels asks a model. What the day has cost already, the store knows;
// without one the limit of the run holds alone.
func runModels(ctx context.Context, f facts, who reviewer, job runtime.Job) (runtime.Output, error) {
	perRun, perDay := f.settings.Runtime.TokensPerRun, f.settings.Runtime.TokensPerDay
	if f.local {
		// The configuration of a clone may lower what it costs, and not raise it.
		least := config.Defaults().Runtime
		perRun, perDay = min(perRun, least.TokensPerRun), min(perDay, least.TokensPerDay)
	}
	spent := int64(0)
	if f.memory != nil && f.memory.spent != nil {
		var err error
		if spent, err = f.memory.spent(ctx, dayOf(f.now)); err != nil {
			return runtime.Output{}, fmt.Errorf("what was spent today cannot be told, so nothing is: %w", err)
		}
	}
	m, err := models.New(models.Options{
		Endpoint: who.model.Endpoint, Key: who.model.Key, Model: who.model.Name,
		TokensPerRun: perRun, TokensPerDay: perDay, SpentToday: int(min(spent, 1<<40)),
		Retries: who.retries, Secrets: f.secrets, Attributes: job.Attributes,
		Paths: f.settings.Review.Paths, Ignore: f.settings.Review.Ignore,
	})
	if err != nil {
		return runtime.Output{}, err
	}
	return m.Review(ctx, job)
}

// CheckModel says what is wrong with the model that the step or the command
// line names, before anything is gathered for it.
func CheckModel(m Model, secrets []string) error {
	_, err := models.New(models.Options{Endpoint: m.Endpoint, Key: m.Key, Model: m.Name, Secrets: secrets})
	return err
}

// spending is what a review by a model cost, as actions: one row by a digest
// of when and what was asked, so that a replayed save counts it once. A fork's
// or a stranger's review saves nothing (page 5.4), so its cost is only shown.
func spending(f facts, may bool, u runtime.Usage) []plan.Action {
	if f.memory == nil || !may || u.Total() == 0 {
		return nil
	}
	day := dayOf(f.now)
	key := memory.NewCause("spent", f.now.UTC().Format(time.RFC3339Nano), fmt.Sprint(f.repo.RepoID), fmt.Sprint(f.pull), f.change.Head, fmt.Sprint(u))
	return []plan.Action{{
		Kind: plan.RecordSpending, Key: key, Payload: spentOn{day: day, tokens: int64(u.Total())},
		Summary: fmt.Sprintf("note that the review took %d tokens on %s", u.Total(), day),
	}}
}

// spentOn is the payload of plan.RecordSpending.
type spentOn struct {
	day    string
	tokens int64
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// costOf says in words what a review cost. What a token costs is the
// provider's to say, so no money is named.
func costOf(u runtime.Usage) string {
	if u.Turns == 0 {
		return ""
	}
	about := ""
	if u.Estimated {
		about = "about "
	}
	return fmt.Sprintf("%s%d tokens read and %d written by %s, in %s", about, u.Input, u.Output, u.Model, render.Count(u.Turns, "request"))
}
