package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/trust"
)

// This file does what the labels on a pull request ask for (page 6.2): approve
// and reject the lessons that are shown, and review. Whichever run sees one
// does it, and takes it off when it is done; no-memory and skip are states,
// not acts, and stay on (decision 0011).

// settledLabels are the labels of a pull request that were dealt with.
type settledLabels struct {
	answers []render.Answer
	remove  []string // to be taken off once the answer is given
	asked   bool     // a maintainer asked for a review
	replies bool     // the answers stand in a reply of their own
	waits   bool     // one waits for another run with what the comment shows
	report  ActionReport
}

// standingLabel is one label that is on, with what GitHub recorded of it.
type standingLabel struct {
	name  string
	asks  intent.LabelIntent
	event github.LabelEvent // ID 0: there is none
	by    string            // the labeler's login
	stand memory.Standing
	could memory.Standing // the standing if a look-up that failed were to succeed
	why   string          // of the standing
	// late: GitHub, as of a moment ago, did not tell yet who put it on. off: it
	// was taken off a moment ago, and is listed still.
	late, off bool
}

// commandLabels are the labels that are on and ask for an act, in the order
// in which they are done: what is rejected is not approved.
func commandLabels(g pullFacts) []standingLabel {
	l := g.settings.Familiar.Labels
	names := intent.LabelNames{Approve: l.Approve, Reject: l.Reject, Review: l.Review, NoMemory: l.NoMemory, Skip: l.Skip}
	var out []standingLabel
	for _, asks := range []intent.LabelIntent{intent.LabelReject, intent.LabelApprove, intent.LabelReview} {
		for _, on := range g.pull.Labels {
			if is, ok := intent.ParseLabel(on, names); ok && is == asks {
				out = append(out, standingLabel{name: on, asks: asks})
			}
		}
	}
	return out
}

// settleLabels does what the labels ask for. Where none of ours is on it asks
// GitHub nothing. A run of a plain pull_request, whose token may only read,
// leaves them to another.
func settleLabels(ctx context.Context, r ActionRequest, g pullFacts) (settledLabels, error) {
	var out settledLabels
	on := commandLabels(g)
	if len(on) == 0 || r.Trigger.Kind == event.PullRequest {
		return out, nil
	}
	if err := lookUpLabels(ctx, r, g, on); err != nil {
		return out, err
	}
	for _, l := range on {
		if l.off {
			continue // another run dealt with it
		}
		a, keep := out.settle(ctx, r, g, l)
		out.answers = append(out.answers, a)
		if !keep {
			out.remove = append(out.remove, l.name)
		}
	}
	return out, nil
}

// lookUpLabels finds who put each label on, and what they may do now. The
// payload is never asked (A29). GitHub may tell of the pull request and of its
// events as they were at two moments of the last minutes.
func lookUpLabels(ctx context.Context, r ActionRequest, g pullFacts, on []standingLabel) error {
	events, err := r.Client.LabelEvents(ctx, g.pull.Number)
	if err != nil {
		return err
	}
	s := g.standings
	fresh := func(at time.Time) bool { return r.gitHubNow().Before(at.Add(ownRun)) }
	var people []trust.Shaper
	for i := range on {
		on[i].late = fresh(g.pull.UpdatedAt)
		for _, e := range slices.Backward(events) {
			if strings.EqualFold(e.Label, on[i].name) {
				if !e.Removed {
					on[i].event = e
				}
				on[i].off = e.Removed && fresh(e.CreatedAt)
				break
			}
		}
		if e := on[i].event; e.Actor != nil {
			on[i].by = e.Actor.Login
			people = append(people, trust.Shaper{Login: e.Actor.Login})
		}
	}
	if err := r.Client.Gather(ctx, s.ask(r.Client, people, g.repository.Visibility)...); err != nil {
		return err
	}
	for i := range on {
		if on[i].by != "" {
			on[i].stand, on[i].could, on[i].why = lowest([]string{on[i].by}, []trust.Lookup{s.of(on[i].by)}, g.repository.Visibility)
		}
	}
	return nil
}

