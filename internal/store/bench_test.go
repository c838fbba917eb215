package store

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// seeded returns a store with n lessons of realistic text, a third of them
// with globs.
func seeded(b *testing.B, n int) *fixture {
	b.Helper()
	f := newFixture(b)
	var lessons []*memory.NewLesson
	for i := range n {
		l := keyed(fmt.Sprintf("k/k%d", i), threeSentences(i))
		if i%3 == 0 {
			l.Paths = []string{fmt.Sprintf("services/s%d/**", i%50), fmt.Sprintf("area%d/**/*.go", i%200)}
		}
		lessons = append(lessons, l)
	}
	f.bulk(lessons...)
	path := filepath.Join(b.TempDir(), "seeded.db")
	if err := f.SaveTo(b.Context(), path); err != nil {
		b.Fatal(err)
	}
	f.Close()
	opened, err := Open(b.Context(), path, ledger)
	if err != nil {
		b.Fatal(err)
	}
	f.Store = opened
	b.Cleanup(func() { f.Store.Close() })
	return f
}

// benchChange is a change of twenty files and some 150 distinct words.
func benchChange() memory.RecallQuery {
	var lines string
	var paths []string
	for i := range 20 {
		lines += distractor(i*31+5) + "\n" + distractor(i*17+3) + "\n"
		paths = append(paths, fmt.Sprintf("services/s%d/handler%d.go", i%4, i))
	}
	return query(lines, paths...)
}

// sizes are those of the budgets of page 8.3; the flag -large asks for the last
// as well, which takes a minute to fill.
func sizes() []int {
	if *large {
		return []int{1000, 10_000, 100_000}
	}
	return []int{1000, 10_000}
}

var large = flag.Bool("large", false, "benchmarks with 100,000 lessons as well")

// cpu runs a benchmark and reports the processor time of an operation besides
// the time by the clock: on a machine that others use it is what can be
// compared.
func cpu(b *testing.B, name string, f func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		used = 0
		f(b)
		b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
	})
}

// used is the processor time of what was counted since the benchmark began.
var used time.Duration

// counted runs one operation and counts its processor time.
func counted(b *testing.B, f func() error) {
	before := processorTime(b)
	if err := f(); err != nil {
		b.Fatal(err)
	}
	used += processorTime(b) - before
}

func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func BenchmarkStore(b *testing.B) {
	for _, n := range sizes() {
		f := seeded(b, n)
		q := benchChange()
		cpu(b, fmt.Sprintf("recall/%d", n), func(b *testing.B) {
			for b.Loop() {
				counted(b, func() error {
					snapshot, err := f.Recall(b.Context(), q)
					if len(snapshot.Lessons) == 0 {
						b.Fatal("nothing was recalled")
					}
					return err
				})
			}
		})
		cpu(b, fmt.Sprintf("save/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				// A save follows a change: what it costs depends on that.
				f.must(f.taught(fmt.Sprintf("bench/k%d-%d", f.events, i), threeSentences(10*n+f.events)))
				path := filepath.Join(b.TempDir(), "saved.db")
				counted(b, func() error { return f.SaveTo(b.Context(), path) })
				os.Remove(path)
			}
		})
		cpu(b, fmt.Sprintf("save after a forget/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				v := f.must(f.taught(fmt.Sprintf("bench/k%d-%d", f.events, i), threeSentences(10*n+f.events)))
				path := filepath.Join(b.TempDir(), "saved.db")
				counted(b, func() error {
					f.must(f.on(memory.OpForget, ada, v.DocumentID))
					return f.SaveTo(b.Context(), path)
				})
				os.Remove(path)
			}
		})
		cpu(b, fmt.Sprintf("remember/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				counted(b, func() error {
					f.must(f.taught(fmt.Sprintf("bench/k%d-%d", f.events, i), threeSentences(10*n+f.events)))
					return nil
				})
			}
		})
		cpu(b, fmt.Sprintf("open/%d", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "s.db")
			if err := f.SaveTo(b.Context(), path); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				counted(b, func() error {
					s, err := Open(b.Context(), path, ledger)
					if err == nil {
						err = s.Close()
					}
					return err
				})
			}
		})
		cpu(b, fmt.Sprintf("sweepable/%d", n), func(b *testing.B) {
			for b.Loop() {
				counted(b, func() error {
					_, err := f.Sweepable(b.Context(), noon.AddDate(0, 0, 100), memory.Retention{MaxAgeDays: 365}, nil)
					return err
				})
			}
		})
		cpu(b, fmt.Sprintf("merge/16 heads of %d", n), func(b *testing.B) { benchMerge(b, f) })
	}
}

// taught is a command that teaches one lesson more than most stores may hold.
func (f *fixture) taught(key, words string) memory.Transition {
	tr := f.remember(ada, keyed(key, words))
	tr.Quotas = memory.Quotas{ActivePerRepo: 1 << 20}
	return tr
}

// benchMerge merges fifteen heads into one, which all differ from each other
// in a hundred lessons.
func benchMerge(b *testing.B, f *fixture) {
	var heads []*fixture
	for i := range 16 {
		head := f.replica()
		head.events += 1_000_000 * (i + 1)
		var lessons []*memory.NewLesson
		for j := range 100 {
			lessons = append(lessons, keyed(fmt.Sprintf("head%d/k%d", i, j), threeSentences(1_000_000*(i+1)+j)))
		}
		head.bulk(lessons...)
		heads = append(heads, head)
	}
	rules := MergeRules{SealedAt: noon.AddDate(100, 0, 0)}
	for b.Loop() {
		b.StopTimer()
		into := heads[0].replica()
		b.StartTimer()
		counted(b, func() error {
			for _, head := range heads[1:] {
				if r, err := into.Merge(b.Context(), head.Store, rules); err != nil || r.Added < 200 {
					return fmt.Errorf("%+v, %w", r, err)
				}
			}
			return nil
		})
	}
}
