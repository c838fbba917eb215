package githubtest

import "testing"

func TestPermissionsFollowGitHubsMapping(t *testing.T) {
	s := New(t)
	s.answers = true
	s.AddRepo(Repo{Owner: "acme", Name: "open"})
	s.AddRepo(Repo{Owner: "acme", Name: "inner", Visibility: "internal"})
	s.AddRepo(Repo{Owner: "acme", Name: "closed", Visibility: "private"})
	s.AddUser("Copilot", 198982749, "Bot")
	s.AddUser("dependabot[bot]", 49699333, "Bot")
	s.AddUser("stranger", 0, "User")
	s.AddUser("member", 0, "User")
	s.AddMember("acme", "member")
	for _, r := range []string{"open", "inner", "closed"} {
		for _, role := range []string{"admin", "maintain", "write", "triage", "read"} {
			s.Grant("acme/"+r, role+"er", role)
		}
		s.GrantCustom("acme/"+r, "custom", "maintain-all-the-things", "triage")
	}
	tok := s.Token()
	for _, c := range []struct {
		name, repo, login string
		status            int
		permission, role  string
		collaborator      int
	}{
		{"an admin", "open", "adminer", 200, "admin", "admin", 204},
		{"A21 maintain reads as write", "open", "maintainer", 200, "write", "maintain", 204},
		{"write", "open", "writeer", 200, "write", "write", 204},
		{"A21 triage reads as read", "open", "triageer", 200, "read", "triage", 204},
		{"read", "open", "reader", 200, "read", "read", 204},
		{"A22 a custom role shows its own name over its base", "open", "custom", 200, "read", "maintain-all-the-things", 204},
		{"A20 anybody reads a public repository", "open", "stranger", 200, "read", "read", 404},
		{"logins have no case", "open", "StRaNgEr", 200, "read", "read", 404},
		{"a stranger has nothing on an internal one", "inner", "stranger", 200, "none", "", 404},
		{"a member reads an internal one", "inner", "member", 200, "read", "read", 204},
		{"a stranger has nothing on a private one", "closed", "stranger", 200, "none", "", 404},
		{"a member has nothing on a private one", "closed", "member", 200, "none", "", 404},
		{"A25 an app answers none", "open", "dependabot[bot]", 200, "none", "", 404},
		{"A26 Copilot is not a user", "open", "Copilot", 404, "", "", 404},
		{"nobody is not a user", "open", "nobody", 404, "", "", 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := s.URL() + "/repos/acme/" + c.repo + "/collaborators/" + c.login
			got := ask(t, tok, "GET", base+"/permission", nil)
			if got.status != c.status {
				t.Fatalf("status %d, want %d", got.status, c.status)
			}
			if c.status == 404 && got.at("message") != c.login+" is not a user" {
				t.Errorf("message %v", got.at("message"))
			}
			if c.status == 200 && (got.at("permission") != c.permission || got.at("role_name") != c.role || got.at("user", "role_name") != c.role) {
				t.Errorf("permission %v, role %v; want %s, %s", got.at("permission"), got.at("role_name"), c.permission, c.role)
			}
			if got := ask(t, tok, "GET", base, nil); got.status != c.collaborator {
				t.Errorf("collaborator %d, want %d", got.status, c.collaborator)
			}
		})
	}
}

func TestA36ARoleThatWasTakenAwayIsGoneAtOnce(t *testing.T) {
	s, _ := world(t)
	url := s.URL() + "/repos/octocat/hello/collaborators/mara/permission"
	tok := s.Token()
	s.Before("GET /repos/{owner}/{repo}/collaborators/{username}/permission", func() { s.Ungrant(hello, "mara") })
	if got := ask(t, tok, "GET", url, nil); got.at("permission") != "read" || got.at("role_name") != "read" {
		t.Errorf("after Ungrant: %v, %v", got.at("permission"), got.at("role_name"))
	}
	if got := s.Collaborators(hello); len(got) != 0 {
		t.Errorf("collaborators %v", got)
	}
}
