package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/trust"
)

// surroundings are what GitHub says to a run that is about the repository as a
// whole, and about no pull request of its own.
type surroundings struct {
	repository event.Repository
	settings   settings // of the default branch: there is no base
	author     string   // under which we comment
	people     []string // logins of all who started the run
	standing   memory.Standing
	could      memory.Standing  // the standing if look-ups that failed were to succeed
	why        string           // of the standing, in words
	install    installation     // of the App that acts
	labelled   []github.Issue   // with the dashboard's label
	threads    []github.Issue   // open, updated in the last seven days
	issue      dashboardIssue   // number 0: there is none
	recent     []github.Comment // of the last seven days, on any thread; filled by the look for missed commands
	problem    string           // why the store that was fetched is not to be used; "" if it is
}

// starters are the logins of those who started a run that is no comment: the
// sender of the event, and whom the runner names. The clock is nobody
// (page 3.1), whoever edited its line.
func starters(r ActionRequest) []string {
	if r.Trigger.Kind == event.Schedule {
		return nil
	}
	var out []string
	if r.Trigger.Sender != nil {
		out = append(out, r.Trigger.Sender.Login)
	}
	for _, login := range []string{r.Actor, r.TriggeringActor} {
		if login != "" && !slices.ContainsFunc(out, func(l string) bool { return strings.EqualFold(l, login) }) {
			out = append(out, login)
		}
	}
	return out
}

// gatherSurroundings asks in two rounds, with the sealed store beside them.
// Nothing that a person typed into an input has a say in who started the run
// (attack A37).
func gatherSurroundings(ctx context.Context, r ActionRequest) (surroundings, error) {
	var s surroundings
	var inst installation
	c, asked, early := r.Client, standings{}, newEarlyStore(r)
	s.people = starters(r)
	shapers := make([]trust.Shaper, len(s.people))
	for i, login := range s.people {
		shapers[i] = trust.Shaper{Role: trust.RoleSender, Login: login}
	}
	err := c.Gather(ctx, early.open, func(ctx context.Context) error {
		err := c.Gather(ctx, append(asked.ask(c, shapers, r.Trigger.Repository.Visibility),
			func(ctx context.Context) (err error) { s.repository, err = c.Repository(ctx); return err },
			early.boards,
			func(ctx context.Context) (err error) {
				s.threads, err = c.OpenIssues(ctx, r.since())
				return err
			},
			func(ctx context.Context) error { inst = appInstallation(ctx, c, r); return nil },
		)...)
		if err != nil {
			return err
		}
		if s.repository.Visibility != r.Trigger.Repository.Visibility {
			clear(asked)
		}
		return c.Gather(ctx, append(asked.ask(c, shapers, s.repository.Visibility), early.openLate(s.repository, inst),
			func(ctx context.Context) (err error) {
				s.settings, err = defaultSettings(ctx, c, r.Config, s.repository)
				return err
			})...)
	})
	if err != nil {
		return s, err
	}
	s.author, s.install, s.labelled = inst.author(r), inst, early.labelled
	s.standing, s.could, s.why = standingOf(s.people, asked, s.repository.Visibility)
	s.issue = findDashboard(slices.Concat(early.labelled, s.threads), r.Keys, s.author, s.repository)
	early.settle(s.repository, inst, State{Floor: s.issue.floor})
	s.problem = early.problem
	return s, nil
}

// standingOf is the least standing of all who started a run, as lowest tells
// it; nobody's is none.
func standingOf(people []string, asked standings, visibility string) (least, could memory.Standing, why string) {
	if len(people) == 0 {
		return memory.StandingNone, memory.StandingNone, "nobody started this run"
	}
	lookups := make([]trust.Lookup, len(people))
	for i, login := range people {
		lookups[i] = asked.of(login)
	}
	return lowest(people, lookups, visibility)
}

// defaultSettings reads the configuration at the live head of the default
// branch (page 3.1, end).
func defaultSettings(ctx context.Context, c *github.Client, path string, repo event.Repository) (settings, error) {
	path = or(path, ConfigPath)
	head, err := c.BranchHead(ctx, repo.DefaultBranch)
	if err != nil {
		return settings{}, err
	}
	return settingsAt(ctx, c, path, repo, head)
}

// settingsAt reads it at a commit.
func settingsAt(ctx context.Context, c *github.Client, path string, repo event.Repository, head string) (settings, error) {
	data, _, err := c.FileAt(ctx, path, head)
	if k := github.KindOf(err); k == github.TooLarge || k == github.Invalid {
		data, err = []byte("\x00"), nil // no readable file is a broken one
	}
	if err != nil {
		return settings{}, err
	}
	parsed, diagnostics := config.Parse(path, data)
	s := settings{Config: parsed.ForRepo(repo.Owner, repo.Name), path: path, broken: config.HasErrors(diagnostics), diagnostics: diagnostics}
	s.digest = digestOf(data)
	return s, nil
}

// usable says why the memory is not to be used by this run, or "".
func (s surroundings) usable(r ActionRequest) string {
	switch {
	case r.Memory == nil:
		return r.MemoryOff
	case s.problem != "":
		return s.problem
	case s.settings.broken:
		return or(s.settings.path, ConfigPath) + " is broken, so memory is off"
	}
	return s.settings.memoryOff()
}

// memoryOff says by which setting the memory is switched off, or "".
func (s settings) memoryOff() string {
	switch {
	case !s.Memory.Enabled:
		return "memory.enabled is false"
	case s.Memory.Mode == memory.ModeOff:
		return `memory.mode is "off"`
	}
	return ""
}

// retention are the limits of the sweep.
func (s settings) retention() memory.Retention {
	return memory.Retention{MaxAgeDays: s.Memory.MaxAgeDays, MaxUnusedDays: s.Memory.MaxUnusedDays, AuditDays: auditDays}
}

// auditDays is how long audit rows, displays and uses are kept: a year and a
// month, so that whoever looks once a year sees the whole year.
const auditDays = 400

// since is the beginning of a run's look back.
func (r ActionRequest) since() time.Time { return r.gitHubNow().Add(-lookBack) }
