package githubtest

import (
	"net/http"
	"strings"
)

func (s *Server) getRepo(q *request) reply { return ok(s.fullRepository(q.repo)) }

// getCollaborator confirms an explicit collaborator, and nobody else: this is
// what tells a collaborator of a public repository from a passer-by.
func (s *Server) getCollaborator(q *request) reply {
	login := fold(q.p["username"])
	if _, ok := q.repo.roles[login]; ok {
		return noContent()
	}
	if s.members[fold(q.repo.Owner)+"/"+login] && q.repo.Visibility != "private" {
		return noContent()
	}
	return notFound()
}

// getPermission answers with GitHub's mapping: the old field knows neither
// maintain nor triage, a custom role shows under its own name, and on a public
// repository anybody at all reads.
func (s *Server) getPermission(q *request) reply {
	login := q.p["username"]
	u, ok := s.users[fold(login)]
	if !ok || u.Type == "Bot" && !strings.HasSuffix(u.Login, "[bot]") {
		return fail(http.StatusNotFound, login+" is not a user")
	}
	permission, role := s.standing(q.repo, u)
	user := account(u).(object)
	user["role_name"] = role
	user["permissions"] = rights(permission, role)
	return answer(http.StatusOK, object{"permission": permission, "role_name": role, "user": user})
}

func (s *Server) standing(r *repo, u *User) (permission, role string) {
	if has, ok := r.roles[fold(u.Login)]; ok {
		if has.Custom != "" {
			return legacy[has.Base], has.Custom
		}
		return legacy[has.Base], has.Base
	}
	switch {
	case u.Type == "Bot":
		return "none", ""
	case r.Visibility == "public":
		return "read", "read"
	case r.Visibility == "internal" && s.members[fold(r.Owner)+"/"+fold(u.Login)]:
		return "read", "read"
	}
	return "none", ""
}

func rights(permission, role string) object {
	writes := permission == "write" || permission == "admin"
	return object{"admin": permission == "admin", "maintain": permission == "admin" || role == "maintain",
		"push": writes, "triage": writes || role == "triage", "pull": permission != "none"}
}
