package github

import (
	"context"
	"errors"
	"net/url"

	"github.com/familiarhq/familiar/internal/trust"
)

// Permission looks up, live, what an account may do here (page 3.1, rule 4).
// There is no error: whatever went wrong is in words in the look-up, which
// then grants nothing (A24); a 404 is an answer, any other failure passes. The
// collaborator endpoint is asked only where the permission alone does not
// tell: for "read" on a repository that is not private, without the triage
// role (A20, A21).
func (c *Client) Permission(ctx context.Context, login, visibility string) trust.Lookup {
	ctx = with(ctx, call{op: "looking up a permission", permission: "metadata: read"})
	if !loginForm.MatchString(login) {
		return trust.Lookup{Failure: "it is no login that GitHub allows"}
	}
	var level struct {
		Permission string `json:"permission"`
		RoleName   string `json:"role_name"`
		User       struct {
			RoleName string `json:"role_name"`
		} `json:"user"`
	}
	where := "repos/" + c.owner + "/" + c.name + "/collaborators/" + url.PathEscape(login)
	if _, err := c.get(ctx, where+"/permission", &level); err != nil {
		return trust.Lookup{Failure: inWords(err), Passing: KindOf(err) != NotFound}
	}
	if level.Permission == "" {
		return trust.Lookup{Failure: "GitHub's answer names no permission", Passing: true}
	}
	l := trust.Lookup{Done: true, Permission: level.Permission, RoleName: level.RoleName}
	if l.RoleName == "" {
		l.RoleName = level.User.RoleName
	}
	if l.Permission != "read" || l.RoleName == "triage" || visibility == "private" {
		return l
	}
	switch _, err := c.get(ctx, where, nil); {
	case err == nil:
		l.Collaborator = true
	case KindOf(err) != NotFound:
		l.Failure, l.Passing = "the collaborator look-up failed: "+inWords(err), true
	}
	return l
}

// inWords is a failed look-up as people read it behind a login.
func inWords(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return "no answer"
	}
	switch e.Kind {
	case NotFound:
		return "GitHub knows no such account here (404)"
	case Unavailable:
		return "GitHub does not answer"
	}
	return e.Detail
}
