package github_test

import (
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/trust"
)

const (
	permissionRoute   = "GET /repos/{owner}/{repo}/collaborators/{username}/permission"
	collaboratorRoute = "GET /repos/{owner}/{repo}/collaborators/{username}"
)

func TestPermissionAnswersWithWhatTrustNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		visibility string
		prepare    func(w *world)
		login      string
		want       trust.Lookup
		scope      string
		calls      int
	}{
		"A20 a stranger on a public repository":        {"public", nil, "stranger", trust.Lookup{Done: true, Permission: "read", RoleName: "read"}, "external", 2},
		"A20 a collaborator with read on a public one": {"public", func(w *world) { w.Grant(where, "ada", "read") }, "ada", trust.Lookup{Done: true, Permission: "read", RoleName: "read", Collaborator: true}, "collaborator", 2},
		"A21 maintain shows as write":                  {"public", func(w *world) { w.Grant(where, "ada", "maintain") }, "ada", trust.Lookup{Done: true, Permission: "write", RoleName: "maintain"}, "maintainer", 1},
		"A21 triage shows as read":                     {"public", func(w *world) { w.Grant(where, "ada", "triage") }, "ada", trust.Lookup{Done: true, Permission: "read", RoleName: "triage"}, "collaborator", 1},
		"admin":                                        {"private", func(w *world) { w.Grant(where, "ada", "admin") }, "ada", trust.Lookup{Done: true, Permission: "admin", RoleName: "admin"}, "maintainer", 1},
		"read on a private repository":                 {"private", func(w *world) { w.Grant(where, "ada", "read") }, "ada", trust.Lookup{Done: true, Permission: "read", RoleName: "read"}, "collaborator", 1},
		"a custom role based on write": {"public", func(w *world) { w.GrantCustom(where, "ada", "releaser", "write") }, "ada",
			trust.Lookup{Done: true, Permission: "write", RoleName: "releaser"}, "maintainer", 1},
		"A22 a custom role with a great name, based on read": {"public", func(w *world) { w.GrantCustom(where, "ada", "admin-of-all", "read") }, "ada",
			trust.Lookup{Done: true, Permission: "read", RoleName: "admin-of-all", Collaborator: true}, "collaborator", 2},
		"a member of the organisation on an internal repository": {"internal", func(w *world) { w.AddMember("acme", "ada") }, "ada",
			trust.Lookup{Done: true, Permission: "read", RoleName: "read", Collaborator: true}, "collaborator", 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(r *githubtest.Repo) { r.Visibility = c.visibility })
			w.AddUser("stranger", 0, "")
			if c.prepare != nil {
				c.prepare(w)
			}
			got := w.client().Permission(t.Context(), c.login, c.visibility)
			if got != c.want {
				t.Errorf("Permission = %+v, want %+v", got, c.want)
			}
			if scope, reason := trust.Standing(got, c.visibility); string(scope) != c.scope {
				t.Errorf("standing %s (%s), want %s", scope, reason.Text, c.scope)
			}
			if w.Calls() != c.calls {
				t.Errorf("%d calls, want %d", w.Calls(), c.calls)
			}
		})
	}
}

func TestA24_ALookUpThatFailsGrantsNothingAndSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		route string
		fault githubtest.Fault
		words string
	}{
		"404":               {permissionRoute, githubtest.Fault{Status: 404}, "404"},
		"403":               {permissionRoute, githubtest.Fault{Status: 403}, "answered 403"},
		"500":               {permissionRoute, githubtest.Fault{Status: 500}, "does not answer"},
		"cut":               {permissionRoute, githubtest.Fault{Cut: true}, "does not answer"},
		"a limit":           {permissionRoute, githubtest.Fault{Primary: true, RetryAfter: time.Hour}, "rate limit"},
		"collaborators 403": {collaboratorRoute, githubtest.Fault{Status: 403}, "collaborator look-up failed"},
		"collaborators 502": {collaboratorRoute, githubtest.Fault{Status: 502}, "collaborator look-up failed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Grant(where, "ada", "read")
			w.Fault(c.route, c.fault, githubtest.Always)
			got := w.client().Permission(t.Context(), "ada", "public")
			if !strings.Contains(got.Failure, c.words) || got.Collaborator {
				t.Errorf("Permission = %+v, want a failure about %q", got, c.words)
			}
			if scope, _ := trust.Standing(got, "public"); scope != "external" {
				t.Errorf("standing %s", scope)
			}
			if got.Passing != (name != "404") {
				t.Errorf("passing: %v; only a 404 is GitHub's word on the account", got.Passing)
			}
		})
	}
}

func TestA36_ARevokedRoleIsSeenAtOnce(t *testing.T) {
	w := newWorld(t)
	w.Grant(where, "ada", "write")
	c := w.client()
	if got := c.Permission(t.Context(), "ada", "public"); got.Permission != "write" {
		t.Fatalf("Permission = %+v", got)
	}
	w.Ungrant(where, "ada")
	if scope, _ := trust.Standing(c.Permission(t.Context(), "ada", "public"), "public"); scope != "external" {
		t.Errorf("standing %s after the role was revoked, although the answer had been asked for before", scope)
	}
}

func TestA25_A26_AppsAndOddLoginsGrantNothing(t *testing.T) {
	w := newWorld(t)
	w.AddUser("Copilot", 0, "Bot")
	w.AddUser("helper[bot]", 0, "Bot")
	c := w.client()
	for _, login := range []string{"Copilot", "helper[bot]", "never-seen"} {
		if scope, reason := trust.Standing(c.Permission(t.Context(), login, "public"), "public"); scope != "external" {
			t.Errorf("%s is %s: %s", login, scope, reason.Text)
		}
	}
	before := w.Calls()
	for _, login := range []string{"", "a/../b", "a b", "a%2Fb", "../../user", "ada\n", strings.Repeat("a", 300), "[bot]", "ada[admin]"} {
		if got := c.Permission(t.Context(), login, "public"); got.Done || got.Failure != "it is no login that GitHub allows" {
			t.Errorf("%q: %+v", login, got)
		}
	}
	if w.Calls() != before {
		t.Error("an odd login was sent to GitHub")
	}
}

func TestTheRepositoryIsReadLive(t *testing.T) {
	w := newWorld(t, func(r *githubtest.Repo) { r.Visibility, r.DefaultBranch = "internal", "trunk" })
	got, err := w.client(func(o *github.Options) { o.Owner, o.Name = "ACME", "Rockets" }).Repository(t.Context())
	if err != nil || got.ID != w.repo.ID || got.OwnerID != w.repo.OwnerID || got.Owner != "acme" || got.Name != "rockets" ||
		got.Visibility != "internal" || got.DefaultBranch != "trunk" {
		t.Errorf("Repository = %+v, %v", got, err)
	}
}
