package store

import (
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
		l := keyed(fmt.Sprintf("k/k%d", i), distractor(i)+". "+distractor(i+n)+". "+distractor(i+2*n))
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

func BenchmarkStore(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
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
	}
}
