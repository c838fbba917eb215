package githubtest

import "testing"

// TestHowARepositoryIsSetUp asks what the settings pages show, with a token
// that may see it and with one that may not.
func TestHowARepositoryIsSetUp(t *testing.T) {
	s := New(t)
	s.AddRepo(Repo{Owner: "octocat", Name: "hello"})
	s.SetUp("octocat/hello", Setup{
		Secrets: []string{"A", "B"}, Workflows: map[string]string{".github/workflows/a.yml": "disabled_manually"}, Allowed: "selected", Patterns: []string{"actions/*"},
		Environments: map[string]Environment{"familiar": {Branches: []string{"main"}, Secrets: []string{"KEY"}}, "open": {}},
	})
	admin := s.UserToken("octocat", "actions:read", "secrets:read", "environments:read", "administration:read")
	for _, c := range []struct {
		path   string
		status int
		at     []any
		want   any
	}{
		{"/actions/workflows", 200, []any{"workflows", 0, "state"}, "disabled_manually"},
		{"/actions/permissions", 200, []any{"allowed_actions"}, "selected"},
		{"/actions/permissions/selected-actions", 200, []any{"patterns_allowed", 0}, "actions/*"},
		{"/actions/secrets?per_page=1&page=2", 200, []any{"secrets", 0, "name"}, "B"},
		{"/environments/familiar", 200, []any{"deployment_branch_policy", "custom_branch_policies"}, true},
		{"/environments/open", 200, []any{"deployment_branch_policy"}, nil},
		{"/environments/gone", 404, []any{"message"}, "Not Found"},
		{"/environments/familiar/deployment-branch-policies", 200, []any{"branch_policies", 0, "name"}, "main"},
		{"/environments/gone/deployment-branch-policies", 404, nil, nil},
		{"/environments/familiar/secrets", 200, []any{"secrets", 0, "name"}, "KEY"},
		{"/environments/gone/secrets", 404, nil, nil},
	} {
		got := ask(t, admin, "GET", s.URL()+"/repos/octocat/hello"+c.path, nil)
		if got.status != c.status || c.at != nil && got.at(c.at...) != c.want {
			t.Errorf("%s: %d, %v; want %d, %v", c.path, got.status, got.text, c.status, c.want)
		}
	}
	for _, path := range []string{"/actions/secrets", "/actions/permissions", "/environments/familiar/secrets"} {
		if got := ask(t, s.FullToken(), "GET", s.URL()+"/repos/octocat/hello"+path, nil); got.status != 403 {
			t.Errorf("%s with a workflow's token: %d", path, got.status)
		}
	}
	s.SetUp("octocat/hello", Setup{})
	if got := ask(t, admin, "GET", s.URL()+"/repos/octocat/hello/actions/permissions/selected-actions", nil); got.status != 409 {
		t.Errorf("selected actions of another policy: %d", got.status)
	}
}