// settle deals with one label. keep says that it stays on: what it asks for
// could not be done now, and the next run looks again.
func (out *settledLabels) settle(ctx context.Context, r ActionRequest, g pullFacts, l standingLabel) (a render.Answer, keep bool) {
	a = render.Answer{Command: "label " + l.name}
	if l.by != "" {
		a.Command += " by " + l.by
	}
	if a.Text, keep = l.refused(); a.Text != "" {
		out.waits = out.waits || keep
		return a, keep
	}
	if l.asks == intent.LabelReview {
		if why := out.heldFor(g); why != "" {
			a.Text = heldReview(why) + " The label stays, and the next run looks again."
			return a, true
		}
		out.asked, a.Done, a.Text = true, true, "Reviewed now."
		return a, false
	}
	switch {
	case g.noMemory():
		a.Text = g.noMemoryWords()
		return a, false
	case r.Memory == nil:
		a.Text = "Memory is off here: " + r.MemoryOff + "."
		return a, false
	case g.storeProblem != "" || g.settings.broken:
		a.Text = "The memory cannot be used in this run: " + or(g.storeProblem, or(g.settings.path, ConfigPath)+" is broken") + ". The label stays, and the next run looks again."
		return a, true
	case g.settings.memoryOff() != "":
		a.Text = "Memory is off here: " + g.settings.memoryOff() + "."
		return a, false
	}
	tasks, why, err := l.tasks(ctx, r, g)
	switch {
	case err != nil:
		a.Text = "The memory cannot be read: " + strings.TrimSuffix(err.Error(), ".") + ". The label stays, and the next run looks again."
		return a, true
	case why != "":
		a.Text = why
		return a, false
	}
	return out.perform(ctx, r, l, a, tasks)
}

// refused says why a label commands nothing, or "". keep: GitHub only did not
// tell now what its labeler may, so the next run asks again.
func (l standingLabel) refused() (why string, keep bool) {
	switch e := l.event; {
	case e.ID == 0 && l.late:
		return "GitHub does not tell yet who put this label on. The label stays, and the next run looks again.", true
	case e.ID == 0:
		return "GitHub has no record of who put this label on, so it commands nothing.", false
	case e.Actor == nil:
		return "Whoever put this label on has no account any more, so it commands nothing.", false
	case e.ViaApp || e.Actor.IsBot():
		return "A bot or an app put this label on, and neither commands here.", false
	case l.stand.Rank() < memory.StandingMaintainer.Rank():
		why = fmt.Sprintf("This label takes a maintainer of this repository, and %s.", l.why)
		if l.could.Rank() >= memory.StandingMaintainer.Rank() {
			return why + " The label stays, and the next run looks again.", true
		}
		return why, false
	}
	return "", false
}

// tasks are the transitions that a label means. why says why there is none.
func (l standingLabel) tasks(ctx context.Context, r ActionRequest, g pullFacts) (tasks []*TransitionTask, why string, err error) {
	displays, err := displaysOf(ctx, r.Memory, g.pull.Number)
	if err != nil {
		return nil, "", err
	}
	w := shownWord{
		own: g.own, displays: displays, at: l.event.CreatedAt,
		cause: func(id string) string {
			return memory.NewCause("label", fmt.Sprint(g.repository.ID), fmt.Sprint(l.event.ID), id)
		},
		transition: memory.Transition{
			At: l.event.CreatedAt, Actor: memory.Principal{ID: l.event.Actor.ID, Login: l.event.Actor.Login}, Standing: l.stand, Number: g.pull.Number,
			Through: memory.Through{Kind: "label", ID: fmt.Sprint(l.event.ID), URL: fmt.Sprintf("https://github.com/%s/%s/pull/%d", g.repository.Owner, g.repository.Name, g.pull.Number)},
		},
		handle: or(g.settings.Familiar.Handle, intent.DefaultHandle), number: g.pull.Number,
	}
	op := memory.OpApprove
	if l.asks == intent.LabelReject {
		op = memory.OpReject
	}
	return w.all(ctx, r.Memory, op)
}

