package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/store"
)

// tickBoxes does what somebody asked for by ticking boxes of the dashboard.
// The event tells the text before and after; both have to be ours, word for
// word but for ticks, so that nobody approves other words than were shown. Who
// ticked is the sender of the event, and what they may do is looked up now.
// Anything else that people write into the dashboard is overwritten.
func tickBoxes(ctx context.Context, r ActionRequest) (ActionReport, error) {
	t := r.Trigger
	if t.Action != "edited" || t.Edit == nil || t.Issue == nil || t.Issue.IsPull {
		return nothing("only ticks on the dashboard command"), nil
	}
	before, ok1 := partedBoard(t.Edit.Before)
	after, ok2 := partedBoard(t.Edit.After)
	switch {
	case !ok1 && !ok2:
		return nothing("the issue is not the dashboard"), nil
	case t.Sender == nil || t.Sender.IsBot():
		return nothing("a bot, an app or a deleted account ticks no box"), nil
	case r.Memory == nil:
		return nothing("memory is off: " + r.MemoryOff), nil
	}
	s, err := gatherSurroundings(ctx, r)
	if err != nil {
		return ActionReport{}, err
	}
	r.Author = s.author
	if s.issue.Number != t.Issue.Number {
		return nothing(fmt.Sprintf("#%d is not the dashboard", t.Issue.Number)), nil
	}
	report := nothing("nothing was ticked that was not before")
	report.Trust = s.scope(r)
	tick := ticking{r: r, s: s, before: before, after: after, whole: ok1 && ok2}
	tick.decide(ctx, &report)
	if !tick.stays {
		writeDashboard(ctx, r, &s, &report) // whoever edited it
	}
	if len(tick.refused) > 0 {
		report.perform(ctx, r, tick.reply())
	}
	return report, nil
}

// ticking is one edit of the dashboard and what comes of it.
type ticking struct {
	r             ActionRequest
	s             surroundings
	before, after board
	whole         bool // both have our marker
	refused       []string
	stays         bool // what is ticked: GitHub did not tell who may tick
}

// decide does what the newly ticked boxes say, in one save, or says why not.
func (t *ticking) decide(ctx context.Context, report *ActionReport) {
	boxes := newlyTicked(t.before, t.after)
	if now, ok := partedBoard(t.s.issue.Body); ok && now.plain() == t.after.plain() {
		boxes = both(boxes, now) // taken back meanwhile
	}
	if len(boxes) == 0 {
		return
	}
	if why := t.mayNot(); why != "" {
		t.refuse(report, why)
		return
	}
	var tasks []*TransitionTask
	for _, box := range boxes {
		task, why, err := t.task(ctx, box)
		switch {
		case err != nil:
			t.refuse(report, "The memory cannot be read: "+strings.TrimSuffix(err.Error(), ".")+".")
			return
		case why != "":
			t.refuse(report, why)
		default:
			tasks = append(tasks, task)
		}
	}
	if len(tasks) > 0 {
		t.perform(ctx, report, tasks)
	}
}

// both are the boxes that are still ticked.
func both(boxes []render.Box, now board) []render.Box {
	on := now.ticked()
	var out []render.Box
	for _, box := range boxes {
		if _, still := on[box]; still {
			out = append(out, box)
		}
	}
	return out
}

// mayNot says why no box of this edit is done, or "".
func (t *ticking) mayNot() string {
	k, id, number := t.r.Keys, t.s.repository.ID, t.s.issue.Number
	switch {
	case !t.whole || !t.before.verifies(k, id, number) || !t.after.verifies(k, id, number) || t.before.plain() != t.after.plain():
		return "The words of the dashboard were changed, so a tick does not tell what it is about. Nothing was done; it is as it was again."
	case t.s.usable(t.r) != "":
		return "The memory cannot be used: " + t.s.usable(t.r) + ". Nothing was done."
	case t.s.standing.Rank() < memory.StandingMaintainer.Rank() && t.s.could.Rank() >= memory.StandingMaintainer.Rank():
		t.stays = true
		return "A box takes a maintainer of this repository, and " + t.s.why + ". The tick stays; run this again, or take it off and tick again."
	case t.s.standing.Rank() < memory.StandingMaintainer.Rank():
		return "A box takes a maintainer of this repository, and " + t.s.why + ". Nothing was done."
	}
	return ""
}

