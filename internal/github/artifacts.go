package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/go-github/v62/github"
)

// Artifact is an artifact of the repository. Forks share its list: only the
// two repository ids tell where it comes from.
type Artifact struct {
	ID               int64
	Name             string
	Size             int64
	Digest           string // "sha256:<hex>" as GitHub gives it; "" where it gives none
	Expired          bool
	CreatedAt        time.Time
	ExpiresAt        time.Time
	RunID            int64 // 0: GitHub names no run
	RepositoryID     int64
	HeadRepositoryID int64 // 0: null or missing
	HeadBranch       string
	HeadSHA          string
}

// artifactWire adds the digest, which the library leaves out.
type artifactWire struct {
	github.Artifact
	Digest string `json:"digest"`
}

func (w *artifactWire) artifact() Artifact {
	run := w.WorkflowRun
	if run == nil {
		run = &github.ArtifactWorkflowRun{}
	}
	return Artifact{
		ID: w.GetID(), Name: w.GetName(), Size: w.GetSizeInBytes(), Digest: w.Digest, Expired: w.GetExpired(),
		CreatedAt: at(w.GetCreatedAt()), ExpiresAt: at(w.GetExpiresAt()), RunID: run.GetID(), RepositoryID: run.GetRepositoryID(),
		HeadRepositoryID: run.GetHeadRepositoryID(), HeadBranch: run.GetHeadBranch(), HeadSHA: run.GetHeadSHA(),
	}
}

// Artifacts lists the artifacts of exactly this name, expired ones too, all
// pages; more than Limits.Pages is an error (A9), as is any page that fails:
// a failed listing is never an empty one (A8).
func (c *Client) Artifacts(ctx context.Context, name string) ([]Artifact, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("listing the artifacts named %q", name), permission: "actions: read"})
	all, err := pages(ctx, c, c.lim.Pages, func(w *artifactWire) int64 { return w.GetID() }, func(ctx context.Context, o github.ListOptions) ([]*artifactWire, *github.Response, error) {
		var out struct {
			Total     *int            `json:"total_count"`
			Artifacts []*artifactWire `json:"artifacts"`
		}
		resp, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/actions/artifacts?name=%s&per_page=%d&page=%d", c.owner, c.name, url.QueryEscape(name), o.PerPage, o.Page), &out)
		if err == nil && out.Total == nil {
			err = invalid(ctx, "the answer is no list of artifacts", "Check GITHUB_API_URL.")
		}
		return out.Artifacts, resp, err
	})
	if err != nil {
		return nil, err
	}
	out := make([]Artifact, 0, len(all))
	for _, w := range all {
		if w.GetName() == name {
			out = append(out, w.artifact())
		}
	}
	return out, nil
}

// Artifact returns one artifact. One that is not there is kind NotFound.
func (c *Client) Artifact(ctx context.Context, id int64) (Artifact, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading artifact %d", id), permission: "actions: read"})
	var w artifactWire
	if _, err := c.get(ctx, fmt.Sprintf("repos/%s/%s/actions/artifacts/%d", c.owner, c.name, id), &w); err != nil {
		return Artifact{}, err
	}
	if w.GetID() != id {
		return Artifact{}, invalid(ctx, "the answer is another artifact", "Run it again.")
	}
	return w.artifact(), nil
}

// ArtifactZip downloads an artifact as it was uploaded, at most
// Limits.ArtifactBytes, counted as they come. GitHub answers with a signed
// address of another host; it is fetched without any credentials and stays
// out of every text. An expired one is kind Gone, a deleted one NotFound.
func (c *Client) ArtifactZip(ctx context.Context, id int64) ([]byte, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("downloading artifact %d", id), permission: "actions: read", keepRedirect: true})
	return c.signed(ctx, fmt.Sprintf("repos/%s/%s/actions/artifacts/%d/zip", c.owner, c.name, id))
}

// signed downloads what a path of the API answers with a signed address for.
func (c *Client) signed(ctx context.Context, path string) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		where, err := c.signedAddress(ctx, path)
		if err != nil {
			return nil, err
		}
		data, again, err := c.fetchSigned(ctx, where)
		if err == nil || !again || attempt >= c.lim.Attempts {
			return data, err
		}
		// A signed address lives a minute: each attempt asks for a new one.
		if c.guard.sleep(ctx, c.guard.pause(attempt-1)) != nil {
			return nil, cancelled(ctx)
		}
	}
}

func (c *Client) signedAddress(ctx context.Context, path string) (*url.URL, error) {
	req, err := c.gh.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return nil, asError(ctx, err)
	}
	resp, err := c.api.Do(req.WithContext(ctx))
	if err != nil {
		return nil, asError(ctx, err)
	}
	defer resp.Body.Close()
	where, err := url.Parse(resp.Header.Get("Location"))
	switch {
	case resp.StatusCode != http.StatusFound || err != nil || where.Host == "":
		return nil, invalid(ctx, "GitHub's answer names no place to download from", "Run it again.")
	case where.Scheme != "https" && !(where.Scheme == "http" && loopback(where.Hostname()) && c.base.Scheme == "http"):
		return nil, invalid(ctx, "GitHub's answer leads to an address that is not https", "Run it again.")
	}
	return where, nil
}

// fetchSigned downloads once; again says whether another try may help.
func (c *Client) fetchSigned(ctx context.Context, where *url.URL) (data []byte, again bool, err error) {
	inner, cancel := context.WithTimeout(ctx, 4*c.lim.Attempt)
	defer cancel()
	req, err := http.NewRequestWithContext(inner, http.MethodGet, where.String(), nil)
	if err != nil {
		return nil, false, invalid(ctx, "GitHub's answer names no place to download from", "Run it again.")
	}
	req.Header.Set("User-Agent", c.gh.UserAgent)
	resp, err := c.bare.Do(req)
	if err != nil {
		return nil, true, c.downloadFailed(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		e := failure(call{op: callOf(ctx).op}, resp.StatusCode, http.Header{}, "")
		e.Detail = fmt.Sprintf("the artifact store answered %d", resp.StatusCode)
		if e.Kind == Forbidden || isRedirect(resp.StatusCode) {
			e.Kind, e.Fix = Unavailable, "Run it again."
		}
		return nil, momentary(resp.StatusCode) || resp.StatusCode == 403 || resp.StatusCode == 429, e
	}
	data, err = readSized(resp.Body, c.lim.ArtifactBytes, resp.ContentLength)
	if errors.Is(err, errTooLarge) {
		return nil, false, &Error{Kind: TooLarge, Op: callOf(ctx).op, Detail: fmt.Sprintf("it has more than %d bytes", c.lim.ArtifactBytes), Fix: "Delete it, or restore a smaller snapshot."}
	}
	if err != nil {
		return nil, true, c.downloadFailed(ctx, err)
	}
	return data, false, nil
}

func (c *Client) downloadFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	return &Error{Kind: Unavailable, Op: callOf(ctx).op, Detail: "the connection to the artifact store failed: " + shown(reason(err), c.guard.secret, 200),
		Fix: "Run it again; a runner behind a proxy has to reach *.blob.core.windows.net."}
}

// DeleteArtifact deletes an artifact; one that is gone is deleted.
func (c *Client) DeleteArtifact(ctx context.Context, id int64) error {
	ctx = with(ctx, call{op: fmt.Sprintf("deleting artifact %d", id), permission: "actions: write"})
	_, err := c.gh.Actions.DeleteArtifact(ctx, c.owner, c.name, id)
	return deleted(ctx, err)
}
