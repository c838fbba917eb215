package githubtest

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

// GitHub's limits on one file: above the first the JSON form comes without
// content, above the second nothing is delivered.
const (
	maxInline = 1 << 20
	maxRaw    = 100 << 20
)

// linkMark begins the content of a symbolic link in a file map.
const linkMark = "\x00link\x00"

// Link as a file's content makes it a symbolic link to a path.
func Link(target string) string { return linkMark + target }

func (s *Server) getContents(q *request) reply {
	ref := q.URL.Query().Get("ref")
	sha, known := s.resolve(q.repo, ref)
	if !known {
		return fail(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	name := strings.Trim(q.p["path"], "/")
	files := s.commits[sha].files
	content, isFile := files[name]
	if !isFile {
		return s.directory(q, files, name, sha)
	}
	if target, link := strings.CutPrefix(content, linkMark); link {
		to := path.Join(path.Dir(name), target)
		if within, exists := files[to]; exists && !strings.HasPrefix(target, "/") && !strings.HasPrefix(within, linkMark) {
			content = within // GitHub follows a link inside the repository
		} else {
			o := s.entry(q.repo, sha, name, "symlink", target)
			o["target"] = target
			return ok(o)
		}
	}
	return s.file(q, sha, name, content)
}

func (s *Server) file(q *request, sha, name, content string) reply {
	if len(content) > maxRaw {
		return fail(http.StatusForbidden, "This API returns blobs up to 100 MB in size.",
			object{"resource": "Blob", "field": "data", "code": "too_large"})
	}
	if media(q) == "raw" {
		return reply{status: http.StatusOK, body: []byte(content),
			header: http.Header{"Content-Type": {"application/vnd.github.raw+json; charset=utf-8"}}}
	}
	o := s.entry(q.repo, sha, name, "file", content)
	o["encoding"], o["content"] = "none", ""
	if len(content) <= maxInline {
		o["encoding"], o["content"] = "base64", wrapped(content)
	}
	return ok(o)
}

// wrapped is base64 in lines of 60 characters, as GitHub sends it.
func wrapped(content string) string {
	text := base64.StdEncoding.EncodeToString([]byte(content))
	var b strings.Builder
	for len(text) > 60 {
		b.WriteString(text[:60] + "\n")
		text = text[60:]
	}
	if text != "" {
		b.WriteString(text + "\n")
	}
	return b.String()
}

func (s *Server) entry(r *repo, sha, name, kind, content string) object {
	at := fmt.Sprintf("%s/repos/%s/contents/%s?ref=%s", s.api.URL, r.FullName(), name, sha)
	html := fmt.Sprintf("https://github.com/%s/blob/%s/%s", r.FullName(), sha, name)
	git := fmt.Sprintf("%s/repos/%s/git/blobs/%s", s.api.URL, r.FullName(), blobSHA(content))
	return object{"type": kind, "name": path.Base(name), "path": name, "sha": blobSHA(content), "size": len(content),
		"url": at, "html_url": html, "git_url": git, "download_url": html,
		"_links": object{"self": at, "html": html, "git": git}}
}

// directory lists what stands right below a path.
func (s *Server) directory(q *request, files map[string]string, name, sha string) reply {
	prefix := name + "/"
	if name == "" {
		prefix = ""
	}
	found := map[string]object{}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		rest, below := strings.CutPrefix(p, prefix)
		if !below {
			continue
		}
		child, _, deeper := strings.Cut(rest, "/")
		kind, content := "file", files[p]
		if strings.HasPrefix(content, linkMark) {
			kind = "symlink"
		}
		if deeper {
			kind, content = "dir", ""
		}
		found[child] = s.entry(q.repo, sha, prefix+child, kind, content)
	}
	if len(found) == 0 && name != "" {
		return notFound()
	}
	out := []object{}
	for _, child := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[child])
	}
	return ok(out)
}

