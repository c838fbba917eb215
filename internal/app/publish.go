package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/store"
)

// publish stores and says what came of a review. The head is looked at once
// more first: a review whose head moved meanwhile publishes nothing but that.
// What does not depend on each other is done side by side; the status comment
// gets its last words, its tag and its state when all else is done, so that
// one which has them speaks for everything.
func publish(ctx context.Context, r ActionRequest, g pullFacts, inputs string, out reviewed) (ActionReport, error) {
	report := ActionReport{Outcome: out.status.Outcome, Detail: out.status.Detail, Trust: g.trust.Scope, Status: out.status, Reviewed: true, Comment: g.own.Comment}
	answering := len(out.status.Answers) > 0
	report.Status.Proposals = waitingHere(ctx, r, g, report.Status)
	says := mayComment(r, g, report.Status) || mayComment(r, g, render.Status{Proposals: proposed(out.actions)})
	w := &statusWriter{r: r, own: g.own, repositoryID: g.repository.ID, number: g.pull.Number, strict: answering}
	var opening []deed
	if says && answering { // an answer is given wherever the head is
		opening = w.create(report.Status)
	}
	var last looked
	var err error
	did := sideBySide(ctx, r, opening, func() { last, err = lastLook(ctx, r, g, &report.Status, asksSplit(r, g, out, answering)) })
	report.took(opening, did)
	if err != nil {
		return report, err
	}
	there, first := last.there, last.first
	if last.moved {
		report.supersede()
		if says && answering {
			report.perform(ctx, r, w.finish(report.Status, report.state(r, g, inputs))...)
			report.noteShown(ctx, r, w)
		}
		return report, nil
	}
	var deeds, lines []deed
	if r.Trigger.Kind != event.PullRequest && there != nil {
		ours, spare := withoutSpares(saidLines(r, g, *there), *there)
		lines = append(report.newLines(r, g, report.Status.Findings, ours), keepLines(r, g, out, ours)...)
		lines = append(lines, removals(r, g, spare)...)
	}
	if report.Status.Greeting = first.greet; first.greet {
		says = mayComment(r, g, report.Status)
	}
	if !answering {
		deeds, lines = lines, nil
		if says {
			deeds = append(deeds, w.create(report.Status)...)
		}
	}
	deeds = append(append(deeds, first.deeds(r)...), checkDeeds(r, g, report)...)
	if len(out.actions) > 0 {
		out.actions = append(slices.Clip(first.note), out.actions...)
	}
	report.Planned = append(report.Planned, out.actions...)
	var stored []plan.Outcome
	did = sideBySide(ctx, r, deeds, func() { stored = storeOutcomes(ctx, r, out.actions, &report.Status) })
	report.Outcomes = append(report.Outcomes, stored...)
	report.took(deeds, did)
	report.Status.Proposals = waitingHere(ctx, r, g, report.Status)
	if says {
		state := report.state(r, g, inputs).with(out, last.split)
		if len(lines) > 0 {
			state.Head, state.Inputs = "", "" // what is done beside it is not known to be done
		}
		lines = append(lines, w.finish(report.Status, state)...)
	}
	lines = append(lines, recordDeed(r, g, out, reviewStatus{report.Status.Outcome, report.Status.Findings, last.split.of(g.pull.Base.SHA, g.pull.Head.SHA)})...)
	report.perform(ctx, r, lines...)
	if says {
		report.noteShown(ctx, r, w)
	}
	return report, nil
}

// supersede says that the head moved.
func (report *ActionReport) supersede() {
	report.Outcome, report.Detail = review.Superseded, "the head moved while it was reviewed; the run for the new head reviews it"
	report.Status.Outcome, report.Status.Detail, report.Status.Findings = review.Superseded, report.Detail, nil
}

// with adds what is kept of a review, and where its head left its base.
func (s State) with(out reviewed, split Split) State {
	if split.At != "" {
		s.Split = split
	}
	if s.Head != "" || out.kept != "" {
		s.By, s.Kept = string(out.by), out.kept
	}
	return s
}

