package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/trust"
	"github.com/familiarhq/familiar/internal/vault"
)

// ActionRequest is one run of the action: the event that woke it, and what
// the step was given. The event only says where to look (page 2).
type ActionRequest struct {
	Client *github.Client
	// Author is the login under which this token's comments appear.
	Author  string
	AppAuth bool
	Trigger event.Trigger
	// Actor and TriggeringActor are the runner's words for who started it.
	Actor, TriggeringActor string
	// InputInstallation is the input installation-id; 0: none.
	InputInstallation int64

	Uploads   Uploads  // nil: away from a running job
	Memory    *Vaulted // nil: memory is off
	MemoryOff string   // why, in words
	Keys      vault.Keys
	Records   Records // of reviews; nil: none are kept or looked at

	Operation Operation // "": auto
	Arguments []string  // of the operation, the verb first
	Config    string    // path of the configuration in the repository; "": ConfigPath

	Reviewer    runtime.Kind // "": as configured
	ExecCommand []string     // of the exec reviewer: a program and its arguments
	Model       Model        // of the models reviewer
	Secrets     []string     // live credentials of this process but for the model's key
	Retries     int          // of a reviewer that ended in an infrastructure failure
	// RunID and Attempt name the run, 0 away from a runner; TempDir is a
	// folder that is emptied with the job.
	RunID   int64
	Attempt int
	TempDir string
	// BriefPath and ResultPath are where prepare and publish keep theirs, ""
	// where not said; HandoverKey is an age recipient or identity.
	BriefPath, ResultPath, HandoverKey string
	// JobSecret is what the steps of this job share and no other job has; ""
	// away from a runner.
	JobSecret string
	// Locate says where a path of the runner's host is seen from here; nil:
	// where it says.
	Locate    func(path string) (string, error)
	SARIFPath string // "": none is written
	Version   string // of this program
	StateDir  string // where the quarantine marker lives; "": nowhere

	FailOn contract.Severity // from which the check run and the step fail; "": never
	DryRun bool
	RunURL string
	Now    time.Time // by this machine's clock: gitHubNow is what counts

	around *surroundings // what a sweep knows of the repository already; nil: nothing
}

// live are the credentials of this process as of now, with those that were
// made for the App meanwhile, but for the model's key.
func (r ActionRequest) live() []string {
	return append(slices.Clone(r.Secrets), r.Client.Minted()...)
}

// Live are all of them.
func (r ActionRequest) Live() []string { return append(r.live(), r.Model.Key) }

// gitHubNow is the time by GitHub's clock, by this machine's where it did not
// tell yet. Whatever is stored with a time or compared with one of GitHub's goes
// by it: a machine may be hours or years off, and a row that is later than its
// container is refused with all it says (page 4.4).
func (r ActionRequest) gitHubNow() time.Time {
	return r.Client.DateOr(r.Now)
}

// Model says which model is asked, where, and with what key. All three come
// from step inputs only (page 3.1).
type Model struct{ Name, Endpoint, Key string }

// ActionReport is how a run ended.
type ActionReport struct {
	Outcome  review.Outcome
	Detail   string
	Trust    contract.TrustScope
	Status   render.Status
	Comment  github.Comment // the status comment; zero if there is none
	Planned  []plan.Action
	Outcomes []plan.Outcome
	// BriefPath and ResultPath are where prepare and publish left files, as
	// the host names them; "" where they left none.
	BriefPath, ResultPath string

	Reviewed bool // a pull request was looked at, so the summary shows it
	// Lacks names what was left undone for want of a permission.
	Lacks []string
	// Others are the looks at further pull requests of one run.
	Others []ActionReport

	// Block is Markdown for the summary alone, such as a list that was asked for.
	Block render.Markup
	// Said are lines for whoever asked, in the log and in the summary; Warnings
	// are what health says of the memory.
	Said, Warnings []string

	// Annotations are findings whose comments could not be put on their lines.
	Annotations []Annotation

	worst contract.Severity // of a review that an earlier run did
}

// Failed says whether something that was planned was not done.
func (r ActionReport) Failed() bool {
	return r.Outcome == review.Failed || len(plan.Failed(r.Outcomes)) > 0 || slices.ContainsFunc(r.Others, ActionReport.Failed)
}