func (s *Server) getRef(q *request) reply {
	sha, exists := q.repo.refs[q.p["ref"]]
	if !exists {
		return notFound()
	}
	return ok(object{"ref": "refs/" + q.p["ref"], "node_id": "",
		"url":    fmt.Sprintf("%s/repos/%s/git/refs/%s", s.api.URL, q.repo.FullName(), q.p["ref"]),
		"object": object{"type": "commit", "sha": sha, "url": fmt.Sprintf("%s/repos/%s/git/commits/%s", s.api.URL, q.repo.FullName(), sha)}})
}

func (s *Server) getCommit(q *request) reply {
	sha, known := s.resolve(q.repo, q.p["ref"])
	if !known {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+q.p["ref"])
	}
	return ok(s.commitShape(q.repo, sha))
}

func (s *Server) commitShape(r *repo, sha string) object {
	c := s.commits[sha]
	parents := []object{}
	for _, p := range c.parents {
		parents = append(parents, object{"sha": p, "url": fmt.Sprintf("%s/repos/%s/commits/%s", s.api.URL, r.FullName(), p)})
	}
	at := stamp(c.at)
	who := object{"name": "mara", "email": "mara@example.com", "date": at}
	return object{"sha": sha, "node_id": "C_" + sha[:12], "parents": parents,
		"url":      fmt.Sprintf("%s/repos/%s/commits/%s", s.api.URL, r.FullName(), sha),
		"html_url": fmt.Sprintf("https://github.com/%s/commit/%s", r.FullName(), sha),
		"commit":   object{"message": c.message, "author": who, "committer": who, "url": fmt.Sprintf("%s/repos/%s/git/commits/%s", s.api.URL, r.FullName(), sha)}}
}

// compare tells how head stands to base: identical, ahead, behind, diverged.
func (s *Server) compare(q *request) reply {
	base, head, two := strings.Cut(q.p["basehead"], "...")
	b, known := s.side(q.repo, base)
	h, alsoKnown := s.side(q.repo, head)
	if !two || !known || !alsoKnown {
		return notFound()
	}
	from := s.mergeBase(b, h)
	if from == "" {
		return fail(http.StatusNotFound, "No common ancestor between "+base+" and "+head+".")
	}
	inBase, inHead := s.history(b), s.history(h)
	ahead := slices.DeleteFunc(slices.Clone(inHead), func(sha string) bool { return slices.Contains(inBase, sha) })
	behind := slices.DeleteFunc(slices.Clone(inBase), func(sha string) bool { return slices.Contains(inHead, sha) })
	status := "diverged"
	switch {
	case b == h:
		status = "identical"
	case len(behind) == 0:
		status = "ahead"
	case len(ahead) == 0:
		status = "behind"
	}
	slices.Reverse(ahead)
	commits, header := page(q, s, ahead)
	shapes, files := []object{}, []any{}
	for _, sha := range commits {
		shapes = append(shapes, s.commitShape(q.repo, sha))
	}
	all := diffTrees(s.commits[from].files, s.commits[h].files)
	if n := q.URL.Query().Get("page"); n != "" && n != "1" {
		all = nil // GitHub lists the files on the first page alone
	}
	for _, f := range all[:min(len(all), maxDiffFiles)] {
		files = append(files, s.fileShape(q.repo, h, f))
	}
	a := ok(object{"status": status, "ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead),
		"base_commit": s.commitShape(q.repo, b), "merge_base_commit": s.commitShape(q.repo, from),
		"commits": shapes, "files": files})
	maps.Copy(a.header, header)
	return a
}

// side resolves one side of a comparison: a reference of this repository or
// owner:branch of a fork.
func (s *Server) side(r *repo, ref string) (string, bool) {
	owner, branch, fork := strings.Cut(ref, ":")
	if !fork {
		return s.resolve(r, ref)
	}
	for _, other := range s.byID {
		if fold(other.Owner) == fold(owner) && (other == r || other.Fork) {
			return s.resolve(other, branch)
		}
	}
	return "", false
}
