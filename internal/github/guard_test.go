package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/render"
)

func TestAWriteNeverFollowsARedirect(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			var a *api
			a = newAPI(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/repositories/") {
					say(w, 200, `{"id":1}`)
					return
				}
				w.Header().Set("Location", a.url+"/repositories/42"+strings.TrimPrefix(r.URL.Path, "/repos/acme/rockets")+"?sig=abc")
				say(w, status, `{"message":"Moved Permanently"}`)
			})
			writes := map[string]func(context.Context) error{
				"POST":   func(ctx context.Context) error { _, err := a.CreateComment(ctx, 7, render.Words("x")); return err },
				"PATCH":  func(ctx context.Context) error { _, err := a.EditComment(ctx, 7, render.Words("x")); return err },
				"DELETE": func(ctx context.Context) error { return a.DeleteComment(ctx, 7) },
				"review": func(ctx context.Context) error {
					_, err := a.CreateReview(ctx, 7, NewReview{Comments: []LineComment{{Path: "a", Line: 1, Body: render.Words("x")}}})
					return err
				},
				"label": func(ctx context.Context) error { return a.AddLabel(ctx, 7, "x") },
				"react": func(ctx context.Context) error { return a.React(ctx, 7, "eyes") },
			}
			for name, write := range writes {
				e := wantKind(t, write(t.Context()), Redirected, "renamed or moved", a.url+"/repositories/42/", "new name")
				if strings.Contains(e.Location, "?") || e.Status != status {
					t.Errorf("%s: location %q, status %d", name, e.Location, e.Status)
				}
			}
			if n := len(a.requests()); n != len(writes) {
				t.Errorf("%d requests for %d writes: %v", n, len(writes), a.requests())
			}
		})
	}
}

func TestAReadFollowsARenamedRepositoryOnTheSameHostOnly(t *testing.T) {
	stolen := ""
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stolen = r.Header.Get("Authorization") }))
	defer elsewhere.Close()
	where := ""
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/repositories/42/pulls/7" {
			say(w, 200, `{"number":7,"title":"found"}`)
			return
		}
		w.Header().Set("Location", where)
		say(w, 301, `{}`)
	})
	where = a.url + "/repositories/42/pulls/7"
	if p, err := a.Pull(t.Context(), 7); err != nil || p.Title != "found" {
		t.Fatalf("Pull = %+v, %v", p, err)
	}
	where = elsewhere.URL + "/repos"
	_, err := a.Pull(t.Context(), 7)
	wantKind(t, err, Redirected, "another host", "token is not sent there")
	if stolen != "" {
		t.Error("the token was sent to another host")
	}
	where = a.url + "/repos/acme/rockets/pulls/7"
	before := len(a.requests())
	_, err = a.Pull(t.Context(), 7)
	wantKind(t, err, Redirected, "more than three redirects")
	if n := len(a.requests()) - before; n != 4 {
		t.Errorf("a loop took %d requests, want 4", n)
	}
	where = ""
	if _, err := a.Pull(t.Context(), 7); err == nil {
		t.Error("a redirect without an address succeeded")
	}
}

func TestReadsAreRepeatedAfterFailuresOfTheMoment(t *testing.T) {
	for name, fault := range map[string]func(t *testing.T, w http.ResponseWriter){
		"500":            func(_ *testing.T, w http.ResponseWriter) { say(w, 500, `{}`) },
		"502":            func(_ *testing.T, w http.ResponseWriter) { say(w, 502, `<html>`) },
		"503":            func(_ *testing.T, w http.ResponseWriter) { say(w, 503, ``) },
		"504":            func(_ *testing.T, w http.ResponseWriter) { say(w, 504, ``) },
		"cut connection": func(t *testing.T, w http.ResponseWriter) { cut(t, w) },
		"cut body": func(_ *testing.T, w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			say(w, 200, `{"number":7,`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int32
			a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
				if n.Add(1) < 4 {
					fault(t, w)
					return
				}
				say(w, 200, `{"number":7,"title":"found"}`)
			})
			if p, err := a.Pull(t.Context(), 7); err != nil || p.Title != "found" {
				t.Fatalf("Pull = %+v, %v", p, err)
			}
			if len(a.clock.slept) != 3 || a.clock.total() > 10*time.Second || a.clock.total() < 5*time.Second {
				t.Errorf("slept %v", a.clock.slept)
			}
			n.Store(-100)
			_, err := a.Pull(t.Context(), 7)
			wantKind(t, err, Unavailable, "reading pull request #7")
			// net/http repeats a read on a connection that was kept open, once.
			if got := n.Load() + 100; got < 4 || got > 8 {
				t.Errorf("%d attempts, want 4", got)
			}
		})
	}
}

