package github

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// limited tells GitHub's rate limits: 429, and the 403 of the primary limit
// (nothing remains) and of the secondary ones (a header, or only its words).
// A limited request was refused, so also a POST may be sent again.
func limited(a answer) bool {
	if a.status == http.StatusTooManyRequests {
		return true
	}
	if a.status != http.StatusForbidden {
		return false
	}
	body := bytes.ToLower(a.body[:min(len(a.body), maxErrorBytes)])
	switch {
	case bytes.Contains(body, []byte("not accessible by")): // a missing permission, at the end of the allowance
		return false
	case a.header.Get("Retry-After") != "", a.header.Get("X-RateLimit-Remaining") == "0":
		return true
	}
	return bytes.Contains(body, []byte("rate limit")) || bytes.Contains(body, []byte("abuse detection")) ||
		bytes.Contains(body, []byte("rate-limits"))
}

// secondary is how long a secondary limit without a header is waited for
// first; each further time twice as long (A62: they outlast a minute).
const secondary = time.Minute

// untilAllowed is how long the answer asks to wait. Times are taken relative
// to GitHub's own clock where it tells, so that a skewed one here is no
// matter.
func untilAllowed(a answer, now time.Time, before int) time.Duration {
	if date, err := http.ParseTime(a.header.Get("Date")); err == nil {
		now = date
	}
	if d, ok := retryAfter(a.header.Get("Retry-After"), now); ok {
		return d + time.Second
	}
	if a.header.Get("X-RateLimit-Remaining") == "0" {
		if sec, err := strconv.ParseInt(a.header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			return max(time.Unix(sec, 0).Sub(now), 0) + time.Second
		}
	}
	return secondary << min(before, 6)
}

func retryAfter(s string, now time.Time) (time.Duration, bool) {
	if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil && n >= 0 {
		return time.Duration(min(n, 1<<20)) * time.Second, true
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// wait shuts the door until the limit is over, for every request of this
// client: one limit is waited for once, which is why it counts from when the
// request was sent. Beyond Limits.Wait it is an error.
func (g *guard) wait(ctx context.Context, c call, a answer, before int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	d := untilAllowed(a, a.asked, before)
	from := a.asked
	if g.notBefore.After(from) {
		from = g.notBefore
	}
	until := a.asked.Add(d)
	longer := max(until.Sub(from), 0)
	if g.waited+longer > g.lim.Wait || before >= maxLimitWaits {
		return &Error{Kind: RateLimited, Op: c.op, Status: a.status,
			Detail: fmt.Sprintf("GitHub's rate limit is used up for another %s, and a run waits %s in all", d.Round(time.Second), g.lim.Wait),
			Fix:    "Run it again after that; an App has a limit of its own."}
	}
	if until.After(g.notBefore) {
		g.notBefore = until
	}
	g.waited += longer
	return ctx.Err()
}

// pass waits in front of the door while it is shut.
func (g *guard) pass(ctx context.Context) error {
	g.mu.Lock()
	d := g.notBefore.Sub(g.now())
	g.mu.Unlock()
	if d > 0 {
		if err := g.sleep(ctx, d); err != nil {
			return cancelled(ctx)
		}
	}
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	return nil
}

// Waited is how long rate limits have held this client up, in all.
func (c *Client) Waited() time.Duration {
	c.guard.mu.Lock()
	defer c.guard.mu.Unlock()
	return c.guard.waited
}

// accepted is the permission that GitHub itself says the request needs, as a
// workflow file spells it: "issues=write; pull_requests=write".
func accepted(h http.Header) string {
	first, _, _ := strings.Cut(h.Get("X-Accepted-GitHub-Permissions"), ";")
	first, _, _ = strings.Cut(first, ",")
	name, level, ok := strings.Cut(strings.TrimSpace(first), "=")
	if !ok || len(name) > 40 || (level != "read" && level != "write") {
		return ""
	}
	return strings.ReplaceAll(shown(name, "", 40), "_", "-") + ": " + level
}
