package githubtest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// PullSpec describes a pull request by what its base holds and what its head
// changes. Zero values: next number, open, mara's, from a branch of the same
// repository onto the default branch.
type PullSpec struct {
	Repo        string
	Number      int
	Title, Body string
	Author      string
	Base        map[string]string // if given, the base branch's files from now on
	Head        map[string]string // files that the head adds or changes
	Removed     []string          // files that the head deletes
	BaseRef     string
	HeadRepo    string // a fork that was added; empty: the same repository
	HeadRef     string
	HeadGone    bool // the fork was deleted: head.repo is null
	Draft       bool
	State       string // open, closed or merged
}

// Pull names a pull request and its commits.
type Pull struct {
	Repo             string
	Number           int
	ID               int64
	BaseRef, BaseSHA string
	HeadRef, HeadSHA string
	HeadRepo         string // empty: deleted
}

type pull struct {
	id               int64
	baseRef, baseSHA string
	headRepo         *repo
	headOwner        *User
	headRef, headSHA string
	heads            []string // every head so far, the last one is now
	draft, merged    bool
	files            []File
	reviews          []*Review
	comments         []*PullComment
}

// Review is one review with what it said.
type Review struct {
	ID          int64
	Author      string
	State       string // COMMENTED, APPROVED, CHANGES_REQUESTED, PENDING
	Body        string
	CommitID    string
	SubmittedAt time.Time
	user        *User
}

// PullComment is one inline comment. Line is 0 when the line is gone from the
// change, as GitHub's null.
type PullComment struct {
	ID, ReviewID, InReplyTo int64
	Author                  string
	Body                    string
	Path                    string
	Line, OriginalLine      int
	StartLine               int
	Side                    string // RIGHT or LEFT
	CommitID, OriginalID    string
	CreatedAt, UpdatedAt    time.Time
	EditedBy                string
	Reactions               []Reaction

	hunk string
	user *User
	app  *App
	on   *thread
}

// AddPull opens a pull request. Its files and patches are computed from the
// two trees.
func (s *Server) AddPull(p PullSpec) Pull {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.must(p.Repo)
	base := cmp.Or(p.BaseRef, r.DefaultBranch)
	if p.Base != nil {
		s.tick()
		var parents []string
		if at, ok := r.refs["heads/"+base]; ok {
			parents = []string{at}
		}
		r.refs["heads/"+base] = s.commit(parents, maps.Clone(p.Base), "base")
	}
	baseSHA, ok := r.refs["heads/"+base]
	if !ok {
		s.t.Fatalf("githubtest: %s has no branch %s", p.Repo, base)
	}
	from := r
	if p.HeadRepo != "" {
		from = s.must(p.HeadRepo)
	}
	th := s.open(r, p.Number, p.Title, p.Body, p.Author)
	head := cmp.Or(p.HeadRef, fmt.Sprintf("topic-%d", th.number))
	from.refs["heads/"+head] = baseSHA
	sha := s.push(from, head, p.Head, p.Removed)
	in := &pull{id: s.id(), baseRef: base, baseSHA: baseSHA, headRepo: from, headOwner: from.owner,
		headRef: head, headSHA: sha, heads: []string{sha}, draft: p.Draft}
	if p.HeadGone {
		in.headRepo = nil
	}
	if p.State == "closed" || p.State == "merged" {
		th.state, in.merged = "closed", p.State == "merged"
	}
	th.pull = in
	s.rediff(th)
	return th.named()
}

func (th *thread) named() Pull {
	p := th.pull
	out := Pull{Repo: th.repo.FullName(), Number: th.number, ID: p.id, BaseRef: p.baseRef, BaseSHA: p.baseSHA,
		HeadRef: p.headRef, HeadSHA: p.headSHA}
	if p.headRepo != nil {
		out.HeadRepo = p.headRepo.FullName()
	}
	return out
}

func (s *Server) rediff(th *thread) {
	// As GitHub shows it: from where the head left the base.
	from := cmp.Or(s.mergeBase(th.pull.baseSHA, th.pull.headSHA), th.pull.baseSHA)
	th.pull.files = diffTrees(s.commits[from].files, s.commits[th.pull.headSHA].files)
}

