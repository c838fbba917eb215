package githubtest

import (
	"net/http"
	"net/url"
	"strings"
)

// route is one thing that a host answers to.
type route struct {
	host     Host
	method   string
	template string
	level    string   // read or write
	scopes   []string // any of them suffices; none: every token may
	app      bool     // asks for an App's own JWT instead of a token
	handle   func(*request) reply
}

func (r *route) name() string { return r.method + " " + r.template }

// greedy templates end in a parameter that may hold slashes.
func (r *route) greedy() bool {
	return strings.HasSuffix(r.template, "/contents/{path}") ||
		strings.HasSuffix(r.template, "/git/ref/{ref}") || strings.HasSuffix(r.template, "/compare/{basehead}")
}

const rp = "/repos/{owner}/{repo}"

func (s *Server) restRoutes() []*route {
	get, post, patch, del := http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
	thread := []string{"issues", "pull_requests"}
	pulls, contents, actions := []string{"pull_requests"}, []string{"contents"}, []string{"actions"}
	r := func(method, template, level string, scopes []string, h func(*request) reply) *route {
		return &route{host: API, method: method, template: template, level: level, scopes: scopes, handle: h}
	}
	app := func(method, template string, h func(*request) reply) *route {
		return &route{host: API, method: method, template: template, app: true, handle: h}
	}
	return []*route{
		r(get, rp, "read", nil, s.getRepo),
		r(get, rp+"/collaborators/{username}", "read", nil, s.getCollaborator),
		r(get, rp+"/collaborators/{username}/permission", "read", nil, s.getPermission),

		r(get, rp+"/pulls", "read", pulls, s.listPulls),
		r(get, rp+"/pulls/{pull_number}", "read", pulls, s.getPull),
		r(get, rp+"/pulls/{pull_number}/files", "read", pulls, s.listFiles),
		r(get, rp+"/pulls/{pull_number}/reviews", "read", pulls, s.listReviews),
		r(post, rp+"/pulls/{pull_number}/reviews", "write", pulls, s.createReview),
		r(get, rp+"/pulls/{pull_number}/comments", "read", pulls, s.listPullComments),
		r(post, rp+"/pulls/{pull_number}/comments/{comment_id}/replies", "write", pulls, s.createReply),
		r(get, rp+"/pulls/comments/{comment_id}", "read", pulls, s.getPullComment),
		r(patch, rp+"/pulls/comments/{comment_id}", "write", pulls, s.updatePullComment),
		r(del, rp+"/pulls/comments/{comment_id}", "write", pulls, s.deletePullComment),
		r(get, rp+"/pulls/comments/{comment_id}/reactions", "read", pulls, s.listPullReactions),
		r(post, rp+"/pulls/comments/{comment_id}/reactions", "write", pulls, s.createPullReaction),

		r(get, rp+"/commits/{ref}", "read", contents, s.getCommit),
		r(get, rp+"/commits/{commit_sha}/pulls", "read", pulls, s.listCommitPulls),
		r(get, rp+"/compare/{basehead}", "read", contents, s.compare),
		r(get, rp+"/contents/{path}", "read", contents, s.getContents),
		r(get, rp+"/git/ref/{ref}", "read", contents, s.getRef),

		r(get, rp+"/commits/{ref}/check-runs", "read", []string{"checks"}, s.listCheckRuns),
		r(post, rp+"/check-runs", "write", []string{"checks"}, s.createCheckRun),
		r(patch, rp+"/check-runs/{check_run_id}", "write", []string{"checks"}, s.updateCheckRun),

		r(get, rp+"/issues", "read", thread, s.listIssues),
		r(post, rp+"/issues", "write", thread, s.createIssue),
		r(get, rp+"/issues/{issue_number}", "read", thread, s.getIssue),
		r(patch, rp+"/issues/{issue_number}", "write", thread, s.updateIssue),
		r(get, rp+"/issues/{issue_number}/events", "read", thread, s.listEvents),
		r(get, rp+"/issues/{issue_number}/comments", "read", thread, s.listComments),
		r(post, rp+"/issues/{issue_number}/comments", "write", thread, s.createComment),
		r(get, rp+"/issues/{issue_number}/labels", "read", thread, s.listLabels),
		r(post, rp+"/issues/{issue_number}/labels", "write", thread, s.addLabels),
		r(del, rp+"/issues/{issue_number}/labels/{name}", "write", thread, s.removeLabel),
		r(get, rp+"/issues/comments", "read", thread, s.listRepoComments),
		r(get, rp+"/issues/comments/{comment_id}", "read", thread, s.getComment),
		r(patch, rp+"/issues/comments/{comment_id}", "write", thread, s.updateComment),
		r(del, rp+"/issues/comments/{comment_id}", "write", thread, s.deleteComment),
		r(get, rp+"/issues/comments/{comment_id}/reactions", "read", thread, s.listReactions),
		r(post, rp+"/issues/comments/{comment_id}/reactions", "write", thread, s.createReaction),
		r(del, rp+"/issues/comments/{comment_id}/reactions/{reaction_id}", "write", thread, s.deleteReaction),
		r(get, rp+"/labels", "read", thread, s.listRepoLabels),
		r(post, rp+"/labels", "write", thread, s.createLabel),
		r(get, rp+"/labels/{name}", "read", thread, s.getLabel),
		r(del, rp+"/labels/{name}", "write", thread, s.deleteLabel),

		r(get, rp+"/actions/runs/{run_id}", "read", actions, s.getRun),
		r(get, rp+"/actions/runs/{run_id}/jobs", "read", actions, s.listJobs),
		r(get, rp+"/actions/jobs/{job_id}/logs", "read", actions, s.downloadLog),
		r(post, rp+"/actions/workflows/{workflow_id}/dispatches", "write", actions, s.dispatch),
		r(get, rp+"/actions/workflows", "read", actions, s.listWorkflows),
		r(get, rp+"/actions/permissions", "read", []string{"administration"}, s.getActionsPolicy),
		r(get, rp+"/actions/permissions/selected-actions", "read", []string{"administration"}, s.getSelectedActions),
		r(get, rp+"/actions/secrets", "read", []string{"secrets"}, s.listSecrets),
		r(get, rp+"/environments/{environment_name}", "read", actions, s.getEnvironment),
		r(get, rp+"/environments/{environment_name}/deployment-branch-policies", "read", actions, s.listBranchPolicies),
		r(get, rp+"/environments/{environment_name}/secrets", "read", []string{"environments"}, s.listEnvironmentSecrets),
		r(get, rp+"/actions/artifacts", "read", actions, s.listArtifacts),
		r(get, rp+"/actions/artifacts/{artifact_id}", "read", actions, s.getArtifact),
		r(del, rp+"/actions/artifacts/{artifact_id}", "write", actions, s.deleteArtifact),
		r(get, rp+"/actions/artifacts/{artifact_id}/{archive_format}", "read", actions, s.downloadArtifact),

		app(get, rp+"/installation", s.getInstallation),
		app(post, "/app/installations/{installation_id}/access_tokens", s.createInstallationToken),
	}
}

