package cli

import (
	"context"
	"errors"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/home/artifact"
)

// restArtifacts lets the artifact home ask the REST client: two adapters
// that know nothing of each other.
type restArtifacts struct{ c *github.Client }

func (r restArtifacts) Artifacts(ctx context.Context, name string) ([]artifact.Artifact, error) {
	list, err := r.c.Artifacts(ctx, name)
	var out []artifact.Artifact
	for _, a := range list {
		out = append(out, artifact.Artifact{
			ID: a.ID, Name: a.Name, Size: a.Size, Digest: a.Digest, Expired: a.Expired, CreatedAt: a.CreatedAt, ExpiresAt: a.ExpiresAt,
			RunID: a.RunID, RepositoryID: a.RepositoryID, HeadRepositoryID: a.HeadRepositoryID,
		})
	}
	return out, err
}

func (r restArtifacts) Zip(ctx context.Context, id int64) ([]byte, error) {
	data, err := r.c.ArtifactZip(ctx, id)
	return data, translated(err)
}

func (r restArtifacts) Run(ctx context.Context, id int64) (artifact.Run, error) {
	run, err := r.c.WorkflowRun(ctx, id)
	return artifact.Run{
		ID: run.ID, RepositoryID: run.RepositoryID, Path: run.Path, Event: run.Event, HeadBranch: run.HeadBranch, HeadSHA: run.HeadSHA,
	}, translated(err)
}

func (r restArtifacts) OnBranch(ctx context.Context, commit, branch string) (bool, error) {
	return r.c.OnBranch(ctx, commit, branch)
}

func (r restArtifacts) Delete(ctx context.Context, id int64) error {
	return translated(r.c.DeleteArtifact(ctx, id))
}

// refusedArtifact is GitHub's refusal in its own words, which name the
// permission.
type refusedArtifact struct{ error }

func (r refusedArtifact) Unwrap() []error { return []error{r.error, artifact.ErrForbidden} }

// translated says in the home's words what happened.
func translated(err error) error {
	switch github.KindOf(err) {
	case github.Gone, github.NotFound:
		return errors.Join(artifact.ErrGone, err)
	case github.Forbidden:
		return refusedArtifact{err}
	case github.TooLarge:
		return errors.Join(artifact.ErrTooLarge, err)
	}
	return err
}

// reviewRecords lets the use cases keep and find records of reviews.
type reviewRecords struct{ *artifact.Reviews }

// recordsOf are the records beside the containers of a home; service is nil
// away from a running job, where they can only be found.
func recordsOf(h *artifact.Home, service *artifact.Service) app.Records {
	if service == nil {
		return reviewRecords{artifact.NewReviews(h, nil)}
	}
	return reviewRecords{artifact.NewReviews(h, service)}
}

func (r reviewRecords) Find(ctx context.Context, name string) ([]app.FoundRecord, error) {
	found, err := r.Reviews.Find(ctx, name)
	out := make([]app.FoundRecord, 0, len(found))
	for _, f := range found {
		out = append(out, app.FoundRecord(f))
	}
	return out, err
}
