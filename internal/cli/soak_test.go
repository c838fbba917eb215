package cli

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/vault"
)

var (
	soakRuns     = flag.Int("soak.runs", 30, "runs of the soak")
	soakParallel = flag.Int("soak.parallel", 20, "runs of the soak at a time")
	soakSeed     = flag.Uint64("soak.seed", 20261130, "seed of the soak")
)

// firstSoakRun is below the ids of the runs.
const firstSoakRun = 20000

// soak is a repository under a storm: people, pushes, the clock and the button
// start the built action again and again, up to twenty at a time, while
// requests fail, answers are lost, lists are stale, disks are full, clocks are
// wrong and processes die. A model (soak_model_test.go) holds what must be in
// the end (page 8.2).
type soak struct {
	t       *testing.T
	r       *runner
	seed    uint64
	action  string   // the binary, with a clock that is set
	disks   []string // small ones
	cleaner string   // the token of somebody who deletes old containers
	quiet   atomic.Bool
	began   time.Time

	runs  atomic.Int64 // processes started
	next  atomic.Int64 // run ids
	left  atomic.Int64 // deeds that are still to be begun
	byKey sync.Map     // token: the run that holds it

	mu        sync.Mutex
	rng       *rand.Rand
	genesis   bool            // the store is there and its id is known
	begun     map[string]bool // ids of the stores that the first runs made
	issues    []int
	pulls     []int
	lessons   []*taught
	proposals []*taught // every one that a reviewer made
	deeds     []*deed
	busy      map[int]bool     // a command's run is at this thread
	reviewing map[int]*soakRun // the review of each pull request
	people    map[string]int64
	seen      map[int64]vault.Manifest // every container that was ever met
	first     []deedKind               // one of each kind, drawn before the others
	kills     int
	reruns    int
	calls     int
	faults    map[string]int
	did       map[string]int
}

// TestTheSoak is the short one in `go test`, and the long one by `make soak`.
// With the seed that it prints the same storm is drawn again, though not in
// the same order: the runs race.
func TestTheSoak(t *testing.T) {
	t.Parallel()
	s := newSoak(t, *soakSeed)
	t.Logf("seed %d: %d runs, %d at a time", s.seed, *soakRuns, *soakParallel)
	s.begin()
	round := 0
	for s.left.Load() > 0 && !t.Failed() {
		round++
		s.storm(max(*soakRuns/5, 20))
		s.calmDown()
		s.holdsTheModel(fmt.Sprintf("round %d", round))
		s.r.server.Advance(2*time.Hour + 7*time.Minute)
	}
	for _, line := range s.figures() {
		t.Log(line)
	}
}

// newSoak is a repository with threads, pull requests and people, and no
// memory yet.
func newSoak(t *testing.T, seed uint64) *soak {
	t.Helper()
	r := newRunner(t)
	s := &soak{
		t: t, r: r, seed: seed, began: time.Now(), rng: rand.New(rand.NewPCG(seed, 8)),
		busy: map[int]bool{}, reviewing: map[int]*soakRun{}, seen: map[int64]vault.Manifest{}, begun: map[string]bool{}, faults: map[string]int{}, did: map[string]int{},
		people: map[string]int64{"mara": 11, "kim": 12, "stranger": 13, "ada": 14, "noor": 15},
	}
	r.server.SetNow(githubtest.Epoch)
	r.server.RateLimit(1<<40, 24*time.Hour) // the storm has limits of its own
	r.server.Remember(15 * time.Second)
	s.cleaner = r.server.FullToken()
	for login, role := range map[string]string{"ada": "admin", "noor": "write"} {
		r.server.AddUser(login, s.people[login], "User")
		r.server.Grant(r.repo, login, role)
	}
	for n := range max(*soakParallel, 8) {
		s.issues = append(s.issues, r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: fmt.Sprintf("Convention %d", n), Author: "mara"}))
	}
	for n := range 6 {
		p := r.server.AddPull(githubtest.PullSpec{Repo: r.repo, Title: "A change", Author: "mara", BaseRef: "main", HeadRef: fmt.Sprintf("topic-%d", n),
			Head: map[string]string{fmt.Sprintf("services/s%d.go", n): "package services\n"}})
		s.pulls = append(s.pulls, p.Number)
		r.pulls[p.Number] = true
	}
	s.action, s.first = clockBinary, eachKind()
	s.smallDisks()
	s.next.Store(firstSoakRun)
	s.left.Store(int64(*soakRuns))
	r.server.Interfere(func(a githubtest.Asked) *githubtest.Fault {
		if run, ok := s.byKey.Load(a.Holder); ok {
			return run.(*soakRun).meets(a)
		}
		return nil
	})
	return s
}

// begin lets the first runs of the repository meet: each makes a store, and
// they become one.
func (s *soak) begin() {
	var group sync.WaitGroup
	for _, thread := range s.issues[:min(len(s.issues), max(*soakRuns/5, 8))] {
		group.Go(func() { s.do(s.teach(thread)) })
	}
	group.Wait()
	s.calmDown()
	s.holdsTheModel("the first runs")
	s.mu.Lock()
	s.genesis = true
	s.mu.Unlock()
	s.r.server.Advance(time.Hour)
}

