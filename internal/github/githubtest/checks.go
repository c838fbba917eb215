package githubtest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// CheckRun is a check run as it stands.
type CheckRun struct {
	ID                                          int64
	Name, HeadSHA, ExternalID, Conclusion, App  string // App: its slug, "github-actions" for a workflow's token
	Title, Summary, DetailsURL, Status, Created string

	by *App
}

// CheckRuns are the check runs on a commit, the first made first.
func (s *Server) CheckRuns(repo, sha string) []CheckRun {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []CheckRun
	for _, c := range s.must(repo).checks {
		if c.HeadSHA == sha {
			out = append(out, *c)
		}
	}
	return out
}

type checkInput struct {
	Name       string `json:"name"`
	HeadSHA    string `json:"head_sha"`
	ExternalID string `json:"external_id"`
	DetailsURL string `json:"details_url"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	Output     *struct {
		Title, Summary string
	} `json:"output"`
}

// onto writes what a request says into a check run. GitHub takes a conclusion
// only of a run that is completed, and a text only with its title.
func (in checkInput) onto(c *CheckRun) reply {
	c.Status, c.Conclusion = cmp.Or(in.Status, c.Status, "queued"), cmp.Or(in.Conclusion, c.Conclusion)
	c.ExternalID, c.DetailsURL = cmp.Or(in.ExternalID, c.ExternalID), cmp.Or(in.DetailsURL, c.DetailsURL)
	if in.Conclusion != "" {
		c.Status = "completed"
	}
	if c.Status == "completed" && c.Conclusion == "" {
		return invalid("CheckRun", "conclusion", "missing_field", "")
	}
	if in.Output != nil {
		if in.Output.Title == "" || len([]rune(in.Output.Summary)) > 65535 {
			return invalid("CheckRun", "output", "invalid", "")
		}
		c.Title, c.Summary = in.Output.Title, in.Output.Summary
	}
	return reply{}
}

func (s *Server) createCheckRun(q *request) reply {
	var in checkInput
	q.decode(&in)
	if s.commits[in.HeadSHA] == nil {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+in.HeadSHA)
	}
	c := &CheckRun{ID: s.id(), Name: in.Name, HeadSHA: in.HeadSHA, App: "github-actions", Created: stamp(s.tick())}
	if q.tok.app != nil {
		c.App, c.by = q.tok.app.Slug, q.tok.app
	}
	if bad := in.onto(c); bad.status != 0 {
		return bad
	}
	q.repo.checks = append(q.repo.checks, c)
	return created(s.checkShape(q.repo, c))
}

// updateCheckRun refuses who did not make it.
func (s *Server) updateCheckRun(q *request) reply {
	at := slices.IndexFunc(q.repo.checks, func(c *CheckRun) bool { return c.ID == q.num("check_run_id") })
	if at < 0 {
		return notFound()
	}
	c := q.repo.checks[at]
	if c.by != q.tok.app {
		return fail(http.StatusForbidden, "Invalid app_id `"+c.App+"` - check run can only be modified by the GitHub App that created it.")
	}
	var in checkInput
	q.decode(&in)
	changed := *c
	if bad := in.onto(&changed); bad.status != 0 {
		return bad
	}
	s.tick()
	*c = changed
	return ok(s.checkShape(q.repo, c))
}

func (s *Server) listCheckRuns(q *request) reply {
	sha, known := s.resolve(q.repo, q.p["ref"])
	if !known {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+q.p["ref"])
	}
	name := q.URL.Query().Get("check_name")
	var found []*CheckRun
	for _, c := range q.repo.checks {
		if c.HeadSHA == sha && (name == "" || c.Name == name) {
			found = append(found, c)
		}
	}
	shown, header := page(q, s, found)
	list := []object{}
	for _, c := range shown {
		list = append(list, s.checkShape(q.repo, c))
	}
	r := ok(object{"total_count": len(found), "check_runs": list})
	for k, v := range header {
		r.header[k] = v
	}
	return r
}

func (s *Server) checkShape(r *repo, c *CheckRun) object {
	self := fmt.Sprintf("%s/repos/%s/check-runs/%d", s.api.URL, r.FullName(), c.ID)
	nullable := func(v string) any {
		if v == "" {
			return nil
		}
		return v
	}
	var done any
	if c.Status == "completed" {
		done = c.Created
	}
	app := object{"id": int64(15368), "node_id": "A_1", "slug": c.App, "name": c.App, "description": nil, "external_url": "https://github.com", "html_url": "https://github.com/apps/" + c.App,
		"owner": account(r.owner), "created_at": stamp(time.Unix(0, 0)), "updated_at": stamp(time.Unix(0, 0)), "permissions": object{}, "events": []string{}}
	if c.by != nil {
		app["id"] = c.by.ID
	}
	return object{
		"id": c.ID, "node_id": fmt.Sprintf("CR_%d", c.ID), "name": c.Name, "head_sha": c.HeadSHA, "external_id": nullable(c.ExternalID), "url": self,
		"html_url": fmt.Sprintf("https://github.com/%s/runs/%d", r.FullName(), c.ID), "details_url": nullable(c.DetailsURL),
		"status": c.Status, "conclusion": nullable(c.Conclusion), "started_at": c.Created, "completed_at": done,
		"output":      object{"title": nullable(c.Title), "summary": nullable(c.Summary), "text": nil, "annotations_count": 0, "annotations_url": self + "/annotations"},
		"check_suite": object{"id": c.ID}, "app": app, "pull_requests": []object{},
	}
}