// match finds the route of a request. /repositories/{id}/... stands for
// /repos/{owner}/{repo}/... with the id as the parameter repository_id. Among
// several the one with most literal parts wins.
func (s *Server) match(h Host, r *http.Request) (*route, map[string]string) {
	parts, err := split(r.URL)
	if err != nil {
		return nil, nil
	}
	id := ""
	if h == API && len(parts) >= 2 && parts[0] == "repositories" && digits(parts[1]) {
		id = parts[1]
		parts = append([]string{"repos", "-", "-"}, parts[2:]...)
	}
	var best *route
	var params map[string]string
	most := -1
	for _, rt := range s.routes {
		if rt.host != h || rt.method != r.Method {
			continue
		}
		if p, literal, ok := rt.match(parts); ok && literal > most {
			best, params, most = rt, p, literal
		}
	}
	if best != nil && id != "" {
		params["repository_id"] = id
	}
	return best, params
}

func split(u *url.URL) ([]string, error) {
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, p := range parts {
		plain, err := url.PathUnescape(p)
		if err != nil {
			return nil, err
		}
		parts[i] = plain
	}
	return parts, nil
}

func (r *route) match(parts []string) (map[string]string, int, bool) {
	want := strings.Split(strings.TrimPrefix(r.template, "/"), "/")
	if len(parts) > len(want) && r.greedy() {
		n := len(want) - 1
		parts = append(append([]string{}, parts[:n]...), strings.Join(parts[n:], "/"))
	}
	if len(parts) != len(want) && !(r.greedy() && len(parts) == len(want)-1 && strings.HasSuffix(r.template, "{path}")) {
		return nil, 0, false
	}
	params, literal := map[string]string{}, 0
	for i, w := range want {
		got := ""
		if i < len(parts) {
			got = parts[i]
		}
		if !strings.HasPrefix(w, "{") {
			if w != got {
				return nil, 0, false
			}
			literal++
			continue
		}
		name := strings.Trim(w, "{}")
		if numeric(name) && !digits(got) || got == "" && name != "path" {
			return nil, 0, false
		}
		params[name] = got
	}
	return params, literal, true
}

// numeric tells the parameters that are numbers. A workflow is named by its
// file as well.
func numeric(name string) bool {
	return strings.HasSuffix(name, "_number") || name != "workflow_id" && strings.HasSuffix(name, "_id")
}

func digits(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != "" && len(s) < 19
}