// AllLacks are the lacks of all looks of a run, each once.
func (r ActionReport) AllLacks() []string {
	out := slices.Clone(r.Lacks)
	for _, o := range r.Others {
		out = append(out, o.AllLacks()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// FailedReport is the report of a run that ended with an error, so that the
// outputs and the summary say so too.
func FailedReport(r ActionReport, err error) ActionReport {
	r.Outcome, r.Detail = review.Failed, err.Error()
	if github.KindOf(err) == github.RateLimited {
		r.Outcome = review.RateLimited
	}
	return r
}

// useCases is the table of operations: one function, in a file of its own,
// for each that this version does.
func useCases() map[Operation]func(context.Context, ActionRequest) (ActionReport, error) {
	return map[Operation]func(context.Context, ActionRequest) (ActionReport, error){
		OperationAuto:      converge,
		OperationPrepare:   prepare,
		OperationPublish:   publishResult,
		OperationSweep:     sweep,
		OperationMemory:    operateMemory,
		OperationRecover:   operateRecover,
		OperationUninstall: uninstall,
	}
}

// ErrOperation is returned for an operation that this version does not do.
var ErrOperation = errors.New("this version does not do that operation")

// RunAction does what the operation asks for.
func RunAction(ctx context.Context, r ActionRequest) (ActionReport, error) {
	if r.Operation == "" {
		r.Operation = OperationAuto
	}
	do, ok := useCases()[r.Operation]
	if !ok {
		return ActionReport{}, fmt.Errorf("%w: %s", ErrOperation, r.Operation)
	}
	if r.Memory != nil {
		r.Memory.within(ctx)
	}
	if err := unfinished(r); err != nil {
		r.Memory.Refuse(err)
	}
	report, err := do(ctx, r)
	if err == nil {
		report.writeSARIF(ctx, r)
	}
	return report, err
}

// converge looks at what the event points to, whatever the event said.
func converge(ctx context.Context, r ActionRequest) (ActionReport, error) {
	switch r.Trigger.Kind {
	case event.PullRequest, event.PullRequestTarget:
		if !reviewable(r.Trigger.Action) {
			return nothing("the action " + r.Trigger.Action + " of a pull request changes nothing that is reviewed"), nil
		}
		return reviewPull(ctx, r, pullRun{number: r.Trigger.Pull.Number, facts: trust.FromTrigger(r.Trigger, r.Actor, r.TriggeringActor)})
	case event.WorkflowRun:
		return reviewRun(ctx, r)
	case event.IssueComment:
		return answerComment(ctx, r)
	case event.Schedule, event.WorkflowDispatch:
		return sweep(ctx, r)
	case event.Issues:
		return tickBoxes(ctx, r)
	}
	return nothing(fmt.Sprintf("the event %s asks for nothing here", render.Log(r.Trigger.Name))), nil
}

func nothing(why string) ActionReport {
	return ActionReport{Outcome: review.NothingToDo, Detail: why}
}

// reviewable are the actions of a pull request after which its change, or
// what may be said of it, is another.
func reviewable(action string) bool {
	return slices.Contains([]string{"opened", "reopened", "synchronize", "ready_for_review", "edited", "labeled", "unlabeled"}, action)
}

// reviewRun resolves a workflow_run to its pull request, live (page 3.1):
// anything but exactly one match reviews nothing.
func reviewRun(ctx context.Context, r ActionRequest) (ActionReport, error) {
	run := r.Trigger.WorkflowRun
	f := trust.FromTrigger(r.Trigger, r.Actor, r.TriggeringActor)
	pulls, resolution, err := r.Client.PullsForCommit(ctx, run.HeadSHA, run.HeadRepoID)
	if err != nil {
		return ActionReport{}, err
	}
	f.Resolution = resolution
	if resolution != trust.ResolutionOne {
		v := trust.Derive(f)
		out := nothing(trust.Explain(v))
		out.Trust = v.Scope
		return out, nil
	}
	return reviewPull(ctx, r, pullRun{number: pulls[0].Number, facts: f, head: run.HeadSHA})
}
