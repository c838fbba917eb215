package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/trust"
)

// pullRun is one look at one pull request.
type pullRun struct {
	number  int
	facts   trust.Facts
	head    string          // the head that the event was about; "": whatever it is now
	answers []render.Answer // of the commands of the same run
}

// pullFacts are what GitHub says of a pull request, gathered side by side.
type pullFacts struct {
	repository event.Repository
	pull       github.Pull
	files      github.PullFiles
	comments   []github.Comment
	settings   settings
	trust      trust.Verdict
	tenant     *contract.TenantScope
	why        trust.Reason
}

// reviewPull reviews a pull request and publishes what came of it.
func reviewPull(ctx context.Context, r ActionRequest, p pullRun) (ActionReport, error) {
	g, err := gatherPull(ctx, r, p)
	if err != nil {
		return ActionReport{}, err
	}
	report := ActionReport{Trust: g.trust.Scope}
	if p.head != "" && p.head != g.pull.Head.SHA {
		report.Outcome, report.Detail = review.Superseded, "the head moved on since; the run for the new head reviews it"
		return report, nil
	}
	if why := skipped(g); why != "" && len(p.answers) == 0 {
		report.Outcome, report.Detail = review.NothingToDo, why
		return report, nil
	}
	var mem Memory
	if r.Memory != nil {
		r.Memory.Identity = storeIdentity(g.repository, g.tenant)
		mem = r.Memory
	}
	err = withMemory(ctx, mem, r.MemoryOff, func(ctx context.Context, m *memoryFacts, problem string) error {
		f := g.facts(r, m, problem)
		who, note := chooseReviewer(LocalRequest{Reviewer: r.Reviewer}, g.settings)
		out, err := reviewChange(ctx, f, who)
		if err != nil {
			return err
		}
		finish(&out.status, r, g, p, note)
		report, err = publish(ctx, r, g, p, out)
		return err
	})
	return report, err
}

// finish puts what only GitHub knows into the status.
func finish(s *render.Status, r ActionRequest, g pullFacts, p pullRun, note string) {
	s.RunURL, s.Answers = r.RunURL, p.answers
	s.PolicyReasons = append(s.PolicyReasons, g.why)
	if note != "" {
		s.Notes = append(s.Notes, note)
	}
	if r.Memory != nil {
		for _, q := range r.Memory.Quarantine {
			s.Notes = append(s.Notes, fmt.Sprintf("container %s is quarantined: %s", q.ID, q.Reason))
		}
	}
}

