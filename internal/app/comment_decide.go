package app

import (
	"context"
	"fmt"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
)

// decision is what is made of one command: words or a block at once, or
// changes of the memory whose outcomes are the answer.
type decision struct {
	done   bool
	text   string        // sentences; beside tasks, what was refused at once
	broken bool          // the store could not be asked: a later run tries again
	block  render.Markup // for a reply
	tasks  []*TransitionTask
	said   func(TransitionTask) string   // what was done, for each task
	saidOf func([]TransitionTask) string // the same for all at once, in place of said; nil
	acts   []plan.Action                 // other changes of the store
	after  func() string                 // a sentence when all is saved
	erases []string                      // documents whose text is to be gone
	review bool                          // a review is asked for
	full   bool                          // of everything
}

func refusedBecause(text string) decision { return decision{text: text} }

// shown is an answer in a reply.
func shownBlock(block render.Markup) decision { return decision{done: true, block: block} }

// decide is the table of commands (page 6.1): capability by live standing
// first, then what the command is about.
func decide(ctx context.Context, r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	handle := or(f.handle, intent.DefaultHandle)
	switch {
	case in.Problem != "":
		return refusedBecause(redact.Scrub(in.Problem))
	case in.Verb == intent.VerbUnknown:
		return refusedBecause(render.UnknownCommand(redact.Scrub(in.Word), handle))
	case in.Verb == intent.VerbHelp:
		return shownBlock(render.Help(handle, in.Topic))
	case in.Verb == intent.VerbStatus:
		return shownBlock(render.Standing(howThingsStand(ctx, r, f, s)))
	case in.Verb == intent.VerbReview:
		return reviewByComment(f, s, in)
	}
	if no := mayNot(s, in.Verb); no != nil {
		return *no
	}
	if no := f.unusable(r, in); no != nil {
		return *no
	}
	switch in.Verb {
	case intent.VerbRemember, intent.VerbNever, intent.VerbPrefer, intent.VerbWith:
		return teachByComment(ctx, r, f, s, in)
	case intent.VerbApprove:
		return approveByComment(ctx, r, f, s, in)
	case intent.VerbReject:
		return rejectByComment(ctx, r, f, s, in)
	case intent.VerbEdit:
		return editByComment(r, f, s, in)
	case intent.VerbForget, intent.VerbRetire, intent.VerbKeep, intent.VerbPurge, intent.VerbRedact:
		return touchByComment(ctx, r, f, s, in)
	case intent.VerbRevoke, intent.VerbUnrevoke:
		return denyByComment(ctx, r, f, s, in)
	case intent.VerbPause, intent.VerbResume:
		return pauseByComment(r, f, s, in)
	case intent.VerbAccept, intent.VerbDismiss, intent.VerbCorrect:
		return feedbackByComment(ctx, r, f, s, in)
	case intent.VerbWhy:
		return whyByComment(ctx, r, f, s, in)
	case intent.VerbList:
		return listByComment(ctx, r, in, handle)
	case intent.VerbShow:
		return showByComment(ctx, r, in)
	}
	return refusedBecause(fmt.Sprintf("`%s` is not something that this version does yet.", in.Verb))
}

// withoutMemory answers a command about a memory that there is not.
func withoutMemory(off string, f commandFacts, in intent.Intent) decision {
	text := "Memory is off here: " + off + "."
	if in.Verb == intent.VerbPause || in.Verb == intent.VerbResume {
		skip := intent.DefaultLabelNames().Skip
		if f.pull != nil {
			skip = f.pull.settings.Familiar.Labels.Skip
		}
		text += " Without it I cannot remember a pause; the label `" + skip + "` keeps me from reviewing."
	}
	return refusedBecause(text)
}

// reviewByComment asks for a review of the pull request, now. A collaborator
// may where the configuration says so and the head is this repository's.
func reviewByComment(f commandFacts, s spoken, in intent.Intent) decision {
	if f.pull == nil {
		return refusedBecause("There is nothing to review on an issue; `review` works on a pull request.")
	}
	mayAsk := s.standing == memory.StandingCollaborator && f.pull.settings.Trust.CollaboratorsMayReview &&
		f.pull.pull.Head.RepoID != 0 && f.pull.pull.Head.RepoID == f.pull.pull.Base.RepoID
	if no := mayNot(s, in.Verb); no != nil && !mayAsk {
		return *no
	}
	if state := f.pull.pull.State; state != "" && state != "open" {
		return refusedBecause("This pull request is " + state + ", and a review would change nothing any more.")
	}
	if why := f.pull.held(); why != "" {
		return decision{broken: true, text: heldReview(why) + " A later run looks again."}
	}
	return decision{done: true, text: "Reviewed now.", review: true, full: in.Full}
}

// mayNot is the answer where the standing of those who had a hand in the
// command is not enough; nil: it is. Where GitHub only did not tell it now, it
// is no refusal: a later run asks again (decision 0012).
func mayNot(s spoken, v intent.Verb) *decision {
	need := map[intent.Who]memory.Standing{
		intent.Anyone: memory.StandingNone, intent.Collaborator: memory.StandingCollaborator,
		intent.Maintainer: memory.StandingMaintainer, intent.Admin: memory.StandingAdmin,
	}[intent.WhoMay(v)]
	if need == "" {
		need = memory.StandingAdmin
	}
	if s.standing.Rank() >= need.Rank() {
		return nil
	}
	article := "a"
	if need == memory.StandingAdmin {
		article = "an"
	}
	d := refusedBecause(fmt.Sprintf("`%s` takes %s %s of this repository, and %s.", v, article, need, s.why))
	if s.could.Rank() >= need.Rank() {
		d.text, d.broken = d.text+" A later run asks again.", true
	}
	return &d
}

// transition is what every change by a command has in common.
func transition(f commandFacts, s spoken, in intent.Intent, op memory.Op, target string) memory.Transition {
	kind := "issue_comment"
	if s.inline {
		kind = "review_comment"
	}
	return memory.Transition{
		Op: op, Cause: commandCause(f, s.ID, in.Line, target), At: s.CreatedAt,
		Actor:    memory.Principal{ID: s.Author.ID, Login: s.Author.Login},
		Through:  memory.Through{Kind: kind, ID: fmt.Sprint(s.ID), URL: s.URL},
		Standing: s.standing, Number: f.number, Target: target,
	}
}
