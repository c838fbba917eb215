package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/trust"
)

// pullFacts are what GitHub says of a pull request, gathered side by side.
type pullFacts struct {
	repository event.Repository
	pull       github.Pull
	files      github.PullFiles
	own        own // our status comment
	comments   []github.Comment
	lines      []github.ReviewComment // nil: not read
	settings   settings
	trust      trust.Verdict
	tenant     *contract.TenantScope
	why        trust.Reason
	standings  standings
	author     string   // under which we comment
	slug       string   // of the App that acts; "": a token does
	unsure     string   // whose permission GitHub did not tell now, in words; "": nobody's
	unread     string   // why the memory cannot be read just now; "": it can, or will not soon
	first      *welcome // what is known of this being the first run; nil: not asked yet
	// storeProblem is why the store that was fetched is not to be used; "" if
	// it is.
	storeProblem string
}

// gathering is one gathering under way.
type gathering struct {
	r       ActionRequest
	p       pullRun
	hint    event.Repository // as the event names it: where to look, nothing more
	facts   trust.Facts
	head    string // of the default branch that hint names
	install installation
	store   *earlyStore
	pullFacts
}

// gatherPull asks GitHub in two rounds: what the event's own numbers name,
// then what the answers name. The sealed store is fetched beside both. The
// event only says where to look: every fact is an answer of now, and what was
// asked by a word of the event that turns out to be wrong is asked again.
func gatherPull(ctx context.Context, r ActionRequest, p pullRun) (pullFacts, error) {
	g := &gathering{r: r, p: p, hint: r.Trigger.Repository, facts: p.facts, store: newEarlyStore(r), pullFacts: pullFacts{standings: standings{}}}
	err := r.Client.Gather(ctx, g.store.open, func(ctx context.Context) error {
		if err := r.Client.Gather(ctx, g.first()...); err != nil {
			return err
		}
		return r.Client.Gather(ctx, g.second()...)
	})
	if err != nil {
		return pullFacts{}, err
	}
	g.conclude()
	g.unread = unreadable(ctx, memoryOf(r, g.pullFacts))
	return g.pullFacts, nil
}

// first asks what needs nothing but the event's numbers.
func (g *gathering) first() []func(context.Context) error {
	c, n := g.r.Client, g.p.number
	tasks := []func(context.Context) error{
		func(ctx context.Context) (err error) { g.pull, err = c.Pull(ctx, n); return err },
		func(ctx context.Context) (err error) { g.files, err = c.PullFiles(ctx, n); return err },
	}
	if g.hint.DefaultBranch != "" {
		tasks = append(tasks, func(ctx context.Context) (err error) {
			g.head, err = c.BranchHead(ctx, g.hint.DefaultBranch)
			if github.KindOf(err) == github.NotFound {
				g.hint.DefaultBranch, err = "", nil // renamed since
			}
			return err
		})
	}
	if g.r.AppAuth {
		tasks = append(tasks, func(ctx context.Context) error { g.install = appInstallation(ctx, c, g.r); return nil })
	}
	return append(tasks, g.standings.ask(c, g.facts.Shapers, g.hint.Visibility)...)
}

// second asks what the first answers name, and again what was asked by a word
// of the event that they do not bear out.
func (g *gathering) second() []func(context.Context) error {
	c := g.r.Client
	g.repository = g.pull.Repository
	g.facts.Visibility = g.repository.Visibility
	g.facts.Pull = &trust.PullFacts{HeadRepoID: g.pull.Head.RepoID, BaseRepoID: g.pull.Base.RepoID}
	g.facts.Shapers = withAuthor(g.facts.Shapers, g.pull.Author)
	if g.hint.Visibility != g.repository.Visibility {
		clear(g.standings)
	}
	known := g.pullFacts // the tasks write to fields of it side by side
	tasks := append(g.standings.ask(c, g.facts.Shapers, g.repository.Visibility), func(ctx context.Context) (err error) {
		head := g.head
		if g.hint.DefaultBranch != g.repository.DefaultBranch || head == "" {
			if head, err = c.BranchHead(ctx, g.repository.DefaultBranch); err != nil {
				return err
			}
		}
		g.settings, err = remoteSettings(ctx, c, g.r.Config, known, head)
		return err
	})
	if g.pull.Comments > 0 { // else there is none to ask for
		tasks = append(tasks, func(ctx context.Context) (err error) {
			g.comments, err = c.Comments(ctx, g.pull.Number, time.Time{})
			return err
		})
	}
	if g.pull.LineComments > 0 && g.r.Memory != nil {
		tasks = append(tasks, func(ctx context.Context) (err error) {
			// Commands in answers to comments on lines; without them the review goes on.
			if g.lines, err = c.ReviewComments(ctx, g.pull.Number); github.KindOf(err) == github.Forbidden {
				err = nil
			}
			return err
		})
	}
	return append(tasks, g.store.openLate(g.repository, g.install))
}

