package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/trust"
)

// conclude shows what became of the commands. What was done stands in the
// status comment, on a pull request beside the review as it now is; help, what
// was looked up and what was refused is a reply, so that it never stands over
// the last result (page 6.1).
func (d *dealing) conclude(ctx context.Context) (ActionReport, error) {
	d.sayOutcome()
	p, reviews := d.nextReview(ctx)
	aside := d.review != nil && !p.asked && d.leftAlone(ctx)
	held := d.heldFor()
	if held != "" {
		reviews, d.report.Detail = false, joinClauses([]string{d.report.Detail, heldDetail(held)})
	}
	inStatus := d.items[:0:0]
	for _, item := range d.items {
		if item.verdict != wasRefused && item.block.Empty() && !(item.recorded && answered(d.r, d.f, d.said[item.by])) {
			inStatus = append(inStatus, item)
		}
	}
	writes := reviews && !aside // the status comment, if there is something to say
	if d.f.pull != nil && !writes {
		inStatus = nil // so all is a reply
	}
	words, faces := d.lastWords(inStatus)
	words = append(words, d.spareReplies()...)
	words = append(words, d.takeAwayHere(writes || d.f.pull == nil && len(inStatus) > 0)...)
	for _, item := range inStatus {
		p.answers = append(p.answers, item.answer(d.said[item.by]))
	}
	switch {
	case reviews:
		out, err := d.beside(ctx, p, words)
		out.face(ctx, d.r, faces, err)
		return out, err
	case len(p.answers) == 0:
		d.report.Warnings = append(d.report.Warnings, quarantineWords(d.r.Memory)...)
		d.report.perform(ctx, d.r, words...)
	default:
		d.report.Status.Notes = append(d.report.Status.Notes, quarantineWords(d.r.Memory)...)
		d.onIssue(ctx, p.answers, words)
	}
	d.report.face(ctx, d.r, faces, nil)
	d.refreshBoard(ctx)
	return d.report, nil
}

// face gives the last reactions, once every answer stands: a comment without
// one was not answered, and a later run does it from what the store says
// (decision 0012).
func (report *ActionReport) face(ctx context.Context, r ActionRequest, faces []deed, err error) {
	untold := slices.ContainsFunc(plan.Failed(report.Outcomes), func(o plan.Outcome) bool {
		return o.Action.Kind == plan.Reply || o.Action.Kind == plan.StatusComment
	})
	if err == nil && !untold {
		report.perform(ctx, r, faces...)
	}
}

// sayOutcome is the outcome of the run, before any review.
func (d *dealing) sayOutcome() {
	counts := map[verdict]int{}
	for _, item := range d.items {
		counts[item.verdict]++
	}
	d.report.Outcome = review.CommandsApplied
	if n := counts[wasRefused]; n == len(d.items) {
		d.report.Detail = "every command was refused; the reply says why"
	} else if n > 0 {
		d.report.Detail = fmt.Sprintf("%d of %d commands were refused; the reply says why", n, len(d.items))
	}
	d.report.Trust = scopeOf(d.speaker().standing)
}

// nextReview says whether this run reviews the pull request after the
// commands, and how: because a person asked, because the run was to anyway,
// or because what was done changes what a review says. The last is done only
// where it costs nothing and nobody wanted it left alone; where the memory
// cannot tell that now, the commands are answered in replies all the same.
func (d *dealing) nextReview(ctx context.Context) (p pullRun, reviews bool) {
	if d.review != nil {
		p, reviews = *d.review, true
	}
	p.number, p.dealt = d.f.number, true
	if d.f.pull == nil {
		return p, false
	}
	changed := false
	for _, item := range d.items {
		p.asked = p.asked || item.review
		p.full = p.full || item.full
		changed = changed || item.verdict != wasRefused && item.block.Empty()
	}
	if p.asked || reviews || !changed {
		return p, reviews || p.asked
	}
	paused, err := pausedBy(ctx, memoryOf(d.r, *d.f.pull), d.f.number)
	return p, err == nil && paused == "" && skipped(*d.f.pull) == "" && cheap(d.r, *d.f.pull)
}

// leftAlone says whether nobody wants this pull request reviewed: then a run
// that finds lost commands on it reviews nothing either.
func (d *dealing) leftAlone(ctx context.Context) bool {
	if d.f.pull == nil {
		return false
	}
	paused, err := pausedBy(ctx, memoryOf(d.r, *d.f.pull), d.f.number)
	return err == nil && paused != "" || skipped(*d.f.pull) != ""
}

// cheap says whether a review runs no process and asks no model: by the rules,
// or because the last one is kept.
func cheap(r ActionRequest, g pullFacts) bool {
	if kept, ok := g.own.keptOn(); ok && kept.of(g) {
		return true
	}
	return runtime.Kind(or(string(r.Reviewer), string(g.settings.Runtime.Kind))) == runtime.Rules
}

