package store

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
	"pgregory.net/rapid"
)

// mergeSteps is how many generated steps (operations and merges) the laws of
// merging are held against. CI asks for a million, `make merge-long` for ten.
var mergeSteps = flag.Int("merge.steps", 30_000, "steps of generated histories in TestMergeLaws")

var modelOps = []memory.Op{
	memory.OpRemember, memory.OpRemember, memory.OpRemember, memory.OpPropose, memory.OpPropose, memory.OpApprove, memory.OpApprove, memory.OpReject,
	memory.OpLapse, memory.OpRetire, memory.OpForget, memory.OpRedact, memory.OpFade, memory.OpPurge, memory.OpKeep, memory.OpAnnounce, memory.OpAccept,
	memory.OpRevoke, memory.OpUnrevoke, memory.OpHorizon, memory.OpDismiss,
}

// picker draws numbers: from rapid, which shrinks a failure, or from a plain
// source of random numbers, which is ten times as fast.
type picker func(n int) int

// events draws the commands of one history, in the order of GitHub's time but
// for a few from a skewed clock.
func drawEvents(pick picker, n int) []modelEvent {
	var out []modelEvent
	var documents []string
	at := int64(1_796_000_000_000)
	for i := range n {
		at += int64(pick(5)) * 86_400_000 / 2
		e := modelEvent{
			cause: memory.NewCause("model", fmt.Sprint(i)), op: modelOps[pick(len(modelOps))], at: at, actor: int64(11 + pick(2)),
			key: []string{"a/b", "c/d", "e/f"}[pick(3)], text: words[pick(len(words))], number: int64(pick(4)), target: "m-00000000",
		}
		if pick(8) == 0 {
			e.at -= int64(pick(60)) * 86_400_000
		}
		if len(documents) > 0 {
			e.target = documents[pick(len(documents))]
		}
		if e.op == memory.OpRemember || e.op == memory.OpPropose {
			documents = append(documents, memory.NewDocumentID(1, e.cause, 0))
		}
		out = append(out, e)
	}
	return out
}

// history lets three replicas with a common past deal with a share of the
// events each, with replays, now and then merging one into another. It
// returns how many steps that took.
func history(pick picker) (replicas [3]modelReplica, steps int, err error) {
	events := drawEvents(pick, 12+pick(30))
	common := newModelReplica()
	past := pick(len(events))
	for _, e := range events[:past] {
		common.apply(e)
	}
	steps = past
	for i := range replicas {
		replicas[i] = common.clone()
	}
	for range 20 + pick(60) {
		steps++
		into := replicas[pick(3)]
		if pick(12) == 0 {
			if err := into.merge(replicas[pick(3)].clone().contents); err != nil {
				return replicas, steps, err
			}
			continue
		}
		e := events[pick(len(events))]
		if pick(3) == 0 {
			e = e.anew(pick)
		}
		into.apply(e)
	}
	return replicas, steps, nil
}

// lawful holds the laws of page 4.4 against one history, and returns how many
// steps it took.
func lawful(pick picker) (int, error) {
	r, steps, err := history(pick)
	if err != nil {
		return steps, err
	}
	merged := func(a modelReplica, others ...modelReplica) modelReplica {
		m := a.clone()
		for _, o := range others {
			if err == nil {
				err = m.merge(o.clone().contents)
			}
			steps++
		}
		return m
	}
	a, b, c := r[0], r[1], r[2]
	abc := merged(a, b, c)
	same := func(law string, m modelReplica) {
		if err == nil && !m.equal(abc) {
			err = fmt.Errorf("%s:\n%s", law, spell(abc, m))
		}
	}
	same("a, c, b", merged(a, c, b))
	same("c, b, a", merged(c, b, a))
	same("b, (c, a)", merged(b, merged(c, a)))
	same("a, (b, c)", merged(a, merged(b, c)))
	same("merging all again", merged(abc, b, a, c, abc))
	same("twice the same on the way", merged(a, b, b, a, c))
	if err == nil {
		err = denied(abc, a, b, c)
	}
	return steps, err
}

// denied proves that a merge keeps every denial of every replica and loses no
// cause.
func denied(m modelReplica, parts ...modelReplica) error {
	for _, p := range parts {
		for id := range p.rows["causes"] {
			if m.gone("causes", id) {
				return fmt.Errorf("the cause %s is lost", id)
			}
		}
		for uid, r := range p.rows["versions"] {
			got, there := m.rows["versions"][uid]
			switch {
			case !there && !m.marked([]secretKey{modelSecret}, r.fields[verDocument].s):
				return fmt.Errorf("the version %s is lost without a purge", uid)
			case there && memory.State(got.fields[verState].s).Rank() < memory.State(r.fields[verState].s).Rank():
				return fmt.Errorf("the version %s went from %s to %s", uid, r.fields[verState].s, got.fields[verState].s)
			case there && r.fields[verRedacted].i == 1 && got.fields[verText].s != redacted:
				return fmt.Errorf("the text of %s came back", uid)
			}
		}
		for mark := range p.rows["purges"] {
			if m.gone("purges", mark) {
				return fmt.Errorf("a purge marker is lost")
			}
		}
	}
	for id := range m.rows["documents"] {
		if m.marked([]secretKey{modelSecret}, id) {
			return fmt.Errorf("the document %s came back after its purge", id)
		}
	}
	for id, r := range m.rows["audit"] {
		if r.fields[2].i < m.horizon {
			return fmt.Errorf("the audit row %s is older than the horizon", id)
		}
	}
	return nil
}

func TestMergeLaws(t *testing.T) {
	t.Run("with a history that shrinks to the shortest that fails", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			if _, err := lawful(func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "n") }); err != nil {
				rt.Fatal(err)
			}
		})
	})
	t.Run("over many steps", func(t *testing.T) {
		var steps, seeds atomic.Int64
		var wait sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wait.Go(func() {
				for steps.Load() < int64(*mergeSteps) && !t.Failed() {
					seed := seeds.Add(1)
					r := rand.New(rand.NewPCG(uint64(seed), 4))
					n, err := lawful(r.IntN)
					if err != nil {
						t.Errorf("history %d: %v", seed, err)
					}
					steps.Add(int64(n))
				}
			})
		}
		wait.Wait()
		t.Logf("%d steps in %d histories", steps.Load(), seeds.Load())
	})
}

// TestRealHistoriesMerge drives real stores through the door, lets two of
// them part and meet again, and holds the same laws against the files.
func TestRealHistoriesMerge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		s, err := anotherStore(t.Context(), filepath.Join(dir, fmt.Sprintf("real%d.db", runs)))
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		m := &model{fixture: &fixture{Store: s, t: t}, states: map[string]memory.State{}}
		first := m.remember(ada, keyed("a/b", words[0]))
		m.must(first)
		m.done = append(m.done, first)
		for range rapid.IntRange(1, 8).Draw(rt, "common") {
			m.step(rt)
		}
		other := &model{fixture: m.replica(), done: slices.Clone(m.done), ids: slices.Clone(m.ids), purged: slices.Clone(m.purged), states: map[string]memory.State{}}
		other.events += 1000
		for range rapid.IntRange(1, 8).Draw(rt, "apart") {
			m.step(rt)
			other.step(rt)
			if tr := m.done[len(m.done)-1]; rapid.Bool().Draw(rt, "both see it") {
				other.apply(tr)
			}
		}
		both(m.fixture, other.fixture)
		if t.Failed() {
			rt.Fatal("the laws do not hold")
		}
	})
}
