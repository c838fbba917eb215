package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/health"
	"github.com/familiarhq/familiar/internal/home/artifact"
)

// remote asks GitHub what it says of the repository, side by side. What a
// token may not see costs that fact alone.
func (d *doctor) remote(ctx context.Context) {
	c := d.r.Client
	repo, err := c.Repository(ctx)
	if err != nil {
		d.add([]health.Finding{{
			Check: health.CheckAccess, Severity: health.Warning, Message: "GitHub was asked, and did not tell about this repository.",
			Reason: oneLineOf(err.Error()), Fix: "Check the token, and that origin is the repository on GitHub; what follows is from the files alone.",
		}})
		return
	}
	d.visibility = repo.Visibility
	d.report.Repository = repo.Owner + "/" + repo.Name
	f := health.RemoteFacts{
		Now: d.r.Now, Repository: d.report.Repository, Visibility: repo.Visibility, DefaultBranch: repo.DefaultBranch,
		Workflows: d.workflows, Config: d.config,
	}
	names := artifact.Names(repo.ID)
	var containers [2]health.Known[[]github.Artifact]
	tasks := []func(context.Context) error{
		asked(&f.Labels, func(ctx context.Context) ([]string, error) {
			labels, err := c.Labels(ctx)
			var out []string
			for _, l := range labels {
				out = append(out, l.Name)
			}
			return out, err
		}),
		asked(&f.RepoSecrets, func(ctx context.Context) ([]string, error) { return c.Secrets(ctx, "") }),
		asked(&f.States, c.WorkflowStates),
		asked(&f.Policy, func(ctx context.Context) (health.ActionsPolicy, error) {
			p, err := c.ActionsPolicy(ctx)
			return health.ActionsPolicy{Enabled: p.Enabled, Allowed: p.Allowed, Patterns: p.Patterns}, err
		}),
		asked(&f.Environments, d.environments),
	}
	for i, name := range names {
		tasks = append(tasks, asked(&containers[i], func(ctx context.Context) ([]github.Artifact, error) { return c.Artifacts(ctx, name) }))
	}
	// Every task remembers its own failure, so that none ends the others.
	_ = c.Gather(ctx, tasks...)
	f.Containers = ownContainers(containers, repo.ID)
	d.add(health.Remote(f))
}

// asked makes a task of a question: its answer, or why there is none.
func asked[T any](to *health.Known[T], ask func(context.Context) (T, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		v, err := ask(ctx)
		if err != nil {
			*to = health.Known[T]{Why: refusedFact(err)}
			return nil
		}
		*to = health.Is(v)
		return nil
	}
}

// refusedFact says in short why GitHub did not tell something.
func refusedFact(err error) string {
	var e *github.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	switch {
	case e.Kind == github.Forbidden || e.Kind == github.Unauthorised || e.Kind == github.NotFound:
		return fmt.Sprintf("the token may not see it (%s)", e.Op)
	}
	return fmt.Sprintf("%s failed: %s", e.Op, e.Detail)
}

// environments reads those that jobs with the key name.
func (d *doctor) environments(ctx context.Context) ([]health.Environment, error) {
	var out []health.Environment
	var mu sync.Mutex
	var tasks []func(context.Context) error
	for _, name := range health.KeyedEnvironments(d.workflows) {
		tasks = append(tasks, func(ctx context.Context) error {
			e, err := d.environment(ctx, name)
			mu.Lock()
			defer mu.Unlock()
			out = append(out, e)
			return err
		})
	}
	err := d.r.Client.Gather(ctx, tasks...)
	return out, err
}

func (d *doctor) environment(ctx context.Context, name string) (health.Environment, error) {
	e, err := d.r.Client.Environment(ctx, name)
	if github.KindOf(err) == github.NotFound {
		return health.Environment{Name: name, Missing: true}, nil
	}
	if err != nil {
		return health.Environment{}, err
	}
	out := health.Environment{Name: name, Restricted: e.Restricted, Protected: e.Protected, Branches: e.Branches}
	err = asked(&out.Secrets, func(ctx context.Context) ([]string, error) { return d.r.Client.Secrets(ctx, name) })(ctx)
	return out, err
}

// ownContainers are the artifacts of our names that this repository's runs
// made.
func ownContainers(listed [2]health.Known[[]github.Artifact], repositoryID int64) health.Known[[]health.Container] {
	out := []health.Container{}
	for _, l := range listed {
		if !l.OK {
			return health.Known[[]health.Container]{Why: l.Why}
		}
		for _, a := range l.Value {
			if a.RepositoryID == repositoryID && a.HeadRepositoryID == repositoryID {
				out = append(out, health.Container{ID: a.ID, Created: a.CreatedAt, Expires: a.ExpiresAt, Expired: a.Expired})
			}
		}
	}
	return health.Is(out)
}