// perform does the transitions in one save and says what became of them.
func (out *settledLabels) perform(ctx context.Context, r ActionRequest, l standingLabel, a render.Answer, tasks []*TransitionTask) (render.Answer, bool) {
	var actions []plan.Action
	for _, t := range tasks {
		actions = append(actions, plan.Action{
			Kind: plan.Transition, Key: t.Transition.Cause, Payload: t,
			Summary: fmt.Sprintf("%s %s, as %s asked by a label", t.Transition.Op, t.Transition.Target, l.by),
		})
	}
	actions = thenSave(actions)
	out.report.Planned = append(out.report.Planned, actions...)
	outcomes := storeOutcomes(ctx, r, actions, &out.report.Status)
	out.report.Outcomes = append(out.report.Outcomes, outcomes...)
	a.Done, a.Text = became(tasks, outcomes)
	failed := len(plan.Failed(outcomes)) > 0
	if failed {
		out.waits = true
		a.Text += " The label stays, and the next run looks again."
	}
	return a, failed
}

// became says what became of the transitions of one label.
func became(tasks []*TransitionTask, outcomes []plan.Outcome) (done bool, text string) {
	for _, o := range outcomes {
		switch {
		case o.Err != nil:
			return false, "Nothing was stored: " + strings.TrimSuffix(o.Err.Error(), ".") + "."
		case o.Skipped == "dry run":
			return false, "Nothing was stored: this is a dry run."
		}
	}
	done = true
	var did, said []string
	for _, t := range tasks {
		if refused := t.Applied.Refused; refused != nil {
			done, said = false, append(said, refused.Detail)
			continue
		}
		document, _, _ := strings.Cut(t.Transition.Target, "@")
		did = append(did, document)
	}
	if len(did) > 0 {
		said = append([]string{labelled(tasks[0].Transition.Op, render.InSentence(did))}, said...)
	}
	return done, strings.Join(said, " ")
}

func labelled(op memory.Op, ids string) string {
	if op == memory.OpReject {
		return "Rejected " + ids + "."
	}
	return "Approved " + ids + ", in the words that were shown."
}

// removals takes labels off that were dealt with. One that is off is off.
func (out settledLabels) removals(r ActionRequest, g pullFacts) []deed {
	var deeds []deed
	for _, name := range out.remove {
		a := plan.Action{
			Kind: plan.Label, Key: memory.NewCause("unlabel", fmt.Sprint(g.repository.ID), fmt.Sprint(g.pull.Number), name),
			Summary: fmt.Sprintf("take the label %s off #%d", render.Log(name), g.pull.Number),
		}
		deeds = append(deeds, deed{a, func(ctx context.Context, _ plan.Action) error {
			return degraded(r.Client.RemoveLabel(ctx, g.pull.Number, name))
		}})
	}
	return deeds
}

// join has the answers stand beside a review, where one is made anyway or
// costs nothing; else they are a reply of their own. A label that was refused
// never makes anybody pay for a review.
func (out *settledLabels) join(r ActionRequest, p *pullRun, g pullFacts) {
	if len(out.answers) == 0 {
		return
	}
	p.asked, p.full = p.asked || out.asked, p.full || out.asked
	reviewed := g.own.intact && g.own.state.Head == g.pull.Head.SHA
	if len(p.answers) == 0 && !p.asked && (skipped(g) != "" || reviewed && !cheap(r, g)) {
		out.replies = true
		return
	}
	p.answers = append(slices.Clip(p.answers), out.answers...)
}

// concluded puts what labels did into the report of the look that answers
// them, and takes them off. Where the answer could not be given they stay: the
// next run gives it.
func (out settledLabels) concluded(ctx context.Context, r ActionRequest, g pullFacts, report ActionReport) ActionReport {
	if len(out.answers) == 0 {
		return report
	}
	report.Planned = append(slices.Clone(out.report.Planned), report.Planned...)
	report.Outcomes = append(slices.Clone(out.report.Outcomes), report.Outcomes...)
	if report.Outcome != review.Failed {
		report.Outcome = review.CommandsApplied
	}
	if out.replies {
		report.perform(ctx, r, out.reply(r, g))
	}
	if len(plan.Failed(report.Outcomes)) == 0 {
		report.perform(ctx, r, out.removals(r, g)...)
	}
	return report
}

