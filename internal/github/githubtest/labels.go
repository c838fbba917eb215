package githubtest

import (
	"slices"
	"time"
)

type labelDef struct {
	id                       int64
	name, color, description string
}

// DefineLabel makes a label that a repository knows, on no thread.
func (s *Server) DefineLabel(repo, name string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.define(s.must(repo), name, "", "")
}

// ForgetLabels takes all labels from a repository that are on no thread.
func (s *Server) ForgetLabels(repo string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.must(repo)
	r.labels = slices.DeleteFunc(r.labels, func(l labelDef) bool {
		for _, th := range r.threads {
			if slices.Contains(th.labels, l.name) {
				return false
			}
		}
		return true
	})
}

// Label puts a label on a thread as an account does at the clock's time, and
// makes the label if the repository lacks it.
func (s *Server) Label(repo string, number int, login, label string) LabelEvent {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.label(s.thread(repo, number), s.someone(login), label, s.tick())
}

// LabelAt is Label at a time of the test's choosing.
func (s *Server) LabelAt(repo string, number int, login, label string, at time.Time) LabelEvent {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.label(s.thread(repo, number), s.someone(login), label, at.UTC().Truncate(time.Second))
}

// LabelSilently puts a label on without an event, as an import does.
func (s *Server) LabelSilently(repo string, number int, label string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.thread(repo, number)
	s.label(th, s.someone(""), label, s.now)
	th.events = th.events[:len(th.events)-1]
}

// Unlabel takes a label off.
func (s *Server) Unlabel(repo string, number int, login, label string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unlabel(s.thread(repo, number), s.someone(login), label)
}

// Labels are the labels that a thread has now.
func (s *Server) Labels(repo string, number int) []string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.thread(repo, number).labels)
}

// LabelEvents are a thread's label events, oldest first.
func (s *Server) LabelEvents(repo string, number int) []LabelEvent {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.thread(repo, number).events)
}

// RepoLabels are the names of the labels that a repository knows, in order of
// their making.
func (s *Server) RepoLabels(repo string) []string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, l := range s.must(repo).labels {
		out = append(out, l.name)
	}
	return out
}

func (r *repo) label(name string) *labelDef {
	for i := range r.labels {
		if fold(r.labels[i].name) == fold(name) {
			return &r.labels[i]
		}
	}
	return nil
}

func (s *Server) define(r *repo, name, color, description string) *labelDef {
	if l := r.label(name); l != nil {
		return l
	}
	if color == "" {
		color = "ededed"
	}
	r.labels = append(r.labels, labelDef{s.id(), name, color, description})
	return &r.labels[len(r.labels)-1]
}

func (s *Server) label(th *thread, u *User, name string, at time.Time) LabelEvent {
	name = s.define(th.repo, name, "", "").name
	e := LabelEvent{ID: s.id(), Event: "labeled", Label: name, At: at, user: u}
	if u != nil {
		e.Actor = u.Login
	}
	if !slices.Contains(th.labels, name) {
		th.labels = append(th.labels, name)
		th.events = append(th.events, e)
		th.updated = at
	}
	return e
}

// unlabel tells whether the label was on.
func (s *Server) unlabel(th *thread, u *User, name string) bool {
	i := slices.IndexFunc(th.labels, func(l string) bool { return fold(l) == fold(name) })
	if i < 0 {
		return false
	}
	e := LabelEvent{ID: s.id(), Event: "unlabeled", Label: th.labels[i], At: s.tick(), user: u}
	if u != nil {
		e.Actor = u.Login
	}
	th.labels = slices.Delete(th.labels, i, i+1)
	th.events = append(th.events, e)
	th.updated = e.At
	return true
}
