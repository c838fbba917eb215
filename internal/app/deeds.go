package app

import (
	"context"
	"errors"
	"sync"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/plan"
)

// deed is one planned action on GitHub and what performs it.
type deed struct {
	action plan.Action
	do     plan.Handler
}

// perform does deeds side by side through the one executor, or only reports
// them in a dry run. The report names them in their order.
func (report *ActionReport) perform(ctx context.Context, r ActionRequest, deeds ...deed) {
	report.took(deeds, sideBySide(ctx, r, deeds, nil))
}

// took notes what became of deeds.
func (report *ActionReport) took(deeds []deed, outcomes []plan.Outcome) {
	for _, d := range deeds {
		report.Planned = append(report.Planned, d.action)
	}
	report.Outcomes = append(report.Outcomes, outcomes...)
	for _, o := range outcomes {
		if reason := notAllowed(o); reason != "" {
			if o.Action.Kind != plan.CheckRun { // without one the result is the same
				report.Status.Notes = append(report.Status.Notes, reason)
			}
			report.Lacks = append(report.Lacks, reason)
		}
	}
}

// sideBySide performs deeds at the same time, beside other work, and waits
// for all.
func sideBySide(ctx context.Context, r ActionRequest, deeds []deed, beside func()) []plan.Outcome {
	out := make([]plan.Outcome, len(deeds))
	var all sync.WaitGroup
	for i, d := range deeds {
		all.Go(func() {
			var e plan.Executor = plan.Doer{Handlers: map[plan.Kind]plan.Handler{d.action.Kind: d.do}}
			if r.DryRun {
				e = plan.DryRun{}
			}
			out[i] = e.Execute(ctx, []plan.Action{d.action})[0]
		})
	}
	if beside != nil {
		beside()
	}
	all.Wait()
	return out
}

// lacking starts the reason of what was left undone for want of a permission.
const lacking = "not allowed: "

// degraded turns a missing permission into something left undone, by name
// (page 6.7): a review without its comments is still a review, and the
// summary has what it found.
func degraded(err error) error {
	var e *github.Error
	if errors.As(err, &e) && e.Kind == github.Forbidden {
		return plan.Skip(lacking + e.Error())
	}
	return err
}

// notAllowed is what was left undone for want of a permission, "" otherwise.
func notAllowed(o plan.Outcome) string {
	if len(o.Skipped) > len(lacking) && o.Skipped[:len(lacking)] == lacking {
		return o.Action.Summary + " was not done: " + o.Skipped
	}
	return ""
}
