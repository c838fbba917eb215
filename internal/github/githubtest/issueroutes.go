package githubtest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxCommentBody is the length in characters above which GitHub refuses a
// comment.
const maxCommentBody = 65_536

func tooLong(body string) bool { return utf8.RuneCountInString(body) > maxCommentBody }

func instant(v string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, v)
	return t, err == nil
}

// threadOf finds the thread of a route. On a plain issue only the permission
// issues counts.
func (s *Server) threadOf(q *request) (*thread, reply, bool) {
	th := q.repo.threads[int(q.num("issue_number"))]
	if th == nil {
		return nil, notFound(), false
	}
	a, allowed := s.onThread(q, th)
	return th, a, allowed
}

func (s *Server) onThread(q *request, th *thread) (reply, bool) {
	if th.pull != nil {
		return reply{}, true
	}
	return s.permit(q, []string{"issues"})
}

// commentOf finds the comment of a route.
func (s *Server) commentOf(q *request) (*Comment, reply, bool) {
	c := s.findComment(q.repo, q.num("comment_id"))
	if c == nil {
		return nil, notFound(), false
	}
	a, allowed := s.onThread(q, c.on)
	return c, a, allowed
}

// bodyOf reads the text of a comment and refuses what GitHub refuses.
func (s *Server) bodyOf(q *request, resource string) (string, reply, bool) {
	var in struct {
		Body string `json:"body"`
	}
	q.decode(&in)
	switch {
	case strings.TrimSpace(in.Body) == "":
		return "", invalid(resource, "body", "missing_field", ""), false
	case tooLong(in.Body):
		return "", invalid(resource, "data", "unprocessable", "Body is too long (maximum is 65536 characters)"), false
	}
	return in.Body, reply{}, true
}

func (s *Server) getIssue(q *request) reply {
	th, bad, fine := s.threadOf(q)
	if !fine {
		return bad
	}
	return ok(s.issueShape(th))
}

func (s *Server) listIssues(q *request) reply {
	v := q.URL.Query()
	state := cmp.Or(v.Get("state"), "open")
	since, bounded := instant(v.Get("since"))
	var out []*thread
	for _, th := range q.repo.sorted() {
		if state != "all" && th.state != state || bounded && th.updated.Before(since) {
			continue
		}
		if l := v.Get("labels"); l != "" && !hasAll(th.labels, strings.Split(l, ",")) {
			continue
		}
		out = append(out, th)
	}
	return listed(q, s, order(out, v.Get("sort"), v.Get("direction")), s.issueShape)
}

func hasAll(have, want []string) bool {
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h string) bool { return fold(h) == fold(w) }) {
			return false
		}
	}
	return true
}

func (s *Server) listEvents(q *request) reply {
	th, bad, fine := s.threadOf(q)
	if !fine {
		return bad
	}
	return listed(q, s, th.events, func(e LabelEvent) any {
		l := q.repo.label(e.Label)
		if l == nil { // deleted since
			l = &labelDef{name: e.Label, color: "ededed"}
		}
		return object{"id": e.ID, "node_id": nodeID("LabeledEvent", e.ID), "url": "", "actor": account(e.user),
			"event": e.Event, "commit_id": nil, "commit_url": nil, "created_at": stamp(e.At),
			"label": object{"name": l.name, "color": l.color}, "performed_via_github_app": nil}
	})
}

func (s *Server) listComments(q *request) reply {
	th, bad, fine := s.threadOf(q)
	if !fine {
		return bad
	}
	return listed(q, s, sinceOf(q, th.comments), s.commentShape)
}

// sinceOf keeps what was created or edited at or after the time asked for.
func sinceOf(q *request, all []*Comment) []*Comment {
	since, ok := instant(q.URL.Query().Get("since"))
	if !ok {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(c *Comment) bool { return c.UpdatedAt.Before(since) })
}

func (s *Server) listRepoComments(q *request) reply {
	var all []*Comment
	for _, th := range q.repo.sorted() {
		if _, allowed := s.onThread(q, th); allowed {
			all = append(all, th.comments...)
		}
	}
	v := q.URL.Query()
	slices.SortStableFunc(all, func(a, b *Comment) int {
		if v.Get("sort") == "updated" {
			return a.UpdatedAt.Compare(b.UpdatedAt)
		}
		return a.CreatedAt.Compare(b.CreatedAt)
	})
	if v.Get("sort") != "" && v.Get("direction") != "asc" {
		slices.Reverse(all)
	}
	return listed(q, s, sinceOf(q, all), s.commentShape)
}

func (s *Server) createComment(q *request) reply {
	th, bad, fine := s.threadOf(q)
	if !fine {
		return bad
	}
	body, bad, fine := s.bodyOf(q, "IssueComment")
	if !fine {
		return bad
	}
	return created(s.commentShape(s.comment(th, q.tok.actor, q.tok.app, body)))
}

func (s *Server) getComment(q *request) reply {
	c, bad, fine := s.commentOf(q)
	if !fine {
		return bad
	}
	return ok(s.commentShape(c))
}

func (s *Server) updateComment(q *request) reply {
	c, bad, fine := s.commentOf(q)
	if !fine {
		return bad
	}
	body, bad, fine := s.bodyOf(q, "IssueComment")
	if !fine {
		return bad
	}
	s.edit(c, q.tok.actor.Login, body)
	return ok(s.commentShape(c))
}

func (s *Server) deleteComment(q *request) reply {
	c, bad, fine := s.commentOf(q)
	if !fine {
		return bad
	}
	s.drop(c)
	return noContent()
}

func (s *Server) listReactions(q *request) reply {
	c, bad, fine := s.commentOf(q)
	if !fine {
		return bad
	}
	return listed(q, s, filterReactions(q, c.Reactions), reactionShape)
}

func filterReactions(q *request, all []Reaction) []Reaction {
	want := q.URL.Query().Get("content")
	return slices.DeleteFunc(slices.Clone(all), func(r Reaction) bool { return want != "" && r.Content != want })
}

func (s *Server) createReaction(q *request) reply {
	c, bad, fine := s.commentOf(q)
	if !fine {
		return bad
	}
	return s.addReaction(q, &c.Reactions)
}

// addReaction answers 200 if the account gave this reaction before.
func (s *Server) addReaction(q *request, all *[]Reaction) reply {
	var in struct {
		Content string `json:"content"`
	}
	q.decode(&in)
	var r Reaction
	var fresh bool
	*all, r, fresh = s.react(*all, q.tok.actor, in.Content)
	if !fresh {
		return ok(reactionShape(r))
	}
	return created(reactionShape(r))
}

func (s *Server) deleteReaction(q *request) reply {
	c, bad, fine := s.commentOf(q)
	if !fine {
		return bad
	}
	i := slices.IndexFunc(c.Reactions, func(r Reaction) bool { return r.ID == q.num("reaction_id") })
	if i < 0 {
		return notFound()
	}
	if c.Reactions[i].Login != q.tok.actor.Login {
		return fail(http.StatusForbidden, "You do not have permission to delete this reaction.")
	}
	s.tick()
	c.Reactions = slices.Delete(c.Reactions, i, i+1)
	return noContent()
}
