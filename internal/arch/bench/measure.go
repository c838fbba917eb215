package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// work is one run of bench: where its files lie and what it found so far.
type work struct {
	ctx     context.Context
	dir     string // emptied at the end
	say     io.Writer
	here    machine
	results results
}

// flagsOfARelease are how the binaries are built.
var flagsOfARelease = []string{"-trimpath", "-ldflags", "-s -w"}

// suites are the benchmarks of each package: what is run, and how often.
func (w *work) suites() []struct {
	pkg  string
	args []string
} {
	stores, many := "-bench.seeds="+w.stores(), "-bench.large"
	return []struct {
		pkg  string
		args []string
	}{
		{"./internal/store", []string{"-bench", "^(BenchmarkStore|BenchmarkPlainFTS5)$/^(Recall|lessons=.*)$", "-benchtime", "10x", many, stores}},
		{"./internal/store", []string{"-bench", "^BenchmarkStore$/^Merge$/^lessons=10000$", "-benchtime", "3x", many, stores}},
		{"./internal/app", []string{"-bench", "^(BenchmarkVault|BenchmarkHeads)$", "-benchtime", "3x", stores}},
		{"./internal/cli", []string{"-bench", "^BenchmarkStart$", "-benchtime", "50x"}},
		{"./internal/cli", []string{"-bench", "^BenchmarkAction$", "-benchtime", "20x"}},
		{"./internal/cli", []string{"-bench", "^(BenchmarkFiles|BenchmarkLessons)$", "-benchtime", "3x", many, stores}},
		{"./internal/redact", []string{"-bench", "^Benchmark(Proposals|Diff|SixteenthOfDiff|ProposalsLibraryAlone|DiffLibraryAlone)$", "-benchtime", "5x"}},
		{"./internal/diff", []string{"-bench", "^BenchmarkParse$", "-benchtime", "20x"}},
	}
}

func (w *work) stores() string { return filepath.Join(w.dir, "stores") }

// measure does everything, the quiet things first.
func (w *work) measure() (*report, error) {
	r := newReport()
	if err := os.Mkdir(w.stores(), 0o700); err != nil {
		return nil, err
	}
	if err := w.sizes(r); err != nil {
		return nil, err
	}
	w.results = results{}
	for _, s := range w.suites() {
		out, err := goTest(w.ctx, w.say, s.pkg, append([]string{"-run", "^$", "-timeout", "30m"}, s.args...)...)
		if err != nil {
			return nil, err
		}
		maps.Copy(w.results, parseBench(out))
	}
	w.figures(r)
	if err := w.calls(r); err != nil {
		return nil, err
	}
	return r, w.peers(r)
}

// figures takes what the benchmarks said into the report.
func (w *work) figures(r *report) {
	for _, f := range catalogue {
		if n, ok := w.results[f.bench][f.metric]; ok {
			r.Figures[f.id] = reading{Now: rounded(n * f.scale), CPU: rounded(w.processor(f))}
		}
	}
	for _, p := range plots {
		for _, l := range p.lines {
			metric, scale := l.metric, 1.0
			if w.here.busy() {
				metric = cpuMetric
			}
			if metric == "ns/op" {
				scale = nanoseconds
			}
			r.Growth[l.id] = w.results.growth(l.bench, metric, scale)
		}
	}
}

// cpuMetric is what our benchmarks call the processor time of an operation.
const cpuMetric = "cpu-ms/op"

// processor is the processor time of a figure that is a time, else 0.
func (w *work) processor(f figure) float64 {
	if f.unit != "ms" {
		return 0
	}
	return w.results[f.bench][cpuMetric]
}

// took is what a benchmark took, in milliseconds: on a busy machine of the
// processor's time.
func (w *work) took(bench string) float64 {
	if w.here.busy() {
		return rounded(w.results[bench][cpuMetric])
	}
	return rounded(w.results[bench]["ns/op"] * nanoseconds)
}

// calls takes the calls and round trips of a run from the test that holds
// them.
func (w *work) calls(r *report) error {
	out, err := goTest(w.ctx, io.Discard, "./internal/cli", "-run", "^TestCallsOfARun$", "-v")
	if err != nil {
		return err
	}
	said := callsOf(out)
	for id, name := range map[string]string{"plain": "plain", "findings": "with_findings", "stores": "one_that_notes_which_lessons_it_used"} {
		c, ok := said[name]
		if !ok {
			return fmt.Errorf("TestCallsOfARun says nothing of %q", name)
		}
		r.Figures[id+" calls"], r.Figures[id+" depth"] = reading{Now: c[0]}, reading{Now: c[1]}
	}
	return nil
}

// sizes builds the binaries as a release does.
func (w *work) sizes(r *report) error {
	bin := filepath.Join(w.dir, "bin") + string(filepath.Separator)
	build := exec.CommandContext(w.ctx, "go", append(append([]string{"build"}, flagsOfARelease...), "-o", bin, "./cmd/...", "./internal/arch/peak")...)
	build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), w.say
	if err := build.Run(); err != nil {
		return err
	}
	largest := max(megabytes(bin+"familiar"), megabytes(bin+"action"))
	image, err := w.image(bin + "action")
	r.Figures["binary"], r.Figures["image"] = reading{Now: rounded(largest)}, reading{Now: rounded(image)}
	return err
}

// megabytes is the size of a file in millions of bytes; 0 if it is not there.
func megabytes(path string) float64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return float64(info.Size()) / 1e6
}

// rounded keeps three digits: more would be noise in the page's history.
func rounded(n float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 3, 64), 64) // what was just written
	return short
}

func bySize(p []point) []point {
	slices.SortFunc(p, func(a, b point) int { return cmp.Compare(a.Size, b.Size) })
	return p
}