// PushPull adds a commit to a pull request's head and returns its new state.
func (s *Server) PushPull(repo string, number int, changed map[string]string, removed ...string) Pull {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.thread(repo, number)
	if th.pull == nil || th.pull.headRepo == nil {
		s.t.Fatalf("githubtest: %s#%d has no head to push to", repo, number)
	}
	sha := s.push(th.pull.headRepo, th.pull.headRef, changed, removed)
	s.follow(th.pull.headRepo, th.pull.headRef, sha)
	return th.named()
}

// follow moves the open pull requests of a branch to its new head.
func (s *Server) follow(from *repo, branch, sha string) {
	for _, r := range s.byID {
		for _, th := range r.threads {
			p := th.pull
			if p == nil || th.state != "open" || p.headRepo != from || p.headRef != branch || p.headSHA == sha {
				continue
			}
			before := s.commits[p.headSHA].files
			p.headSHA = sha
			p.heads = append(p.heads, sha)
			th.updated = s.now
			s.rediff(th)
			p.moveComments(before, s.commits[sha].files)
		}
	}
}

// moveComments carries inline comments along to where their lines are now.
func (p *pull) moveComments(before, after map[string]string) {
	for _, c := range p.comments {
		c.CommitID = p.headSHA
		if c.Side == "LEFT" || c.Line == 0 {
			continue
		}
		c.Line = movedLine(before[c.Path], after[c.Path], c.Line)
		if c.Line != 0 && !inDiff(p.files, c.Path, c.Line, c.Side) {
			c.Line = 0
		}
	}
}

// SetDraft makes a pull request a draft, or ready.
func (s *Server) SetDraft(repo string, number int, draft bool) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.thread(repo, number).pull.draft = draft
}

// DeleteHead deletes the fork that a pull request came from.
func (s *Server) DeleteHead(repo string, number int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.thread(repo, number).pull.headRepo = nil
}

// Pull is a pull request as it stands now.
func (s *Server) Pull(repo string, number int) Pull {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thread(repo, number).named()
}

// Files are what the pull request's files route would list.
func (s *Server) Files(repo string, number int) []File {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.thread(repo, number).pull.files)
}

// Reviews are a pull request's reviews, oldest first.
func (s *Server) Reviews(repo string, number int) []Review {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Review
	for _, r := range s.thread(repo, number).pull.reviews {
		out = append(out, *r)
	}
	return out
}

// PullComments are a pull request's inline comments, oldest first.
func (s *Server) PullComments(repo string, number int) []PullComment {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []PullComment
	for _, c := range s.thread(repo, number).pull.comments {
		out = append(out, *c)
	}
	return out
}

// EditPullComment changes an inline comment as somebody with write access
// does.
func (s *Server) EditPullComment(id int64, login, body string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.findPullComment(nil, id)
	if c == nil {
		s.t.Fatalf("githubtest: no inline comment %d", id)
	}
	c.Body, c.EditedBy, c.UpdatedAt = body, login, s.tick()
}

// ReplyInline answers an inline comment as an account does.
func (s *Server) ReplyInline(id int64, login, body string) PullComment {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.findPullComment(nil, id)
	if c == nil {
		s.t.Fatalf("githubtest: no inline comment %d", id)
	}
	return *s.reply(c, s.someone(login), nil, body)
}

func (s *Server) findPullComment(r *repo, id int64) *PullComment {
	for in := range s.within(r) {
		for _, th := range in.threads {
			if th.pull == nil {
				continue
			}
			for _, c := range th.pull.comments {
				if c.ID == id {
					return c
				}
			}
		}
	}
	return nil
}

func (s *Server) reply(to *PullComment, u *User, app *App, body string) *PullComment {
	c := *to
	c.ID, c.InReplyTo, c.user, c.app, c.Body = s.id(), to.ID, u, app, body
	if to.InReplyTo != 0 {
		c.InReplyTo = to.InReplyTo
	}
	c.Author, c.EditedBy, c.Reactions = "", "", nil
	if u != nil {
		c.Author = u.Login
	}
	c.CreatedAt = s.tick()
	c.UpdatedAt = c.CreatedAt
	to.on.pull.comments = append(to.on.pull.comments, &c)
	to.on.updated = c.CreatedAt
	return &c
}