func TestAnAnswerForGoodIsNotAskedForAgain(t *testing.T) {
	for status, want := range map[int]struct {
		kind Kind
		text string
	}{
		400: {Invalid, "answered 400"}, 401: {Unauthorised, "`github-token`"}, 403: {Forbidden, "`pull-requests: read`"},
		404: {NotFound, "token may see it"}, 406: {TooLarge, ""}, 409: {Conflict, ""}, 410: {Gone, "expired"},
		413: {TooLarge, ""}, 422: {Invalid, "Validation Failed; PullRequest base invalid"}, 451: {Forbidden, ""}, 501: {Unavailable, ""},
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
				say(w, status, `{"message":"Validation Failed","errors":[{"resource":"PullRequest","field":"base","code":"invalid"}]}`)
			})
			_, err := a.Pull(t.Context(), 7)
			e := wantKind(t, err, want.kind, want.text)
			if e.Status != status || len(a.requests()) != 1 || e.Fix == "" {
				t.Errorf("status %d after %d requests, fix %q", e.Status, len(a.requests()), e.Fix)
			}
		})
	}
}

func TestAPersonWithoutAJobIsToldOfTheVariableThatHoldsTheToken(t *testing.T) {
	mine := func(o *Options) { o.TokenFrom = "GH_TOKEN" }
	for name, c := range map[string]struct {
		status int // 0: no connection
		kind   Kind
		want   string
	}{
		"a token that is not taken": {401, Unauthorised, "Check the token in GH_TOKEN"},
		"a token that may not":      {403, Forbidden, "Give the token in GH_TOKEN the permission `pull-requests: read`"},
		"no connection":             {0, Unavailable, "Check that this machine reaches"},
		"another server's trouble":  {501, Unavailable, "www.githubstatus.com"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &failing{inner: http.DefaultTransport}
			if c.status == 0 {
				f.times.Store(100)
			}
			a := newAPI(t, func(w http.ResponseWriter, r *http.Request) { say(w, c.status, `{}`) }, mine, func(o *Options) { o.Transport = f })
			_, err := a.Pull(t.Context(), 7)
			e := wantKind(t, err, c.kind, c.want)
			for _, word := range []string{"github-token", "runner", "`permissions:`"} {
				if strings.Contains(e.Error(), word) {
					t.Errorf("%q means nothing away from a workflow: %s", word, e)
				}
			}
		})
	}
	_, err := New(Options{Owner: "acme", Name: "rockets", Token: "two lines\n", TokenFrom: "GH_TOKEN"})
	wantKind(t, err, Unauthorised, "Copy it again into GH_TOKEN, without a line break.")
}

func TestAWriteThatMayHaveArrivedIsNotSentAgain(t *testing.T) {
	for name, fault := range map[string]func(t *testing.T, w http.ResponseWriter){
		"502":            func(_ *testing.T, w http.ResponseWriter) { say(w, 502, `{}`) },
		"cut connection": func(t *testing.T, w http.ResponseWriter) { cut(t, w) },
		"cut body":       func(_ *testing.T, w http.ResponseWriter) { w.Header().Set("Content-Length", "99"); say(w, 201, `{`) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				fault(t, w)
			})
			_, err := a.CreateComment(t.Context(), 7, render.Words("hello"))
			if e := wantKind(t, err, Unavailable, "it may have been done all the same"); !e.Uncertain {
				t.Error("the error is not uncertain")
			}
			_, err = a.CreateReview(t.Context(), 7, NewReview{Comments: []LineComment{{Path: "a", Line: 1, Body: render.Words("x")}}})
			wantKind(t, err, Unavailable)
			if n := len(a.requests()); n != 2 {
				t.Errorf("%d requests for two writes", n)
			}
		})
	}
}