// storm has the workers do n deeds.
func (s *soak) storm(n int) {
	s.quiet.Store(false)
	s.labelProposals()
	var deeds atomic.Int64
	deeds.Store(int64(n))
	var group sync.WaitGroup
	for range *soakParallel {
		group.Go(func() {
			for deeds.Add(-1) >= 0 && s.left.Load() > 0 {
				if d := s.draw(); d != nil {
					s.do(d)
				}
			}
		})
	}
	group.Wait()
}

// calmDown lets the clock tick until a tick changes nothing any more. What the
// clock does not bring back, a person starts again: a workflow by its button.
// The first time it ticks twice at once.
func (s *soak) calmDown() {
	s.quiet.Store(true)
	s.r.server.Advance(6 * time.Minute) // until then a comment is left to its own run
	for _, d := range s.open() {
		if d.event == "workflow_dispatch" {
			s.do(d)
		}
	}
	// What two runs wrote at one moment, or one that was told of an old thread,
	// the next look takes away.
	for _, n := range s.pulls {
		for range s.doubledLines(n) {
			s.count2(s.faults, "line commented twice")
		}
	}
	for range s.doubledReplies() {
		s.count2(s.faults, "command answered twice")
	}
	const ticks = 12
	s.r.server.Advance(6 * time.Minute)
	for n := 1; ; n++ {
		writes := s.r.server.Writes()
		kept := s.containers()
		var beside sync.WaitGroup
		if n == 1 {
			beside.Go(func() { s.act(&deed{event: "schedule", login: "mara"}) })
		}
		got := s.act(&deed{event: "schedule", login: "mara"})
		beside.Wait()
		if got.status != 0 {
			s.t.Logf("tick %d: exit %d\n%s\n%s", n, got.status, got.log, got.summary)
		}
		if got.status == 0 && s.r.server.Writes() == writes && slices.Equal(s.containers(), kept) {
			s.tally()
			return
		}
		if n == ticks {
			s.t.Errorf("after %d ticks it is not quiet: the last wrote %d times, containers %v then %v\n%s\n%s", n, s.r.server.Writes()-writes, kept, s.containers(), got.log, got.summary)
			s.tally()
			return
		}
	}
}

// tally counts the calls so far.
func (s *soak) tally() {
	n := s.r.server.Calls()
	s.r.server.ResetLog()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls += n
}

// containers are the ids of those that live.
func (s *soak) containers() (ids []int64) {
	for _, name := range []string{memoryName, memoryName + "-again"} {
		for _, a := range s.r.server.Artifacts(s.r.repo, name) {
			ids = append(ids, a.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// fault counts a fault and returns it.
func (s *soak) fault(kind string, f *githubtest.Fault) *githubtest.Fault {
	s.count2(s.faults, kind)
	return f
}

func (s *soak) count(n *int, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n += by
}

func (s *soak) count2(m map[string]int, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m[key]++
}

// figures are the soak's last lines.
func (s *soak) figures() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := func(m map[string]int) string {
		var out []string
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out = append(out, fmt.Sprintf("%s %d", k, m[k]))
		}
		return strings.Join(out, ", ")
	}
	acknowledged, refused, ended := 0, 0, "lost 0, doubled 0"
	for _, d := range s.deeds {
		switch {
		case d.done && !d.refused && d.body != "":
			acknowledged++
		case d.refused:
			refused++
		}
	}
	if s.t.Failed() {
		ended = "and something is wrong"
	}
	return []string{
		fmt.Sprintf("soak of %s, seed %d", time.Now().UTC().Format(time.DateOnly), s.seed),
		fmt.Sprintf("runs %d (%d at a time), of them started again %d", s.runs.Load(), *soakParallel, s.reruns),
		"deeds: " + told(s.did),
		"faults: " + told(s.faults),
		fmt.Sprintf("processes killed %d", s.kills),
		fmt.Sprintf("commands acknowledged %d, refused as they must be %d, %s", acknowledged, refused, ended),
		fmt.Sprintf("containers made %d, REST calls %d, wall time %s", len(s.seen), s.calls, time.Since(s.began).Round(time.Second)),
	}
}

// draw is the next deed, or nil where nothing can be done now. Every kind comes
// once before any comes twice, so that a short soak has them all.
func (s *soak) draw() *deed {
	s.mu.Lock()
	kind := deedKinds[s.rng.IntN(len(deedKinds))]
	if len(s.first) > 0 {
		kind, s.first = s.first[0], s.first[1:]
	}
	s.mu.Unlock()
	return kind.make(s)
}

// cause is that of a command in the first line of a comment.
func causeOfComment(comment int64, target string) string {
	return memory.NewCause("issue_comment", "501", fmt.Sprint(comment), "1", target)
}

var background = context.Background()
