package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/trust"
)

// answerComment does what the commands of a comment ask for (page 6.1).
// Casual comments cost no call at all.
func answerComment(ctx context.Context, r ActionRequest) (ActionReport, error) {
	c, issue := r.Trigger.Comment, r.Trigger.Issue
	if r.Trigger.Action != "created" || c == nil || issue == nil {
		return nothing("only a new comment commands"), nil
	}
	if c.Author == nil || c.Author.IsBot() || c.ViaApp {
		return nothing("a bot's, an app's or a deleted account's comment never commands"), nil
	}
	handles, err := spokenTo(ctx, r)
	if err != nil {
		return ActionReport{}, err
	}
	intents := intent.Parse(c.Body, intent.Options{Handles: handles})
	if len(handles) == 0 || len(intents) == 0 {
		return nothing("nobody spoke to me"), nil
	}
	if r.Memory != nil {
		r.Memory.Saves = slices.ContainsFunc(intents, func(in intent.Intent) bool { return in.Problem == "" && !reads(in.Verb) })
	}
	return command(ctx, r, intents)
}

// reads tells the commands that store nothing.
func reads(v intent.Verb) bool {
	return slices.Contains([]intent.Verb{intent.VerbHelp, intent.VerbList, intent.VerbShow, intent.VerbReview, intent.VerbUnknown}, v)
}

// command gathers the facts, decides each command, performs the accepted
// ones in one save, and answers all.
func command(ctx context.Context, r ActionRequest, intents []intent.Intent) (ActionReport, error) {
	f, err := gatherCommand(ctx, r)
	if err != nil {
		return ActionReport{}, err
	}
	if why := f.stale(*r.Trigger.Comment); why != "" {
		return nothing(why), nil
	}
	r.Author = f.author
	report := ActionReport{Outcome: review.CommandsApplied}
	report.took([]deed{reaction(r, "eyes")}, f.seen)
	answers, replies := decideAll(ctx, r, f, intents, &report)
	last := []deed{reaction(r, verdictReaction(answers))}
	for _, text := range replies {
		last = append(last, reply(r, text))
	}
	return conclude(ctx, r, f, answers, last, asksReview(intents), report)
}

// asksReview says whether a comment asks for a review, and for a whole one.
func asksReview(intents []intent.Intent) (p pullRun) {
	for _, in := range intents {
		p.asked = p.asked || in.Verb == intent.VerbReview && in.Problem == ""
		p.full = p.full || in.Full
	}
	return p
}

// conclude shows the answers: on a pull request together with the review as
// it now is, on an issue alone.
func conclude(ctx context.Context, r ActionRequest, f commandFacts, answers []render.Answer, last []deed, p pullRun, report ActionReport) (ActionReport, error) {
	if len(answers) == 0 {
		report.perform(ctx, r, last...) // everything was answered in a reply
		return report, nil
	}
	if f.pull != nil {
		p.number, p.answers = r.Trigger.Issue.Number, answers
		p.asked = p.asked && f.standing.Rank() >= memory.StandingMaintainer.Rank()
		var out ActionReport
		var err error
		did := sideBySide(ctx, r, last, func() { out, err = reviewGathered(ctx, r, p, *f.pull) })
		out.Planned = append(report.Planned, out.Planned...)
		out.Outcomes = append(report.Outcomes, out.Outcomes...)
		out.took(last, did)
		if err == nil && out.Outcome != review.Failed {
			out.Outcome = review.CommandsApplied
		}
		return out, err
	}
	name := f.repository.Owner + "/" + f.repository.Name
	report.Status.Repo, report.Status.Number, report.Status.Outcome = name, r.Trigger.Issue.Number, review.CommandsApplied
	report.Status.Answers, report.Status.RunURL, report.Status.MemoryOff = answers, r.RunURL, r.MemoryOff
	report.Status.Handle = f.handle
	report.Status.Trust = trust.Verdict{Scope: f.scope(), Reasons: []trust.Reason{{Code: "commander", Text: f.why}}}
	w := &statusWriter{r: r, own: f.own, repositoryID: f.repository.ID, number: r.Trigger.Issue.Number, strict: true}
	report.perform(ctx, r, append(last, w.create(report.Status)...)...)
	state := f.own.state
	if seen := floorOf(r.Memory); seen.Generation > 0 {
		state.Floor = seen
	}
	report.perform(ctx, r, w.finish(report.Status, state)...)
	report.Comment = w.own.Comment
	return report, nil
}