func TestAnAnswerWithoutWhatWasWrittenIsAWriteThatWasLost(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) { say(w, 200, `{}`) })
	_, err := a.CreateComment(t.Context(), 7, render.Words("hello"))
	if e := wantKind(t, err, Invalid, "holds no comment"); !e.Uncertain {
		t.Error("the error is not uncertain")
	}
	_, err = a.CreateReview(t.Context(), 7, NewReview{Body: render.Words("hello")})
	wantKind(t, err, Invalid, "holds no review")
}

// failing is a transport that fails before anything is sent.
type failing struct {
	times atomic.Int32
	inner http.RoundTripper
}

func (f *failing) RoundTrip(req *http.Request) (*http.Response, error) {
	if f.times.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	return f.inner.RoundTrip(req)
}

func TestAWriteThatProvablyNeverLeftIsSentAgain(t *testing.T) {
	f := &failing{inner: http.DefaultTransport}
	f.times.Store(2)
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), "hello") {
			t.Errorf("body %q", body)
		}
		say(w, 201, `{"id":5}`)
	}, func(o *Options) { o.Transport = f })
	if _, err := a.CreateComment(t.Context(), 7, render.Words("hello")); err != nil {
		t.Fatal(err)
	}
	if n := len(a.requests()); n != 1 {
		t.Errorf("%d requests arrived", n)
	}
	f.times.Store(100)
	_, err := a.CreateComment(t.Context(), 7, render.Words("hello"))
	if e := wantKind(t, err, Unavailable, "connection refused", "GITHUB_API_URL"); e.Uncertain {
		t.Error("a write that never left is called uncertain")
	}
}

func TestWritesThatChangeNothingTheSecondTimeAreRepeated(t *testing.T) {
	var n atomic.Int32
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%2 == 1 {
			say(w, 502, `{}`)
			return
		}
		if r.Method == http.MethodDelete {
			say(w, 404, `{"message":"Not Found"}`) // the first try had done it
			return
		}
		body := `{"id":5}`
		if strings.HasSuffix(r.URL.Path, "/labels") {
			body = `[]`
		}
		say(w, 200, body)
	})
	for name, write := range map[string]func(context.Context) error{
		"edit":   func(ctx context.Context) error { _, err := a.EditComment(ctx, 7, render.Words("x")); return err },
		"delete": func(ctx context.Context) error { return a.DeleteComment(ctx, 7) },
		"remove": func(ctx context.Context) error { return a.RemoveLabel(ctx, 7, "familiar:approve") },
		"label":  func(ctx context.Context) error { return a.AddLabel(ctx, 7, "x") },
		"react":  func(ctx context.Context) error { return a.React(ctx, 7, "eyes") },
		"prune":  func(ctx context.Context) error { return a.DeleteArtifact(ctx, 7) },
		"inline": func(ctx context.Context) error { return a.EditReviewComment(ctx, 7, render.Words("x")) },
	} {
		if err := write(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAskingAgainCostsNothingWhenNothingChanged(t *testing.T) {
	var full, spared atomic.Int32
	tag, title := `"v1"`, "first"
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			spared.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		full.Add(1)
		say(w, 200, `{"number":7,"title":"`+title+`"}`)
	})
	for i, want := range []string{"first", "first", "second", "second"} {
		if i == 2 {
			tag, title = `"v2"`, "second"
		}
		if p, err := a.Pull(t.Context(), 7); err != nil || p.Title != want {
			t.Fatalf("Pull %d = %q, %v, want %q", i, p.Title, err, want)
		}
	}
	if full.Load() != 2 || spared.Load() != 2 {
		t.Errorf("%d full answers and %d spared, want 2 and 2", full.Load(), spared.Load())
	}
	// What does not fit is not kept, and not lost either.
	small := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") != "" {
			t.Error("a conditional request for what was not kept")
		}
		say(w, 200, `{"number":7}`)
	}, func(o *Options) { o.Limits.CacheBytes = 3 })
	for range 2 {
		if _, err := small.Pull(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnswersAreReadUpToTheirBoundAndNoFurther(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		say(w, 200, `{"number":7,"title":"`+strings.Repeat("x", 5000)+`"}`)
	}, func(o *Options) { o.Limits.ResponseBytes = 4096 })
	_, err := a.Pull(t.Context(), 7)
	wantKind(t, err, TooLarge, "larger than is read")
	if len(a.requests()) != 1 {
		t.Errorf("%d requests", len(a.requests()))
	}
}

