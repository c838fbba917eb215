package githubtest

import "strings"

// Asked is one request as Interfere is told of it, before it is carried out.
type Asked struct {
	Host   Host
	Route  string // as in Routes
	Holder string // the token, or runtime token, that asks; of a signed address, whose it was made for
}

// Interfere has a function say what goes wrong with each request that no
// Fault and no chaos already met; nil: nothing does. It is called without any
// lock, from several goroutines at once, and nil in its place ends it.
func (s *Server) Interfere(f func(Asked) *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interfere = f
}

// wrong picks what goes wrong with this request; the zero value: nothing.
func (s *Server) wrong(h Host, q *request) Fault {
	name := q.route.name()
	s.mu.Lock()
	f, ask := s.fault(name), s.interfere
	asked := Asked{Host: h, Route: name}
	if f == nil && ask != nil {
		asked.Holder = s.holder(h, q)
	}
	s.mu.Unlock()
	if f == nil && ask != nil {
		f = ask(asked)
	}
	if f == nil {
		return Fault{}
	}
	return *f
}

// holder is the token that stands behind a request.
func (s *Server) holder(h Host, q *request) string {
	if h != Blob {
		_, value, _ := strings.Cut(q.Header.Get("Authorization"), " ")
		return value
	}
	if u := s.uploads[q.p["key"]]; u != nil {
		return u.rt.value
	}
	return s.downloads[q.p["key"]].holder
}
