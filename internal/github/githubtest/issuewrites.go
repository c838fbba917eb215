package githubtest

import (
	"net/http"
	"strings"
)

// createIssue opens an issue by the token's account.
func (s *Server) createIssue(q *request) reply {
	if a, allowed := s.permit(q, []string{"issues"}); !allowed {
		return a
	}
	var in struct {
		Title  string   `json:"title"`
		Body   string   `json:"body"`
		Labels []string `json:"labels"`
	}
	q.decode(&in)
	switch {
	case strings.TrimSpace(in.Title) == "":
		return invalid("Issue", "title", "missing_field", "")
	case tooLong(in.Body):
		return invalid("Issue", "data", "unprocessable", "Body is too long (maximum is 65536 characters)")
	}
	th := s.open(q.repo, 0, in.Title, in.Body, q.tok.actor.Login)
	for _, l := range in.Labels {
		s.label(th, q.tok.actor, l, th.created)
	}
	return created(s.issueShape(th))
}

// updateIssue changes the body or the state of an issue.
func (s *Server) updateIssue(q *request) reply {
	th, bad, fine := s.threadOf(q)
	if !fine {
		return bad
	}
	var in struct {
		Body  *string `json:"body"`
		State *string `json:"state"`
	}
	q.decode(&in)
	if in.Body != nil && tooLong(*in.Body) {
		return invalid("Issue", "data", "unprocessable", "Body is too long (maximum is 65536 characters)")
	}
	if in.Body != nil {
		th.body = *in.Body
	}
	if in.State != nil {
		th.state = *in.State
	}
	th.updated = s.tick()
	return ok(s.issueShape(th))
}

// deleteLabel takes a label from the repository and from every thread.
func (s *Server) deleteLabel(q *request) reply {
	l := q.repo.label(q.p["name"])
	if l == nil {
		return fail(http.StatusNotFound, "Not Found")
	}
	s.tick()
	name := l.name
	for _, th := range q.repo.sorted() {
		th.labels = without(th.labels, name)
	}
	for i := range q.repo.labels {
		if q.repo.labels[i].name == name {
			q.repo.labels = append(q.repo.labels[:i:i], q.repo.labels[i+1:]...)
			break
		}
	}
	return noContent()
}

func without(all []string, name string) []string {
	out := []string{}
	for _, l := range all {
		if fold(l) != fold(name) {
			out = append(out, l)
		}
	}
	return out
}

// IssueBody is the body of an issue or pull request as it stands now.
func (s *Server) IssueBody(repo string, number int) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thread(repo, number).body
}

// EditIssueBody changes the body of an issue as somebody with write access
// does.
func (s *Server) EditIssueBody(repo string, number int, body string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.thread(repo, number)
	th.body, th.updated = body, s.tick()
}

// IssueState is "open" or "closed".
func (s *Server) IssueState(repo string, number int) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thread(repo, number).state
}

// IssuesBy are the numbers of the issues of one account, the first one first.
func (s *Server) IssuesBy(repo, login string) []int {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []int
	for _, th := range s.must(repo).sorted() {
		if th.pull == nil && th.author != nil && fold(th.author.Login) == fold(login) {
			out = append(out, th.number)
		}
	}
	return out
}
