package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/health"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/store"
)

// sweep is what the daily clock asks for, or a person's button: it finds what
// was missed in open threads, does what time asks of the memory, reviews the
// heads that no run has reviewed, keeps the containers fresh and few, and
// brings the dashboard up to date. Each part is done for itself and twice is
// once; none purges and none lifts a denial (page 4.2).
func sweep(ctx context.Context, r ActionRequest) (ActionReport, error) {
	s, err := gatherSurroundings(ctx, r)
	if err != nil {
		return ActionReport{}, err
	}
	r.Author, r.around = s.author, &s
	report := nothing("")
	report.Trust = s.scope(r)
	// What was missed comes first: an approval that waits keeps a proposal from
	// lapsing.
	looked, failure := lookAround(ctx, r)
	report.Others = append(report.Others, looked.Others...)
	said := []string{looked.Detail}
	if why := s.mayKeepHouse(r); why != "" {
		said = append(said, "the memory was left as it is: "+why)
	} else {
		said = append(said, upkeep(ctx, r, s, &report)...)
		said = append(said, takeAwayElsewhere(ctx, r, &s, &report))
		for _, d := range keepContainers(r, &report) {
			report.perform(ctx, r, d) // one after the other: both are of one store
		}
	}
	if s.trusted(r) {
		writeDashboard(ctx, r, &s, &report)
	}
	report.Warnings = append(report.Warnings, sweptHealth(ctx, r, s)...)
	report.Outcome, report.Detail = looked.Outcome, joinClauses(said)
	if report.Outcome == review.NothingToDo && slices.ContainsFunc(report.Others, func(o ActionReport) bool { return o.Outcome == review.CommandsApplied }) {
		report.Outcome = review.CommandsApplied
	}
	return report, failure
}

// trusted says whether the run was started by the clock or by people who all
// may keep the memory.
func (s surroundings) trusted(r ActionRequest) bool {
	return r.Trigger.Kind == event.Schedule || s.standing.Rank() >= memory.StandingMaintainer.Rank()
}

func (s surroundings) scope(r ActionRequest) contract.TrustScope {
	if r.Trigger.Kind == event.Schedule {
		return contract.TrustScheduled
	}
	return commandFacts{standing: s.standing}.scope()
}

// mayKeepHouse says why this run changes nothing in the memory, or "".
func (s surroundings) mayKeepHouse(r ActionRequest) string {
	if why := s.usable(r); why != "" {
		return why
	}
	if !s.trusted(r) {
		return "it takes a maintainer to start the sweep, and " + s.why
	}
	return ""
}

// upkeep does what time asks of the lessons: retention, lapse, announcements
// and the audit horizon, in one save.
func upkeep(ctx context.Context, r ActionRequest, s surroundings, report *ActionReport) []string {
	var due []store.Due
	err := r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		counts, err := st.Counts(ctx)
		if err != nil {
			return err
		}
		closed, err := closedUnmerged(ctx, r, counts.PendingByPull)
		if err != nil {
			return err
		}
		due, err = st.Sweepable(ctx, r.gitHubNow(), s.settings.retention(), closed)
		return err
	})
	if err != nil {
		report.failed("do what time asks of the memory", err)
		return nil
	}
	if len(due) == 0 {
		return nil
	}
	var actions []plan.Action
	for _, d := range due {
		actions = append(actions, plan.Action{
			Kind: plan.Transition, Key: d.Transition.Cause, Payload: &TransitionTask{Transition: d.Transition}, Summary: sweptWords(d),
		})
	}
	actions = append(actions, plan.Action{Kind: plan.Save, Key: memory.NewCause("save", actions[0].Key), Summary: "seal and upload the store"})
	report.Planned = append(report.Planned, actions...)
	outcomes := storeOutcomes(ctx, r, actions, &report.Status)
	report.Outcomes = append(report.Outcomes, outcomes...)
	return []string{sweptCounts(due, outcomes)}
}

// closedUnmerged are those of the pull requests with proposals that were
// closed without being merged.
func closedUnmerged(ctx context.Context, r ActionRequest, pending map[int]int) ([]int, error) {
	var numbers []int
	for n := range pending {
		if n > 0 {
			numbers = append(numbers, n)
		}
	}
	closed := make([]bool, len(numbers))
	var tasks []func(context.Context) error
	for i, n := range numbers {
		tasks = append(tasks, func(ctx context.Context) error {
			p, err := r.Client.Pull(ctx, n)
			closed[i] = err == nil && p.State == "closed" && !p.Merged
			return err
		})
	}
	if err := r.Client.Gather(ctx, tasks...); err != nil {
		return nil, err
	}
	var out []int
	for i, n := range numbers {
		if closed[i] {
			out = append(out, n)
		}
	}
	return out, nil
}

