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

// commandFacts are what decides who speaks and where. Those of the comment
// that woke the run are empty where a run looks at a thread by itself.
type commandFacts struct {
	live     github.Comment
	gone     bool
	refused  bool           // for good, by an earlier run
	seen     []plan.Outcome // of the reaction that says so
	standing memory.Standing
	could    memory.Standing // the standing if look-ups that failed were to succeed
	why      string          // of the standing, in words

	number     int // of the issue or pull request
	closed     bool
	repository event.Repository
	pull       *pullFacts // nil: on an issue
	settings   settings   // of the default branch; on an issue read only where there is a memory
	problem    string     // why the store that was fetched is not to be used; "" if it is
	own        own        // our status comment
	comments   []github.Comment
	lines      []github.ReviewComment // comments on lines, where they were read
	standings  standings
	files      []diff.File
	author     string         // under which we comment
	handle     string         // as configured, where that was read
	board      dashboardIssue // on an issue; number 0: there is none
}

// gatherCommand looks at the comment as it is now and at its thread, and up
// the permission of everybody who had a hand in it: author, sender, actor,
// triggering actor.
func gatherCommand(ctx context.Context, r ActionRequest) (commandFacts, error) {
	f := commandFacts{number: r.Trigger.Issue.Number}
	err := r.Client.Gather(ctx,
		func(ctx context.Context) (err error) {
			f.live, err = r.Client.Comment(ctx, r.Trigger.Comment.ID)
			if github.KindOf(err) == github.NotFound {
				f.gone, err = true, nil
			}
			if err == nil && f.stale(*r.Trigger.Comment) == "" {
				f.seen, f.refused = f.acknowledge(ctx, r) // while the rest is asked
			}
			return err
		},
		func(ctx context.Context) error {
			if r.Trigger.Issue.IsPull {
				return f.pullRequest(ctx, r)
			}
			return f.issue(ctx, r, commanders(r))
		},
	)
	if err != nil || f.gone {
		return f, err
	}
	f.standing, f.could, f.why = f.lowestOf(commanders(r))
	return f, nil
}

// acknowledge says by a reaction that the comment was seen. refused says that
// an earlier run refused it for good: that is our own reaction too.
func (f *commandFacts) acknowledge(ctx context.Context, r ActionRequest) (seen []plan.Outcome, refused bool) {
	if f.live.Confused > 0 {
		all, err := r.Client.Reactions(ctx, f.live.ID)
		if err == nil && reacted(all, r.Author, "confused") {
			return nil, true
		}
	}
	return sideBySide(ctx, r, []deed{reaction(r, spoken{Comment: f.live.Comment}, "eyes")}, nil), false
}

// lowestOf is the weakest standing of people whose permission was looked up,
// what it could be if look-ups that failed were to succeed, and why, in words.
func (f commandFacts) lowestOf(people []string) (least, could memory.Standing, why string) {
	lookups := make([]trust.Lookup, len(people))
	for i, login := range people {
		lookups[i] = f.standings.of(login)
	}
	return lowest(people, lookups, f.repository.Visibility)
}

// pullRequest gathers a pull request as its review does: the answers stand
// beside one. The commanders are among those who shaped that work.
func (f *commandFacts) pullRequest(ctx context.Context, r ActionRequest) error {
	g, err := gatherPull(ctx, r, pullRun{number: f.number, facts: trust.FromTrigger(r.Trigger, r.Actor, r.TriggeringActor)})
	if err == nil {
		f.about(g)
	}
	return err
}

// about takes over what was gathered of a pull request.
func (f *commandFacts) about(g pullFacts) {
	f.number, f.closed = g.pull.Number, g.pull.State != "" && g.pull.State != "open"
	f.pull, f.repository, f.own, f.files, f.author = &g, g.repository, g.own, g.files.Files, g.author
	f.comments, f.lines, f.standings = g.comments, g.lines, g.standings
	f.handle, f.settings, f.problem = g.settings.Familiar.Handle, g.settings, g.storeProblem
}

// threadOf is what was gathered of a pull request, as facts of its thread.
func threadOf(g pullFacts) (f commandFacts) {
	f.about(g)
	return f
}

// issue gathers the thread of an issue, and the permission of people.
func (f *commandFacts) issue(ctx context.Context, r ActionRequest, logins []string) error {
	c, s := r.Client, standings{}
	var inst installation
	people := asShapers(logins)
	store, conf := newEarlyStore(r), newEarlySettings(r)
	err := c.Gather(ctx, store.open, func(ctx context.Context) error {
		first := append(s.ask(c, people, r.Trigger.Repository.Visibility),
			func(ctx context.Context) (err error) {
				if r.around != nil {
					f.repository = r.around.repository
					return nil
				}
				f.repository, err = c.Repository(ctx)
				return err
			},
			func(ctx context.Context) (err error) {
				f.comments, err = c.Comments(ctx, f.number, time.Time{})
				return err
			},
			func(ctx context.Context) error {
				if r.around != nil {
					inst = r.around.install
				} else {
					inst = appInstallation(ctx, c, r)
				}
				return nil
			},
			store.boards, conf.first,
		)
		if err := c.Gather(ctx, first...); err != nil {
			return err
		}
		if f.repository.Visibility != r.Trigger.Repository.Visibility {
			clear(s)
		}
		return c.Gather(ctx, append(s.ask(c, people, f.repository.Visibility), store.openLate(f.repository, inst), conf.second(&f.settings, &f.repository))...)
	})
	if err != nil {
		return err
	}
	f.author, f.standings = inst.author(r), s
	name := f.repository.Owner + "/" + f.repository.Name
	f.own = findOwn(f.comments, r.Keys, f.author, name, f.repository.ID, f.number)
	store.settle(f.repository, inst, f.own.state)
	f.problem, f.board = store.problem, store.board
	return nil
}

// asShapers are people as those whose permission is looked up.
func asShapers(logins []string) []trust.Shaper {
	var out []trust.Shaper
	for _, login := range logins {
		out = append(out, trust.Shaper{Role: trust.RoleCommenter, Login: login})
	}
	return out
}

func (f commandFacts) scope() contract.TrustScope { return scopeOf(f.standing) }

// scopeOf is the trust that a standing comes to, for the details of an answer.
func scopeOf(s memory.Standing) contract.TrustScope {
	switch s {
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
// could is what it may turn out to be when look-ups that failed in passing are
// answered: only what is below that too is refused for good (decision 0012).
func lowest(people []string, lookups []trust.Lookup, visibility string) (least, could memory.Standing, why string) {
	least, could = memory.StandingAdmin, memory.StandingAdmin
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
		if best := atBest(l, s); best.Rank() < could.Rank() {
			could = best
		}
	}
	return least, could, why
}

// atBest is the standing that an account has at best: as it was looked up, or
// whatever a look-up that failed in passing left open.
func atBest(l trust.Lookup, s memory.Standing) memory.Standing {
	switch {
	case !l.Passing:
		return s
	case l.Done: // read permission; whether of a collaborator was not answered
		return memory.StandingCollaborator
	}
	return memory.StandingAdmin
}

// stale says why a comment does not command any more, or never did: gone,
// edited, changed since the event, or written by somebody else than the
// event says (A34).
func (f *commandFacts) stale(c event.Comment) string {
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
