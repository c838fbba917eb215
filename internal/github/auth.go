package github

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v62/github"
)

// notSent marks a failure before the request proper was sent.
type notSent struct{ cause error }

func (e *notSent) Error() string { return e.cause.Error() }
func (e *notSent) Unwrap() error { return e.cause }

// authenticate returns what puts credentials onto requests, and only onto
// those to the API's own host.
func (c *Client) authenticate(o Options) (http.RoundTripper, error) {
	if o.App != nil {
		return c.asApp(o)
	}
	switch {
	case o.Token == "":
		return nil, &Error{Kind: Unauthorised, Op: "setting up", Detail: "there is no token",
			Fix: "Set the input `github-token` (its default is the job's own token), or `app-id` and `app-private-key`."}
	case strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		into := "the secret that `github-token` names"
		if o.TokenFrom != "" {
			into = o.TokenFrom
		}
		return nil, &Error{Kind: Unauthorised, Op: "setting up", Detail: "the token holds blanks, line breaks or other characters that no token has",
			Fix: "Copy it again into " + into + ", without a line break."}
	}
	return &tokenAuth{token: o.Token, base: c.base, inner: o.Transport}, nil
}

type tokenAuth struct {
	token string
	base  *url.URL
	inner http.RoundTripper
}

func (t *tokenAuth) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := ownHost(req, t.base); err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+t.token) // the guard's clone
	return t.inner.RoundTrip(req)
}

func ownHost(req *http.Request, base *url.URL) error {
	if req.URL.Scheme == base.Scheme && req.URL.Host == base.Host {
		return nil
	}
	return &notSent{&Error{Kind: Invalid, Op: callOf(req.Context()).op, Detail: "the address is not one of the API's host",
		Fix: "Check GITHUB_API_URL; credentials are sent to no other host."}}
}

// appAuth acts as an App's installation on one repository. The installation
// is looked up with the first request, and its token can do nothing elsewhere.
type appAuth struct {
	app   *ghinstallation.AppsTransport
	base  *url.URL
	owner string
	name  string
	api   *github.Client // asks as the App itself, through a guard of its own

	mu   sync.Mutex
	id   int64
	slug string
	inst *ghinstallation.Transport

	minted []string // tokens of the installation, the latest last
	tell   func(token string)
}

func (c *Client) asApp(o Options) (http.RoundTripper, error) {
	bad := func(detail, fix string) error {
		return &Error{Kind: Unauthorised, Op: "setting up the App", Detail: detail, Fix: fix}
	}
	if o.App.ID <= 0 {
		return nil, bad("the App's id is no positive number", "Set the input `app-id` to the number on the App's settings page.")
	}
	transport, err := ghinstallation.NewAppsTransport(o.Transport, o.App.ID, o.App.PrivateKey)
	if err != nil {
		return nil, bad("the App's private key cannot be read", "Set the input `app-private-key` to the whole PEM file, with its BEGIN and END lines.")
	}
	transport.BaseURL = strings.TrimSuffix(c.base.String(), "/")
	a := &appAuth{app: transport, base: c.base, owner: o.Owner, name: o.Name, tell: o.App.Minted}
	g := &guard{inner: &asItself{a}, base: c.base, lim: o.Limits, sleep: o.Sleep, now: o.Now,
		jitter: func() float64 { return 0.5 }, cache: newCache(0)}
	a.api = github.NewClient(&http.Client{Transport: g})
	a.api.BaseURL, a.api.UserAgent = c.base, o.UserAgent
	c.auth = a
	return a, nil
}

// asItself signs with the App's key.
type asItself struct{ auth *appAuth }

func (s *asItself) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := ownHost(req, s.auth.base); err != nil {
		return nil, err
	}
	return s.auth.app.RoundTrip(req)
}

func (a *appAuth) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := ownHost(req, a.base); err != nil {
		return nil, err
	}
	inst, _, err := a.installation(req.Context())
	if err != nil {
		return nil, &notSent{err}
	}
	token, err := inst.Token(req.Context()) // kept until shortly before it expires
	if err != nil {
		return nil, &notSent{err}
	}
	a.note(token)
	return inst.RoundTrip(req)
}

// note keeps a token that was made, and tells of it once, before anything can
// be said that holds it.
func (a *appAuth) note(token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if token == "" || slices.Contains(a.minted, token) {
		return
	}
	a.minted = append(a.minted, token)
	if a.tell != nil {
		a.tell(token)
	}
}

// Minted are the tokens that were made for the App's installation so far; none
// where the client acts with a token that it was given.
func (c *Client) Minted() []string {
	if c == nil || c.auth == nil {
		return nil
	}
	c.auth.mu.Lock()
	defer c.auth.mu.Unlock()
	return slices.Clone(c.auth.minted)
}

// installation looks the installation up once; a failed look-up is tried
// again by the next request.
func (a *appAuth) installation(ctx context.Context) (*ghinstallation.Transport, int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inst != nil {
		return a.inst, a.id, nil
	}
	ctx = with(ctx, call{op: "looking up the App's installation on " + a.owner + "/" + a.name})
	found, _, err := a.api.Apps.FindRepositoryInstallation(ctx, a.owner, a.name)
	if err != nil {
		err = asError(ctx, err)
		var e *Error
		if errors.As(err, &e) && e.Kind == NotFound {
			e.Fix = "Install the App on this repository, or leave `app-id` out."
		} else if errors.As(err, &e) && e.Kind == Unauthorised {
			e.Fix = "Check that `app-private-key` is a key of the App `app-id` = " + strconv.FormatInt(a.app.AppID(), 10) + ", and the runner's clock."
		}
		return nil, 0, err
	}
	if found.GetID() <= 0 {
		return nil, 0, invalid(ctx, "the answer holds no installation id", "Run it again.")
	}
	inst := ghinstallation.NewFromAppsTransport(a.app, found.GetID())
	inst.InstallationTokenOptions = &github.InstallationTokenOptions{Repositories: []string{a.name}}
	a.inst, a.id, a.slug = inst, found.GetID(), found.GetAppSlug()
	return inst, a.id, nil
}

// Installation is the App's installation on this repository, looked up, and
// the App's slug, whose comments are by "<slug>[bot]"; 0, "" and no error if
// the client acts with a token. A failed look-up means no tenant scope (page
// 3.3).
func (c *Client) Installation(ctx context.Context) (id int64, slug string, err error) {
	if c.auth == nil {
		return 0, "", nil
	}
	_, id, err = c.auth.installation(ctx)
	return id, c.auth.slug, err
}