// beside answers in the status comment of a review.
func (d *dealing) beside(ctx context.Context, p pullRun, words []deed) (ActionReport, error) {
	var out ActionReport
	var err error
	did := sideBySide(ctx, d.r, words, func() { out, err = reviewGathered(ctx, d.r, p, *d.f.pull) })
	out.Planned = append(d.report.Planned, out.Planned...)
	out.Outcomes = append(d.report.Outcomes, out.Outcomes...)
	out.Lacks = append(d.report.Lacks, out.Lacks...)
	out.Status.Notes = append(out.Status.Notes, d.report.Status.Notes...)
	out.took(words, did)
	if err == nil && (d.review == nil || len(p.answers) == 0) && out.Outcome != review.Failed {
		out.Outcome, out.Detail = review.CommandsApplied, or(d.report.Detail, out.Detail)
	}
	return out, err
}

// onIssue answers in the status comment of an issue.
func (d *dealing) onIssue(ctx context.Context, answers []render.Answer, words []deed) {
	f, r, s := d.f, d.r, &d.report.Status
	by := d.speaker()
	s.Repo, s.Number, s.Outcome = f.repository.Owner+"/"+f.repository.Name, f.number, review.CommandsApplied
	s.Answers, s.RunURL, s.MemoryOff, s.Handle = answers, r.RunURL, r.MemoryOff, f.handle
	s.Earlier, s.MoreEarlier = d.earlierHere(ctx)
	s.Trust = trust.Verdict{Scope: d.report.Trust, Reasons: []trust.Reason{{Code: "commander", Text: by.why}}}
	w := &statusWriter{r: r, own: f.own, repositoryID: f.repository.ID, number: f.number, strict: true}
	s.Greeting = d.first.greet
	d.report.perform(ctx, r, append(append(words, w.create(*s)...), d.first.deeds(r)...)...)
	state := f.own.state
	if seen := floorOf(r.Memory); seen.Generation > 0 {
		state.Floor = seen
	}
	d.report.perform(ctx, r, w.finish(*s, state)...)
	d.report.Comment = w.own.Comment
}

// speaker is whose trust the details of an issue's status tell: of whoever
// asked for the last thing that was done.
func (d *dealing) speaker() spoken {
	for _, item := range slices.Backward(d.items) {
		if item.verdict != wasRefused && item.block.Empty() {
			return d.said[item.by]
		}
	}
	return d.said[len(d.said)-1]
}

// lastWords are the last reaction to each comment and, where something of it
// does not stand in the status comment, the reply.
func (d *dealing) lastWords(inStatus []dealt) (words, faces []deed) {
	for by, s := range d.said {
		reply := render.Reply{To: s.URL, Late: s.late}
		if len(inStatus) == 0 { // else the status comment names them
			reply.Notes = quarantineWords(d.r.Memory)
		}
		verdicts := map[verdict]int{}
		for _, item := range d.items {
			if item.by != by {
				continue
			}
			verdicts[item.verdict]++
			stands := slices.ContainsFunc(inStatus, func(o dealt) bool { return o.by == by && o.in.Line == item.in.Line })
			switch {
			case stands:
			case !item.block.Empty():
				reply.Blocks = append(reply.Blocks, render.Shown{Command: redact.Scrub(item.in.Raw), Body: item.block})
			default:
				reply.Answers = append(reply.Answers, item.answer(spoken{}))
			}
		}
		switch {
		case verdicts[wasFailed] > 0: // no last word: a later run tries again
		case verdicts[wasRefused]+verdicts[wasPartly] > 0:
			faces = append(faces, reaction(d.r, s, "confused"))
		default:
			faces = append(faces, reaction(d.r, s, "rocket"))
		}
		marker, told := replyMarker(d.r, d.f, s), answered(d.r, d.f, s)
		if verdicts[wasFailed] > 0 {
			marker, told = waitsMarker(d.r, d.f, s), told || toldToWait(d.r, d.f, s)
		}
		if len(reply.Blocks)+len(reply.Answers) > 0 && !told {
			words = append(words, d.reply(s, render.ReplyComment(reply, render.MaxComment).Under(marker)))
		}
	}
	return words, faces
}

// reaction acknowledges a comment.
func reaction(r ActionRequest, s spoken, content string) deed {
	react := r.Client.React
	if s.inline {
		react = r.Client.ReactToReview
	}
	a := plan.Action{Kind: plan.React, Key: memory.NewCause("react", fmt.Sprint(s.ID), content), Summary: "react with " + content}
	return deed{a, func(ctx context.Context, _ plan.Action) error { return degraded(react(ctx, s.ID, content)) }}
}

// reply answers in a comment of its own.
func (d *dealing) reply(s spoken, body render.Markup) deed {
	number := d.f.number
	before, done := d.replied, make(chan struct{})
	d.replied = done
	a := plan.Action{Kind: plan.Reply, Key: memory.NewCause("reply", fmt.Sprint(s.ID), body.String()), Summary: fmt.Sprintf("answer on #%d", number)}
	return deed{a, func(ctx context.Context, _ plan.Action) error {
		defer close(done)
		if before != nil { // several replies come in the order of what they answer
			select {
			case <-before:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		_, err := d.r.Client.CreateComment(ctx, number, body)
		return err
	}}
}

// macReply is the context of the MAC of a reply's marker.
const macReply = "reply marker"
