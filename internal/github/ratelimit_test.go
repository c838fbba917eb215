package github

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/render"
)

const secondaryWords = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`

func TestA62_ASecondaryLimitWithoutAHeaderIsOutlastedAndNothingIsPostedTwice(t *testing.T) {
	var posted atomic.Int32
	var begin time.Time
	var a *api
	a = newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		now := a.clock.Now()
		if begin.IsZero() {
			begin = now
		}
		if now.Sub(begin) < 72*time.Second { // as long as one was seen to last
			say(w, 403, secondaryWords)
			return
		}
		posted.Add(1)
		say(w, 201, `{"id":5,"body":"hello"}`)
	})
	got, err := a.CreateComment(t.Context(), 7, render.Words("hello"))
	if err != nil || got.ID != 5 {
		t.Fatalf("CreateComment = %+v, %v", got, err)
	}
	if posted.Load() != 1 || len(a.requests()) != 3 {
		t.Errorf("%d comments by %d requests, want 1 by 3", posted.Load(), len(a.requests()))
	}
	if a.Waited() <= 72*time.Second || a.Waited() > 5*time.Minute {
		t.Errorf("waited %s", a.Waited())
	}
}

func TestLimitsAreWaitedForAsLongAsGitHubSays(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header func(now time.Time) map[string]string
		body   string
		want   time.Duration
	}{
		"429 with Retry-After": {429, func(time.Time) map[string]string { return map[string]string{"Retry-After": "17"} }, `{}`, 18 * time.Second},
		"429 without anything": {429, nil, `{}`, time.Minute},
		"403 with Retry-After": {403, func(time.Time) map[string]string { return map[string]string{"Retry-After": "30"} }, secondaryWords, 31 * time.Second},
		"403 with Retry-After as a date": {403, func(now time.Time) map[string]string {
			return map[string]string{"Retry-After": now.Add(40 * time.Second).Format(http.TimeFormat)}
		}, secondaryWords, 41 * time.Second},
		"primary limit": {403, func(now time.Time) map[string]string {
			return map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(now.Add(90*time.Second).Unix(), 10)}
		}, `{"message":"API rate limit exceeded for installation ID 1."}`, 91 * time.Second},
		"primary limit as 429": {429, func(now time.Time) map[string]string {
			return map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(now.Add(9*time.Second).Unix(), 10)}
		}, `{}`, 10 * time.Second},
		"words of abuse detection":  {403, nil, `{"message":"You have triggered an abuse detection mechanism."}`, time.Minute},
		"only a documentation link": {403, nil, `{"message":"No.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int32
			var a *api
			a = newAPI(t, func(w http.ResponseWriter, r *http.Request) {
				if n.Add(1) > 1 {
					say(w, 200, `{"id":9,"number":7}`)
					return
				}
				if c.header != nil {
					for k, v := range c.header(a.clock.Now()) {
						w.Header().Set(k, v)
					}
				}
				say(w, c.status, c.body)
			})
			if _, err := a.Pull(t.Context(), 7); err != nil {
				t.Fatal(err)
			}
			if a.clock.total() != c.want || a.Waited() != c.want {
				t.Errorf("slept %s, counted %s, want %s", a.clock.total(), a.Waited(), c.want)
			}
		})
	}
}

func TestASkewedClockHereDoesNotLengthenAWait(t *testing.T) {
	var n atomic.Int32
	server := newClock()
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) > 1 {
			say(w, 200, `{"number":7}`)
			return
		}
		w.Header().Set("Date", server.Now().Format(http.TimeFormat))
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(server.Now().Add(time.Minute).Unix(), 10))
		say(w, 403, `{"message":"API rate limit exceeded"}`)
	}, func(o *Options) {
		o.Now = func() time.Time { return server.Now().Add(-3 * time.Hour) }
	})
	if _, err := a.Pull(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if a.clock.total() != 61*time.Second {
		t.Errorf("slept %s, want 61s", a.clock.total())
	}
}

