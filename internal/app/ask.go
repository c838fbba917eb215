package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/text"
)

// AskRequest asks the workflow of a repository to do something to its memory,
// since only a job can save (page 5.7).
type AskRequest struct {
	Client    *github.Client
	Workflow  string // file name, such as familiar.yml
	Branch    string // the default branch; no other may save
	Operation Operation
	Arguments []string // one a line, the verb first
	DryRun    bool
	// Sleep waits between two looks.
	Sleep func(ctx context.Context, d time.Duration) error
	// Progress hears what the run is at, when that changes; may be nil.
	Progress func(status string)
}

// Answer is what a run said.
type Answer struct {
	RunID      int64
	Conclusion string   // success, failure, cancelled, ...
	Lines      []string // what familiar said in its log, not yet made harmless
}

// Bounds of the waiting: how long at most, and between which pauses.
const (
	askAtMost    = 20 * time.Minute
	askFirst     = time.Second
	askLongest   = 10 * time.Second
	maxAnswered  = 200
	maxJobsAsked = 10
)

// Ask starts the workflow once and waits for the end of its run. The error
// names the run wherever one was started: what it does is done whether or not
// anybody waits.
func Ask(ctx context.Context, r AskRequest) (Answer, error) {
	inputs := map[string]string{"operation": string(r.Operation), "arguments": strings.Join(r.Arguments, "\n")}
	if r.DryRun {
		inputs["dry-run"] = "true"
	}
	id, err := r.Client.Dispatch(ctx, r.Workflow, r.Branch, inputs)
	if err != nil {
		return Answer{}, undispatched(r.Workflow, err)
	}
	out := Answer{RunID: id}
	if out.Conclusion, err = r.wait(ctx, id); err != nil {
		return out, fmt.Errorf("run %d was started, and its end is not known: %w", id, err)
	}
	out.Lines, err = r.said(ctx, id)
	if err != nil {
		return out, fmt.Errorf("run %d ended (%s), and its log cannot be read: %w", id, out.Conclusion, err)
	}
	return out, nil
}

// undispatched adds the next step where the workflow takes no such inputs.
func undispatched(workflow string, err error) error {
	var e *github.Error
	if errors.As(err, &e) && (e.Status == 422 || e.Status == 404) {
		return fmt.Errorf("%w. The workflow %s of the default branch must have workflow_dispatch with the inputs operation and arguments: familiar init writes it", err, workflow)
	}
	return err
}

// wait looks at the run until it is over.
func (r AskRequest) wait(ctx context.Context, id int64) (conclusion string, err error) {
	var waited time.Duration
	pause, last := askFirst, ""
	for {
		run, err := r.Client.WorkflowRun(ctx, id)
		switch {
		case err != nil && github.KindOf(err) == github.NotFound && waited < askLongest:
			// Just started: it may not be listed yet.
		case err != nil:
			return "", err
		case run.Status == "completed":
			return run.Conclusion, nil
		case run.Status != last && r.Progress != nil:
			last = run.Status
			r.Progress(strings.ReplaceAll(run.Status, "_", " "))
		}
		if waited >= askAtMost {
			return "", fmt.Errorf("it did not end in %d minutes; look at it under Actions", int(askAtMost.Minutes()))
		}
		if err := r.Sleep(ctx, pause); err != nil {
			return "", err
		}
		waited += pause
		pause = min(pause*3/2, askLongest)
	}
}

// said gathers what familiar said in the logs of the jobs that ran.
func (r AskRequest) said(ctx context.Context, run int64) ([]string, error) {
	jobs, err := r.Client.RunJobs(ctx, run)
	if err != nil {
		return nil, err
	}
	var out []string
	for i, j := range jobs {
		if j.Conclusion == "skipped" || i >= maxJobsAsked {
			continue
		}
		log, err := r.Client.JobLog(ctx, j.ID)
		if github.KindOf(err) == github.Gone || github.KindOf(err) == github.NotFound {
			continue // deleted, or never written
		}
		if err != nil {
			return nil, err
		}
		out = append(out, answersIn(string(log))...)
	}
	return out[:min(len(out), maxAnswered)], nil
}

// ourLine is a line of a job's log that familiar wrote: GitHub's timestamp,
// then the words.
var ourLine = text.Lazy(`^\x{FEFF}?[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z (?:##\[(?:error|warning)\])?familiar: (.*)$`)

// answersIn returns what familiar said, each once, in order.
func answersIn(log string) []string {
	var out []string
	seen := map[string]bool{}
	for line := range strings.Lines(log) {
		m := ourLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || seen[m[1]] || m[1] == "" {
			continue
		}
		seen[m[1]] = true
		out = append(out, m[1])
	}
	return out
}
