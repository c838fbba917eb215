package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/policy"
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
	// The handle may be configured; whether anybody is spoken to at all is
	// asked with the default one first, so that a casual comment costs
	// nothing.
	intents := intent.Parse(c.Body, intent.Options{})
	if len(intents) == 0 {
		return nothing("nobody spoke to me"), nil
	}
	return command(ctx, r, intents)
}

// commandFacts are what decides who speaks and where.
type commandFacts struct {
	repository event.Repository
	live       github.Comment
	gone       bool
	standing   memory.Standing
	why        string // of the standing, in words
	files      []diff.File
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
	report := ActionReport{Outcome: review.CommandsApplied}
	tenant, _ := policy.ResolveTenant(policy.TenantFacts{
		PayloadInstall: r.Trigger.InstallationID, InputInstallation: r.InputInstallation,
		AccountID: f.repository.OwnerID, AccountLogin: f.repository.Owner,
	})
	if r.Memory != nil {
		r.Memory.Identity = storeIdentity(f.repository, tenant)
	}
	report.react(ctx, r, "eyes")
	answers, replies := decideAll(ctx, r, f, intents, &report)
	for _, text := range replies {
		report.reply(ctx, r, text)
	}
	report.react(ctx, r, verdictReaction(answers))
	return conclude(ctx, r, f, answers, report)
}

// conclude shows the answers: on a pull request together with the review as
// it now is, on an issue alone.
func conclude(ctx context.Context, r ActionRequest, f commandFacts, answers []render.Answer, report ActionReport) (ActionReport, error) {
	if len(answers) == 0 {
		return report, nil // everything was answered in a reply
	}
	if r.Trigger.Issue.IsPull {
		facts := trust.FromTrigger(r.Trigger, r.Actor, r.TriggeringActor)
		out, err := reviewPull(ctx, r, pullRun{number: r.Trigger.Issue.Number, facts: facts, answers: answers})
		out.Planned = append(report.Planned, out.Planned...)
		out.Outcomes = append(report.Outcomes, out.Outcomes...)
		if err == nil && out.Outcome != review.Failed {
			out.Outcome = review.CommandsApplied
		}
		return out, err
	}
	comments, err := r.Client.Comments(ctx, r.Trigger.Issue.Number, r.Trigger.Comment.CreatedAt.AddDate(-1, 0, 0))
	if err != nil {
		return report, err
	}
	name := f.repository.Owner + "/" + f.repository.Name
	report.Status = render.Status{
		Repo: name, Number: r.Trigger.Issue.Number, Outcome: review.CommandsApplied, Answers: answers, RunURL: r.RunURL, MemoryOff: r.MemoryOff,
		Trust: trust.Verdict{Scope: f.scope(), Reasons: []trust.Reason{{Code: "commander", Text: f.why}}},
	}
	existing, _ := ownComment(comments, r.Author, name, r.Trigger.Issue.Number)
	speak(ctx, r, &report, existing, f.repository.ID, r.Trigger.Issue.Number)
	return report, nil
}

func (f commandFacts) scope() contract.TrustScope {
	switch f.standing {
	case memory.StandingAdmin, memory.StandingMaintainer:
		return contract.TrustMaintainer
	case memory.StandingCollaborator:
		return contract.TrustCollaborator
	}
	return contract.TrustExternal
}

// gatherCommand looks at the comment as it is now, and up the permission of
// everybody who had a hand in it: author, sender, actor, triggering actor.
func gatherCommand(ctx context.Context, r ActionRequest) (commandFacts, error) {
	var f commandFacts
	c := r.Client
	err := c.Gather(ctx,
		func(ctx context.Context) (err error) { f.repository, err = c.Repository(ctx); return err },
		func(ctx context.Context) (err error) {
			f.live, err = c.Comment(ctx, r.Trigger.Comment.ID)
			if github.KindOf(err) == github.NotFound {
				f.gone, err = true, nil
			}
			return err
		},
		func(ctx context.Context) error { return f.readPull(ctx, r) },
	)
	if err != nil || f.gone {
		return f, err
	}
	people := commanders(r)
	lookups := make([]trust.Lookup, len(people))
	var tasks []func(context.Context) error
	for i, login := range people {
		tasks = append(tasks, func(ctx context.Context) error {
			lookups[i] = c.Permission(ctx, login, f.repository.Visibility)
			return nil
		})
	}
	if err := c.Gather(ctx, tasks...); err != nil {
		return f, err
	}
	f.standing, f.why = lowest(people, lookups, f.repository.Visibility)
	return f, nil
}

