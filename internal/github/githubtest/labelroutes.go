package githubtest

import (
	"encoding/json"
	"net/http"
	"strings"
)

func (s *Server) listLabels(q *request) reply {
	th, bad, fine := s.threadOf(q)
	if !fine {
		return bad
	}
	return listed(q, s, s.labelShapes(th), func(l any) any { return l })
}

// addLabels takes both forms of the body, a list and {labels: [...]}, and
// makes labels that the repository lacks, as GitHub does.
func (s *Server) addLabels(q *request) reply {
	th, bad, fine := s.threadOf(q)
	if !fine {
		return bad
	}
	var names []string
	if json.Unmarshal(q.body, &names) != nil {
		var in struct {
			Labels []string `json:"labels"`
		}
		q.decode(&in)
		names = in.Labels
	}
	at := s.tick()
	for _, n := range names {
		if strings.TrimSpace(n) == "" {
			return invalid("Label", "name", "missing_field", "")
		}
		s.label(th, q.tok.actor, n, at)
	}
	return ok(s.labelShapes(th))
}

func (s *Server) removeLabel(q *request) reply {
	th, bad, fine := s.threadOf(q)
	if !fine {
		return bad
	}
	if !s.unlabel(th, q.tok.actor, q.p["name"]) {
		return fail(http.StatusNotFound, "Label does not exist")
	}
	return ok(s.labelShapes(th))
}

func (s *Server) listRepoLabels(q *request) reply {
	return listed(q, s, q.repo.labels, labelShape)
}

func (s *Server) getLabel(q *request) reply {
	if l := q.repo.label(q.p["name"]); l != nil {
		return ok(labelShape(*l))
	}
	return notFound()
}

func (s *Server) createLabel(q *request) reply {
	var in struct{ Name, Color, Description string }
	q.decode(&in)
	switch {
	case q.repo.label(in.Name) != nil:
		return invalid("Label", "name", "already_exists", "")
	case len(in.Name) > 50:
		return invalid("Label", "name", "invalid", "name is too long (maximum is 50 characters)")
	case len(in.Description) > 100:
		return invalid("Label", "description", "invalid", "description is too long (maximum is 100 characters)")
	case strings.HasPrefix(in.Color, "#"):
		return invalid("Label", "color", "invalid", "")
	}
	s.tick()
	return created(labelShape(*s.define(q.repo, in.Name, in.Color, in.Description)))
}
