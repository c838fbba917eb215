package githubtest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// GitHub's limits on what it shows of a pull request.
const (
	maxFiles     = 3000    // files that the list route ever names
	maxDiffFiles = 300     // files that the diff media type takes
	maxDiffLines = 20_000  // lines that it takes
	maxPatch     = 500_000 // bytes of one file's patch in the list
)

// pull finds the pull request that a route names.
func (s *Server) pull(q *request) (*thread, bool) {
	th := q.repo.threads[int(q.num("pull_number"))]
	return th, th != nil && th.pull != nil
}

func (s *Server) getPull(q *request) reply {
	th, found := s.pull(q)
	if !found {
		return notFound()
	}
	switch media(q) {
	case "diff":
		return diffReply(th.pull.files)
	case "json":
		return ok(s.fullPullShape(th))
	}
	s.violate("%s: Accept %q", q.route.name(), q.Header.Get("Accept"))
	return fail(http.StatusUnsupportedMediaType, "Unsupported 'Accept' header.")
}

// media is what a request wants to have: json, diff, raw, or the Accept
// header itself if it is none of these.
func media(q *request) string {
	for _, a := range strings.Split(cmp.Or(q.Header.Get("Accept"), "*/*"), ",") {
		a, _, _ = strings.Cut(strings.TrimSpace(a), ";")
		switch a {
		case "application/vnd.github.diff", "application/vnd.github.v3.diff":
			return "diff"
		case "application/vnd.github.raw", "application/vnd.github.v3.raw", "application/vnd.github.raw+json", "application/vnd.github.v3.raw+json":
			return "raw"
		case "application/json", "application/vnd.github+json", "application/vnd.github.v3+json", "*/*":
			return "json"
		case "application/vnd.github.squirrel-girl-preview", "application/vnd.github.groot-preview+json",
			"application/vnd.github.groot-preview", "application/vnd.github.machine-man-preview+json":
			return "json"
		}
	}
	return q.Header.Get("Accept")
}

func diffReply(files []File) reply {
	text := Unified(files)
	long := strings.Count(text, "\n") > maxDiffLines
	tooLarge := func(what string) reply {
		return fail(http.StatusNotAcceptable, "Sorry, the diff exceeded the maximum number of "+what,
			object{"resource": "PullRequest", "field": "diff", "code": "too_large"})
	}
	switch {
	case len(files) > maxDiffFiles:
		return tooLarge("files (300). Consider using 'List pull requests files' API or locally cloning the repository instead.")
	case long:
		return tooLarge("lines (20000)")
	}
	return reply{status: http.StatusOK, body: []byte(text),
		header: http.Header{"Content-Type": {"application/vnd.github.v3.diff; charset=utf-8"}}}
}

func (s *Server) listFiles(q *request) reply {
	th, found := s.pull(q)
	if !found {
		return notFound()
	}
	files := th.pull.files
	return listed(q, s, files[:min(len(files), maxFiles)], func(f File) any { return s.fileShape(q.repo, th.pull.headSHA, f) })
}

func (s *Server) fileShape(r *repo, sha string, f File) any {
	o := object{"sha": f.SHA, "filename": f.Path, "status": f.Status, "additions": f.Additions,
		"deletions": f.Deletions, "changes": f.Additions + f.Deletions,
		"blob_url":     fmt.Sprintf("https://github.com/%s/blob/%s/%s", r.FullName(), sha, f.Path),
		"raw_url":      fmt.Sprintf("https://github.com/%s/raw/%s/%s", r.FullName(), sha, f.Path),
		"contents_url": fmt.Sprintf("%s/repos/%s/contents/%s?ref=%s", s.api.URL, r.FullName(), f.Path, sha)}
	if f.Previous != "" {
		o["previous_filename"] = f.Previous
	}
	if f.Patch != "" && len(f.Patch) <= maxPatch && strings.Count(f.Patch, "\n") <= maxDiffLines {
		o["patch"] = f.Patch
	}
	return o
}

func (s *Server) listPulls(q *request) reply {
	v := q.URL.Query()
	state := cmp.Or(v.Get("state"), "open")
	var out []*thread
	for _, th := range q.repo.sorted() {
		p := th.pull
		if p == nil || state != "all" && th.state != state {
			continue
		}
		if h := v.Get("head"); h != "" && h != p.headOwner.Login+":"+p.headRef || v.Get("base") != "" && v.Get("base") != p.baseRef {
			continue
		}
		out = append(out, th)
	}
	return listed(q, s, order(out, v.Get("sort"), v.Get("direction")), s.pullShape)
}

// sorted are a repository's threads by number.
func (r *repo) sorted() []*thread {
	var out []*thread
	for _, th := range r.threads {
		out = append(out, th)
	}
	slices.SortFunc(out, func(a, b *thread) int { return a.number - b.number })
	return out
}

func order(all []*thread, by, direction string) []*thread {
	slices.SortStableFunc(all, func(a, b *thread) int {
		if by == "updated" {
			return a.updated.Compare(b.updated)
		}
		return a.created.Compare(b.created)
	})
	if direction != "asc" {
		slices.Reverse(all)
	}
	return all
}

// listCommitPulls lists the pull requests into this repository, open and
// closed, that ever had the commit as their head, forks' included.
func (s *Server) listCommitPulls(q *request) reply {
	sha := q.p["commit_sha"]
	if at, known := s.resolve(q.repo, sha); known {
		sha = at
	} else if len(sha) == 40 {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+sha)
	}
	var out []*thread
	for _, th := range q.repo.sorted() {
		if th.pull != nil && slices.Contains(th.pull.heads, sha) {
			out = append(out, th)
		}
	}
	return listed(q, s, out, s.pullShape)
}