// reply answers in a comment of its own.
func (out settledLabels) reply(r ActionRequest, g pullFacts) deed {
	body := out.replyBody()
	a := plan.Action{Kind: plan.Reply, Key: replyKey(g, body.String()), Summary: fmt.Sprintf("answer the labels on #%d", g.pull.Number)}
	return deed{a, func(ctx context.Context, _ plan.Action) error {
		_, err := r.Client.CreateComment(ctx, g.pull.Number, body)
		return err
	}}
}

// shownWord is a word about all lessons that are shown in a thread: a label, or
// `approve all` and `reject all` in a comment.
type shownWord struct {
	own        own
	displays   []store.Display
	at         time.Time
	cause      func(id string) string // of the transition of one lesson
	transition memory.Transition      // what all have in common
	handle     string
	number     int // of the pull request
}

// all are the transitions of every lesson that the word covers. why says, as
// sentences with the next step, why there is none.
func (w shownWord) all(ctx context.Context, m Memory, op memory.Op) (tasks []*TransitionTask, why string, err error) {
	covered, why := coveredBy(w.own, w.displays, w.at)
	if op == memory.OpReject {
		// Whatever was shown may be rejected: that only takes away.
		covered, why = lastDisplay(w.displays, w.at)
	}
	err = m.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			why = "No lesson is shown here that could be meant."
			return nil
		}
		if why != "" {
			return w.adviseOn(ctx, st, op, &why)
		}
		for _, item := range covered.Items {
			t, gone, err := w.task(ctx, st, op, item)
			if err != nil {
				return err
			}
			if gone != "" && op == memory.OpApprove {
				why = gone
				return w.adviseOn(ctx, st, op, &why)
			}
			if gone == "" {
				tasks = append(tasks, t)
			}
		}
		if len(tasks) == 0 {
			why = "No lesson that is shown here waits for approval any more."
		}
		return nil
	})
	if why != "" {
		tasks = nil
	}
	return tasks, why, err
}

// task is the transition of one lesson. gone says why it cannot be: it does
// not wait any more, or not in those words. One that this very word dealt
// with in an earlier run is done again, which changes nothing.
func (w shownWord) task(ctx context.Context, st *store.Store, op memory.Op, item store.DisplayItem) (t *TransitionTask, gone string, err error) {
	tr := w.transition
	tr.Op, tr.Cause, tr.Target, tr.Digest = op, w.cause(item.ID), item.ID, item.Digest
	if _, done, err := st.Cause(ctx, tr.Cause); err != nil || done {
		return &TransitionTask{Transition: tr}, "", err
	}
	document, _, _ := memory.ParseID(item.ID)
	versions, refusal, err := st.Get(ctx, item.ID)
	switch {
	case err != nil:
		return nil, "", err
	case refusal != nil || len(versions) == 0 || item.Digest == "" || !versions[0].State.Pending():
		return nil, fmt.Sprintf("Not all lessons that were shown wait for approval any more: `%s` does not.", document), nil
	case memory.TextDigest(versions[0].Text) != item.Digest:
		return nil, fmt.Sprintf("The words of `%s` are not those that were shown.", document), nil
	}
	return &TransitionTask{Transition: tr}, "", nil
}

// adviseOn adds the next step: how to approve by id what waits here.
func (w shownWord) adviseOn(ctx context.Context, st *store.Store, op memory.Op, why *string) error {
	waiting, err := st.List(ctx, store.Filter{States: []memory.State{memory.ReviewRequired}, Limit: everything})
	if err != nil {
		return err
	}
	var ids []string
	for _, v := range pendingOn(waiting, w.number) {
		ids = append(ids, v.DocumentID)
	}
	if len(ids) > 0 {
		*why += fmt.Sprintf(" Nothing was done; name them: `/%s %s %s`.", w.handle, op, strings.Join(ids[:min(len(ids), 3)], " "))
	}
	return nil
}