// readPull reads the change at hand, for what a check would find in it.
func (f *commandFacts) readPull(ctx context.Context, r ActionRequest) error {
	if !r.Trigger.Issue.IsPull {
		return nil
	}
	files, err := r.Client.PullFiles(ctx, r.Trigger.Issue.Number)
	f.files = files.Files
	return err
}

// commanders are the logins whose standing a command needs, each once.
func commanders(r ActionRequest) []string {
	var out []string
	add := func(login string) {
		if login != "" && !slices.ContainsFunc(out, func(l string) bool { return strings.EqualFold(l, login) }) {
			out = append(out, login)
		}
	}
	add(r.Trigger.Comment.Author.Login)
	if r.Trigger.Sender != nil {
		add(r.Trigger.Sender.Login)
	}
	add(r.Actor)
	add(r.TriggeringActor)
	return out
}

// lowest is the weakest standing among all who had a hand in the command.
func lowest(people []string, lookups []trust.Lookup, visibility string) (memory.Standing, string) {
	least, why := memory.StandingAdmin, ""
	for i, l := range lookups {
		scope, reason := trust.Standing(l, visibility)
		s := memory.StandingNone
		switch {
		case scope == contract.TrustMaintainer && l.Permission == "admin":
			s = memory.StandingAdmin
		case scope == contract.TrustMaintainer:
			s = memory.StandingMaintainer
		case scope == contract.TrustCollaborator:
			s = memory.StandingCollaborator
		}
		if why == "" || s.Rank() < least.Rank() {
			least, why = s, people[i]+" "+reason.Text
		}
	}
	return least, why
}

