package githubtest

import (
	"strings"
	"sync"
	"testing"
	"time"
)

const commentsRoute = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments"
const pullRoute = "GET /repos/{owner}/{repo}/pulls/{pull_number}"

func TestFaultsHappenAsScripted(t *testing.T) {
	for _, c := range []struct {
		name    string
		fault   Fault
		status  int
		words   string // of the body, or of the client's error
		carried bool
	}{
		{"a bad gateway", Fault{Status: 502}, 502, "Server Error", false},
		{"a refusal", Fault{Status: 403}, 403, "Resource not accessible by integration", false},
		{"a refusal with other words", Fault{Status: 403, Message: "Although you appear to have the correct authorization credentials"}, 403, "Although you", false},
		{"A62 the secondary limit", Fault{Secondary: true, RetryAfter: 72 * time.Second}, 403, "secondary rate limit", false},
		{"the secondary limit as 429", Fault{Secondary: true, Status: 429}, 429, "secondary rate limit", false},
		{"the primary limit", Fault{Primary: true, RetryAfter: time.Minute}, 403, "API rate limit exceeded", false},
		{"a bad gateway once it was carried out", Fault{Status: 502, Done: true}, 502, "Server Error", true},
		{"a connection cut before", Fault{Cut: true}, 0, "EOF", false},
		{"an answer lost", Fault{Lose: true}, 0, "EOF", true},
		{"an answer cut in the middle", Fault{Half: true}, 201, "cut: unexpected EOF", true},
		{"a delay alone", Fault{Latency: time.Millisecond}, 201, "hi", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := world(t)
			s.Fault(commentsRoute, c.fault, 1)
			post := func() answered {
				return ask(t, s.FullToken(), "POST", s.URL()+"/repos/octocat/hello/issues/7/comments", m{"body": "hi"})
			}
			got := post()
			if got.status != c.status || !strings.Contains(got.text, c.words) {
				t.Errorf("%d %s, want %d %q", got.status, got.text, c.status, c.words)
			}
			if n := len(s.Comments(hello, 7)); n == 1 != c.carried {
				t.Errorf("%d comments, carried out should be %v", n, c.carried)
			}
			if again := post(); again.status != 201 {
				t.Errorf("after the fault: %d", again.status)
			}
		})
	}
}

func TestAFaultSpeaksAsItsHostDoes(t *testing.T) {
	s, _ := world(t)
	j := newJob(t, s, memoryRun(s))
	at := j.create("a")
	s.Fault("POST "+twirp+"CreateArtifact", Fault{Status: 403, Message: "insufficient usage to create artifact"}, 1)
	if got := j.call("CreateArtifact", m{"name": "b", "version": 7}); got.status != 403 || got.at("code") != "permission_denied" || got.at("msg") != "insufficient usage to create artifact" {
		t.Errorf("results: %d %s", got.status, got.text)
	}
	s.Fault("POST "+twirp+"CreateArtifact", Fault{Status: 503}, 1)
	if got := j.call("CreateArtifact", m{"name": "b", "version": 7}); got.status != 503 || got.at("code") != "unavailable" {
		t.Errorf("results: %d %s", got.status, got.text)
	}
	s.Fault("PUT /upload/{key}", Fault{Status: 503, Message: "ServerBusy"}, 1)
	got := j.put(at, "block&blockid="+blockID(0), []byte("x"))
	if got.status != 503 || got.header.Get("X-Ms-Error-Code") != "ServerBusy" || !strings.Contains(got.text, "<Code>ServerBusy</Code>") {
		t.Errorf("blob: %d %s", got.status, got.text)
	}
}

// TestParallelWritesAreEachCarriedOutOnce: a client that tries again after an
// error it was told of, and after a lost answer looks first, ends with each of
// its comments exactly once.
func TestParallelWritesAreEachCarriedOutOnce(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	s.Chaos(7, 0.2)
	has := func(body string) bool {
		for _, c := range s.Comments(hello, 7) {
			if c.Body == body {
				return true
			}
		}
		return false
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			body := "comment " + itoa(i)
			for range 50 {
				got := ask(t, tok, "POST", s.URL()+"/repos/octocat/hello/issues/7/comments", m{"body": body})
				if got.status == 201 || got.status == 0 && has(body) {
					return
				}
			}
			t.Errorf("%s never came through", body)
		})
	}
	wg.Wait()
	count := map[string]int{}
	ids := map[int64]bool{}
	for _, c := range s.Comments(hello, 7) {
		count[c.Body]++
		ids[c.ID] = true
	}
	if len(count) != 20 || len(ids) != 20 {
		t.Errorf("%d bodies under %d ids, want 20 of each: %v", len(count), len(ids), count)
	}
}

func TestLimitsSayWhenToComeBack(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	s.Fault(pullRoute, Fault{Secondary: true, RetryAfter: 72 * time.Second, After: 1}, 1)
	s.Fault(pullRoute, Fault{Secondary: true, NoHint: true, After: 1}, 1)
	get := func() answered { return ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/pulls/7", nil) }
	var hints []string
	var stati []int
	for range 4 {
		got := get()
		stati, hints = append(stati, got.status), append(hints, got.header.Get("Retry-After"))
	}
	if stati[0] != 200 || stati[1] != 403 || hints[1] != "72" || stati[2] != 403 || hints[2] != "" || stati[3] != 200 {
		t.Errorf("stati %v, hints %q", stati, hints)
	}
	s.RateLimit(1, 50*time.Millisecond)
	if got := get(); got.status != 200 || got.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("the last one: %d, remaining %s", got.status, got.header.Get("X-RateLimit-Remaining"))
	}
	if got := get(); got.status != 403 || got.header.Get("X-RateLimit-Remaining") != "0" || got.header.Get("X-RateLimit-Reset") == "" {
		t.Errorf("one too many: %d %v", got.status, got.header)
	}
	time.Sleep(60 * time.Millisecond)
	if got := get(); got.status != 200 {
		t.Errorf("after the reset: %d", got.status)
	}
}