// sweptWords are the parts of the sweep as people read them.
var sweptOps = map[memory.Op]string{
	memory.OpLapse:    "lapsed",
	memory.OpExpire:   "ended by its own end",
	memory.OpAnnounce: "will end in 30 days by its age",
	memory.OpAge:      "ended by its age",
	memory.OpIdle:     "ended since nobody used it",
	memory.OpFade:     "overwritten, 30 days after its age ended it",
	memory.OpHorizon:  "audit rows past their time",
}

func sweptWords(d store.Due) string {
	if d.Transition.Op == memory.OpHorizon {
		return "remove " + sweptOps[memory.OpHorizon]
	}
	return d.Transition.Target + ": " + sweptOps[d.Transition.Op]
}

// sweptCounts says how much of each part was done.
func sweptCounts(due []store.Due, outcomes []plan.Outcome) string {
	done := map[string]bool{}
	for _, o := range outcomes {
		done[o.Action.Key] = o.Done
	}
	counts := map[memory.Op]int{}
	for _, d := range due {
		if done[d.Transition.Cause] {
			counts[d.Transition.Op]++
		}
	}
	var parts []string
	for _, op := range append(memory.SweepOps(), memory.OpHorizon) {
		if n := counts[op]; n > 0 && op != memory.OpHorizon {
			parts = append(parts, fmt.Sprintf("%d %s", n, sweptOps[op]))
		} else if n > 0 {
			parts = append(parts, "removed "+sweptOps[op])
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "of the lessons " + strings.Join(parts, ", ")
}

// keepContainers stores the memory anew when a third of its lifetime has
// passed, and deletes what nobody needs: outdated containers, those that still
// hold a forgotten text, and what others put under our name.
func keepContainers(r ActionRequest, report *ActionReport) []deed {
	return []deed{{
		action: plan.Action{Kind: plan.Save, Key: memory.NewCause("refresh", dayOf(r.gitHubNow())), Summary: "store the memory anew, a third of its lifetime having passed"},
		do: func(ctx context.Context, _ plan.Action) error {
			saved, err := r.Memory.Refresh(ctx)
			if err == nil && !saved {
				return plan.Skip("not due")
			}
			return err
		},
	}, pruned(r, report)}
}

// pruned deletes what nobody needs, and what earlier runs had to leave.
func pruned(r ActionRequest, report *ActionReport) deed {
	return deed{
		action: plan.Action{Kind: plan.Prune, Key: memory.NewCause("prune", dayOf(r.gitHubNow())), Summary: "delete containers that nobody needs"},
		do: func(ctx context.Context, _ plan.Action) error {
			cleared, err := r.Memory.Prune(ctx)
			if cleared.Later > 0 {
				report.Warnings = append(report.Warnings, cleared.later())
			}
			switch {
			case err != nil:
				return err
			case len(cleared.Left) > 0:
				return plan.Skip(lacking + cleared.Left[0].Why)
			case len(cleared.Deleted) == 0:
				return plan.Skip("there is none")
			}
			return nil
		},
	}
}

// sweptHealth are the warnings of health about the memory, for the log and the
// summary; what is only worth a look some day is on the dashboard.
func sweptHealth(ctx context.Context, r ActionRequest, s surroundings) []string {
	if s.usable(r) != "" {
		return nil
	}
	i, err := Inspect(ctx, r.Memory)
	if err != nil {
		return []string{"The memory cannot be used: " + err.Error()}
	}
	var out []string
	for _, n := range quarantineNotices(r.Memory) {
		out = append(out, n.Text)
	}
	for _, f := range storeHealth(r, s, i) {
		if f.Severity != health.Note {
			out = append(out, f.Sentence())
		}
	}
	return out
}

// failed notes that a part of a run could not be done, so that the run fails
// and the other parts are tried all the same.
func (report *ActionReport) failed(what string, err error) {
	report.Outcomes = append(report.Outcomes, plan.Outcome{Action: plan.Action{Kind: plan.Save, Key: memory.NewCause("failed", what), Summary: what}, Err: err})
}

func joinClauses(parts []string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "; ")
}
