package githubtest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
)

type draftComment struct {
	Path      string `json:"path"`
	Body      string `json:"body"`
	Line      int    `json:"line"`
	Side      string `json:"side"`
	StartLine int    `json:"start_line"`
	StartSide string `json:"start_side"`
	Position  int    `json:"position"`
}

func (s *Server) listReviews(q *request) reply {
	th, found := s.pull(q)
	if !found {
		return notFound()
	}
	return listed(q, s, th.pull.reviews, func(r *Review) any { return s.reviewShape(th, r) })
}

func (s *Server) reviewShape(th *thread, r *Review) any {
	o := object{"id": r.ID, "node_id": nodeID("PullRequestReview", r.ID), "user": account(r.user), "body": r.Body,
		"state": r.State, "commit_id": r.CommitID, "pull_request_url": s.pullURL(th),
		"author_association": association(th.repo, r.user),
		"html_url":           fmt.Sprintf("https://github.com/%s/pull/%d#pullrequestreview-%d", th.repo.FullName(), th.number, r.ID)}
	if r.State != "PENDING" {
		o["submitted_at"] = stamp(r.SubmittedAt)
	}
	return o
}

var reviewStates = map[string]string{"": "PENDING", "COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}

// createReview takes a whole review or nothing of it: one line outside the
// change refuses all.
func (s *Server) createReview(q *request) reply {
	th, found := s.pull(q)
	if !found {
		return notFound()
	}
	var in struct {
		CommitID string         `json:"commit_id"`
		Body     string         `json:"body"`
		Event    string         `json:"event"`
		Comments []draftComment `json:"comments"`
	}
	q.decode(&in)
	in.CommitID = cmp.Or(in.CommitID, th.pull.headSHA)
	if bad := s.refuseReview(th.pull, in.CommitID, in.Event, in.Body, in.Comments); bad != nil {
		return fail(http.StatusUnprocessableEntity, "Unprocessable Entity", bad...)
	}
	r := &Review{ID: s.id(), State: reviewStates[in.Event], Body: in.Body, CommitID: in.CommitID,
		SubmittedAt: s.tick(), user: q.tok.actor, Author: q.tok.actor.Login}
	th.pull.reviews = append(th.pull.reviews, r)
	for _, c := range in.Comments {
		th.pull.comments = append(th.pull.comments, s.inline(th, r, q, c))
	}
	th.updated = s.now
	return ok(s.reviewShape(th, r))
}

func (s *Server) inline(th *thread, r *Review, q *request, c draftComment) *PullComment {
	side := cmp.Or(c.Side, "RIGHT")
	if c.Line == 0 {
		c.Line, side = atPosition(th.pull.files, c.Path, c.Position)
	}
	return &PullComment{ID: s.id(), ReviewID: r.ID, Author: r.Author, Body: c.Body, Path: c.Path, Line: c.Line,
		OriginalLine: c.Line, StartLine: c.StartLine, Side: side, CommitID: r.CommitID, OriginalID: r.CommitID,
		CreatedAt: r.SubmittedAt, UpdatedAt: r.SubmittedAt, hunk: hunkAt(th.pull.files, c.Path, c.Line, side),
		user: q.tok.actor, app: q.tok.app, on: th}
}

// refuseReview gives GitHub's reasons against a review.
func (s *Server) refuseReview(p *pull, commitID, event, body string, comments []draftComment) []any {
	var bad []any
	if !slices.Contains(p.heads, commitID) {
		bad = append(bad, "The commit_id is not part of the pull request")
	}
	if body == "" && (event == "REQUEST_CHANGES" || event == "COMMENT" && len(comments) == 0) {
		bad = append(bad, "Review body can't be blank")
	}
	if tooLong(body) {
		bad = append(bad, "Body is too long (maximum is 65536 characters)")
	}
	for _, c := range comments {
		bad = append(bad, refuseInline(p.files, c)...)
	}
	return bad
}

func refuseInline(files []File, c draftComment) []any {
	side := cmp.Or(c.Side, "RIGHT")
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == c.Path })
	switch {
	case c.Body == "":
		return []any{"Body can't be blank"}
	case tooLong(c.Body):
		return []any{"Body is too long (maximum is 65536 characters)"}
	case i < 0:
		return []any{"Path could not be resolved"}
	case c.Line == 0:
		if line, _ := atPosition(files, c.Path, c.Position); line == 0 {
			return []any{"Position could not be resolved"}
		}
		return nil
	case !inDiff(files, c.Path, c.Line, side):
		return []any{"Line could not be resolved"}
	case c.StartLine != 0 && (c.StartLine >= c.Line || !inDiff(files, c.Path, c.StartLine, cmp.Or(c.StartSide, side))):
		return []any{"Start line could not be resolved"}
	case c.StartLine != 0 && hunkAt(files, c.Path, c.StartLine, cmp.Or(c.StartSide, side)) != hunkAt(files, c.Path, c.Line, side):
		return []any{"Start line must be part of the same hunk as the line."}
	}
	return nil
}