// state is what the status comment is to remember of this run. Where not all
// was done, the next run is to look again.
func (report ActionReport) state(r ActionRequest, g pullFacts, inputs string) State {
	s := g.own.state
	if f := floorOf(r.Memory); f.Generation > 0 {
		s.Floor = f
	}
	s.Head, s.Inputs, s.Worst = "", "", ""
	switch report.Outcome {
	case review.Reviewed, review.PartlyReviewed, review.NothingToDo:
		s.Shown = decodeShown(s.Shown).with(report.Status.Findings, g.pull.Base.SHA, g.pull.Head.SHA).encode()
		if len(plan.Failed(report.Outcomes)) == 0 {
			s.Head, s.Inputs, s.Worst = g.pull.Head.SHA, inputs, worst(report.Status.Findings)
		}
	}
	return s
}

func worst(findings []review.Finding) contract.Severity {
	var out contract.Severity
	for _, f := range findings {
		if f.Severity.Rank() > out.Rank() {
			out = f.Severity
		}
	}
	return out
}

// mayComment says whether a review is to have a status comment. A plain
// pull_request run's token only reads, on forks.
func mayComment(r ActionRequest, g pullFacts, s render.Status) bool {
	mode := g.settings.Familiar.Comment
	if r.Trigger.Kind == event.PullRequest || mode == config.CommentNever {
		return false
	}
	return g.own.ID != 0 || mode == config.CommentAlways || !render.Quiet(s)
}

// looked is what was learnt before anything is said.
type looked struct {
	there *[]github.ReviewComment // on the lines; nil: not read
	first welcome
	moved bool  // the head is another than the one that was reviewed
	split Split // of this head from its base, for the record; zero where it is not known
}

// lastLook asks, side by side, whether the head is still the one that was
// reviewed, what was said on its lines before, whether this is the first run
// here, and, if asked, where the head left its base.
func lastLook(ctx context.Context, r ActionRequest, g pullFacts, s *render.Status, split bool) (looked, error) {
	out := looked{split: g.own.state.Split}
	var now github.Pull
	tasks := []func(context.Context) error{
		func(ctx context.Context) (err error) { now, err = r.Client.Pull(ctx, g.pull.Number); return err },
		func(ctx context.Context) error {
			if g.first != nil {
				out.first = *g.first
				return nil
			}
			out.first = firstRun(ctx, r, g.settings.Familiar.Labels, g.trust.Scope)
			return nil
		},
	}
	if split {
		tasks = append(tasks, func(ctx context.Context) error {
			// A record stands without it, as a review does without a record.
			if at, err := r.Client.MergeBase(ctx, g.pull.Base.SHA, g.pull.Head.SHA); err == nil {
				out.split = Split{Base: g.pull.Base.SHA, Head: g.pull.Head.SHA, At: at}
			}
			return nil
		})
	}
	if len(onLines(s.Findings)) > 0 || mayHaveLines(r, g) {
		tasks = append(tasks, func(ctx context.Context) error {
			if said, known := knownLines(r, g); known {
				out.there = &said
				return nil
			}
			said, err := r.Client.ReviewComments(ctx, g.pull.Number)
			if err != nil {
				s.Notes = append(s.Notes, "findings were not put on their lines: "+err.Error())
				return nil
			}
			out.there = &said
			return nil
		})
	}
	err := r.Client.Gather(ctx, tasks...)
	out.moved = err == nil && now.Head.SHA != g.pull.Head.SHA
	return out, err
}

// storeOutcomes performs what is to be stored.
func storeOutcomes(ctx context.Context, r ActionRequest, actions []plan.Action, s *render.Status) []plan.Outcome {
	if len(actions) == 0 {
		return nil
	}
	if r.DryRun {
		return plan.DryRun{}.Execute(ctx, actions)
	}
	outcomes := r.Memory.Execute(ctx, actions, nil)
	for _, a := range actions {
		if t, ok := a.Payload.(*TransitionTask); ok && t.Transition.Op == memory.OpPropose { // a command has its answer
			showApplied(s, t.Applied)
		}
	}
	for _, o := range plan.Failed(outcomes) {
		s.Notes = append(s.Notes, fmt.Sprintf("not done: %s: %v", o.Action.Summary, o.Err))
	}
	// What is said is the store as it is now, so that the next look at it,
	// which changes nothing, says the same.
	_ = r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		info, err := st.Info(ctx)
		if err == nil {
			s.Generation, s.Expiry = info.Generation, r.Memory.Expiry()
		}
		return err
	}) // a store that cannot be asked now said so above
	return outcomes
}

// onLines are the findings that have a line to be said on.
func onLines(all []review.Finding) []review.Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f review.Finding) bool { return f.Line <= 0 || f.FileLevel })
}