// decideAll decides and performs every command. Teaching and forgetting are
// saved together, once.
func decideAll(ctx context.Context, r ActionRequest, f commandFacts, intents []intent.Intent, report *ActionReport) (answers []render.Answer, replies []string) {
	var actions []plan.Action
	var waiting []pendingAnswer
	for _, in := range intents {
		d := decide(ctx, r, f, in)
		if d.reply != "" {
			replies = append(replies, d.reply)
			continue
		}
		for _, t := range d.tasks {
			actions = append(actions, plan.Action{
				Kind: plan.Transition, Key: t.Transition.Cause, Payload: t,
				Summary: fmt.Sprintf("%s, as %s asked on line %d", in.Verb, r.Trigger.Comment.Author.Login, in.Line),
			})
		}
		if len(d.tasks) > 0 {
			waiting = append(waiting, pendingAnswer{at: len(answers), decision: d})
		}
		answers = append(answers, render.Answer{Command: redact.Scrub(in.Raw), Done: d.done, Text: d.text})
	}
	if len(actions) > 0 {
		actions = append(actions, plan.Action{Kind: plan.Save, Key: memory.NewCause("save", actions[len(actions)-1].Key), Summary: "seal and upload the store"})
		report.Planned = append(report.Planned, actions...)
		outcomes := storeOutcomes(ctx, r, actions, &report.Status)
		report.Outcomes = append(report.Outcomes, outcomes...)
		for _, w := range waiting {
			answers[w.at].Done, answers[w.at].Text = w.answer(outcomes)
		}
	}
	return answers, replies
}

// pendingAnswer is an answer that depends on what became of transitions.
type pendingAnswer struct {
	at       int
	decision decision
}

// answer joins what became of each id, after what was refused at once. It is
// done only if all of it is.
func (w pendingAnswer) answer(outcomes []plan.Outcome) (done bool, text string) {
	done = w.decision.text == ""
	var parts []string
	if !done {
		parts = append(parts, w.decision.text)
	}
	for _, t := range w.decision.tasks {
		ok, said := w.one(t, outcomes)
		done = done && ok
		if !slices.Contains(parts, said) {
			parts = append(parts, said)
		}
	}
	return done, strings.Join(parts, " ")
}

func (w pendingAnswer) one(t *TransitionTask, outcomes []plan.Outcome) (bool, string) {
	for _, o := range outcomes {
		if o.Action.Key != t.Transition.Cause {
			continue
		}
		switch {
		case o.Err != nil:
			return false, "Nothing was stored: " + o.Err.Error()
		case t.Applied.Refused != nil:
			return false, t.Applied.Refused.Detail
		case o.Skipped == "dry run":
			return false, "Nothing was stored: this is a dry run."
		}
	}
	return true, w.decision.said(*t)
}

// decision is what is made of one command: an answer at once, a reply of its
// own, or transitions whose outcomes are the answer.
type decision struct {
	done  bool
	text  string
	reply string
	tasks []*TransitionTask
	said  func(TransitionTask) string
}

func refusedBecause(text string) decision { return decision{text: text} }

// decide is the table of commands that the action knows so far.
func decide(ctx context.Context, r ActionRequest, f commandFacts, in intent.Intent) decision {
	if in.Verb == intent.VerbHelp {
		return decision{reply: intent.HelpMarkdown(or(f.handle, intent.DefaultHandle))}
	}
	if in.Problem != "" || in.Verb == intent.VerbUnknown {
		return decision{reply: oneLine(in)}
	}
	if why := mayNot(f, in.Verb); why != "" {
		return refusedBecause(why)
	}
	if r.Memory == nil && in.Verb != intent.VerbReview {
		return refusedBecause("Memory is off here: " + r.MemoryOff + ".")
	}
	switch in.Verb {
	case intent.VerbRemember, intent.VerbNever, intent.VerbPrefer, intent.VerbWith:
		return teachByComment(r, f, in)
	case intent.VerbForget, intent.VerbApprove, intent.VerbReject:
		return touchByComment(ctx, r, f, in)
	case intent.VerbList, intent.VerbShow:
		return lookByComment(ctx, r, in, or(f.handle, intent.DefaultHandle))
	case intent.VerbReview:
		return decision{done: true, text: "Reviewed now."}
	}
	return refusedBecause(fmt.Sprintf("`%s` is not something that this version does yet.", in.Verb))
}