func TestA8AListingCanFailOrBeStale(t *testing.T) {
	s, _ := world(t)
	run := memoryRun(s)
	tok := s.Token("actions:read", "issues:read")
	artifacts := func() answered {
		return ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/actions/artifacts?name=m", nil)
	}
	const route = "GET /repos/{owner}/{repo}/actions/artifacts"
	s.AddArtifact(Artifact{Repo: hello, Name: "m", Run: run.ID, Data: []byte("1")})
	s.Fault(route, Fault{Stale: true}, 1)
	if got := artifacts(); got.at("total_count") != 0.0 {
		t.Errorf("stale before anything was listed: %s", got.text)
	}
	if got := artifacts(); got.at("total_count") != 1.0 {
		t.Errorf("fresh: %s", got.text)
	}
	s.AddArtifact(Artifact{Repo: hello, Name: "m", Run: run.ID, Data: []byte("2")})
	s.Fault(route, Fault{Stale: true}, 1)
	if got := artifacts(); got.at("total_count") != 1.0 {
		t.Errorf("stale: %s", got.text)
	}
	s.Fault(route, Fault{Status: 503}, Always)
	for range 3 {
		if got := artifacts(); got.status != 503 {
			t.Errorf("failing for good: %d", got.status)
		}
	}
	s.ClearFaults()
	if got := artifacts(); got.at("total_count") != 2.0 {
		t.Errorf("after ClearFaults: %s", got.text)
	}
	s.Comment(hello, 7, "ada", "x")
	s.Fault(AnyRoute, Fault{Stale: true}, 1)
	if got := ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/issues/7/comments", nil); got.status != 200 || got.len() != 0 {
		t.Errorf("a stale list of comments: %s", got.text)
	}
}

func TestChaosIsDrawnFromItsSeed(t *testing.T) {
	run := func(seed uint64) string {
		s, _ := world(t)
		s.Chaos(seed, 0.3, Fault{Status: 502}, Fault{Status: 503})
		var b strings.Builder
		for range 40 {
			b.WriteString(itoa(ask(t, s.Token(), "GET", s.URL()+"/repos/octocat/hello", nil).status) + " ")
		}
		return b.String()
	}
	first := run(1)
	if first != run(1) || first == run(2) {
		t.Error("the same seed gives other faults, or another seed the same")
	}
	if n := strings.Count(first, "50"); n < 4 || n > 25 {
		t.Errorf("%d faults of 40 at a rate of 0.3", n)
	}
}

func TestAFaultOnARouteThatNoServerHasFailsTheTest(t *testing.T) {
	inner := &fatal{TB: t}
	s := New(t)
	s.t = inner
	func() {
		defer func() { _ = recover() }()
		s.Fault("GET /repos/{owner}/{repo}/pull/{n}", Fault{Cut: true}, 1)
	}()
	if !strings.Contains(inner.said, `no route`) {
		t.Errorf("said %q", inner.said)
	}
}

// fatal is a test that notes why it was ended.
type fatal struct {
	testing.TB
	said string
}

func (f *fatal) Fatalf(format string, args ...any) { f.said = format; panic("ended") }

func TestTheLogCountsCallsAndRoundTrips(t *testing.T) {
	s, _ := world(t)
	tok := s.FullToken()
	s.Latency(30 * time.Millisecond)
	get := func() { ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/pulls/7", nil) }
	get()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(get)
	}
	wg.Wait()
	ask(t, tok, "POST", s.URL()+"/repos/octocat/hello/issues/7/comments", m{"body": "x"})
	if s.Calls() != 7 || s.Depth() != 3 || s.DepthAll() != 3 || s.Writes() != 1 || s.CallsOf(pullRoute) != 6 || s.CallsTo(Results) != 0 {
		t.Errorf("calls %d, depth %d, writes %d, of the route %d; want 7, 3, 1, 6", s.Calls(), s.Depth(), s.Writes(), s.CallsOf(pullRoute))
	}
	last := s.Log()[6]
	if last.Route != commentsRoute || last.Status != 201 || last.Actor != "github-actions[bot]" || last.End.Sub(last.Start) < 30*time.Millisecond {
		t.Errorf("last entry %+v", last)
	}
	s.ResetLog()
	if s.Calls() != 0 || s.Depth() != 0 {
		t.Errorf("after ResetLog: %d calls, depth %d", s.Calls(), s.Depth())
	}
}

func TestDepthIsTheLongestChain(t *testing.T) {
	at := func(start, end int) Entry {
		return Entry{Host: API, Start: Epoch.Add(time.Duration(start)), End: Epoch.Add(time.Duration(end))}
	}
	for _, c := range []struct {
		name string
		log  []Entry
		want int
	}{
		{"nothing", nil, 0},
		{"one", []Entry{at(0, 9)}, 1},
		{"two at once", []Entry{at(0, 5), at(1, 6)}, 1},
		{"two in a row", []Entry{at(0, 5), at(5, 9)}, 2},
		{"three in a row beside a long one", []Entry{at(0, 100), at(1, 5), at(6, 9), at(10, 20)}, 3},
		{"a request to another host", []Entry{at(0, 5), {Host: Blob, Start: Epoch.Add(6), End: Epoch.Add(7)}}, 1},
	} {
		if got := depth(c.log, API); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
