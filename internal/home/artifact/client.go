package artifact

import (
	"context"
	"errors"
	"time"
)

// What a Client and an Uploader say through errors.Is; any other error is a
// failure of the moment or of a permission.
var (
	// ErrGone: deleted or expired (404, 410).
	ErrGone = errors.New("the artifact is gone")
	// ErrTooLarge: more than MaxBytes, counted as it came.
	ErrTooLarge = errors.New("the artifact is too large")
	// ErrForbidden: the token lacks the permission for it (403).
	ErrForbidden = errors.New("the token may not do that")
	// ErrTaken: this run has an artifact of that name (409).
	ErrTaken = errors.New("this run already has an artifact of that name")
	// ErrUncertain: the upload may have succeeded although its last answer was
	// lost; the listing tells.
	ErrUncertain = errors.New("whether the upload was taken is not known")
)

// Client is what this home asks of the REST API.
type Client interface {
	// Artifacts lists those of exactly this name, all pages, or fails.
	Artifacts(ctx context.Context, name string) ([]Artifact, error)
	// Zip downloads one as it was uploaded. ErrGone, ErrTooLarge.
	Zip(ctx context.Context, id int64) ([]byte, error)
	// Run tells about a workflow run. ErrGone.
	Run(ctx context.Context, id int64) (Run, error)
	// OnBranch tells whether a commit lies on the branch, not on a tag of its
	// name.
	OnBranch(ctx context.Context, commit, branch string) (bool, error)
	// Delete deletes one; one that is gone is deleted. ErrForbidden.
	Delete(ctx context.Context, id int64) error
}

// Uploader is what this home asks of the results service.
type Uploader interface {
	// Upload stores an artifact of the running job. ErrTaken, ErrUncertain.
	Upload(ctx context.Context, name string, data []byte) (id int64, err error)
	// Remove deletes this run's artifact of that name.
	Remove(ctx context.Context, name string) error
}

// Artifact is one artifact as REST lists it.
type Artifact struct {
	ID               int64
	Name             string
	Size             int64
	Digest           string // "sha256:<hex>", "" where GitHub gives none
	Expired          bool
	CreatedAt        time.Time
	ExpiresAt        time.Time
	RunID            int64 // 0: no run is named
	RepositoryID     int64
	HeadRepositoryID int64 // 0: null or missing
}

// Run is a workflow run, as far as provenance goes.
type Run struct {
	ID           int64
	RepositoryID int64
	Path         string // of the workflow file, without "@ref"
	Event        string
	HeadBranch   string
	HeadSHA      string
}
