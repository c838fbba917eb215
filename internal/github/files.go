package github

import (
	"context"
	"fmt"

	"github.com/google/go-github/v62/github"

	"github.com/familiarhq/familiar/internal/diff"
)

// maxFiles is how many files GitHub lists of one pull request.
const maxFiles = diff.DefaultFiles

// beyondRoom is the omission of a file that comes after the most that is read.
var beyondRoom = fmt.Sprintf("the change is larger than %d MiB; this file was not read", diff.DefaultBytes>>20)

// emptyBlobs are git's names for no bytes at all, by SHA-1 and SHA-256.
var emptyBlobs = map[string]bool{
	"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391":                         true,
	"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813": true,
}

// PullFiles are the changed files of a pull request as GitHub lists them.
type PullFiles struct {
	Files   []diff.File
	Omitted []diff.Omission // what could not be read whole, by name and reason
	Capped  bool            // GitHub had more to list than it does
}

// Change makes the change of a review of it, and says what the listing left
// out of the number of files that the pull request has.
func (f PullFiles) Change(p Pull) diff.Change {
	c := diff.Change{Base: p.Base.SHA, Head: p.Head.SHA, Title: p.Title, Files: f.Files, Omitted: f.Omitted}
	if missing := p.ChangedFiles - len(f.Files); missing > 0 {
		reason := fmt.Sprintf("GitHub lists %d of the %d changed files; %d were not read", len(f.Files), p.ChangedFiles, missing)
		c.Omitted = append(c.Omitted[:len(c.Omitted):len(c.Omitted)], diff.Omission{Reason: reason})
	} else if f.Capped {
		c.Omitted = append(c.Omitted[:len(c.Omitted):len(c.Omitted)], diff.Omission{Reason: fmt.Sprintf("GitHub lists the first %d changed files; the others were not read", len(f.Files))})
	}
	return c
}

// PullFiles lists the changed files with their hunks, at most 3,000. Where
// GitHub leaves out a file's hunks, or some of them, they are taken from the
// diff if GitHub gives that; what then is still missing is an omission.
func (c *Client) PullFiles(ctx context.Context, n int) (PullFiles, error) {
	inner := with(ctx, call{op: fmt.Sprintf("listing the files of pull request #%d", n), permission: "pull-requests: read"})
	listed, rest, err := somePages(inner, c, maxFiles/perPage, func(ctx context.Context, o github.ListOptions) ([]*github.CommitFile, *github.Response, error) {
		return c.gh.PullRequests.ListFiles(ctx, c.owner, c.name, n, &o)
	})
	if err != nil {
		return PullFiles{}, err
	}
	out := PullFiles{Capped: rest}
	short := map[int]string{} // index in Files -> what GitHub left out
	seen := map[string]bool{}
	room := int64(diff.DefaultBytes) // for the patches of all files together
	for _, f := range listed {
		if seen[f.GetFilename()] {
			continue // a page shift showed it twice
		}
		seen[f.GetFilename()] = true
		if room -= int64(len(f.GetPatch())); room < 0 {
			out.Files = append(out.Files, diff.File{Path: f.GetFilename(), Status: diff.Modified, Partial: beyondRoom})
			continue
		}
		file, missing := pullFile(f)
		if missing != "" {
			short[len(out.Files)] = missing
		}
		out.Files = append(out.Files, file)
	}
	if len(short) > 0 {
		c.complete(ctx, n, &out, short)
	}
	for _, f := range out.Files {
		if f.Partial != "" {
			out.Omitted = append(out.Omitted, diff.Omission{Path: f.Path, Reason: f.Partial})
		}
	}
	return out, nil
}

// pullFile reads one entry; missing says what GitHub left out of it.
func pullFile(f *github.CommitFile) (file diff.File, missing string) {
	status, err := diff.ParseStatus(f.GetStatus())
	if err != nil {
		status = diff.Modified
	}
	file = diff.File{Path: f.GetFilename(), Status: status}
	if status == diff.Renamed || status == diff.Copied {
		file.OldPath = f.GetPreviousFilename()
	}
	if f.GetPatch() == "" {
		file.Binary, missing = without(f, status)
		file.Partial = missing
		return file, missing
	}
	parsed, perr := diff.ParsePatch(file.Path, file.OldPath, status, f.GetPatch(), diff.Limits{})
	if perr != nil {
		file.Partial = "GitHub's patch of it cannot be read"
		return file, file.Partial
	}
	if parsed.Partial == "" {
		if got, want := changedLines(parsed), f.GetAdditions()+f.GetDeletions(); got < want {
			parsed.Partial = fmt.Sprintf("GitHub shows %d of its %d changed lines", got, want)
			missing = parsed.Partial
		}
	}
	if err != nil {
		parsed.Partial = "GitHub gives it a status that is not known: " + shown(f.GetStatus(), "", 40)
	}
	return parsed, missing
}

// without says what a file without a patch is: a binary, a file that is too
// large to be shown, or one whose text did not change.
func without(f *github.CommitFile, status diff.Status) (binary bool, missing string) {
	if lines := f.GetAdditions() + f.GetDeletions(); lines > 0 {
		return false, fmt.Sprintf("GitHub shows none of its %d changed lines", lines)
	}
	switch status {
	case diff.Renamed, diff.Copied:
		return false, ""
	case diff.Added, diff.Deleted:
		return !emptyBlobs[f.GetSHA()], ""
	}
	return f.GetStatus() == "modified", ""
}

func changedLines(f diff.File) int {
	n := 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != diff.Context {
				n++
			}
		}
	}
	return n
}

// complete takes from the diff what the listing left out. A diff that GitHub
// refuses, as it does for the largest, leaves the omissions as they are.
func (c *Client) complete(ctx context.Context, n int, out *PullFiles, short map[int]string) {
	files, _, err := c.PullDiff(ctx, n)
	if err != nil {
		return
	}
	byPath := make(map[string]diff.File, len(files))
	for _, f := range files {
		byPath[f.Path] = f
	}
	for i := range short {
		if f, ok := byPath[out.Files[i].Path]; ok && (f.Binary || changedLines(f) > changedLines(out.Files[i])) {
			out.Files[i] = f
		}
	}
}
