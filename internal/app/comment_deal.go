package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
)

// dealing is the commands of one thread on their way: decided one by one in
// the order in which they were given, stored together, and answered.
type dealing struct {
	r      ActionRequest
	f      commandFacts
	said   []spoken
	items  []dealt
	report ActionReport
	// review is the review that this run does whatever was commanded; nil: it
	// was woken by a command alone.
	review *pullRun

	replied chan struct{} // closed once the last reply so far is written
	first   welcome       // what a first run does
}

// dealt is one command and what became of it.
type dealt struct {
	by int // index in said
	in intent.Intent
	// recorded: an earlier run dealt with it, and the store says how.
	recorded bool
	decision
	verdict verdict
}

// verdict is what became of one command.
type verdict string

// The closed set of verdicts. The zero value is none yet.
const (
	wasDone    verdict = "done"
	wasPartly  verdict = "partly"  // some of what it names was done
	wasRefused verdict = "refused" // for good: nothing was changed
	wasFailed  verdict = "failed"  // not for good: a later run tries again
)

// newDealing sorts the comments by when they were written (page 6.1).
func newDealing(r ActionRequest, f commandFacts, said []spoken) *dealing {
	slices.SortFunc(said, func(a, b spoken) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return &dealing{r: r, f: f, said: said}
}

func (d *dealing) note(words string) {
	if words != "" {
		d.report.Status.Notes = append(d.report.Status.Notes, words)
	}
}

// deal decides, stores and answers. What is only looked up is looked up when
// the rest is stored, so that it tells of that too.
func (d *dealing) deal(ctx context.Context) (ActionReport, error) {
	d.lookAgain(ctx)
	for by, s := range d.said {
		for _, in := range s.intents {
			item := dealt{by: by, in: in}
			if item.decision, item.recorded = d.asRecorded(ctx, s, in); stores(in) && !item.recorded {
				item.decision = decide(ctx, d.r, d.f, s, in)
			}
			d.items = append(d.items, item)
		}
	}
	d.first = d.welcome(ctx)
	d.store(ctx)
	for i, item := range d.items {
		if !stores(item.in) {
			d.items[i].decision = decide(ctx, d.r, d.f, d.said[item.by], item.in)
			d.items[i].settle(nil, d.r.DryRun)
		}
	}
	return d.conclude(ctx)
}

// store saves what all commands change, once.
func (d *dealing) store(ctx context.Context) {
	var actions []plan.Action
	for _, item := range d.items {
		s := d.said[item.by]
		if item.recorded {
			continue
		}
		for _, t := range item.tasks {
			actions = append(actions, plan.Action{
				Kind: plan.Transition, Key: t.Transition.Cause, Payload: t,
				Summary: fmt.Sprintf("%s, as %s asked on line %d", item.in.Verb, s.Author.Login, item.in.Line),
			})
		}
		actions = append(actions, item.acts...)
	}
	var outcomes []plan.Outcome
	if len(actions) > 0 {
		actions = thenSave(append(actions, d.first.note...))
		d.report.Planned = append(d.report.Planned, actions...)
		notes := d.report.Status.Notes
		outcomes = storeOutcomes(ctx, d.r, actions, &d.report.Status)
		d.report.Status.Notes = notes // each command has its answer
		d.report.Outcomes = append(d.report.Outcomes, outcomes...)
	}
	for i := range d.items {
		if stores(d.items[i].in) {
			d.items[i].settle(outcomes, d.r.DryRun)
		}
	}
}

// settle says what became of a command, from what became of its actions.
func (item *dealt) settle(outcomes []plan.Outcome, dry bool) {
	switch {
	case item.broken:
		item.verdict = wasFailed
		return
	case item.done:
		item.verdict = wasDone
		return
	case len(item.tasks)+len(item.acts) == 0:
		item.verdict = wasRefused
		return
	}
	for _, o := range outcomes {
		if o.Err != nil && item.has(o.Action.Key) {
			item.verdict, item.text = wasFailed, render.NotStored(o.Err.Error())
			return
		}
	}
	if dry && !item.recorded {
		item.verdict, item.text = wasDone, "Nothing was stored: this is a dry run."
		return
	}
	parts, done := item.parts()
	done += len(item.acts)
	if item.after != nil && done > 0 {
		parts = append(parts, nonEmptyWords(item.after())...)
	}
	item.text = strings.Join(parts, " ")
	switch {
	case done == 0:
		item.verdict = wasRefused
	case done < len(item.tasks)+len(item.acts):
		item.verdict = wasPartly
	default:
		item.verdict = wasDone
	}
}

// parts are what became of the changes, each sentence once: what was done, in
// one where the command is about several lessons, then what was refused.
func (item *dealt) parts() (parts []string, done int) {
	var did []TransitionTask
	var refused []string
	for _, t := range item.tasks {
		if no := t.Applied.Refused; no != nil {
			refused = append(refused, no.Detail)
			continue
		}
		did = append(did, *t)
		if item.saidOf == nil {
			parts = append(parts, item.said(*t))
		}
	}
	if item.saidOf != nil && len(did) > 0 {
		parts = append(parts, item.saidOf(did))
	}
	return distinct(append(parts, refused...)), len(did)
}

// touched words what an operation did to lessons.
func touched(op memory.Op) func([]TransitionTask) string {
	return func(all []TransitionTask) string {
		var list []render.Touch
		for _, t := range all {
			list = append(list, render.Touch{ID: t.Transition.Target, Applied: t.Applied})
		}
		return render.Touched(op, list...)
	}
}

// has says whether an action is one of the command's.
func (item *dealt) has(key string) bool {
	return slices.ContainsFunc(item.tasks, func(t *TransitionTask) bool { return t.Transition.Cause == key }) ||
		slices.ContainsFunc(item.acts, func(a plan.Action) bool { return a.Key == key })
}

func nonEmptyWords(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// answer is a command with what became of it.
func (item dealt) answer(s spoken) render.Answer {
	a := render.Answer{Command: redact.Scrub(item.in.Raw), Done: item.verdict == wasDone, Text: item.text}
	if a.Done && item.in.Tail > 0 {
		a.Text += " " + render.LeftOut(item.in.Tail)
	}
	if s.late {
		a.From = s.Author.Login
	}
	return a
}

// commandCause is the idempotency key of a command: its comment and line.
func commandCause(f commandFacts, commentID int64, line int, id string) string {
	return memory.NewCause("issue_comment", fmt.Sprint(f.repository.ID), fmt.Sprint(commentID), fmt.Sprint(line), id)
}
