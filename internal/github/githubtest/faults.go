package githubtest

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// AnyRoute as a route means every route of every host.
const AnyRoute = "*"

// Always as a number of times means until the test ends.
const Always = -1

// Fault is what goes wrong. Set one effect; Latency goes with each of them,
// and alone it only delays.
type Fault struct {
	Latency time.Duration
	After   int // this many requests pass first

	Status  int // answer with this status and GitHub's kind of body, carry nothing out
	Message string
	Header  map[string]string

	// Done carries the request out all the same, and then gives Status.
	Done bool

	Cut  bool // close the connection, carry nothing out
	Lose bool // carry it out, close the connection before the answer
	Half bool // carry it out, close the connection in the middle of the answer

	Primary    bool          // primary limit used up: 403, or Status 429
	Secondary  bool          // secondary limit: 403, or Status 429
	RetryAfter time.Duration // of a limit; for the primary one the time to its reset
	NoHint     bool          // a secondary limit without Retry-After

	Stale bool // a list answers as it did the last time, or empty
	// Behind is how long ago what is read of threads was so: comments,
	// reactions, labels and their events, issues, pull requests and what is on
	// them. Remember comes before.
	Behind time.Duration
	// Without is an artifact that a list does not show.
	Without int64

	// Then is called once the request was carried out, before its answer. It
	// may not call the server.
	Then func()
}

type standing struct {
	route string
	fault Fault
	times int
}

type chaos struct {
	rng    *rand.Rand
	rate   float64
	faults []Fault
}

type rateLimit struct {
	limit, remaining int
	reset            time.Time
}

// Fault makes a route fail the given number of times (Always: until the test
// ends). Faults of one route apply in the order of their making. The route is
// one of Routes, or AnyRoute.
func (s *Server) Fault(route string, f Fault, times int) {
	s.t.Helper()
	s.known(route)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &standing{route, f, times})
}

// ClearFaults ends every fault and the chaos.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.chaos = nil, nil
}

// Chaos makes each request to any host fail with the given probability, drawn
// from the seed. Without faults it takes 502, 503, a cut connection and a
// lost answer.
func (s *Server) Chaos(seed uint64, rate float64, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(faults) == 0 {
		faults = []Fault{{Status: 502}, {Status: 503}, {Cut: true}, {Lose: true}}
	}
	s.chaos = &chaos{rand.New(rand.NewPCG(seed, seed)), rate, faults}
}

// Latency delays every answer of every host.
func (s *Server) Latency(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency = d
}

// Before calls a function once, just before the next request of the route is
// carried out: what happens between two requests of a client. The function
// may call the server.
func (s *Server) Before(route string, do func()) {
	s.t.Helper()
	s.known(route)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks[route] = append(s.hooks[route], do)
}

// RateLimit leaves the primary limit this many requests until it is reset.
func (s *Server) RateLimit(remaining int, reset time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit.remaining, s.limit.reset = remaining, time.Now().Add(reset)
}

// fault picks what goes wrong with this request, or nil.
func (s *Server) fault(name string) *Fault {
	for _, f := range s.faults {
		if f.times == 0 || f.route != AnyRoute && f.route != name {
			continue
		}
		if f.fault.After > 0 {
			f.fault.After--
			continue
		}
		if f.times > 0 {
			f.times--
		}
		picked := f.fault
		return &picked
	}
	if c := s.chaos; c != nil && c.rng.Float64() < c.rate {
		picked := c.faults[c.rng.IntN(len(c.faults))]
		return &picked
	}
	return nil
}

// hook takes the next function that waits for a route.
func (s *Server) hook(name string) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.hooks[name]
	if len(waiting) == 0 {
		return nil
	}
	s.hooks[name] = waiting[1:]
	return waiting[0]
}

