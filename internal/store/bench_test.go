package store

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

// seeded returns a store with n lessons of realistic text, a third of them
// with globs.
func seeded(b *testing.B, n int) *fixture {
	b.Helper()
	f := newFixture(b)
	var lessons []*memory.NewLesson
	for i := range n {
		// One sentence or two: what people teach has some 120 to 240 characters.
		l := keyed(fmt.Sprintf("k/k%d", i), distractor(i))
		if i%2 == 0 {
			l.Text += ". " + distractor(i+n)
		}
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

func BenchmarkStore(b *testing.B) {
	for _, n := range sizes() {
		f := seeded(b, n)
		q := benchChange()
		b.Run(fmt.Sprintf("recall/%d", n), func(b *testing.B) {
			for b.Loop() {
				snapshot, err := f.Recall(b.Context(), q)
				if err != nil || len(snapshot.Lessons) == 0 {
					b.Fatal(len(snapshot.Lessons), err)
				}
			}
		})
		b.Run(fmt.Sprintf("remember/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				tr := f.remember(ada, keyed(fmt.Sprintf("bench/k%d-%d", f.events, i), distractor(10*n+f.events)))
				tr.Quotas = memory.Quotas{ActivePerRepo: 1 << 20}
				f.must(tr)
			}
		})
		b.Run(fmt.Sprintf("save/%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := f.Export(b.Context(), io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("open/%d", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "s.db")
			if err := f.SaveTo(b.Context(), path); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				s, err := Open(b.Context(), path, ledger)
				if err != nil {
					b.Fatal(err)
				}
				s.Close()
			}
		})
		b.Run(fmt.Sprintf("merge/16 heads of %d", n), func(b *testing.B) { benchMerge(b, f) })
	}
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
			lessons = append(lessons, keyed(fmt.Sprintf("head%d/k%d", i, j), distractor(1_000_000*(i+1)+j)))
		}
		head.bulk(lessons...)
		heads = append(heads, head)
	}
	rules := MergeRules{SealedAt: noon.AddDate(100, 0, 0)}
	for b.Loop() {
		b.StopTimer()
		into := heads[0].replica()
		b.StartTimer()
		for _, head := range heads[1:] {
			if r, err := into.Merge(b.Context(), head.Store, rules); err != nil || r.Added < 200 {
				b.Fatal(r, err)
			}
		}
	}
}
