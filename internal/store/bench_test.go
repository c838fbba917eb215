package store

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/arch/benchtest"
	"github.com/familiarhq/familiar/internal/memory"
)

// sizes are those of the budgets of page 8.3.
func sizes() []int { return benchtest.Sizes(1000, 10_000, 100_000) }

// meetings are how many heads of n lessons meet in a merge. One alone meets
// nobody: that takes no time, and would be repeated, each time after it was
// prepared, until it took a second.
func meetings(n int) []int {
	if n == 100_000 {
		return []int{2}
	}
	return benchtest.Sizes(2, 4, 8, 16, 32, 64)
}

// BenchmarkStore measures what page 8.3 has budgets for, with lessons of three
// sentences, a third of them with globs. Each figure is given by the clock and
// in processor time, since only the latter can be compared on a machine that
// others use.
func BenchmarkStore(b *testing.B) {
	seeds := &seedbed{dir: *benchtest.Seeds}
	if seeds.dir == "" {
		seeds.dir = b.TempDir()
	}
	for _, part := range []struct {
		name string
		run  func(*testing.B, *seedbed, int)
	}{
		{"Load", benchLoad}, {"Recall", benchRecall}, {"Save", benchSave}, {"SaveAfterForget", benchSaveAfterForget},
		{"Remember", benchRemember}, {"Sweep", benchSweep}, {"Merge", benchMerge}, {"Peak", benchPeak},
	} {
		b.Run(part.name, func(b *testing.B) {
			for _, n := range sizes() {
				b.Run(fmt.Sprintf("lessons=%d", n), func(b *testing.B) { part.run(b, seeds, n) })
			}
		})
	}
}

// benchLoad is what a run does with the one head that it finds: everything is
// checked, the file is opened, and rows from the future are looked for.
func benchLoad(b *testing.B, seeds *seedbed, n int) {
	path := seeds.copy(b, n)
	timed(b, nil, func() error { return closing(opened(b, path)) })
}

func benchRecall(b *testing.B, seeds *seedbed, n int) {
	f, q := seeds.open(b, n), benchChange()
	timed(b, nil, func() error {
		snapshot, err := f.Recall(b.Context(), q)
		if len(snapshot.Lessons) == 0 {
			b.Fatal("nothing was recalled")
		}
		return err
	})
}

// benchSave saves after one lesson was taught: what a save costs depends on
// what changed.
func benchSave(b *testing.B, seeds *seedbed, n int) {
	f, path := seeds.open(b, n), filepath.Join(b.TempDir(), "saved.db")
	timed(b, func() { os.Remove(path); f.must(f.another(n)) }, func() error { return f.SaveTo(b.Context(), path) })
}

func benchSaveAfterForget(b *testing.B, seeds *seedbed, n int) {
	f, path := seeds.open(b, n), filepath.Join(b.TempDir(), "saved.db")
	var v memory.Version
	timed(b, func() { os.Remove(path); v = f.must(f.another(n)) }, func() error {
		f.must(f.on(memory.OpForget, ada, v.DocumentID))
		return f.SaveTo(b.Context(), path)
	})
}

func benchRemember(b *testing.B, seeds *seedbed, n int) {
	f := seeds.open(b, n)
	timed(b, nil, func() error { f.must(f.another(n)); return nil })
}

func benchSweep(b *testing.B, seeds *seedbed, n int) {
	f := seeds.open(b, n)
	timed(b, nil, func() error {
		_, err := f.Sweepable(b.Context(), noon.AddDate(0, 0, 100), memory.Retention{MaxAgeDays: 365}, nil)
		return err
	})
}

