package githubtest

import (
	"maps"
	"slices"
)

// Setup is how a repository is set up: what its settings pages show. Nothing
// of it changes what the stand-in lets a run do.
type Setup struct {
	Secrets      []string // names of the repository's own
	Environments map[string]Environment
	Workflows    map[string]string // path to state
	ActionsOff   bool
	Allowed      string   // all, local_only, selected; "": all
	Patterns     []string // of selected
}

// Environment is an environment: without Protected and Branches every branch
// may use it.
type Environment struct {
	Protected bool
	Branches  []string
	Secrets   []string
}

// SetUp sets a repository up.
func (s *Server) SetUp(repo string, to Setup) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(repo).setup = to
}

func (s *Server) listWorkflows(q *request) reply {
	paths := slices.Sorted(maps.Keys(q.repo.setup.Workflows))
	return s.counted(q, "workflows", paths, func(p string) any {
		return object{"id": 1 + slices.Index(paths, p), "node_id": "W", "name": p, "path": p, "state": q.repo.setup.Workflows[p],
			"created_at": stamp(s.now), "updated_at": stamp(s.now), "url": s.api.URL, "html_url": "https://github.com", "badge_url": "https://github.com"}
	})
}

// counted is a page of a listing that stands under a key, beside its count.
func (s *Server) counted(q *request, key string, items []string, shape func(string) any) reply {
	part, h := page(q, s, items)
	out := make([]any, 0, len(part))
	for _, item := range part {
		out = append(out, shape(item))
	}
	a := ok(object{"total_count": len(items), key: out})
	maps.Copy(a.header, h)
	return a
}

func (s *Server) getActionsPolicy(q *request) reply {
	o := object{"enabled": !q.repo.setup.ActionsOff, "selected_actions_url": s.api.URL}
	if !q.repo.setup.ActionsOff {
		o["allowed_actions"] = allowedActions(q.repo.setup)
	}
	return ok(o)
}

func allowedActions(u Setup) string {
	if u.Allowed == "" {
		return "all"
	}
	return u.Allowed
}

// getSelectedActions is an error where the policy is another, as on GitHub.
func (s *Server) getSelectedActions(q *request) reply {
	if allowedActions(q.repo.setup) != "selected" {
		return fail(409, "Conflict: the repository's policy is not selected")
	}
	return ok(object{"github_owned_allowed": false, "verified_allowed": false, "patterns_allowed": append([]string{}, q.repo.setup.Patterns...)})
}

func (s *Server) secretShape(name string) any {
	return object{"name": name, "created_at": stamp(s.now), "updated_at": stamp(s.now)}
}

func (s *Server) listSecrets(q *request) reply {
	return s.counted(q, "secrets", q.repo.setup.Secrets, s.secretShape)
}

func (s *Server) listEnvironmentSecrets(q *request) reply {
	e, found := q.repo.setup.Environments[q.p["environment_name"]]
	if !found {
		return notFound()
	}
	return s.counted(q, "secrets", e.Secrets, s.secretShape)
}

func (s *Server) getEnvironment(q *request) reply {
	name := q.p["environment_name"]
	e, found := q.repo.setup.Environments[name]
	if !found {
		return notFound()
	}
	o := object{"id": 1, "node_id": "E", "name": name, "url": s.api.URL, "html_url": "https://github.com", "created_at": stamp(s.now), "updated_at": stamp(s.now),
		"protection_rules": []any{}, "deployment_branch_policy": nil}
	if e.Protected || len(e.Branches) > 0 {
		o["deployment_branch_policy"] = object{"protected_branches": e.Protected, "custom_branch_policies": !e.Protected}
	}
	return ok(o)
}

func (s *Server) listBranchPolicies(q *request) reply {
	e, found := q.repo.setup.Environments[q.p["environment_name"]]
	if !found {
		return notFound()
	}
	return s.counted(q, "branch_policies", e.Branches, func(b string) any {
		return object{"id": 1 + slices.Index(e.Branches, b), "node_id": "P", "name": b}
	})
}
