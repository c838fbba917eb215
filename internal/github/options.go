package github

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"
)

// DefaultBaseURL is where github.com answers.
const DefaultBaseURL = "https://api.github.com/"

// Options say which repository is asked, where and as whom.
type Options struct {
	Owner, Name string // of the repository
	// BaseURL is the API's address; DefaultBaseURL if empty. Plain http is
	// taken for a loopback address only: a token would travel in the clear.
	BaseURL string
	Token   string // of the workflow or a user; not needed with App
	// TokenFrom is the environment variable that a person took the token
	// from, for messages; "" for a step of a workflow and its inputs.
	TokenFrom string
	App       *App // act as the App's installation on this repository
	// Transport carries the requests; nil for one of our own.
	Transport http.RoundTripper
	// Sleep waits, or returns the context's error; nil for the real thing.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now is the clock that waits are measured with; nil for time.Now.
	Now       func() time.Time
	Limits    Limits
	UserAgent string // "familiar" if empty
}

// App is a GitHub App. Its installation on the repository is looked up.
type App struct {
	ID         int64
	PrivateKey []byte // PEM
	// Minted is told of each token of the installation as soon as it is made,
	// so that it is kept out of logs; may be nil.
	Minted func(token string)
}

// Limits bound what one client asks and waits for. A zero field means its
// default.
type Limits struct {
	Attempts      int           // of one request that fails for a moment; default 4
	Attempt       time.Duration // one attempt, with its answer; default 30 s
	Wait          time.Duration // for rate limits, in all; default 5 minutes
	ResponseBytes int64         // of one answer; default 32 MiB
	FileBytes     int64         // of one file of the repository; default 1 MiB
	ArtifactBytes int64         // of one artifact; default 64 MiB (page 5.2)
	Pages         int           // of one listing; default 100 (page 5.3)
	Parallel      int           // requests of one gathering at a time, and connections to a host; default 8
	CacheBytes    int64         // kept for conditional requests; default 32 MiB
}

func (l Limits) withDefaults() Limits {
	or(&l.Attempts, 4)
	or(&l.Attempt, 30*time.Second)
	or(&l.Wait, 5*time.Minute)
	or(&l.ResponseBytes, 32<<20)
	or(&l.FileBytes, 1<<20)
	or(&l.ArtifactBytes, 64<<20)
	or(&l.Pages, 100)
	or(&l.Parallel, 8)
	or(&l.CacheBytes, 32<<20)
	return l
}

func or[T int | int64 | time.Duration](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

// Client asks about one repository. It is safe for use by several goroutines.
type Client struct {
	gh          *github.Client
	api         *http.Client // authenticated, guarded
	bare        *http.Client // no credentials: for signed addresses of other hosts
	guard       *guard
	auth        *appAuth // nil with a token
	owner, name string
	base        *url.URL
	lim         Limits
}

// New returns a client. Nothing is asked yet. Bad options are an *Error of
// kind Invalid or Unauthorised that names the step's input to fix.
func New(o Options) (*Client, error) {
	o.Limits = o.Limits.withDefaults()
	base, err := baseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if !ownerForm.MatchString(o.Owner) || !nameForm.MatchString(o.Name) || o.Name == "." || o.Name == ".." {
		return nil, &Error{Kind: Invalid, Op: "setting up", Detail: "the repository's owner or name is none that GitHub allows",
			Fix: "Give it as owner/name."}
	}
	if o.Transport == nil {
		o.Transport = ownTransport(o.Limits.Parallel)
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.UserAgent == "" {
		o.UserAgent = "familiar"
	}
	return build(o, base)
}

func build(o Options, base *url.URL) (*Client, error) {
	c := &Client{owner: o.Owner, name: o.Name, base: base, lim: o.Limits}
	inner, err := c.authenticate(o)
	if err != nil {
		return nil, err
	}
	c.guard = &guard{
		inner: inner, base: base, lim: o.Limits, sleep: o.Sleep, now: o.Now, jitter: rand.Float64,
		secret: o.Token, from: o.TokenFrom, cache: newCache(o.Limits.CacheBytes),
	}
	lastHop := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.api = &http.Client{Transport: c.guard, CheckRedirect: lastHop}
	c.bare = &http.Client{Transport: o.Transport, CheckRedirect: lastHop}
	c.gh = github.NewClient(c.api)
	c.gh.BaseURL = base
	c.gh.UserAgent = o.UserAgent
	return c, nil
}

func baseURL(s string) (*url.URL, error) {
	if s == "" {
		s = DefaultBaseURL
	}
	bad := func(detail string) error {
		return &Error{Kind: Invalid, Op: "setting up", Detail: detail, Fix: "Check GITHUB_API_URL; github.com's is " + DefaultBaseURL + "."}
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, bad("the API's address is no plain address of a host")
	case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		return nil, bad("the API's address is not https, so the token would travel in the clear")
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}

// ownTransport opens no more connections to a host than one gathering has
// requests, and keeps each for the next: gatherings side by side wait for a
// free one, which is there sooner than another handshake.
func ownTransport(connections int) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxConnsPerHost, t.MaxIdleConnsPerHost = connections, connections
	t.ResponseHeaderTimeout = 30 * time.Second
	return t
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