// benchMerge is what a run does with the stores of several heads once they are
// opened: each differs from all others in a hundred lessons.
func benchMerge(b *testing.B, seeds *seedbed, n int) {
	var heads []*fixture
	for _, count := range meetings(n) {
		for len(heads) < count {
			heads = append(heads, seeds.head(b, n, len(heads)))
		}
		b.Run(fmt.Sprintf("heads=%d", count), func(b *testing.B) {
			first := filepath.Join(b.TempDir(), "first.db")
			b.ResetTimer()
			var into *Store
			timed(b, func() {
				if into != nil {
					into.Close()
				}
				os.Remove(first)
				if err := copyFile(heads[0].path, first); err != nil {
					b.Fatal(err)
				}
				var err error
				if into, err = Open(b.Context(), first, ledger); err != nil {
					b.Fatal(err)
				}
			}, func() error { return gathered(b, into, heads[1:count]) })
			into.Close()
		})
	}
}

func gathered(b *testing.B, into *Store, others []*fixture) error {
	if _, err := into.DropLater(b.Context(), afterAll); err != nil {
		return err
	}
	for _, head := range others {
		if r, err := into.Merge(b.Context(), head.Store, MergeRules{SealedAt: afterAll}); err != nil || r.Added < 400 {
			return fmt.Errorf("%+v, %w", r, err)
		}
	}
	return nil
}

// afterAll is after everything that happens in these benchmarks.
var afterAll = noon.AddDate(200, 0, 0)

// benchPeak is the most memory that a process of its own has in use while it
// loads, recalls, merges a second head and saves.
func benchPeak(b *testing.B, seeds *seedbed, n int) {
	first, second := seeds.copy(b, n), seeds.head(b, n, 0).path
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	peak := 0.0
	timed(b, nil, func() error {
		out, err := exec.CommandContext(b.Context(), program, "-test.run", "^$", "-test.bench", "^BenchmarkPeakOf$", "-test.benchtime", "1x",
			"-peak.of", first+","+second).CombinedOutput()
		_, said, _ := bytes.Cut(out, []byte("VmHWM:"))
		kib, numberErr := strconv.ParseFloat(strings.Fields(string(said) + " none")[0], 64)
		if err != nil || numberErr != nil {
			return fmt.Errorf("%w, %w: %s", err, numberErr, out)
		}
		peak = max(peak, kib/1024)
		return nil
	})
	b.ReportMetric(peak, "peak-MiB")
}

var peakOf = flag.String("peak.of", "", "the two files of BenchmarkPeakOf, which the benchmark Peak starts")

