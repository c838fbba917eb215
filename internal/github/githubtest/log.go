package githubtest

import (
	"net/http"
	"slices"
	"time"
)

// Host tells which of the three hosts a request went to.
type Host string

// The hosts of one server.
const (
	API     Host = "api"
	Results Host = "results"
	Blob    Host = "blob"
)

// Entry is one request and what became of it. Start and End are of the real
// clock: End is when the answer was ready, before it was sent, so that a
// client's next request never overlaps the one that it waited for. Status 0
// means that the connection was cut.
type Entry struct {
	Host       Host
	Method     string
	Route      string // as in Routes; empty: unknown
	Path       string // with the query, signatures left out
	Status     int
	Actor      string // login of the token; empty: none
	Start, End time.Time
}

// Log is every request so far, in the order in which answers were ready.
func (s *Server) Log() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// ResetLog forgets the requests and connections so far. State and violations
// stay.
func (s *Server) ResetLog() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
	clear(s.connections)
}

// Connections counts those that were made to one host.
func (s *Server) Connections(h Host) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections[h]
}

// Calls counts the requests to the API host. Answers 304, 4xx and 5xx count.
func (s *Server) Calls() int { return s.CallsTo(API) }

// CallsTo counts the requests to one host.
func (s *Server) CallsTo(h Host) int {
	return len(slices.DeleteFunc(s.Log(), func(e Entry) bool { return e.Host != h }))
}

// CallsOf counts the requests of one route.
func (s *Server) CallsOf(route string) int {
	s.known(route)
	return len(slices.DeleteFunc(s.Log(), func(e Entry) bool { return e.Route != route }))
}

// Writes counts the requests to the API that are not reads.
func (s *Server) Writes() int {
	return len(slices.DeleteFunc(s.Log(), func(e Entry) bool {
		return e.Host != API || e.Method == http.MethodGet || e.Method == http.MethodHead
	}))
}

// Depth is the longest chain of API requests of which each began after the
// one before had been answered: the round trips that a run had to wait for.
// Requests that a client sends at once overlap only if answers take their
// time: set Latency to some 20 ms before counting.
func (s *Server) Depth() int { return depth(s.Log(), API) }

// DepthAll is Depth over all three hosts.
func (s *Server) DepthAll() int { return depth(s.Log(), API, Results, Blob) }

// depth takes, again and again, the request that was answered first among
// those that began after the last one taken; no longer chain exists.
func depth(log []Entry, hosts ...Host) int {
	log = slices.DeleteFunc(log, func(e Entry) bool { return !slices.Contains(hosts, e.Host) })
	slices.SortStableFunc(log, func(a, b Entry) int { return a.End.Compare(b.End) })
	n := 0
	var last time.Time
	for _, e := range log {
		if n == 0 || !e.Start.Before(last) {
			n++
			last = e.End
		}
	}
	return n
}