// gatherPull asks GitHub in three rounds: what there is; who and what it is
// about; what the configuration says.
func gatherPull(ctx context.Context, r ActionRequest, p pullRun) (pullFacts, error) {
	g := pullFacts{}
	c := r.Client
	err := c.Gather(ctx,
		func(ctx context.Context) (err error) { g.repository, err = c.Repository(ctx); return err },
		func(ctx context.Context) (err error) { g.pull, err = c.Pull(ctx, p.number); return err },
	)
	if err != nil {
		return g, err
	}
	facts := p.facts
	facts.Visibility = g.repository.Visibility
	facts.Pull = &trust.PullFacts{HeadRepoID: g.pull.Head.RepoID, BaseRepoID: g.pull.Base.RepoID}
	facts.Shapers = withAuthor(facts.Shapers, g.pull.Author)
	lookups := make([]trust.Lookup, len(facts.Shapers))
	tenant := policy.TenantFacts{
		AppAuth: r.AppAuth, PayloadInstall: r.Trigger.InstallationID, InputInstallation: r.InputInstallation,
		AccountID: g.repository.OwnerID, AccountLogin: g.repository.Owner,
	}
	tasks := []func(context.Context) error{
		func(ctx context.Context) (err error) { g.files, err = c.PullFiles(ctx, p.number); return err },
		func(ctx context.Context) (err error) { g.settings, err = remoteSettings(ctx, c, g); return err },
		func(ctx context.Context) (err error) {
			g.comments, err = c.Comments(ctx, p.number, g.pull.CreatedAt)
			return err
		},
		func(ctx context.Context) error {
			if r.AppAuth {
				id, err := c.InstallationID(ctx)
				tenant.AppInstallation = id
				if err != nil {
					tenant.AppFailure = err.Error()
				}
			}
			return nil
		},
	}
	tasks = append(tasks, lookUps(c, facts.Shapers, g.repository.Visibility, lookups)...)
	if r.Memory != nil && !r.AppAuth {
		// Whose store it is is known by now (an App's tenant is still being
		// looked up), so it is fetched beside the rest.
		early, _ := policy.ResolveTenant(tenant)
		r.Memory.Identity = storeIdentity(g.repository, early)
		tasks = append(tasks, func(ctx context.Context) error {
			_ = r.Memory.open(ctx) // remembered, and told where the memory is used
			return nil
		})
	}
	if err := c.Gather(ctx, tasks...); err != nil {
		return g, err
	}
	for i := range facts.Shapers {
		facts.Shapers[i].Lookup = lookups[i]
	}
	facts.Bots = g.settings.Trust.Bots
	g.trust = trust.Derive(facts)
	g.tenant, g.why = policy.ResolveTenant(tenant)
	return g, nil
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

// lookUps asks for each login once, however many roles it has.
func lookUps(c *github.Client, shapers []trust.Shaper, visibility string, into []trust.Lookup) []func(context.Context) error {
	byLogin := map[string][]int{}
	for i, s := range shapers {
		if !s.Ghost && s.Login != "" {
			byLogin[strings.ToLower(s.Login)] = append(byLogin[strings.ToLower(s.Login)], i)
		}
	}
	var out []func(context.Context) error
	for login, places := range byLogin {
		out = append(out, func(ctx context.Context) error {
			l := c.Permission(ctx, login, visibility)
			for _, i := range places {
				into[i] = l
			}
			return nil
		})
	}
	return out
}

// remoteSettings reads the trusted sections from the live head of the
// default branch, and the review's own from the base commit (page 3.1).
func remoteSettings(ctx context.Context, c *github.Client, g pullFacts) (settings, error) {
	head, err := c.BranchHead(ctx, g.repository.DefaultBranch)
	if err != nil {
		return settings{}, err
	}
	files := map[string][]byte{}
	base := g.pull.Base.SHA
	want := [][2]string{{ConfigPath, head}, {RulesPath, base}}
	if base != head {
		want = append(want, [2]string{ConfigPath, base})
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
	for i, w := range want {
		files[w[0]+"@"+w[1]] = results[i]
	}
	return combined(files[ConfigPath+"@"+head], files[ConfigPath+"@"+base], files[RulesPath+"@"+base], g.repository), nil
}

// combined parses the files of both commits.
func combined(trustedFile, baseFile, rulesFile []byte, repo event.Repository) settings {
	c, first := config.Parse(ConfigPath, trustedFile)
	trusted, _ := c.Split()
	b, second := config.Parse(ConfigPath, baseFile)
	if config.HasErrors(second) {
		b = config.Defaults()
	}
	_, base := b.Split()
	s := settings{Config: config.Combine(trusted, base), broken: config.HasErrors(first), diagnostics: merged(first, second)}
	s.Config = s.ForRepo(repo.Owner, repo.Name)
	var third []config.Diagnostic
	s.rules, third = config.ParseRules(RulesPath, rulesFile)
	s.diagnostics = append(s.diagnostics, third...)
	return s
}

// skipped says why the configuration or a label leaves this pull request
// alone, or "".
func skipped(g pullFacts) string {
	rv, labels := g.settings.Review, g.settings.Familiar.Labels
	author := ""
	if g.pull.Author != nil {
		author = g.pull.Author.Login
	}
	switch {
	case g.pull.State != "" && g.pull.State != "open":
		return "the pull request is " + g.pull.State
	case g.pull.Draft && !rv.Drafts:
		return "the pull request is a draft, and review.drafts is false"
	case slices.Contains(g.pull.Labels, labels.Skip):
		return "the label " + labels.Skip + " is on"
	case slices.ContainsFunc(rv.SkipLabels, func(l string) bool { return slices.Contains(g.pull.Labels, l) }):
		return "a label of review.skip_labels is on"
	case author != "" && slices.Contains(rv.SkipAuthors, author):
		return "the author is one of review.skip_authors"
	case len(rv.BaseBranches) > 0 && !memory.MatchGlobs(rv.BaseBranches, g.pull.Base.Name):
		return "the base branch is none of review.base_branches"
	}
	return ""
}

// facts turns what GitHub said into the facts of a review.
func (g pullFacts) facts(r ActionRequest, m *memoryFacts, problem string) facts {
	change := g.files.Change(g.pull)
	f := facts{
		change: change, settings: g.settings, trust: g.trust, tenant: g.tenant, memory: m, memoryProblem: problem,
		storeBroken: r.Memory != nil && problem != "",
		repo: &contract.RepoScope{
			RepoID: g.repository.ID, Owner: g.repository.Owner, Name: g.repository.Name,
			Visibility: g.repository.Visibility, DefaultBranch: g.repository.DefaultBranch,
		},
		branch: &contract.BranchScope{
			BaseRef: g.pull.Base.Name, HeadRef: g.pull.Head.Name,
			SameRepo: g.pull.Head.RepoID != 0 && g.pull.Head.RepoID == g.pull.Base.RepoID,
		},
		cloneURL: fmt.Sprintf("https://github.com/%s/%s.git", g.repository.Owner, g.repository.Name),
		now:      r.Now, pull: g.pull.Number, through: memory.Through{Kind: r.Trigger.Name, URL: r.RunURL},
		noMemory: slices.Contains(g.pull.Labels, g.settings.Familiar.Labels.NoMemory),
		contents: func(ctx context.Context, path string) ([]byte, bool) {
			data, ok, err := r.Client.FileAt(ctx, path, g.pull.Head.SHA)
			return data, ok && err == nil
		},
	}
	if r.Trigger.Sender != nil {
		f.operator = memory.Principal{ID: r.Trigger.Sender.ID, Login: r.Trigger.Sender.Login}
	}
	if g.settings.broken {
		f.memory, f.memoryProblem = nil, ConfigPath+" is broken"
	}
	return f
}