// stale says why a comment does not command any more, or never did: gone,
// edited, changed since the event, or written by somebody else than the
// event says (A34).
func (f commandFacts) stale(c event.Comment) string {
	switch {
	case f.gone:
		return "the comment was deleted"
	case f.live.Body != c.Body:
		return "the comment was changed since the event; a changed comment never commands"
	case !f.live.UpdatedAt.Equal(f.live.CreatedAt):
		return "the comment was edited; an edited comment never commands"
	case f.live.Author == nil || c.Author == nil || f.live.Author.ID != c.Author.ID:
		return "the comment is not by who the event says"
	}
	return ""
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
		if d.task != nil {
			actions = append(actions, plan.Action{
				Kind: plan.Transition, Key: d.task.Transition.Cause, Payload: d.task,
				Summary: fmt.Sprintf("%s, as %s asked on line %d", in.Verb, r.Trigger.Comment.Author.Login, in.Line),
			})
			waiting = append(waiting, pendingAnswer{at: len(answers), decision: d, key: d.task.Transition.Cause})
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

// pendingAnswer is an answer that depends on what became of a transition.
type pendingAnswer struct {
	at       int
	decision decision
	key      string
}

func (w pendingAnswer) answer(outcomes []plan.Outcome) (bool, string) {
	for _, o := range outcomes {
		if o.Action.Key != w.key {
			continue
		}
		switch {
		case o.Err != nil:
			return false, "Nothing was stored: " + o.Err.Error()
		case w.decision.task.Applied.Refused != nil:
			refused := w.decision.task.Applied.Refused
			return false, refused.Detail
		case o.Skipped == "dry run":
			return false, "Nothing was stored: this is a dry run."
		}
	}
	return true, w.decision.said(w.decision.task.Applied)
}

// decision is what is made of one command: an answer at once, a reply of its
// own, or a transition whose outcome is the answer.
type decision struct {
	done  bool
	text  string
	reply string
	task  *TransitionTask
	said  func(memory.Applied) string
}

func refusedBecause(text string) decision { return decision{text: text} }

// decide is the table of commands that the action knows so far.
func decide(ctx context.Context, r ActionRequest, f commandFacts, in intent.Intent) decision {
	if in.Verb == intent.VerbHelp {
		return decision{reply: intent.HelpMarkdown(intent.DefaultHandle)}
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
		return lookByComment(ctx, r, in)
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
		task: &TransitionTask{Transition: transition(r, f, in, memory.OpRemember, "", &lesson)},
		said: func(a memory.Applied) string {
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

// touchByComment forgets, approves or rejects one lesson. Several ids in one
// command are several lines' worth of causes; one at a time is taken here.
func touchByComment(ctx context.Context, r ActionRequest, f commandFacts, in intent.Intent) decision {
	if len(in.IDs) != 1 {
		return refusedBecause(fmt.Sprintf("`%s` takes one id at a time in this version.", in.Verb))
	}
	op, id := operations[in.Verb], in.IDs[0]
	versions, refusal, err := Show(ctx, r.Memory, id)
	if err != nil {
		return refusedBecause("The store cannot be read: " + err.Error())
	}
	c := r.Trigger.Comment
	cause := commandCause(f, c.ID, in.Line, id)
	if refusal == nil {
		refusal = memory.MayTouch(op, memory.Principal{ID: c.Author.ID, Login: c.Author.Login}, f.standing, versions)
	}
	if refusal != nil {
		return refusedBecause(refusal.Detail)
	}
	t := transition(r, f, in, op, id, nil)
	t.Cause, t.Digest = cause, memory.TextDigest(versions[len(versions)-1].Text)
	return decision{
		task: &TransitionTask{Transition: t},
		said: func(memory.Applied) string { return touched(op, id) },
	}
}

func touched(op memory.Op, id string) string {
	switch op {
	case memory.OpForget:
		return "Forgotten `" + id + "`. Its text is gone from the store; older containers and this thread may still hold it."
	case memory.OpApprove:
		return "Approved `" + id + "`."
	}
	return "Rejected `" + id + "`."
}

// lookByComment answers list and show in a reply of their own, folded.
func lookByComment(ctx context.Context, r ActionRequest, in intent.Intent) decision {
	if in.Verb == intent.VerbShow {
		if len(in.IDs) != 1 {
			return refusedBecause("`show` takes one id, such as `m-7f3k2q8a`.")
		}
		versions, refusal, err := Show(ctx, r.Memory, in.IDs[0])
		switch {
		case err != nil:
			return refusedBecause("The store cannot be read: " + err.Error())
		case refusal != nil:
			return refusedBecause(refusal.Detail)
		}
		return decision{reply: folded(in.IDs[0], render.LessonDetail(versions, render.TerminalOptions{}))}
	}
	states := []memory.State{memory.Active, memory.ReviewRequired}
	if in.Pending {
		states = states[1:]
	}
	var lessons []memory.Version
	err := r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		var err error
		lessons, err = st.List(ctx, store.Filter{States: states, Query: in.Text})
		return err
	})
	if err != nil {
		return refusedBecause("The store cannot be read: " + err.Error())
	}
	title := fmt.Sprintf("%d lessons", len(lessons))
	if len(lessons) == 1 {
		title = "1 lesson"
	}
	return decision{reply: folded(title, render.LessonList(lessons, render.TerminalOptions{}))}
}

// folded puts a plain text into a fold and a fence that it cannot leave.
func folded(title, body string) string {
	return "<details><summary>" + render.Text(title) + "</summary>\n\n" + render.Fence(body, "") + "\n\n</details>\n"
}

func verdictReaction(answers []render.Answer) string {
	if slices.ContainsFunc(answers, func(a render.Answer) bool { return !a.Done }) {
		return "confused"
	}
	return "rocket"
}

func (report *ActionReport) react(ctx context.Context, r ActionRequest, content string) {
	id := r.Trigger.Comment.ID
	a := plan.Action{Kind: plan.React, Key: memory.NewCause("react", fmt.Sprint(id), content), Summary: "react with " + content}
	report.act(ctx, r, a, func(ctx context.Context, _ plan.Action) error {
		err := r.Client.React(ctx, id, content)
		if github.KindOf(err) == github.Forbidden {
			return plan.Skip("not allowed to react: " + err.Error())
		}
		return err
	})
}

func (report *ActionReport) reply(ctx context.Context, r ActionRequest, body string) {
	number := r.Trigger.Issue.Number
	a := plan.Action{Kind: plan.Reply, Key: memory.NewCause("reply", fmt.Sprint(r.Trigger.Comment.ID), body), Summary: fmt.Sprintf("answer on #%d", number)}
	report.act(ctx, r, a, func(ctx context.Context, _ plan.Action) error {
		_, err := r.Client.CreateComment(ctx, number, body)
		return err
	})
}

// storeIdentity is whose store it is: the numeric id decides.
func storeIdentity(repo event.Repository, tenant *contract.TenantScope) store.Identity {
	id := store.Identity{RepositoryID: repo.ID, Owner: repo.Owner, Name: repo.Name}
	if tenant != nil {
		id.InstallationID = tenant.InstallationID
	}
	return id
}
