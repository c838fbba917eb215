package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// versions are the values of X-GitHub-Api-Version that GitHub takes.
var versions = []string{"2022-11-28", "2026-03-10"}

// rest takes a request through what GitHub asks before it looks at the
// matter: token, limit, repository, permission, form.
func (s *Server) rest(q *request) reply {
	if v := q.Header.Get("X-GitHub-Api-Version"); v != "" && !slices.Contains(versions, v) {
		s.violate("%s: X-GitHub-Api-Version %q is unknown to GitHub", q.route.name(), v)
		return fail(http.StatusBadRequest, fmt.Sprintf("%q is not a supported version.", v))
	}
	if q.Header.Get("User-Agent") == "" {
		s.violate("%s: no User-Agent", q.route.name())
		return fail(http.StatusForbidden, "Request forbidden by administrative rules.")
	}
	if a, ok := s.authenticate(q); !ok {
		return a
	}
	if a, ok := s.spend(); !ok {
		return a
	}
	if a, ok := s.locate(q); !ok {
		return a
	}
	if a, ok := s.permit(q, q.route.scopes); !ok {
		return a
	}
	if q.fault.Behind > 0 && q.repo != nil && q.ofThreads() {
		q.repo = s.before(q.repo, q.fault.Behind)
	}
	if a, ok := s.conform(q); !ok {
		return a
	}
	a := q.route.handle(q)
	if s.answers {
		s.conformAnswer(q, a)
	}
	return a
}

func (s *Server) authenticate(q *request) (reply, bool) {
	bad := fail(http.StatusUnauthorized, "Bad credentials")
	header := q.Header.Get("Authorization")
	value, ok := strings.CutPrefix(header, "Bearer ")
	if !ok {
		value, ok = strings.CutPrefix(header, "token ")
	}
	if !ok {
		s.violate("%s: no token", q.route.name())
		return fail(http.StatusUnauthorized, "Requires authentication"), false
	}
	if q.route.app {
		app, err := s.verifyJWT(value)
		if err != nil {
			s.violate("%s: %v", q.route.name(), err)
			return fail(http.StatusUnauthorized, "A JSON web token could not be decoded"), false
		}
		q.app = app
		return reply{}, true
	}
	tok, known := s.tokens[value]
	if !known {
		if _, runtime := s.runtimes[value]; runtime {
			s.violate("%s: the runtime token was sent to the API", q.route.name())
		} else {
			s.violate("%s: unknown token", q.route.name())
		}
		return bad, false
	}
	q.tok = tok
	if tok.revoked {
		return bad, false
	}
	return reply{}, true
}

// locate finds the repository. A renamed one answers 301, whatever the
// method.
func (s *Server) locate(q *request) (reply, bool) {
	if !strings.HasPrefix(q.route.template, rp) {
		return reply{}, true
	}
	if id, byID := q.p["repository_id"]; byID {
		n, _ := strconv.ParseInt(id, 10, 64)
		q.repo = s.byID[n]
	} else {
		name := fold(q.p["owner"] + "/" + q.p["repo"])
		if id, moved := s.moved[name]; moved {
			return s.redirect(q, id), false
		}
		q.repo = s.repos[name]
	}
	if q.repo == nil || q.tok != nil && !s.sees(q.tok, q.repo) {
		return notFound(), false
	}
	return reply{}, true
}

func (s *Server) redirect(q *request, id int64) reply {
	rest := strings.SplitN(strings.TrimPrefix(q.URL.EscapedPath(), "/"), "/", 4)
	to := s.api.URL + "/repositories/" + strconv.FormatInt(id, 10)
	if len(rest) == 4 {
		to += "/" + rest[3]
	}
	if q.URL.RawQuery != "" {
		to += "?" + q.URL.RawQuery
	}
	a := answer(http.StatusMovedPermanently, map[string]any{"message": "Moved Permanently", "url": to,
		"documentation_url": "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects"})
	a.header.Set("Location", to)
	return a
}

// sees tells whether a token reaches a repository at all.
func (s *Server) sees(t *token, r *repo) bool {
	if t.repos != nil {
		return slices.Contains(t.repos, r.ID)
	}
	if t.actor == nil || t.actor.Type != "User" || r.Visibility == "public" {
		return true
	}
	_, member := r.roles[fold(t.actor.Login)]
	return member || r.Visibility == "internal" && s.members[fold(r.Owner)+"/"+fold(t.actor.Login)]
}

// permit refuses a token that lacks every one of the permissions.
func (s *Server) permit(q *request, scopes []string) (reply, bool) {
	if q.tok == nil || len(scopes) == 0 || q.tok.may(q.route.level, scopes...) {
		return reply{}, true
	}
	a := fail(http.StatusForbidden, notAccessible)
	accepted := make([]string, len(scopes))
	for i, scope := range scopes {
		accepted[i] = scope + "=" + q.route.level
	}
	a.header.Set("X-Accepted-GitHub-Permissions", strings.Join(accepted, "; "))
	return a, false
}