func (s *Server) listPullComments(q *request) reply {
	th, found := s.pull(q)
	if !found {
		return notFound()
	}
	since, ok := instant(q.URL.Query().Get("since"))
	all := slices.Clone(th.pull.comments)
	if ok {
		all = slices.DeleteFunc(all, func(c *PullComment) bool { return c.UpdatedAt.Before(since) })
	}
	if q.URL.Query().Get("direction") == "desc" {
		slices.Reverse(all)
	}
	return listed(q, s, all, s.pullCommentShape)
}

func (s *Server) pullCommentShape(c *PullComment) any {
	o := object{"id": c.ID, "node_id": nodeID("PullRequestReviewComment", c.ID), "pull_request_review_id": c.ReviewID,
		"user": account(c.user), "body": c.Body, "path": c.Path, "diff_hunk": c.hunk, "side": c.Side,
		"commit_id": c.CommitID, "original_commit_id": c.OriginalID, "original_line": c.OriginalLine,
		"created_at": stamp(c.CreatedAt), "updated_at": stamp(c.UpdatedAt), "pull_request_url": s.pullURL(c.on),
		"author_association": association(c.on.repo, c.user), "subject_type": "line",
		"url":       fmt.Sprintf("%s/repos/%s/pulls/comments/%d", s.api.URL, c.on.repo.FullName(), c.ID),
		"html_url":  fmt.Sprintf("https://github.com/%s/pull/%d#discussion_r%d", c.on.repo.FullName(), c.on.number, c.ID),
		"reactions": reactionCounts(c.Reactions)}
	o["line"] = nil
	if c.Line != 0 {
		o["line"] = c.Line
	}
	if c.StartLine != 0 {
		o["start_line"], o["start_side"] = c.StartLine, c.Side
	}
	if c.InReplyTo != 0 {
		o["in_reply_to_id"] = c.InReplyTo
	}
	return o
}

func (s *Server) createReply(q *request) reply {
	th, found := s.pull(q)
	c := s.findPullComment(q.repo, q.num("comment_id"))
	if !found || c == nil || c.on != th {
		return notFound()
	}
	body, bad, fine := s.bodyOf(q, "PullRequestReviewComment")
	if !fine {
		return bad
	}
	return created(s.pullCommentShape(s.reply(c, q.tok.actor, q.tok.app, body)))
}

func (s *Server) getPullComment(q *request) reply {
	if c := s.findPullComment(q.repo, q.num("comment_id")); c != nil {
		return ok(s.pullCommentShape(c))
	}
	return notFound()
}

func (s *Server) updatePullComment(q *request) reply {
	c := s.findPullComment(q.repo, q.num("comment_id"))
	if c == nil {
		return notFound()
	}
	body, bad, fine := s.bodyOf(q, "PullRequestReviewComment")
	if !fine {
		return bad
	}
	c.Body, c.UpdatedAt, c.EditedBy = body, s.tick(), q.tok.actor.Login
	return ok(s.pullCommentShape(c))
}

func (s *Server) deletePullComment(q *request) reply {
	c := s.findPullComment(q.repo, q.num("comment_id"))
	if c == nil {
		return notFound()
	}
	s.tick()
	p := c.on.pull
	p.comments = slices.DeleteFunc(p.comments, func(o *PullComment) bool { return o == c })
	return noContent()
}

func (s *Server) listPullReactions(q *request) reply {
	c := s.findPullComment(q.repo, q.num("comment_id"))
	if c == nil {
		return notFound()
	}
	return listed(q, s, filterReactions(q, c.Reactions), reactionShape)
}

func (s *Server) createPullReaction(q *request) reply {
	c := s.findPullComment(q.repo, q.num("comment_id"))
	if c == nil {
		return notFound()
	}
	return s.addReaction(q, &c.Reactions)
}
