package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// work is one run of bench: where its files lie and what it found so far.
type work struct {
	ctx     context.Context
	dir     string // emptied at the end
	keep    string // a folder that keeps the stores for the next run; "": none
	say     io.Writer
	here    machine
	seeded  bool // the stores are filled
	results results
}

// flagsOfARelease are how the binaries are built.
var flagsOfARelease = []string{"-trimpath", "-ldflags", "-s -w"}

func (w *work) stores() string {
	if w.keep != "" {
		return w.keep
	}
	return filepath.Join(w.dir, "stores")
}

// measure does what is asked, the quiet things first. A part that fails does
// not keep the others from being measured: the report says what it said.
func (w *work) measure(only map[string]bool) *report {
	r := newReport()
	w.results = results{}
	all := w.parts()
	for i, p := range all {
		if len(only) > 0 && !only[p.name] {
			continue
		}
		begun, with := time.Now(), codeHere(w.ctx)
		err := w.ctx.Err()
		if err == nil {
			err = p.run(r)
		}
		how := "measured"
		if err != nil {
			how = "FAILED: " + err.Error()
			r.Failed[p.name] = firstLine(err.Error())
		} else {
			r.Parts[p.name] = with
		}
		fmt.Fprintf(w.say, "bench: %2d of %d, %-10s %4.0f s, %s\n", i+1, len(all), p.name, time.Since(begun).Seconds(), how)
		r.Ran = append(r.Ran, p.name)
	}
	w.figures(r)
	w.libraries(r)
	return r
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// figures takes what the benchmarks said into the report.
func (w *work) figures(r *report) {
	for _, f := range catalogue {
		if n, ok := w.results[f.bench][f.metric]; ok && f.bench != "" {
			r.Figures[f.id] = reading{Now: rounded(n * f.scale), CPU: rounded(w.processor(f))}
		}
	}
	for _, p := range plots {
		for _, l := range p.lines {
			metric, scale := l.metric, 1.0
			if p.unit == "ms" && w.here.busy() {
				metric = cpuMetric
			}
			if metric == "ns/op" {
				scale = nanoseconds
			}
			if points := w.results.growth(l.bench, metric, scale); len(points) > 0 {
				r.Growth[l.id] = points
			}
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
	out, err := goTest(w.ctx, "./internal/cli", "-run", "^TestCallsOfARun$", "-v")
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

// binaries builds the product and what measures processes, as a release does,
// when they are first asked for.
func (w *work) binaries() (folder string, err error) {
	bin := filepath.Join(w.dir, "bin")
	if _, err := os.Stat(filepath.Join(bin, "peak")); err == nil {
		return bin, nil
	}
	build := exec.CommandContext(w.ctx, "go", append(append([]string{"build"}, flagsOfARelease...), "-o", bin+string(filepath.Separator), "./cmd/...", "./internal/arch/peak")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
}

// sizes measures the binaries and the image.
func (w *work) sizes(r *report) error {
	bin, err := w.binaries()
	if err != nil {
		return err
	}
	r.Figures["binary"] = reading{Now: rounded(max(megabytes(filepath.Join(bin, "familiar")), megabytes(filepath.Join(bin, "action"))))}
	image, err := w.image(filepath.Join(bin, "action"))
	if err != nil {
		return err
	}
	r.Figures["image"] = reading{Now: rounded(image)}
	return nil
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
