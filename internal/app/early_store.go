package app

import (
	"context"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/trust"
	"github.com/familiarhq/familiar/internal/vault"
)

// earlyStore fetches the sealed store beside everything else that a run asks:
// whose store it is, the event says, and settle holds that against GitHub's
// answers before anything is read from it. An App's tenant is not known that
// early; then the store is fetched when it is.
type earlyStore struct {
	r        ActionRequest
	early    bool
	labelled []github.Issue // with the dashboard's label
	// After settle: whose the store is, why, and what is wrong with it for
	// this run ("" if nothing).
	tenant  *contract.TenantScope
	why     trust.Reason
	problem string
	board   dashboardIssue // number 0: there is none
}

func newEarlyStore(r ActionRequest) *earlyStore {
	s := &earlyStore{r: r}
	hint := r.Trigger.Repository
	if s.early = r.Memory != nil && !r.AppAuth && hint.ID != 0 && hint.OwnerID != 0; s.early {
		tenant, _ := policy.ResolveTenant(tenantFacts(r, hint, installation{}))
		r.Memory.Identity = storeIdentity(hint, tenant)
	}
	return s
}

// open fetches the store now, if the event tells whose. Why it cannot be used
// is remembered, and told where it would be used.
func (s *earlyStore) open(ctx context.Context) error {
	if s.early {
		_ = s.r.Memory.open(ctx)
	}
	return nil
}

// boards asks for the dashboard, whose hidden floor guards more than a thread's
// own (page 5.3). The budget of calls leaves a look at a pull request no room
// for it (decision 0014). A token that may not ask has the thread's floor.
func (s *earlyStore) boards(ctx context.Context) (err error) {
	switch {
	case s.r.Memory == nil:
		return nil
	case s.r.around != nil:
		s.labelled = s.r.around.labelled
		return nil
	}
	s.labelled, err = s.r.Client.LabelledIssues(ctx, dashboardLabel)
	if github.KindOf(err) == github.Forbidden {
		return nil
	}
	return err
}

// openLate fetches it when all is known, unless it was fetched.
func (s *earlyStore) openLate(repo event.Repository, inst installation) func(context.Context) error {
	if s.r.Memory == nil || s.early {
		return func(context.Context) error { return nil }
	}
	tenant, _ := policy.ResolveTenant(tenantFacts(s.r, repo, inst))
	s.r.Memory.Identity = storeIdentity(repo, tenant)
	return func(ctx context.Context) error {
		_ = s.r.Memory.open(ctx) // as above
		return nil
	}
}

// settle says whose store it is by what GitHub answered, and holds against it
// the floors of a comment of ours and of the dashboard.
func (s *earlyStore) settle(repo event.Repository, inst installation, state State) {
	s.tenant, s.why = policy.ResolveTenant(tenantFacts(s.r, repo, inst))
	if s.r.Memory == nil {
		return
	}
	if s.r.Memory.Identity != storeIdentity(repo, s.tenant) {
		s.problem = "the event names another repository or owner than GitHub does now; run it again"
		return
	}
	s.board = findDashboard(s.labelled, s.r.Keys, inst.author(s.r), repo)
	for _, f := range []Floor{state.Floor, s.board.floor} {
		s.r.Memory.Heed(vault.Floor{Generation: f.Generation, Digest: f.Digest})
	}
}

// floorOf is the floor that a run leaves behind.
func floorOf(v *Vaulted) Floor {
	if v == nil {
		return Floor{}
	}
	seen := v.Seen()
	return Floor{Generation: seen.Generation, Digest: seen.Digest}
}

// installation is what GitHub says of the App's installation here; zero where
// a token acts.
type installation struct {
	id      int64
	slug    string
	failure string
}

func appInstallation(ctx context.Context, c *github.Client, r ActionRequest) installation {
	if !r.AppAuth {
		return installation{}
	}
	id, slug, err := c.Installation(ctx)
	if err != nil {
		return installation{failure: err.Error()}
	}
	return installation{id: id, slug: slug}
}

// author is the login under which we comment.
func (i installation) author(r ActionRequest) string {
	if i.slug != "" {
		return i.slug + "[bot]"
	}
	return r.Author
}

func tenantFacts(r ActionRequest, repo event.Repository, inst installation) policy.TenantFacts {
	return policy.TenantFacts{
		AppAuth: r.AppAuth, AppInstallation: inst.id, AppFailure: inst.failure,
		PayloadInstall: r.Trigger.InstallationID, InputInstallation: r.InputInstallation,
		AccountID: repo.OwnerID, AccountLogin: repo.Owner,
	}
}

// storeIdentity is whose store it is: the numeric id decides.
func storeIdentity(repo event.Repository, tenant *contract.TenantScope) store.Identity {
	id := store.Identity{RepositoryID: repo.ID, Owner: repo.Owner, Name: repo.Name}
	if tenant != nil {
		id.InstallationID = tenant.InstallationID
	}
	return id
}

// identified sees to it that the memory knows whose it is before anything is
// asked of it, in a run that gathers no thread first.
func identified(ctx context.Context, r ActionRequest) error {
	if r.Memory.Identity.RepositoryID != 0 {
		return nil
	}
	s := newEarlyStore(r)
	if s.early {
		return nil
	}
	repo, err := r.Client.Repository(ctx)
	if err != nil {
		return err
	}
	return s.openLate(repo, appInstallation(ctx, r.Client, r))(ctx)
}