// task is the transition of one box, or why there is none.
func (t *ticking) task(ctx context.Context, box render.Box) (task *TransitionTask, why string, err error) {
	k, id, number := t.r.Keys, t.s.repository.ID, t.s.issue.Number
	tag := t.after.ticked()[box]
	err = t.r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			why = "Nothing was taught here yet."
			return nil
		}
		versions, refusal, err := st.Get(ctx, box.Version)
		if err != nil || refusal != nil {
			why = refusalText(refusal)
			return err
		}
		at := -1
		for i, v := range versions {
			if boxMeans(k, id, number, box, tag, v.Text) {
				at = i
			}
		}
		if at < 0 {
			why = fmt.Sprintf("The words of `%s` are not those that were shown. Nothing was done with it.", versions[0].DocumentID)
			return nil
		}
		actor := memory.Principal{ID: t.r.Trigger.Sender.ID, Login: t.r.Trigger.Sender.Login}
		if refusal := memory.MayTouch(box.Op, actor, t.s.standing, versions); refusal != nil {
			why = refusal.Detail
			return nil
		}
		task = &TransitionTask{Transition: memory.Transition{
			Op: box.Op, Target: box.Version, Digest: memory.TextDigest(versions[at].Text), Number: number, At: t.r.Trigger.Edit.At,
			Actor: actor, Standing: t.s.standing, Through: memory.Through{Kind: "dashboard", ID: fmt.Sprint(number), URL: t.s.issue.URL},
			Cause: memory.NewCause("issues", fmt.Sprint(id), fmt.Sprint(number), t.after.tag, box.Name(), fmt.Sprint(actor.ID)),
		}}
		return nil
	})
	return task, why, err
}

func refusalText(r *memory.Refusal) string {
	if r == nil {
		return ""
	}
	return r.Detail
}

// perform does the transitions and saves.
func (t *ticking) perform(ctx context.Context, report *ActionReport, tasks []*TransitionTask) {
	var actions []plan.Action
	for _, task := range tasks {
		actions = append(actions, plan.Action{
			Kind: plan.Transition, Key: task.Transition.Cause, Payload: task,
			Summary: fmt.Sprintf("%s %s, as %s ticked", task.Transition.Op, task.Transition.Target, task.Transition.Actor.Login),
		})
	}
	actions = append(actions, plan.Action{Kind: plan.Save, Key: memory.NewCause("save", actions[len(actions)-1].Key), Summary: "seal and upload the store"})
	report.Planned = append(report.Planned, actions...)
	outcomes := storeOutcomes(ctx, t.r, actions, &report.Status)
	report.Outcomes = append(report.Outcomes, outcomes...)
	report.Outcome, report.Detail = review.CommandsApplied, ""
	for _, task := range tasks {
		document, _, _ := memory.ParseID(task.Transition.Target)
		if failed := failedOn(outcomes, task.Transition.Cause); failed != nil {
			t.refuse(report, fmt.Sprintf("`%s` was not stored: %v.", document, failed))
		} else if task.Applied.Refused != nil {
			t.refuse(report, fmt.Sprintf("`%s`: %s", document, task.Applied.Refused.Detail))
		} else {
			report.Said = append(report.Said, fmt.Sprintf("`%s` `%s`: done, as %s ticked.", task.Transition.Op, document, task.Transition.Actor.Login))
		}
	}
}

func failedOn(outcomes []plan.Outcome, key string) error {
	for _, o := range outcomes {
		if o.Action.Key == key {
			return o.Err
		}
	}
	return nil
}

func (t *ticking) refuse(report *ActionReport, why string) {
	t.refused = append(t.refused, why)
	report.Outcome, report.Detail = review.CommandsApplied, "not every tick was done"
	report.Said = append(report.Said, why)
}

// reply says once, below the dashboard, what was not done. It names whoever
// ticked, and notifies nobody.
func (t *ticking) reply() deed {
	body := render.RefusedTicks(t.r.Trigger.Sender.Login, t.refused)
	number := t.s.issue.Number
	a := plan.Action{Kind: plan.Reply, Key: memory.NewCause("reply", fmt.Sprint(number), t.after.tag, body.String()), Summary: fmt.Sprintf("answer on #%d", number)}
	return deed{a, func(ctx context.Context, _ plan.Action) error {
		_, err := t.r.Client.CreateComment(ctx, number, body)
		if github.KindOf(err) == github.Forbidden {
			return degraded(err)
		}
		return err
	}}
}
