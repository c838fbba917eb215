package githubtest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

func (s *Server) getRun(q *request) reply {
	run, found := q.repo.runs[q.num("run_id")]
	if !found {
		return notFound()
	}
	actor := account(s.someone(run.Actor))
	o := object{"id": run.ID, "node_id": nodeID("WorkflowRun", run.ID), "name": run.Name, "path": run.Path,
		"event": run.Event, "status": run.Status, "conclusion": run.Conclusion, "run_attempt": run.Attempt,
		"run_number": 1, "head_branch": run.HeadBranch, "head_sha": run.HeadSHA, "workflow_id": run.ID,
		"display_title": run.Name, "actor": actor, "triggering_actor": actor, "pull_requests": s.runPulls(q.repo, run),
		"created_at": stamp(run.CreatedAt), "updated_at": stamp(run.CreatedAt), "run_started_at": stamp(run.CreatedAt),
		"repository": s.repository(q.repo), "head_repository": s.repository(run.head),
		"url":      fmt.Sprintf("%s/repos/%s/actions/runs/%d", s.api.URL, q.repo.FullName(), run.ID),
		"html_url": fmt.Sprintf("https://github.com/%s/actions/runs/%d", q.repo.FullName(), run.ID)}
	if run.HeadGone {
		o["head_repository"] = nil
	}
	if run.Conclusion == "none" {
		o["conclusion"] = nil
	}
	return ok(o)
}

// runPulls lists the open pull requests of a run's branch. For a fork the
// list is empty.
func (s *Server) runPulls(r *repo, run *Run) []any {
	out := []any{}
	if run.head != r {
		return out
	}
	brief := func(in *repo) object {
		return object{"id": in.ID, "name": in.Name, "url": s.api.URL + "/repos/" + in.FullName()}
	}
	for _, th := range r.sorted() {
		p := th.pull
		if p == nil || th.state != "open" || p.headRepo != r || p.headRef != run.HeadBranch {
			continue
		}
		out = append(out, object{"id": p.id, "number": th.number, "url": s.pullURL(th),
			"head": object{"ref": p.headRef, "sha": p.headSHA, "repo": brief(r)},
			"base": object{"ref": p.baseRef, "sha": p.baseSHA, "repo": brief(r)}})
	}
	return out
}

// listArtifacts lists newest first. What was uploaded a moment ago may be
// missing.
func (s *Server) listArtifacts(q *request) reply {
	name := q.URL.Query().Get("name")
	var all []*artifact
	for _, a := range q.repo.artifacts {
		if name != "" && a.Name != name || a.ID == q.fault.Without {
			continue
		}
		if a.hidden > 0 {
			a.hidden--
			continue
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b *artifact) int { return b.CreatedAt.Compare(a.CreatedAt) })
	part, header := page(q, s, all)
	shapes := []any{}
	for _, a := range part {
		shapes = append(shapes, s.artifactShape(q.repo, a))
	}
	out := ok(object{"total_count": len(all), "artifacts": shapes})
	maps.Copy(out.header, header)
	return out
}

func (s *Server) artifactShape(r *repo, a *artifact) any {
	at := fmt.Sprintf("%s/repos/%s/actions/artifacts/%d", s.api.URL, r.FullName(), a.ID)
	o := object{"id": a.ID, "node_id": nodeID("Artifact", a.ID), "name": a.Name, "size_in_bytes": a.Size, "url": at,
		"archive_download_url": at + "/zip", "expired": a.expired(s.now), "created_at": stamp(a.CreatedAt),
		"updated_at": stamp(a.CreatedAt), "expires_at": stamp(a.ExpiresAt),
		"workflow_run": object{"id": a.run.ID, "repository_id": r.ID, "head_repository_id": a.run.head.ID,
			"head_branch": a.run.HeadBranch, "head_sha": a.run.HeadSHA}}
	if a.Digest != NoDigest {
		o["digest"] = a.Digest
	}
	return o
}

func (s *Server) getArtifact(q *request) reply {
	if a := q.repo.artifact(q.num("artifact_id")); a != nil {
		return ok(s.artifactShape(q.repo, a))
	}
	return notFound()
}

func (s *Server) deleteArtifact(q *request) reply {
	if q.repo.artifact(q.num("artifact_id")) == nil {
		return notFound()
	}
	s.tick()
	q.repo.dropArtifact(q.num("artifact_id"))
	return noContent()
}

// downloadArtifact sends the caller to the blob host with a signed address.
func (s *Server) downloadArtifact(q *request) reply {
	a := q.repo.artifact(q.num("artifact_id"))
	switch {
	case a == nil:
		return notFound()
	case q.p["archive_format"] != "zip":
		s.violate("%s: archive format %q", q.route.name(), q.p["archive_format"])
		return notFound()
	case a.expired(s.now):
		return fail(http.StatusGone, "Artifact has expired")
	}
	return reply{status: http.StatusFound, header: http.Header{"Location": {s.signDownload(a.ID, q.tok.value)}}}
}
