package github

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/event"
)

// Repository returns the repository's numeric id, its owner's, its canonical
// names, default branch and visibility, live. A visibility that GitHub does
// not tell follows the private flag.
func (c *Client) Repository(ctx context.Context) (event.Repository, error) {
	ctx = with(ctx, call{op: "reading the repository " + c.owner + "/" + c.name, permission: "metadata: read"})
	r, _, err := c.gh.Repositories.Get(ctx, c.owner, c.name)
	if err != nil {
		return event.Repository{}, asError(ctx, err)
	}
	if r.GetID() <= 0 || r.GetOwner().GetLogin() == "" {
		return event.Repository{}, invalid(ctx, "the answer is no repository", "Check GITHUB_API_URL.")
	}
	return repository(r), nil
}

// repository is a repository as event.Repository holds it. A visibility that
// contradicts the private flag, or that is not known, is the one that opens
// the least.
func repository(r *github.Repository) event.Repository {
	out := event.Repository{
		ID: r.GetID(), Owner: r.GetOwner().GetLogin(), OwnerID: r.GetOwner().GetID(), Name: r.GetName(),
		DefaultBranch: r.GetDefaultBranch(), Private: r.GetPrivate(), Visibility: r.GetVisibility(),
	}
	switch {
	case out.Visibility == "" && out.Private:
		out.Visibility = "private"
	case out.Visibility == "", !out.Private && out.Visibility != "internal":
		out.Visibility = "public"
	}
	return out
}

// BranchHead returns the commit a branch points to. Unlike a bare name, it is
// never a tag of the same name. An unknown branch is an *Error of kind
// NotFound.
func (c *Client) BranchHead(ctx context.Context, branch string) (string, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading the head of branch %q", shown(branch, "", 120)), permission: "contents: read"})
	if branch == "" || strings.Contains(branch, "..") || len(branch) > 255 {
		return "", invalid(ctx, "it is no name of a branch", "Give the branch's name without refs/heads/.")
	}
	var ref struct {
		Ref    string `json:"ref"`
		Object struct {
			SHA string `json:"sha"`
		} `json:"object"`
	}
	path := fmt.Sprintf("repos/%s/%s/git/ref/heads/%s", c.owner, c.name, escapePath(branch))
	if _, err := c.get(ctx, path, &ref); err != nil {
		return "", err
	}
	if ref.Ref != "refs/heads/"+branch || !shaForm.MatchString(ref.Object.SHA) {
		return "", invalid(ctx, "the answer names another ref", "Run it again.")
	}
	return ref.Object.SHA, nil
}

func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// FileAt returns a file's content at a commit, branch or tag; ok is false and
// there is no error where no file is. At most Limits.FileBytes: more is kind
// TooLarge. A folder, link or submodule is kind Invalid: it is no file.
func (c *Client) FileAt(ctx context.Context, path, ref string) (content []byte, ok bool, err error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading %q at %s", shown(path, "", 200), shown(ref, "", 100)), permission: "contents: read",
		maxBytes: c.lim.FileBytes*3/2 + 64<<10}) // base64 and the other fields
	if path == "" || strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") || strings.Contains(path, "..") {
		return nil, false, invalid(ctx, "it is no path inside the repository", "Give it from the repository's root, without a leading slash and without `..`.")
	}
	file, _, _, err := c.gh.Repositories.GetContents(ctx, c.owner, c.name, path, &github.RepositoryContentGetOptions{Ref: ref})
	if err = asError(ctx, err); err != nil {
		if KindOf(err) == NotFound {
			return nil, false, nil
		}
		return nil, false, err
	}
	switch {
	case file == nil:
		return nil, false, invalid(ctx, "it is a folder", "Name a file.")
	case file.GetType() != "file":
		return nil, false, invalid(ctx, "it is no regular file but a "+shown(file.GetType(), "", 20), "Put a regular file there.")
	case int64(file.GetSize()) > c.lim.FileBytes || file.GetEncoding() == "none":
		return nil, false, &Error{Kind: TooLarge, Op: callOf(ctx).op, Detail: fmt.Sprintf("it has %d bytes, more than %d", file.GetSize(), c.lim.FileBytes), Fix: "Make it smaller."}
	}
	content, err = decodeContent(file)
	if err != nil {
		return nil, false, invalid(ctx, "its content cannot be decoded", "Run it again.")
	}
	return content, true, nil
}

