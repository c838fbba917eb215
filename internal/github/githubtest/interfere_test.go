package githubtest

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestWhoeverInterferesKnowsWhoAsks: each request is told of with the token
// that stands behind it, also where its address is signed, and what the answer
// to that is goes wrong with this request alone.
func TestWhoeverInterferesKnowsWhoAsks(t *testing.T) {
	s, _ := world(t)
	run := memoryRun(s)
	j := newJob(t, s, run)
	token := s.FullToken()
	var mu sync.Mutex
	var asked []Asked
	var done atomic.Int32
	s.Interfere(func(a Asked) *Fault {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, a)
		if a.Route == commentsRoute {
			return &Fault{Lose: true, Then: func() { done.Add(1) }}
		}
		return nil
	})
	j.put(j.create("a"), "block&blockid="+blockID(0), []byte("x"))
	if got := ask(t, token, "POST", s.URL()+"/repos/octocat/hello/issues/7/comments", m{"body": "hi"}); got.status != 0 {
		t.Errorf("the answer is %d %s, want a connection that was cut", got.status, got.text)
	}
	if done.Load() != 1 || len(s.Comments(hello, 7)) != 1 {
		t.Errorf("told %d times, %d comments; want it told once that it was carried out", done.Load(), len(s.Comments(hello, 7)))
	}
	if len(asked) != 3 || asked[0].Host != Results || asked[1].Host != Blob || asked[1].Holder != asked[0].Holder || asked[0].Holder == "" || asked[2].Holder != token {
		t.Errorf("asked %+v", asked)
	}
	s.Interfere(nil)
	if got := ask(t, token, "POST", s.URL()+"/repos/octocat/hello/issues/7/comments", m{"body": "hi"}); got.status != 201 {
		t.Errorf("afterwards: %d %s", got.status, got.text)
	}
}
