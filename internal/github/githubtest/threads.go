package githubtest

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// thread is an issue or a pull request: the two share numbers and comments.
type thread struct {
	repo             *repo
	number           int
	id               int64
	title, body      string
	author           *User
	state            string
	created, updated time.Time
	labels           []string
	events           []LabelEvent
	comments         []*Comment
	pull             *pull
}

// Comment is one conversation comment as it stands now.
type Comment struct {
	ID                   int64
	Repo                 string
	Number               int
	Author               string // Ghost: the account is gone
	Body                 string
	CreatedAt, UpdatedAt time.Time
	EditedBy             string // login of the last editor; empty: never edited
	Reactions            []Reaction

	user *User
	app  *App
	on   *thread
}

// Reaction is one person's reaction to a comment.
type Reaction struct {
	ID      int64
	Login   string
	Content string // eyes, rocket, confused, +1, ...
	user    *User
	at      time.Time
}

// LabelEvent says who put a label on or took it off, and when.
type LabelEvent struct {
	ID    int64
	Event string // labeled or unlabeled
	Label string
	Actor string
	At    time.Time
	user  *User
}

// Issue describes a plain issue. Zero values: next number, open, mara's.
type Issue struct {
	Repo        string
	Number      int
	Title, Body string
	Author      string
	Closed      bool
}

// AddIssue opens an issue and returns its number.
func (s *Server) AddIssue(i Issue) int {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.open(s.must(i.Repo), i.Number, i.Title, i.Body, i.Author)
	if i.Closed {
		th.state = "closed"
	}
	return th.number
}

func (s *Server) open(r *repo, number int, title, body, author string) *thread {
	s.t.Helper()
	if number == 0 {
		number = r.lastNum + 1
	}
	if r.threads[number] != nil {
		s.t.Fatalf("githubtest: %s#%d exists already", r.FullName(), number)
	}
	r.lastNum = max(r.lastNum, number)
	at := s.tick()
	th := &thread{repo: r, number: number, id: s.id(), title: cmp.Or(title, fmt.Sprintf("Thread %d", number)),
		body: body, author: s.someone(author), state: "open", created: at, updated: at}
	r.threads[number] = th
	return th
}

func (s *Server) thread(repo string, number int) *thread {
	s.t.Helper()
	th := s.must(repo).threads[number]
	if th == nil {
		s.t.Fatalf("githubtest: no %s#%d; add it first", repo, number)
	}
	return th
}

// Comment writes a comment by an account and returns it.
func (s *Server) Comment(repo string, number int, login, body string) Comment {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.comment(s.thread(repo, number), s.someone(login), nil, body)
}

func (s *Server) comment(th *thread, u *User, app *App, body string) *Comment {
	at := s.tick()
	c := &Comment{ID: s.id(), Repo: th.repo.FullName(), Number: th.number, Author: Ghost, Body: body,
		CreatedAt: at, UpdatedAt: at, user: u, app: app, on: th}
	if u != nil {
		c.Author = u.Login
	}
	th.comments = append(th.comments, c)
	th.updated = at
	return c
}

// EditComment changes a comment as somebody with write access does.
func (s *Server) EditComment(id int64, login, body string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edit(s.mustComment(id), login, body)
}

func (s *Server) edit(c *Comment, login, body string) {
	c.Body, c.UpdatedAt, c.EditedBy = body, s.tick(), login
	c.on.updated = c.UpdatedAt
}

// DeleteComment removes a comment.
func (s *Server) DeleteComment(id int64) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(s.mustComment(id))
}

func (s *Server) drop(c *Comment) {
	s.tick()
	c.on.comments = slices.DeleteFunc(c.on.comments, func(o *Comment) bool { return o == c })
}

func (s *Server) mustComment(id int64) *Comment {
	s.t.Helper()
	c := s.findComment(nil, id)
	if c == nil {
		s.t.Fatalf("githubtest: no comment %d", id)
	}
	return c
}

// findComment looks in one repository, or in all if none is given.
func (s *Server) findComment(r *repo, id int64) *Comment {
	for in := range s.within(r) {
		for _, th := range in.threads {
			for _, c := range th.comments {
				if c.ID == id {
					return c
				}
			}
		}
	}
	return nil
}

// within is one repository, or all if none is given.
func (s *Server) within(r *repo) iter.Seq[*repo] {
	if r != nil {
		return slices.Values([]*repo{r})
	}
	return maps.Values(s.byID)
}

// React adds an account's reaction to a comment.
func (s *Server) React(id int64, login, content string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustComment(id)
	c.Reactions, _, _ = s.react(c.Reactions, s.someone(login), content)
}

// react adds a reaction once per account and content, as GitHub does.
func (s *Server) react(all []Reaction, u *User, content string) ([]Reaction, Reaction, bool) {
	for _, r := range all {
		if r.Login == u.Login && r.Content == content {
			return all, r, false
		}
	}
	r := Reaction{ID: s.id(), Login: u.Login, Content: content, user: u, at: s.tick()}
	return append(all, r), r, true
}

// Comments are a thread's comments, oldest first.
func (s *Server) Comments(repo string, number int) []Comment {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Comment
	for _, c := range s.thread(repo, number).comments {
		copied := *c
		copied.Reactions = slices.Clone(c.Reactions)
		out = append(out, copied)
	}
	return out
}

// CommentsBy are the comments of one account on a thread, oldest first.
func (s *Server) CommentsBy(repo string, number int, login string) []Comment {
	s.t.Helper()
	all := s.Comments(repo, number)
	return slices.DeleteFunc(all, func(c Comment) bool { return fold(c.Author) != fold(login) })
}

// Reactions are the reactions to a comment in the order they were given,
// each as "login:content".
func (s *Server) Reactions(id int64) []string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, r := range s.mustComment(id).Reactions {
		out = append(out, r.Login+":"+r.Content)
	}
	return out
}

// Close closes an issue or a pull request without merging it.
func (s *Server) Close(repo string, number int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.thread(repo, number)
	th.state, th.updated = "closed", s.tick()
}