func decodeContent(f *github.RepositoryContent) ([]byte, error) {
	if f.Content == nil {
		return nil, fmt.Errorf("no content")
	}
	if f.GetEncoding() != "base64" {
		return []byte(*f.Content), nil
	}
	return base64.StdEncoding.DecodeString(strings.NewReplacer("\n", "", "\r", "").Replace(*f.Content))
}

// Comparison says how one commit stands to another.
type Comparison struct {
	Status    string // "ahead", "behind", "identical", "diverged": head seen from base
	AheadBy   int
	BehindBy  int
	MergeBase string
	// Files are the paths that differ between the merge base and head, with
	// the old names of those that moved; AllFiles says that none is missing.
	Files    []string
	AllFiles bool
}

// maxComparedFiles is how many files GitHub lists of a comparison.
const maxComparedFiles = 300

// Compare compares two commits, branches or tags of the repository.
func (c *Client) Compare(ctx context.Context, base, head string) (Comparison, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("comparing %s with %s", shown(base, "", 100), shown(head, "", 100)), permission: "contents: read"})
	if base == "" || head == "" || strings.Contains(base+head, "..") {
		return Comparison{}, invalid(ctx, "a side of the comparison is no ref", "Give two commits or branches.")
	}
	cmp, _, err := c.gh.Repositories.CompareCommits(ctx, c.owner, c.name, base, head, &github.ListOptions{PerPage: 1})
	if err != nil {
		return Comparison{}, asError(ctx, err)
	}
	out := Comparison{Status: cmp.GetStatus(), AheadBy: cmp.GetAheadBy(), BehindBy: cmp.GetBehindBy(), MergeBase: cmp.GetMergeBaseCommit().GetSHA(), AllFiles: len(cmp.Files) < maxComparedFiles}
	for _, f := range cmp.Files {
		out.Files = append(out.Files, f.GetFilename())
		if old := f.GetPreviousFilename(); old != "" {
			out.Files = append(out.Files, old)
		}
	}
	return out, nil
}

// MergeBase is where head left base: a commit, or an error that is NotFound
// where the two have nothing in common. It asks for the second page of the
// commits between them, which has none of the files.
func (c *Client) MergeBase(ctx context.Context, base, head string) (string, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("finding where %s left %s", shown(head, "", 100), shown(base, "", 100)), permission: "contents: read"})
	if !shaForm.MatchString(base) || !shaForm.MatchString(head) {
		return "", invalid(ctx, "a side of the comparison is no commit", "Give two commits.")
	}
	cmp, _, err := c.gh.Repositories.CompareCommits(ctx, c.owner, c.name, base, head, &github.ListOptions{Page: 2, PerPage: 1})
	if err != nil {
		return "", asError(ctx, err)
	}
	sha := cmp.GetMergeBaseCommit().GetSHA()
	if !shaForm.MatchString(sha) {
		return "", invalid(ctx, "the answer names no commit", "Run it again.")
	}
	return sha, nil
}

// IsAncestor tells whether a commit is of, or comes before it. A commit that
// the repository does not have is no ancestor of anything.
func (c *Client) IsAncestor(ctx context.Context, commit, of string) (bool, error) {
	if commit == of {
		return true, nil
	}
	cmp, err := c.Compare(ctx, commit, of)
	if KindOf(err) == NotFound {
		return false, nil
	}
	return err == nil && (cmp.Status == "ahead" || cmp.Status == "identical"), err
}

// OnBranch tells whether a commit lies on a branch: not on a tag that has its
// name (A3).
func (c *Client) OnBranch(ctx context.Context, commit, branch string) (bool, error) {
	if !shaForm.MatchString(commit) {
		return false, nil
	}
	head, err := c.BranchHead(ctx, branch)
	if err != nil {
		return false, err
	}
	return c.IsAncestor(ctx, commit, head)
}
