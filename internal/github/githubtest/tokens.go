package githubtest

import (
	"slices"
	"strings"
)

// scopes are the permissions of a token that the stand-in knows.
var scopes = []string{"contents", "issues", "pull_requests", "actions", "metadata", "checks", "secrets", "environments", "administration"}

type token struct {
	value   string
	actor   *User
	app     *App
	perms   map[string]string // scope -> read or write
	revoked bool
	repos   []int64 // none: every repository
}

// Token makes a workflow token of github-actions[bot]. Permissions are
// written as in a workflow file: "contents:read", "pull-requests:write".
// Metadata can always be read.
func (s *Server) Token(perms ...string) string {
	s.t.Helper()
	return s.issue("gh"+"s_", "github-actions[bot]", perms)
}

// FullToken makes the workflow token that the documentation asks for:
// contents read, issues, pull requests and actions write.
func (s *Server) FullToken() string {
	s.t.Helper()
	return s.Token("contents:read", "issues:write", "pull-requests:write", "actions:write")
}

// ForkToken makes the token that a pull request of a fork gets: it reads all
// and writes nothing.
func (s *Server) ForkToken() string {
	s.t.Helper()
	return s.Token("contents:read", "issues:read", "pull-requests:read", "actions:read")
}

// UserToken makes a personal token of an account.
func (s *Server) UserToken(login string, perms ...string) string {
	s.t.Helper()
	return s.issue("gh"+"p_", login, perms)
}

// RevokedToken makes a token that GitHub knew once: 401, and no violation.
func (s *Server) RevokedToken() string {
	s.t.Helper()
	v := s.Token()
	s.Revoke(v)
	return v
}

// Revoke ends a token, or a runtime token. Later requests with it get 401.
func (s *Server) Revoke(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tokens[value]; ok {
		t.revoked = true
	}
	if r, ok := s.runtimes[value]; ok {
		r.revoked = true
	}
}

// SetPermissions replaces what a token may do from now on.
func (s *Server) SetPermissions(value string, perms ...string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[value]
	if !ok {
		s.t.Fatalf("githubtest: SetPermissions of a token that was never made")
	}
	t.perms = s.parsePerms(perms)
}

func (s *Server) issue(prefix, login string, perms []string) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &token{value: prefix + secret(36), actor: s.someone(login), perms: s.parsePerms(perms)}
	s.tokens[t.value] = t
	return t.value
}

func (s *Server) parsePerms(perms []string) map[string]string {
	s.t.Helper()
	out := map[string]string{"metadata": "read"}
	for _, p := range perms {
		scope, level, ok := strings.Cut(p, ":")
		scope = strings.ReplaceAll(strings.TrimSpace(scope), "-", "_")
		level = strings.TrimSpace(level)
		if !ok || !slices.Contains(scopes, scope) || !slices.Contains([]string{"read", "write", "none"}, level) {
			s.t.Fatalf("githubtest: %q is no permission; write it as pull-requests:write", p)
		}
		out[scope] = level
	}
	return out
}

// may tells whether a token has the level in any of the scopes.
func (t *token) may(level string, scopes ...string) bool {
	for _, scope := range scopes {
		if has := t.perms[scope]; has == "write" || has == level && has == "read" {
			return true
		}
	}
	return false
}
