package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// results are metrics by benchmark, as go test prints them.
type results map[string]map[string]float64

// processors is what go test puts behind a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

// parseBench reads the output of go test -bench.
func parseBench(out []byte) results {
	found := results{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		w := strings.Fields(lines.Text())
		if len(w) < 4 || !strings.HasPrefix(w[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(w[1]); err != nil {
			continue
		}
		metrics := map[string]float64{}
		for i := 2; i+1 < len(w); i += 2 {
			if n, err := strconv.ParseFloat(w[i], 64); err == nil {
				metrics[w[i+1]] = n
			}
		}
		found[processors.ReplaceAllString(w[0], "")] = metrics
	}
	return found
}

// growth are the points of one line: benchmarks whose name is the prefix and
// a size, smallest first.
func (r results) growth(prefix, metric string, scale float64) []point {
	var out []point
	for name, metrics := range r {
		size, ok := strings.CutPrefix(name, prefix)
		n, err := strconv.ParseFloat(size, 64)
		if ok && err == nil && metrics[metric] > 0 {
			out = append(out, point{n, rounded(metrics[metric] * scale)})
		}
	}
	return bySize(out)
}

// goTest runs benchmarks (or tests) of one package. What it printed is
// returned beside an error too, for some of it may have been measured.
func goTest(ctx context.Context, pkg string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", pkg, "-count=1"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("go test %s: %w\n%s", pkg, err, out.Bytes())
	}
	return out.Bytes(), nil
}

// callLine is what TestCallsOfARun says of each run.
var callLine = regexp.MustCompile(`(\d+) calls to the API of at most \d+, (\d+) deep of at most \d+`)

// callsOf reads calls and depth from the verbose output of TestCallsOfARun,
// which prints them before it names the case again.
func callsOf(out []byte) map[string][2]float64 {
	found := map[string][2]float64{}
	name := ""
	for line := range strings.Lines(string(out)) {
		if _, rest, ok := strings.Cut(line, "=== RUN   TestCallsOfARun/"); ok {
			name = strings.TrimSpace(rest)
		}
		if m := callLine.FindStringSubmatch(line); m != nil {
			calls, _ := strconv.ParseFloat(m[1], 64) // digits
			deep, _ := strconv.ParseFloat(m[2], 64)
			found[name] = [2]float64{calls, deep}
		}
	}
	return found
}
