package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/trust"
)

// commandFacts are what decides who speaks and where.
type commandFacts struct {
	repository event.Repository
	live       github.Comment
	gone       bool
	seen       []plan.Outcome // of the reaction that says so
	standing   memory.Standing
	why        string     // of the standing, in words
	pull       *pullFacts // nil: on an issue
	own        own        // our status comment
	files      []diff.File
	author     string // under which we comment
	handle     string // as configured, where that was read
}

// gatherCommand looks at the comment as it is now and at its thread, and up
// the permission of everybody who had a hand in it: author, sender, actor,
// triggering actor.
func gatherCommand(ctx context.Context, r ActionRequest) (commandFacts, error) {
	var f commandFacts
	var s standings
	thread := f.issue
	if r.Trigger.Issue.IsPull {
		thread = f.pullRequest
	}
	err := r.Client.Gather(ctx,
		func(ctx context.Context) (err error) {
			f.live, err = r.Client.Comment(ctx, r.Trigger.Comment.ID)
			if github.KindOf(err) == github.NotFound {
				f.gone, err = true, nil
			}
			if err == nil && f.stale(*r.Trigger.Comment) == "" {
				f.seen = sideBySide(ctx, r, []deed{reaction(r, "eyes")}, nil) // while the rest is asked
			}
			return err
		},
		func(ctx context.Context) (err error) { s, err = thread(ctx, r); return err },
	)
	if err != nil || f.gone {
		return f, err
	}
	people := commanders(r)
	lookups := make([]trust.Lookup, len(people))
	for i, login := range people {
		lookups[i] = s.of(login)
	}
	f.standing, f.why = lowest(people, lookups, f.repository.Visibility)
	return f, nil
}

// pullRequest gathers a pull request as its review does: the answers stand
// beside one. The commanders are among those who shaped that work.
func (f *commandFacts) pullRequest(ctx context.Context, r ActionRequest) (standings, error) {
	g, err := gatherPull(ctx, r, pullRun{number: r.Trigger.Issue.Number, facts: trust.FromTrigger(r.Trigger, r.Actor, r.TriggeringActor)})
	if err != nil {
		return nil, err
	}
	f.pull, f.repository, f.own, f.files, f.author = &g, g.repository, g.own, g.files.Files, g.author
	f.handle = g.settings.Familiar.Handle
	return g.standings, nil
}

// issue gathers the thread of an issue.
func (f *commandFacts) issue(ctx context.Context, r ActionRequest) (standings, error) {
	c, s := r.Client, standings{}
	var comments []github.Comment
	var inst installation
	var people []trust.Shaper
	for _, login := range commanders(r) {
		people = append(people, trust.Shaper{Role: trust.RoleCommenter, Login: login})
	}
	store := newEarlyStore(r)
	err := c.Gather(ctx, store.open, func(ctx context.Context) error {
		first := append(s.ask(c, people, r.Trigger.Repository.Visibility),
			func(ctx context.Context) (err error) { f.repository, err = c.Repository(ctx); return err },
			func(ctx context.Context) (err error) {
				comments, err = c.Comments(ctx, r.Trigger.Issue.Number, time.Time{})
				return err
			},
			func(ctx context.Context) error { inst = appInstallation(ctx, c, r); return nil },
		)
		if err := c.Gather(ctx, first...); err != nil {
			return err
		}
		if f.repository.Visibility != r.Trigger.Repository.Visibility {
			clear(s)
		}
		return c.Gather(ctx, append(s.ask(c, people, f.repository.Visibility), store.openLate(f.repository, inst))...)
	})
	if err != nil {
		return nil, err
	}
	f.author = inst.author(r)
	name := f.repository.Owner + "/" + f.repository.Name
	f.own = findOwn(comments, r.Keys, f.author, name, f.repository.ID, r.Trigger.Issue.Number)
	store.settle(f.repository, inst, f.own.state)
	return s, nil
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