func TestALimitBeyondTheBoundIsAnErrorAtOnce(t *testing.T) {
	var a *api
	a = newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(a.clock.Now().Add(time.Hour).Unix(), 10))
		say(w, 403, `{"message":"API rate limit exceeded"}`)
	})
	_, err := a.Pull(t.Context(), 7)
	wantKind(t, err, RateLimited, "reading pull request #7", "1h0m1s", "5m0s in all", "Run it again after that")
	if a.clock.total() != 0 || len(a.requests()) != 1 {
		t.Errorf("slept %s over %d requests, want no wait that cannot help", a.clock.total(), len(a.requests()))
	}
}

func TestWaitsAddUpOverARun(t *testing.T) {
	var n atomic.Int32
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%2 == 1 {
			w.Header().Set("Retry-After", "119")
			say(w, 429, `{}`)
			return
		}
		say(w, 200, `{"number":7}`)
	})
	for range 2 {
		if _, err := a.Pull(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
	}
	_, err := a.Pull(t.Context(), 7)
	wantKind(t, err, RateLimited)
	if a.Waited() != 4*time.Minute {
		t.Errorf("waited %s, want 4m", a.Waited())
	}
}

func TestOneLimitHoldsEveryRequestUpOnce(t *testing.T) {
	var a *api
	var begin time.Time
	a = newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if a.clock.Now().Sub(begin) < 4*time.Minute {
			w.Header().Set("Retry-After", strconv.Itoa(int((4*time.Minute - a.clock.Now().Sub(begin)).Seconds())))
			say(w, 429, `{}`)
			return
		}
		say(w, 200, `{"number":7}`)
	})
	begin = a.clock.Now()
	var facts []func(context.Context) error
	for range 6 {
		facts = append(facts, func(ctx context.Context) error { _, err := a.Pull(ctx, 7); return err })
	}
	if err := a.Gather(t.Context(), facts...); err != nil {
		t.Fatalf("six requests behind one limit of four minutes, within a bound of five: %v", err)
	}
}

func TestAMissingPermissionAtTheEndOfTheAllowanceIsNoLimit(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "0")
		say(w, 403, `{"message":"Resource not accessible by integration"}`)
	})
	_, err := a.CreateComment(t.Context(), 7, render.Words("hello"))
	e := wantKind(t, err, Forbidden, "`issues: write`", "permissions:")
	if e.Permission != "issues: write" || a.clock.total() != 0 {
		t.Errorf("permission %q after %s", e.Permission, a.clock.total())
	}
}

func TestALibraryThatRemembersALimitDoesNotRefuseTheNextRequest(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Limit", "5000")
		w.Header().Set("X-RateLimit-Remaining", "0") // this one was the last that is allowed
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
		say(w, 200, `{"number":7}`)
	})
	for range 2 {
		if _, err := a.Pull(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACancelledWaitSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "10")
		say(w, 429, `{}`)
	}, func(o *Options) {
		o.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	})
	_, err := a.Pull(ctx, 7)
	wantKind(t, err, Cancelled, "the run was cancelled")
}

func TestHostileLimitHeadersNeverWaitLongerThanTheBound(t *testing.T) {
	for _, h := range []string{"-5", "99999999999999999999", "1e9", "soon", strings.Repeat("9", 1000), ""} {
		t.Run(h[:min(len(h), 12)], func(t *testing.T) {
			a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", h)
				w.Header().Set("X-RateLimit-Remaining", "0")
				w.Header().Set("X-RateLimit-Reset", fmt.Sprint(h, 7))
				say(w, 429, `{}`)
			})
			_, err := a.Pull(t.Context(), 7)
			wantKind(t, err, RateLimited)
			if a.clock.total() > 5*time.Minute {
				t.Errorf("slept %s", a.clock.total())
			}
		})
	}
}