// instead is the answer of a fault that keeps the request from being carried
// out.
func (s *Server) instead(h Host, f *Fault) (reply, bool) {
	var a reply
	switch {
	case f.Cut:
		return reply{cut: true}, true
	case f.Primary:
		a = s.exhausted(time.Now().Add(f.RetryAfter))
	case f.Secondary:
		a = failAt(http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
			limitsPage+"#about-secondary-rate-limits")
		if !f.NoHint {
			a.header.Set("Retry-After", strconv.Itoa(int(f.RetryAfter.Seconds())))
		}
	case f.Status != 0 && !f.Done:
		message := f.Message
		if message == "" {
			message = plain(f.Status)
		}
		a = failOn(h, f.Status, message)
	default:
		return a, false
	}
	if f.Status != 0 {
		a.status = f.Status
	}
	a.header.Set("Date", s.now.Format(http.TimeFormat)) // else the server would give the machine's
	for k, v := range f.Header {
		a.header.Set(k, v)
	}
	return a, true
}

// failOn is an error in the words of a host: GitHub's JSON, Twirp's, or the
// blob store's XML.
func failOn(h Host, status int, message string) reply {
	switch h {
	case Results:
		return twirpFail(status, twirpCode(status), message)
	case Blob:
		return blobFail(status, strings.ReplaceAll(message, " ", ""))
	}
	return fail(status, message)
}

func twirpCode(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "unauthenticated"
	case http.StatusForbidden:
		return "permission_denied"
	case http.StatusTooManyRequests:
		return "resource_exhausted"
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "unavailable"
	}
	return "internal"
}

// limitsPage is where GitHub points; clients tell the two limits apart by it.
const limitsPage = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"

// plain is the message that GitHub gives with a bare status.
func plain(status int) string {
	switch status {
	case http.StatusForbidden:
		return notAccessible
	case http.StatusUnauthorized:
		return "Bad credentials"
	case http.StatusBadGateway, http.StatusInternalServerError:
		return "Server Error"
	}
	return http.StatusText(status)
}

func (s *Server) exhausted(reset time.Time) reply {
	a := failAt(http.StatusForbidden, "API rate limit exceeded for installation ID 1.", limitsPage)
	a.header.Set("X-RateLimit-Limit", strconv.Itoa(s.limit.limit))
	a.header.Set("X-RateLimit-Remaining", "0")
	a.header.Set("X-RateLimit-Used", strconv.Itoa(s.limit.limit))
	a.header.Set("X-RateLimit-Reset", s.resetAt(reset))
	a.header.Set("X-RateLimit-Resource", "core")
	return a
}

// resetAt tells a time of the machine's clock, by which limits are waited for,
// by the clock that answers are dated with.
func (s *Server) resetAt(reset time.Time) string {
	return strconv.FormatInt(s.now.Add(time.Until(reset).Round(time.Second)).Unix(), 10)
}

// spend counts one request against the primary limit, or refuses it.
func (s *Server) spend() (reply, bool) {
	l := s.limit
	if !l.reset.IsZero() && time.Now().After(l.reset) {
		l.remaining, l.reset = l.limit, time.Time{}
	}
	if l.remaining <= 0 {
		return s.exhausted(l.reset), false
	}
	l.remaining--
	return reply{}, true
}

func (s *Server) limitHeaders(h http.Header) {
	if h.Get("X-RateLimit-Limit") != "" {
		return
	}
	reset := s.limit.reset
	if reset.IsZero() {
		reset = time.Now().Add(time.Hour)
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(s.limit.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(s.limit.remaining))
	h.Set("X-RateLimit-Used", strconv.Itoa(s.limit.limit-s.limit.remaining))
	h.Set("X-RateLimit-Reset", s.resetAt(reset))
	h.Set("X-RateLimit-Resource", "core")
}

// known fails the test on a route that no server has.
func (s *Server) known(route string) {
	s.t.Helper()
	if route == AnyRoute {
		return
	}
	for _, r := range s.routes {
		if r.name() == route {
			return
		}
	}
	s.t.Fatalf("githubtest: no route %q; the routes are:\n%s", route, strings.Join(s.Routes(), "\n"))
}

// Routes are the names of all routes, each a method and a template, such as
// "GET /repos/{owner}/{repo}/pulls/{pull_number}".
func (s *Server) Routes() []string {
	out := make([]string, 0, len(s.routes))
	for _, r := range s.routes {
		out = append(out, r.name())
	}
	return out
}
