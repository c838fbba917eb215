package app

import (
	"context"
	"slices"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
)

// spoken is one comment whose commands are dealt with: the one that woke the
// run, or one that no run has dealt with (comment_missed.go).
type spoken struct {
	event.Comment
	inline   bool // an answer to a comment on a line
	late     bool // found by a later run
	intents  []intent.Intent
	standing memory.Standing // the lowest of everybody who had a hand in it
	could    memory.Standing // the same, if look-ups that failed were to succeed
	why      string          // of the standing, in words
}

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
		r.Memory.Saves = slices.ContainsFunc(intents, stores)
	}
	return command(ctx, r, intents)
}

// stores says whether a command changes the memory.
func stores(in intent.Intent) bool {
	if in.Problem != "" {
		return false
	}
	switch in.Verb {
	case intent.VerbHelp, intent.VerbList, intent.VerbShow, intent.VerbWhy, intent.VerbReview, intent.VerbStatus, intent.VerbUnknown:
		return false
	}
	return true
}

// command gathers the facts and deals with the comment that woke the run, and
// with those before it that no run has dealt with.
func command(ctx context.Context, r ActionRequest, intents []intent.Intent) (ActionReport, error) {
	f, err := gatherCommand(ctx, r)
	if err != nil {
		return ActionReport{}, err
	}
	if why := f.stale(*r.Trigger.Comment); why != "" {
		return nothing(why), nil
	}
	r.Author = f.author
	if f.refused {
		return nothing("this was refused before, and a refusal is final; to try again, ask anew"), nil
	}
	this := spoken{Comment: *r.Trigger.Comment, intents: intents, standing: f.standing, could: f.could, why: f.why}
	late, note := missedCommands(ctx, r, f, this.ID)
	d := newDealing(r, f, append(late, this))
	d.note(note)
	d.report.took([]deed{reaction(r, this, "eyes")}, f.seen)
	return d.deal(ctx)
}
