package githubtest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// What GitHub says of threads may be some seconds old: a read is answered by a
// copy that the latest writes have not reached. Remember keeps how threads
// were, and a Fault with Behind answers from that.

// moment is how all threads were until a write.
type moment struct {
	until   time.Time // of the clock
	threads map[int64]map[int]*thread
}

// Remember keeps what all threads were for so long, by the clock, so that a
// Fault may be Behind by that much. It copies them at every write.
func (s *Server) Remember(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remember = d
}

// keepMoment notes how threads are just before a write.
func (s *Server) keepMoment() {
	if s.remember == 0 {
		return
	}
	m := moment{until: s.now, threads: map[int64]map[int]*thread{}}
	for id, r := range s.byID {
		m.threads[id] = map[int]*thread{}
		for n, th := range r.threads {
			m.threads[id][n] = th.copied()
		}
	}
	s.past = append(slices.DeleteFunc(s.past, func(o moment) bool { return o.until.Before(s.now.Add(-s.remember)) }), m)
}

// copied is a thread that no later write changes.
func (th *thread) copied() *thread {
	c := *th
	c.labels, c.events = slices.Clone(th.labels), slices.Clone(th.events)
	c.comments = make([]*Comment, len(th.comments))
	for i, o := range th.comments {
		one := *o
		one.on, one.Reactions = &c, slices.Clone(o.Reactions)
		c.comments[i] = &one
	}
	if th.pull == nil {
		return &c
	}
	p := *th.pull
	p.heads, p.reviews = slices.Clone(p.heads), slices.Clone(p.reviews)
	p.comments = make([]*PullComment, len(th.pull.comments))
	for i, o := range th.pull.comments {
		one := *o
		one.on, one.Reactions = &c, slices.Clone(o.Reactions)
		p.comments[i] = &one
	}
	c.pull = &p
	return &c
}

// ofThreads says whether a request reads issues, pull requests or what is on
// them.
func (q *request) ofThreads() bool {
	t := strings.TrimPrefix(q.route.template, rp)
	return q.Method == http.MethodGet && (strings.HasPrefix(t, "/issues") || strings.HasPrefix(t, "/pulls") || t == "/commits/{commit_sha}/pulls")
}

// before is a repository whose threads are as they were that long ago; the
// rest of it is as it is.
func (s *Server) before(r *repo, behind time.Duration) *repo {
	at := s.now.Add(-behind)
	i := slices.IndexFunc(s.past, func(m moment) bool { return !m.until.Before(at) })
	if i < 0 {
		return r
	}
	out := *r
	out.threads = maps.Clone(s.past[i].threads[r.ID])
	for _, th := range out.threads {
		th.repo = r
	}
	return &out
}
