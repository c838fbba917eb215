package github

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// testToken looks like a token and is none: put together here so that no
// scanner takes it for a live one.
var testToken = "gh" + "s_" + strings.Repeat("Test0", 8)

// clock is a clock that only moves when somebody sleeps.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

func (c *clock) total() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sum time.Duration
	for _, d := range c.slept {
		sum += d
	}
	return sum
}

// api is a small server with a client of it. The server's own clock is the
// client's.
type api struct {
	*Client
	clock *clock
	url   string

	mu   sync.Mutex
	seen []*http.Request // without bodies
}

func (a *api) requests() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []string
	for _, r := range a.seen {
		out = append(out, r.Method+" "+r.URL.Path)
	}
	return out
}

func newAPI(t *testing.T, h http.HandlerFunc, change ...func(*Options)) *api {
	t.Helper()
	a := &api{clock: newClock()}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.seen = append(a.seen, r)
		a.mu.Unlock()
		w.Header().Set("Date", a.clock.Now().UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/json")
		h(w, r)
	}))
	t.Cleanup(srv.Close)
	a.url = srv.URL
	o := Options{Owner: "acme", Name: "rockets", BaseURL: srv.URL, Token: testToken, Sleep: a.clock.Sleep, Now: a.clock.Now}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	a.Client = c
	return a
}

func say(w http.ResponseWriter, status int, body string) {
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// cut closes the connection without an answer.
func cut(t *testing.T, w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	conn.Close()
}

func wantKind(t *testing.T, err error, kind Kind, parts ...string) *Error {
	t.Helper()
	if KindOf(err) != kind {
		t.Fatalf("error %v has kind %q, want %q", err, KindOf(err), kind)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
	if s := err.Error(); strings.Contains(s, testToken) || strings.Contains(s, "sig=") {
		t.Errorf("error %q holds a secret", s)
	}
	return err.(*Error)
}