// conclude derives what follows from all answers.
func (g *gathering) conclude() {
	g.standings.fill(g.facts.Shapers)
	g.facts.Bots = g.settings.Trust.Bots
	g.trust, g.unsure = trust.Derive(g.facts), unsure(g.facts.Shapers)
	g.author, g.slug = g.install.author(g.r), g.install.slug
	name := g.repository.Owner + "/" + g.repository.Name
	g.own = findOwn(g.comments, g.r.Keys, g.author, name, g.repository.ID, g.p.number)
	g.store.settle(g.repository, g.install, g.own.state)
	g.tenant, g.why, g.storeProblem = g.store.tenant, g.store.why, g.store.problem
}

// withAuthor adds the pull request's author to those who shaped the work.
func withAuthor(shapers []trust.Shaper, author *event.Actor) []trust.Shaper {
	if slices.ContainsFunc(shapers, func(s trust.Shaper) bool { return s.Role == trust.RoleAuthor }) {
		return slices.Clone(shapers)
	}
	s := trust.Shaper{Role: trust.RoleAuthor, Ghost: author == nil}
	if author != nil {
		s.ID, s.Login, s.Bot = author.ID, author.Login, author.IsBot()
	}
	return append(slices.Clone(shapers), s)
}

// standings are live permission look-ups by login in lower case. Each login is
// asked for once, however many roles it has.
type standings map[string]*trust.Lookup

// ask returns a task for each login that was not asked for yet. Without the
// visibility, which says how much there is to ask, there is none.
func (s standings) ask(c *github.Client, shapers []trust.Shaper, visibility string) []func(context.Context) error {
	var out []func(context.Context) error
	for _, who := range shapers {
		login := strings.ToLower(who.Login)
		if who.Ghost || login == "" || visibility == "" || s[login] != nil {
			continue
		}
		answer := &trust.Lookup{}
		s[login] = answer
		out = append(out, func(ctx context.Context) error {
			*answer = c.Permission(ctx, login, visibility)
			return nil
		})
	}
	return out
}

// of is the answer for a login, none where it was not asked for.
func (s standings) of(login string) trust.Lookup {
	if l := s[strings.ToLower(login)]; l != nil {
		return *l
	}
	return trust.Lookup{}
}

func (s standings) fill(shapers []trust.Shaper) {
	for i, who := range shapers {
		if !who.Ghost {
			shapers[i].Lookup = s.of(who.Login)
		}
	}
}

// remoteSettings reads the trusted sections from the live head of the
// default branch, and the review's own from the base commit (page 3.1).
func remoteSettings(ctx context.Context, c *github.Client, path string, g pullFacts, head string) (settings, error) {
	path = or(path, ConfigPath)
	base := g.pull.Base.SHA
	want := [][2]string{{path, head}, {RulesPath, base}}
	if base != head {
		want = append(want, [2]string{path, base})
	}
	results := make([][]byte, len(want))
	var tasks []func(context.Context) error
	for i, w := range want {
		tasks = append(tasks, func(ctx context.Context) error {
			data, _, err := c.FileAt(ctx, w[0], w[1])
			if github.KindOf(err) == github.TooLarge || github.KindOf(err) == github.Invalid {
				// A configuration that is no readable file is a broken one.
				data, err = []byte("\x00"), nil
			}
			results[i] = data
			return err
		})
	}
	if err := c.Gather(ctx, tasks...); err != nil {
		return settings{}, err
	}
	atBase := results[0]
	if base != head {
		atBase = results[2]
	}
	return combined(path, results[0], atBase, results[1], g.repository), nil
}

// combined parses the files of both commits.
func combined(path string, trustedFile, baseFile, rulesFile []byte, repo event.Repository) settings {
	c, first := config.Parse(path, trustedFile)
	trusted, _ := c.Split()
	b, second := config.Parse(path, baseFile)
	if config.HasErrors(second) {
		b = config.Defaults()
	}
	_, base := b.Split()
	s := settings{Config: config.Combine(trusted, base), path: path, broken: config.HasErrors(first), diagnostics: merged(first, second)}
	s.Config = s.ForRepo(repo.Owner, repo.Name)
	var third []config.Diagnostic
	s.rules, third = config.ParseRules(RulesPath, rulesFile)
	s.diagnostics = append(s.diagnostics, third...)
	s.digest = digestOf(trustedFile, baseFile, rulesFile)
	return s
}

func digestOf(files ...[]byte) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%d\x00", len(f))
		h.Write(f)
	}
	return hex.EncodeToString(h.Sum(nil))
}
