package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
)

// guard is the one door of this package to the network: every request to the
// API passes it. It reads answers whole and bounded, repeats what may be
// repeated, waits out rate limits, follows no redirect of a write, and turns
// every failure into an *Error.
type guard struct {
	inner  http.RoundTripper // authenticates
	base   *url.URL
	lim    Limits
	sleep  func(context.Context, time.Duration) error
	now    func() time.Time
	jitter func() float64 // 0 to 1
	secret string         // the token, to keep it out of texts
	from   string         // Options.TokenFrom
	cache  *cache

	date      atomic.Int64 // GitHub's time of the latest answer, in seconds; 0: none told it
	mu        sync.Mutex
	notBefore time.Time     // no request leaves before
	waited    time.Duration // for rate limits, of Limits.Wait
}

const (
	maxRedirects   = 3
	maxLimitWaits  = 12 // of one request
	maxErrorBytes  = 64 << 10
	backoff        = time.Second
	maxRequestBody = 8 << 20
)

// answer is one attempt's outcome, with its body read.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
	sent   bool // the request may have arrived
	asked  time.Time
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	c := callOf(req.Context())
	body, err := requestBody(req)
	if err != nil {
		return nil, &Error{Kind: Invalid, Op: c.op, Detail: "the request is too large to send", Fix: "Send less."}
	}
	req = req.Clone(req.Context())
	cached := g.condition(req)
	target := req.URL
	failures, limits, hops := 0, 0, 0
	for {
		if err := g.pass(req.Context()); err != nil {
			return nil, err
		}
		asked := g.now()
		a := g.once(req, target, body, c)
		a.asked = asked
		switch {
		case a.err == nil && a.status == http.StatusNotModified && cached != nil:
			return response(req, *cached), nil
		case a.err == nil && a.status/100 == 2:
			g.remember(req, a)
			return response(req, a), nil
		case a.err == nil && isRedirect(a.status):
			if c.keepRedirect && a.status == http.StatusFound { // a moved repository answers 301 or 307
				return response(req, a), nil
			}
			next, err := g.redirect(req, target, a, c, hops)
			if err != nil {
				return nil, err
			}
			target, hops = next, hops+1
		case a.err == nil && limited(a):
			if err := g.wait(req.Context(), c, a, limits); err != nil {
				return nil, err
			}
			limits++
		case g.repeatable(req, c, a) && failures+1 < g.lim.Attempts:
			if err := g.sleep(req.Context(), g.pause(failures)); err != nil {
				return nil, cancelled(req.Context())
			}
			failures++
		default:
			return nil, g.fail(req, c, a)
		}
	}
}

// once sends one attempt and reads its answer.
func (g *guard) once(req *http.Request, target *url.URL, body []byte, c call) answer {
	ctx, cancel := context.WithTimeout(req.Context(), g.lim.Attempt)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	out := req.Clone(ctx)
	out.URL, out.Host = target, target.Host
	out.Body, out.GetBody = http.NoBody, nil
	if len(body) > 0 {
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.ContentLength = int64(len(body))
	}
	resp, err := g.inner.RoundTrip(out)
	if err != nil {
		var setup *notSent
		return g.refresh(answer{err: err, sent: sent.Load() && !errors.As(err, &setup)})
	}
	defer resp.Body.Close()
	g.told(resp.Header.Get("Date"))
	limit := c.maxBytes
	if limit <= 0 {
		limit = g.lim.ResponseBytes
	}
	data, err := readUpTo(resp.Body, limit)
	return answer{status: resp.StatusCode, header: resp.Header, body: data, err: err, sent: true}
}

// refresh reads what the App transport says of its own failed request for a
// token: the request proper was never sent.
func (g *guard) refresh(a answer) answer {
	var h *ghinstallation.HTTPError
	if !errors.As(a.err, &h) {
		return a
	}
	a.sent = false
	if h.Response == nil {
		return a
	}
	defer h.Response.Body.Close()
	data, _ := readUpTo(h.Response.Body, maxErrorBytes)
	return answer{status: h.Response.StatusCode, header: h.Response.Header, body: data}
}

var errTooLarge = errors.New("the answer is too large")

func readUpTo(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(data)) > limit {
		return nil, errTooLarge
	}
	return data, err
}

// readSized is readUpTo for what may be large: it makes room at once for as many
// bytes as the answer says it has. It may say what it likes, -1 too: what comes
// is counted.
func readSized(r io.Reader, limit, said int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(max(said, 0), limit)) + bytes.MinRead) // of which ReadFrom wants to see its end
	_, err := b.ReadFrom(io.LimitReader(r, limit+1))
	if int64(b.Len()) > limit {
		return nil, errTooLarge
	}
	return b.Bytes(), err
}

func requestBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	return readUpTo(req.Body, maxRequestBody)
}

// repeatable tells whether the request may be sent again after a failure of
// the moment. A write that would be done twice is repeated only if it
// provably never left.
func (g *guard) repeatable(req *http.Request, c call, a answer) bool {
	switch {
	case req.Context().Err() != nil, errors.Is(a.err, errTooLarge):
		return false
	case a.err == nil && !momentary(a.status):
		return false
	}
	return req.Method != http.MethodPost || c.repeatable || !a.sent
}

func momentary(status int) bool {
	return status == 500 || status == 502 || status == 503 || status == 504
}

// pause before repeating: 1 s, 2 s, 4 s, each give or take a quarter.
func (g *guard) pause(failures int) time.Duration {
	d := backoff << min(failures, 5)
	return d*3/4 + time.Duration(g.jitter()*float64(d/2))
}

// redirect returns where a read goes on. A write never does: through a 301 a
// POST would become a GET and be lost without a word.
func (g *guard) redirect(req *http.Request, from *url.URL, a answer, c call, hops int) (*url.URL, error) {
	to, err := from.Parse(a.header.Get("Location"))
	if err != nil || to.Host == "" {
		return nil, failure(c, a.status, a.header, "a redirect without an address")
	}
	plain := (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String()
	plain = shown(plain, g.secret, 300)
	e := &Error{Kind: Redirected, Op: c.op, Status: a.status, Location: plain,
		Detail: "the repository was renamed or moved: it answers at " + plain,
		Fix:    "Give the repository by its new name, which `GET " + plain + "` tells; a write is never sent after a redirect."}
	switch {
	case req.Method != http.MethodGet && req.Method != http.MethodHead:
		return nil, e
	case to.Scheme != g.base.Scheme || to.Host != g.base.Host:
		e.Detail, e.Fix = "the redirect leads to another host, "+plain, "Check GITHUB_API_URL; the token is not sent there."
		return nil, e
	case hops >= maxRedirects:
		e.Detail, e.Fix = "more than three redirects", "Check GITHUB_API_URL."
		return nil, e
	}
	return to, nil
}

func isRedirect(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// fail makes the error of the last attempt.
func (g *guard) fail(req *http.Request, c call, a answer) *Error {
	ctx := req.Context()
	switch {
	case a.err == nil:
		e := failure(c, a.status, a.header, message(a.body, g.secret))
		e.Uncertain = e.Kind == Unavailable && req.Method == http.MethodPost && a.sent
		if (e.Kind == Invalid || e.Kind == Forbidden) && bytes.Contains(a.body, []byte(`"too_large"`)) {
			e = failure(c, http.StatusRequestEntityTooLarge, a.header, message(a.body, g.secret))
			e.Status = a.status
		}
		return g.atHome(e)
	case ctx.Err() != nil:
		e := cancelled(ctx)
		e.Uncertain = req.Method != http.MethodGet && a.sent
		return e
	case errors.Is(a.err, errTooLarge):
		return &Error{Kind: TooLarge, Op: c.op, Status: a.status, Detail: "the answer is larger than is read of one",
			Uncertain: req.Method == http.MethodPost, Fix: "Ask for less."}
	}
	var mine *Error
	if errors.As(a.err, &mine) {
		return mine
	}
	return g.atHome(&Error{Kind: Unavailable, Op: c.op, Uncertain: req.Method == http.MethodPost && a.sent,
		Detail: "the connection failed: " + shown(reason(a.err), g.secret, 200),
		Fix:    "Check that the runner reaches the address of GITHUB_API_URL, and run it again.", Cause: context.Cause(ctx)})
}

// atHome gives an error of a command line the next step of somebody who has
// no job, no inputs and no runner.
func (g *guard) atHome(e *Error) *Error {
	if g.from == "" {
		return e
	}
	switch {
	case e.Kind == Unauthorised:
		e.Fix = "Check the token in " + g.from + ": it may be mistyped, expired or of another server; gh auth token prints one."
	case e.Kind == Forbidden && e.Permission != "":
		e.Fix = fmt.Sprintf("Give the token in %s the permission `%s`, or take another token.", g.from, e.Permission)
	case e.Kind == Unavailable && e.Status == 0:
		e.Fix = "Check that this machine reaches the address of the API (GITHUB_API_URL, if that is set), and run it again."
	}
	return e
}

// reason is the system's own word for a failed connection, without the
// address that net/http puts before it.
func reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		return reason(u.Err)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it was cut"
	}
	return err.Error()
}

// response hands an answer to the library. Its own bookkeeping of rate limits
// would refuse requests without waiting, so it does not get to see them.
func response(req *http.Request, a answer) *http.Response {
	h := a.header.Clone()
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"} {
		h.Del(name)
	}
	return &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req,
	}
}
