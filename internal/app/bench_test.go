package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/arch/benchtest"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// benchIdentity is the repository of the stores that the benchmarks of
// internal/store fill.
var benchIdentity = store.Identity{RepositoryID: 7001, Owner: "octocat", Name: "ledger"}

// vaultBench keeps containers in memory, so that no network is in what it
// measures.
type vaultBench struct {
	*cloud
	b    *testing.B
	keys vault.Keys
	said int // commands so far
}

// newVaultBench has one container, of the store of n lessons.
func newVaultBench(b *testing.B, n int) *vaultBench {
	b.Helper()
	v := &vaultBench{cloud: newCloud(), b: b, keys: keysNamed(b, "bench")}
	v.now = v.now.AddDate(1, 0, 0) // the stores' lessons are dated over months
	if n == 0 {
		v.teach(v.open(), 100)
		return v
	}
	path := filepath.Join(b.TempDir(), "memory.db")
	data, err := os.ReadFile(filepath.Join(*benchtest.Seeds, fmt.Sprintf("seeded-%d.db", n)))
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
	st, err := store.Open(b.Context(), path, benchIdentity)
	if err != nil {
		b.Fatal(err)
	}
	first := v.open()
	first.adopt(st)
	first.opened = true
	v.teach(first, 1)
	return v
}

// open is one run's memory over the containers.
func (v *vaultBench) open() *Vaulted {
	return &Vaulted{Home: &cloudHome{cloud: v.cloud, refuses: true}, Keys: v.keys, Identity: benchIdentity, Dir: v.b.TempDir(), Now: v.now, Tool: "bench",
		Run: RunFacts{WorkflowPath: ".github/workflows/familiar.yml", Event: "issue_comment", ID: 7, Attempt: 1}}
}

// commands are n commands that teach a lesson each.
func (v *vaultBench) commands(n int) (out []plan.Action) {
	for range n {
		v.said++
		words := fmt.Sprintf("Convention number %d: handlers of the kind bench%d return early, whatever the caller holds.", v.said, v.said)
		key, _ := memory.NewRepoKey(benchIdentity.Coordinates(), fmt.Sprintf("bench/k%d", v.said))
		t := memory.Transition{
			Op: memory.OpRemember, At: v.now, Actor: mara, Standing: memory.StandingMaintainer, Cause: memory.NewCause("bench", words), Through: memory.Through{Kind: "issue_comment"},
			Lesson: &memory.NewLesson{Key: key, Scope: contract.ScopeRepo, Text: words, Source: memory.UserAuthored, State: memory.Active, Class: memory.Standard,
				Approved: memory.ApprovedConfirmed, Provenance: memory.Provenance{RepositoryID: benchIdentity.RepositoryID}},
			Quotas: memory.Quotas{ActivePerRepo: 1 << 20},
		}
		out = append(out, plan.Action{Kind: plan.Transition, Key: t.Cause, Payload: &TransitionTask{Transition: t}, Summary: "remember"})
	}
	return append(out, saveAction)
}

// teach performs n commands, saves, and ends the run.
func (v *vaultBench) teach(run *Vaulted, n int) {
	v.b.Helper()
	v.pass(time.Minute)
	for _, o := range plan.Failed(run.Execute(v.b.Context(), v.commands(n), nil)) {
		v.b.Fatal(o.Err)
	}
	if err := run.Close(); err != nil {
		v.b.Fatal(err)
	}
}

// sizes are the stores that there are; 0 is a small one made here.
func sizes() []int {
	if *benchtest.Seeds == "" {
		return []int{0}
	}
	return benchtest.Sizes(1000, 10_000, 100_000)
}

// BenchmarkVault is the memory of a run, the network aside: verify, open and
// merge what lies there (load), and merge, seal and hand over (save).
func BenchmarkVault(b *testing.B) {
	for _, n := range sizes() {
		v := newVaultBench(b, n)
		b.Run(fmt.Sprintf("Load/lessons=%d", n), func(b *testing.B) {
			v.b = b
			var cpu benchtest.Processor
			for b.Loop() {
				cpu.Count(b, v.load)
			}
			cpu.Report(b)
			b.ReportMetric(float64(v.kept[0].Size)/1000, "container-KB")
		})
		b.Run(fmt.Sprintf("Save/lessons=%d", n), func(b *testing.B) {
			v.b = b
			var cpu benchtest.Processor
			for b.Loop() {
				b.StopTimer()
				run := v.open()
				if err := run.View(b.Context(), nothingOf); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				cpu.Count(b, func() { v.teach(run, 1) })
				b.StopTimer()
				v.kept = v.kept[:1]
				b.StartTimer()
			}
			cpu.Report(b)
		})
	}
}

// BenchmarkHeads loads a store that side by side runs left in more and more
// containers, which differ in a hundred lessons each; one alone, where nothing
// is merged, is what the others compare with.
func BenchmarkHeads(b *testing.B) {
	v := newVaultBench(b, sizes()[0])
	base := slices.Clone(v.kept)
	var heads []cloudEntry
	for _, n := range benchtest.Sizes(2, 1, 4, 8, 16, 32, 64) {
		for v.b = b; len(heads) < n; { // none of them sees what the others save
			v.kept = slices.Clone(base)
			v.teach(v.open(), 100)
			heads = append(heads, v.kept[len(v.kept)-1])
		}
		b.Run(fmt.Sprintf("heads=%d", n), func(b *testing.B) {
			v.b, v.kept = b, slices.Clone(heads[:n])
			var cpu benchtest.Processor
			for b.Loop() {
				cpu.Count(b, v.load)
			}
			cpu.Report(b)
		})
	}
}

// load opens what lies there, as a run that only reads.
func (v *vaultBench) load() {
	v.b.Helper()
	run := v.open()
	if err := run.View(v.b.Context(), nothingOf); err != nil || len(run.Quarantine) > 0 {
		v.b.Fatal(err, run.Quarantine)
	}
	if err := run.Close(); err != nil {
		v.b.Fatal(err)
	}
}

func nothingOf(_ context.Context, st *store.Store) error {
	if st == nil {
		return fmt.Errorf("there is no store")
	}
	return nil
}
