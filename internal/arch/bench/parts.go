package main

import (
	"maps"
	"os"
	"strings"
)

// part is what can be measured alone, and fail alone.
type part struct {
	name string
	run  func(*report) error
}

// parts are everything that is measured, in their order.
func (w *work) parts() []part {
	stores, many := "-bench.seeds="+w.stores(), "-bench.large"
	seeded := func(p part) part {
		return part{p.name, func(r *report) error {
			if err := w.seed(); err != nil {
				return err
			}
			return p.run(r)
		}}
	}
	return []part{
		{"sizes", w.sizes},
		w.suite("start", "./internal/cli", "^BenchmarkStart$", "50x"),
		w.suite("action", "./internal/cli", "^BenchmarkAction$", "20x"),
		{"calls", w.calls},
		w.suite("secrets", "./internal/redact", "^Benchmark(Proposals|Diff|SixteenthOfDiff|ProposalsLibraryAlone|DiffLibraryAlone)$", "3x"),
		w.suite("patch", "./internal/diff", "^BenchmarkParse$", "20x"),
		w.suite("files", "./internal/cli", "^BenchmarkFiles$", "3x", many),
		seeded(w.suite("recall", "./internal/store", "^BenchmarkStore$/^Recall$", "10x", many, stores)),
		w.suite("fts5", "./internal/store", "^BenchmarkPlainFTS5$", "10x", many),
		seeded(w.suite("merge", "./internal/store", "^BenchmarkStore$/^Merge$/^lessons=10000$", "2x", many, stores)),
		seeded(w.suite("vault", "./internal/app", "^BenchmarkVault$", "3x", many, stores)),
		seeded(w.suite("heads", "./internal/app", "^BenchmarkHeads$", "3x", many, stores)),
		seeded(w.suite("lessons", "./internal/cli", "^BenchmarkLessons$", "3x", many, stores)),
		{"gitleaks", w.scanning},
		seeded(part{"by-hand", w.byHand}),
		{"reviewdog", w.reviewdog},
		{"git-apply", w.patches},
	}
}

// suite is a part that a package's benchmarks are.
func (w *work) suite(name, pkg, pattern, times string, args ...string) part {
	return part{name, func(*report) error {
		out, err := goTest(w.ctx, pkg, append([]string{"-run", "^$", "-timeout", "30m", "-bench", pattern, "-benchtime", times}, args...)...)
		maps.Copy(w.results, parseBench(out)) // what was measured before it failed counts
		return err
	}}
}

// seed fills the stores that several parts measure, when one first asks. Those
// of an earlier run are used again, unless they would be others now: that is
// seen by the benchmark, which fills a small one to compare.
func (w *work) seed() error {
	if w.seeded {
		return nil
	}
	if err := os.MkdirAll(w.stores(), 0o700); err != nil {
		return err
	}
	_, err := goTest(w.ctx, "./internal/store", "-run", "^$", "-timeout", "30m", "-bench", "^BenchmarkStore$/^Recall$", "-benchtime", "1x", "-bench.large", "-bench.seeds="+w.stores())
	w.seeded = err == nil
	return err
}

// partOf is the part that a figure is measured by.
func (f figure) partOf() string {
	if f.bench == "" {
		if f.unit == "MB" {
			return "sizes"
		}
		return "calls"
	}
	return partOfBench(f.bench)
}

// partOfBench is the part that a benchmark belongs to.
func partOfBench(bench string) string {
	for prefix, name := range map[string]string{
		"BenchmarkStart": "start", "BenchmarkAction": "action", "BenchmarkProposals": "secrets", "BenchmarkDiff": "secrets", "BenchmarkParse": "patch",
		"BenchmarkFiles": "files", "BenchmarkStore/Recall": "recall", "BenchmarkStore/Merge": "merge", "BenchmarkVault": "vault", "BenchmarkHeads": "heads",
		"BenchmarkLessons": "lessons",
	} {
		if strings.HasPrefix(bench, prefix) {
			return name
		}
	}
	return ""
}