func oneLine(in intent.Intent) string {
	if in.Problem != "" {
		return render.Prose(redact.Scrub(in.Problem))
	}
	return "I do not know " + render.Code(redact.Scrub(in.Word)) + ". `@" + intent.DefaultHandle + " help` shows what I do."
}

// mayNot says why the standing of those who had a hand in the command is not
// enough, or "".
func mayNot(f commandFacts, v intent.Verb) string {
	need := map[intent.Who]memory.Standing{
		intent.Anyone: memory.StandingNone, intent.Collaborator: memory.StandingCollaborator,
		intent.Maintainer: memory.StandingMaintainer, intent.Admin: memory.StandingAdmin,
	}[intent.WhoMay(v)]
	if need == "" {
		need = memory.StandingAdmin
	}
	if f.standing.Rank() >= need.Rank() {
		return ""
	}
	return fmt.Sprintf("`%s` takes a %s of this repository, and %s.", v, need, f.why)
}

// commandCause is the idempotency key of a command: its comment and line.
func commandCause(f commandFacts, commentID int64, line int, id string) string {
	return memory.NewCause("issue_comment", fmt.Sprint(f.repository.ID), fmt.Sprint(commentID), fmt.Sprint(line), id)
}

func teachByComment(r ActionRequest, f commandFacts, in intent.Intent) decision {
	lesson, refusal := newLesson(in, r.Memory.Coordinates())
	if refusal != nil {
		return refusedBecause(refusal.Detail)
	}
	lesson.Provenance.PullRequest = 0
	if r.Trigger.Issue.IsPull {
		lesson.Provenance.PullRequest = r.Trigger.Issue.Number
	}
	matched := matchedHere(lesson.Check, f.files)
	return decision{
		tasks: []*TransitionTask{{Transition: transition(r, f, in, memory.OpRemember, "", &lesson)}},
		said: func(t TransitionTask) string {
			a := t.Applied
			return render.RememberedProse(render.Taught{Version: a.Version, Already: a.Already, Replaced: a.Replaced, Matches: matched})
		},
	}
}

// matchedHere says what a new check finds in the change at hand.
func matchedHere(check *memory.Check, files []diff.File) []render.Match {
	if check == nil || len(files) == 0 {
		return nil
	}
	compiled, problem := memory.CompileCheck(*check)
	if problem != nil {
		return nil // refused before
	}
	return []render.Match{matches(compiled, "", []diff.Change{{Files: files}})}
}

func transition(r ActionRequest, f commandFacts, in intent.Intent, op memory.Op, target string, lesson *memory.NewLesson) memory.Transition {
	c := r.Trigger.Comment
	return memory.Transition{
		Op: op, Cause: commandCause(f, c.ID, in.Line, target), At: c.CreatedAt,
		Actor:    memory.Principal{ID: c.Author.ID, Login: c.Author.Login},
		Through:  memory.Through{Kind: "issue_comment", ID: fmt.Sprint(c.ID), URL: c.URL},
		Standing: f.standing, Number: r.Trigger.Issue.Number,
		Target: target, Lesson: lesson,
	}
}

func verdictReaction(answers []render.Answer) string {
	if slices.ContainsFunc(answers, func(a render.Answer) bool { return !a.Done }) {
		return "confused"
	}
	return "rocket"
}

// reaction acknowledges a command.
func reaction(r ActionRequest, content string) deed {
	id := r.Trigger.Comment.ID
	a := plan.Action{Kind: plan.React, Key: memory.NewCause("react", fmt.Sprint(id), content), Summary: "react with " + content}
	return deed{a, func(ctx context.Context, _ plan.Action) error { return degraded(r.Client.React(ctx, id, content)) }}
}

// reply answers in a comment of its own.
func reply(r ActionRequest, body string) deed {
	number := r.Trigger.Issue.Number
	a := plan.Action{Kind: plan.Reply, Key: memory.NewCause("reply", fmt.Sprint(r.Trigger.Comment.ID), body), Summary: fmt.Sprintf("answer on #%d", number)}
	return deed{a, func(ctx context.Context, _ plan.Action) error {
		_, err := r.Client.CreateComment(ctx, number, body)
		return err
	}}
}

// storeIdentity is whose store it is: the numeric id decides.
func storeIdentity(repo event.Repository, tenant *contract.TenantScope) store.Identity {
	id := store.Identity{RepositoryID: repo.ID, Owner: repo.Owner, Name: repo.Name}
	if tenant != nil {
		id.InstallationID = tenant.InstallationID
	}
	return id
}