func TestAnAnswerThatIsNoJSONIsAnError(t *testing.T) {
	for _, body := range []string{`<html>`, `{"number":"seven"}`, `[]`, `{"number":8}`, `{}`, ``} {
		a := newAPI(t, func(w http.ResponseWriter, r *http.Request) { say(w, 200, body) })
		_, err := a.Pull(t.Context(), 7)
		wantKind(t, err, Invalid, "reading pull request #7")
	}
}

func TestNoSecretIsEverInAnError(t *testing.T) {
	signed := "https://blob.example/x?sv=1&" + "sig=" + "abcDEF%2B123&se=2"
	jwt := "ey" + "JhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJl"
	other := "github_" + "pat_" + strings.Repeat("A1b2", 10)
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		say(w, 422, `{"message":"bad `+r.Header.Get("Authorization")+` `+signed+`","errors":["`+jwt+`","`+other+`\u0007\u2028::error::x"]}`)
	})
	_, err := a.Pull(t.Context(), 7)
	e := wantKind(t, err, Invalid, "[hidden]")
	for _, secret := range []string{testToken, "abcDEF", jwt, other, "\n", "\a", "\u2028"} {
		if strings.Contains(fmt.Sprintf("%v %+v", err, *e), secret) {
			t.Errorf("%q is in %+v", secret, *e)
		}
	}
	// Nor where the connection itself fails: net/http puts the address first.
	b := newAPI(t, func(w http.ResponseWriter, r *http.Request) {}, func(o *Options) {
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("proxy said: %s %s", r.Header.Get("Authorization"), signed)
		})
	})
	_, err = b.Pull(t.Context(), 7)
	wantKind(t, err, Unavailable, "proxy said", "[hidden]")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestACancelledContextAsksNothing(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) { say(w, 200, `{}`) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.Pull(ctx, 7)
	e := wantKind(t, err, Cancelled)
	if len(a.requests()) != 0 || !errors.Is(e, context.Canceled) {
		t.Errorf("%d requests, cause %v", len(a.requests()), e.Cause)
	}
}

func TestOneAttemptDoesNotHangForever(t *testing.T) {
	release := make(chan struct{})
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}, func(o *Options) { o.Limits.Attempt, o.Limits.Attempts = 20*time.Millisecond, 2 })
	defer close(release)
	_, err := a.Pull(t.Context(), 7)
	wantKind(t, err, Unavailable, "no answer in time")
	_, err = a.CreateComment(t.Context(), 7, render.Words("x"))
	if e := wantKind(t, err, Unavailable); !e.Uncertain {
		t.Error("a write without an answer is not called uncertain")
	}
	if n := len(a.requests()); n != 3 {
		t.Errorf("%d requests, want 2 reads and 1 write", n)
	}
}

func TestGitHubsOwnWordForTheMissingPermissionIsUsedWhereWeHaveNone(t *testing.T) {
	for header, want := range map[string]string{
		"issues=write; pull_requests=write": "issues: write", "pull_requests=read": "pull-requests: read",
		"contents=write,workflows=write": "contents: write", "x=admin": "", "": "", "junk": "",
	} {
		if got := accepted(http.Header{"X-Accepted-Github-Permissions": {header}}); got != want {
			t.Errorf("accepted(%q) = %q, want %q", header, got, want)
		}
	}
}

func TestWhatAnAnswerSaysOfItsSizeIsNotBelieved(t *testing.T) {
	for _, said := range []int64{-1, 0, 3, 5, 1 << 62} {
		if data, err := readSized(strings.NewReader("bytes"), 8, said); err != nil || string(data) != "bytes" {
			t.Errorf("five bytes that are said to be %d: %q, %v", said, data, err)
		}
		if data, err := readSized(strings.NewReader("nine byte"), 8, said); err != errTooLarge || data != nil {
			t.Errorf("nine bytes that are said to be %d, where eight may come: %q, %v", said, data, err)
		}
	}
}
