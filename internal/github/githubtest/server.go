package githubtest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Epoch is where the virtual clock of a new server stands.
var Epoch = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// Server is one GitHub: an API host, a results service and a blob host, each
// on its own port of 127.0.0.1. All methods may be called from any goroutine.
type Server struct {
	t                  testing.TB
	api, results, blob *httptest.Server
	routes             []*route

	mu          sync.Mutex
	now         time.Time
	lastID      int64
	users       map[string]*User
	members     map[string]bool
	repos       map[string]*repo
	byID        map[int64]*repo
	moved       map[string]int64
	commits     map[string]*commit
	tokens      map[string]*token
	runtimes    map[string]*runtime
	apps        map[int64]*App
	uploads     map[string]*upload
	downloads   map[string]download
	faults      []*standing
	chaos       *chaos
	interfere   func(Asked) *Fault
	hooks       map[string][]func()
	workflows   []Workflow
	jobs        []*dispatchedJob
	running     sync.WaitGroup // jobs of dispatched runs
	latency     time.Duration
	lag         int
	limit       *rateLimit
	replays     map[string]reply
	remember    time.Duration
	past        []moment // the oldest first
	log         []Entry
	violations  []string
	connections map[Host]int
	answers     bool // check our own answers against the description too
}

// New starts a server that ends with the test. When the test ends, each
// request that GitHub would not have understood is reported as its failure.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		t: t, now: Epoch, lastID: 1000,
		users: map[string]*User{}, members: map[string]bool{}, repos: map[string]*repo{}, byID: map[int64]*repo{},
		moved: map[string]int64{}, commits: map[string]*commit{}, tokens: map[string]*token{},
		runtimes: map[string]*runtime{}, apps: map[int64]*App{}, uploads: map[string]*upload{},
		downloads: map[string]download{}, hooks: map[string][]func(){}, replays: map[string]reply{},
		limit: &rateLimit{remaining: 5000, limit: 5000}, connections: map[Host]int{},
	}
	s.routes = append(append(s.restRoutes(), s.resultsRoutes()...), s.blobRoutes()...)
	s.api, s.results, s.blob = s.listen(API), s.listen(Results), s.listen(Blob)
	s.AddUser("github-actions[bot]", 41898282, "Bot")
	t.Cleanup(func() {
		s.running.Wait()
		s.api.Close()
		s.results.Close()
		s.blob.Close()
		for _, v := range s.TakeViolations() {
			t.Errorf("githubtest: %s", v)
		}
	})
	return s
}

// listen starts one host, which counts the connections that are made to it.
func (s *Server) listen(h Host) *httptest.Server {
	server := httptest.NewUnstartedServer(s.host(h))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.connections[h]++
		}
	}
	server.Start()
	return server
}

// URL is the API's address, without a slash at the end (GITHUB_API_URL).
func (s *Server) URL() string { return s.api.URL }

// ResultsURL is what a job finds in ACTIONS_RESULTS_URL: the service's origin
// with a slash at the end.
func (s *Server) ResultsURL() string { return s.results.URL + "/" }

// BlobURL is the origin of signed upload and download addresses. No request
// to it may carry an Authorization header.
func (s *Server) BlobURL() string { return s.blob.URL }

// Now is the virtual clock. It stands still but for a second per write.
func (s *Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// SetNow moves the virtual clock, forwards or backwards.
func (s *Server) SetNow(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = at.UTC().Truncate(time.Second)
}

// Advance moves the virtual clock forward.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// tick advances the clock for one write and returns its time.
func (s *Server) tick() time.Time {
	s.keepMoment()
	s.now = s.now.Add(time.Second)
	return s.now
}

func (s *Server) id() int64 {
	s.lastID++
	return s.lastID
}

// violate records what a client did that GitHub would not have understood.
func (s *Server) violate(format string, args ...any) {
	s.violations = append(s.violations, fmt.Sprintf(format, args...))
}

// TakeViolations returns and clears what was recorded so far, for a test that
// means to provoke it. What is left at the end of the test fails it.
func (s *Server) TakeViolations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.violations
	s.violations = nil
	return v
}

// fold makes logins and repository names comparable as GitHub compares them.
func fold(name string) string { return strings.ToLower(name) }

// secret is a fresh random string of n characters from a token's alphabet.
func secret(n int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[rand.IntN(len(alphabet))]
	}
	return string(b)
}