// BenchmarkPeakOf is the process that Peak measures; alone it does nothing.
func BenchmarkPeakOf(b *testing.B) {
	first, second, asked := strings.Cut(*peakOf, ",")
	if !asked {
		return
	}
	s, err := opened(b, first)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Recall(b.Context(), benchChange()); err != nil {
		b.Fatal(err)
	}
	other, err := Open(b.Context(), second, ledger)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Merge(b.Context(), other, MergeRules{SealedAt: afterAll}); err != nil {
		b.Fatal(err)
	}
	other.Close()
	if err := s.SaveTo(b.Context(), filepath.Join(b.TempDir(), "saved.db")); err != nil {
		b.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	fmt.Printf("%s\n", status)
}

// opened opens a store as a run does with the first head that it finds.
func opened(b *testing.B, path string) (*Store, error) {
	s, err := Open(b.Context(), path, ledger)
	if err == nil {
		_, err = s.DropLater(b.Context(), afterAll)
	}
	return s, err
}

func closing(s *Store, err error) error {
	if err != nil {
		return err
	}
	return s.Close()
}

// seedbed has one saved store of each size, made when it is first asked for,
// and made anew when the schema, what a lesson leaves in its rows, or the
// lessons themselves are others than when it was filled.
type seedbed struct {
	dir   string
	grown string // digest of a small store that is filled in the same way now
}

func (s *seedbed) file(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(s.dir, fmt.Sprintf("seeded-%d.db", n))
	note := path + ".sha256" // of the small store that was filled with it
	if s.grown == "" {
		small := filepath.Join(b.TempDir(), "small.db")
		fill(b, small, 100)
		data, err := os.ReadFile(small)
		if err != nil {
			b.Fatal(err)
		}
		s.grown = fmt.Sprintf("%x\n", sha256.Sum256(data))
	}
	if kept, err := os.ReadFile(note); err == nil && string(kept) == s.grown {
		return path
	}
	os.Remove(note)
	os.Remove(path)
	fill(b, path, n)
	if err := os.WriteFile(note, []byte(s.grown), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// fill saves a store of n lessons, the same bytes each time.
func fill(b *testing.B, path string, n int) {
	b.Helper()
	f := newFixture(b)
	f.Close()
	var err error
	if f.Store, err = renamed(b.Context(), f.path, make([]byte, 64)); err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	f.events = -200_000 // minutes: all of it is past, also for a process that asks the clock
	var lessons []*memory.NewLesson
	for i := range n {
		l := keyed(fmt.Sprintf("k/k%d", i), threeSentences(i))
		if i%3 == 0 {
			l.Paths = []string{fmt.Sprintf("services/s%d/**", i%50), fmt.Sprintf("area%d/**/*.go", i%200)}
		}
		lessons = append(lessons, l)
	}
	f.bulk(lessons...)
	if err := f.SaveTo(b.Context(), path); err != nil {
		b.Fatal(err)
	}
}

// copy is a file of n lessons that a benchmark may change.
func (s *seedbed) copy(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "seeded.db")
	if err := copyFile(s.file(b, n), path); err != nil {
		b.Fatal(err)
	}
	return path
}

func (s *seedbed) open(b *testing.B, n int) *fixture {
	b.Helper()
	opened, err := Open(b.Context(), s.copy(b, n), ledger)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { opened.Close() })
	return &fixture{Store: opened, t: b, events: 10 * n}
}

// head is a saved store that knows a hundred lessons that no other head does.
func (s *seedbed) head(b *testing.B, n, i int) *fixture {
	b.Helper()
	f := s.open(b, n)
	f.events += 1_000_000 * (i + 1)
	var lessons []*memory.NewLesson
	for j := range 100 {
		lessons = append(lessons, keyed(fmt.Sprintf("head%d/k%d", i, j), threeSentences(1_000_000*(i+1)+j)))
	}
	f.bulk(lessons...)
	path := filepath.Join(s.dir, fmt.Sprintf("head-%d-%d.db", n, i))
	os.Remove(path)
	if err := f.SaveTo(b.Context(), path); err != nil {
		b.Fatal(err)
	}
	saved, err := Open(b.Context(), path, ledger)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { saved.Close() })
	return &fixture{Store: saved, t: b}
}

// another is a command that teaches one lesson more than most stores may hold.
func (f *fixture) another(n int) memory.Transition {
	tr := f.remember(ada, keyed(fmt.Sprintf("bench/k%d", f.events), threeSentences(10*n+f.events)))
	tr.Quotas = memory.Quotas{ActivePerRepo: 1 << 20}
	return tr
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

// timed runs one operation again and again, each time after it was prepared,
// and reports beside its time its processor time, and the least of both: on a
// machine that others use, that is nearest to what it costs.
func timed(b *testing.B, prepare func(), operation func() error) {
	var used, leastUsed, least time.Duration
	for b.Loop() {
		if prepare != nil {
			b.StopTimer()
			prepare()
			b.StartTimer()
		}
		before, began := processorTime(b), time.Now()
		if err := operation(); err != nil {
			b.Fatal(err)
		}
		took, cpu := time.Since(began), processorTime(b)-before
		if used == 0 {
			leastUsed, least = cpu, took
		}
		used, leastUsed, least = used+cpu, min(leastUsed, cpu), min(least, took)
	}
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(milliseconds(used)/float64(b.N), "cpu-ms/op")
	b.ReportMetric(milliseconds(leastUsed), "least-cpu-ms/op")
	b.ReportMetric(milliseconds(least), "least-ms/op")
}

// processorTime is what this process and those that it started have used.
func processorTime(b *testing.B) time.Duration {
	var total time.Duration
	for _, whose := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(whose, &usage); err != nil {
			b.Fatal(err)
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return total
}
