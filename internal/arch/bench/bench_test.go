package main

import (
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/benchmarks.md and its plots from docs/benchmarks.json")

const docs = "../../../docs"

// TestGeneratedBenchmarks holds the page and the plots against the committed
// figures, so that neither is changed without the other.
func TestGeneratedBenchmarks(t *testing.T) {
	r, err := readReport(filepath.Join(docs, "benchmarks.json"))
	if err != nil || len(r.Figures) < 20 || len(r.Peers) < 5 {
		t.Fatalf("docs/benchmarks.json: %v, %d figures", err, len(r.Figures))
	}
	for name, want := range r.pages() {
		path := filepath.Join(docs, filepath.FromSlash(name))
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is not made of docs/benchmarks.json (%v); run make generate", name, err)
		}
	}
	for name, why := range r.Failed {
		t.Errorf("the part %s was not measured: %s", name, why)
	}
	for _, f := range catalogue {
		if _, ok := r.Figures[f.id]; !ok {
			t.Errorf("%s (%s) was not measured", f.id, f.what)
		}
		if f.over(r) && reasons[f.id] == "" {
			t.Errorf("%s is over its budget, %v of %v, and reasons says nothing of it", f.id, r.Figures[f.id].Now, f.budget)
		}
	}
	for _, c := range comparisons {
		if p := r.Peers[c.id]; p.Ours == 0 || p.Theirs == 0 && p.Missing == "" {
			t.Errorf("%s: %+v; one side was not measured, and nothing says why", c.id, p)
		}
	}
	for _, p := range plots {
		for _, l := range p.lines {
			if len(r.Growth[l.id]) < 3 {
				t.Errorf("%s has %d points of %s, too few to show growth", p.file, len(r.Growth[l.id]), l.name)
			}
		}
	}
}

func TestEveryRowIsOfAPart(t *testing.T) {
	names := map[string]bool{}
	for _, p := range (&work{}).parts() {
		names[p.name] = true
	}
	for _, f := range catalogue {
		if !names[f.partOf()] {
			t.Errorf("%s is of the part %q, which there is not", f.id, f.partOf())
		}
	}
	for _, c := range comparisons {
		if !names[c.part] {
			t.Errorf("%s is of the part %q, which there is not", c.id, c.part)
		}
	}
}

func TestAPartThatFailsLeavesTheOthers(t *testing.T) {
	r := newReport()
	r.Failed["start"] = "go test ./internal/cli: exit status 1"
	r.Figures["binary"] = reading{Now: 23}
	page := r.page()
	for _, want := range []string{"| process start to `version` (median of 50) | 10 ms | failed: go test ./internal/cli: exit status 1 |", "| binary, stripped | 24 MB | 23 MB |"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

func TestWhatWasNotAskedForIsKept(t *testing.T) {
	last := sample()
	last.Failed = map[string]string{"start": "before", "merge": "before"}
	last.Parts = map[string]code{"start": {Commit: "old"}, "merge": {Commit: "old"}}
	now := newReport()
	now.Machine, now.Ran = last.Machine, []string{"start"}
	now.Figures["start"], now.Parts["start"] = reading{Now: 6}, code{Commit: "new"}
	if err := now.keep(last); err != nil || now.Figures["start"].Now != 6 || now.Figures["plain"].Now != 250 || now.Peers["patch"].Theirs != 6 {
		t.Errorf("%v, %+v", err, now)
	}
	if now.Parts["start"].Commit != "new" || now.Parts["merge"].Commit != "old" {
		t.Errorf("parts: %v", now.Parts)
	}
	if now.Failed["start"] != "" || now.Failed["merge"] != "before" {
		t.Errorf("failed: %v", now.Failed)
	}
	now.Machine.CPU = "another"
	if err := now.keep(last); err == nil || !strings.Contains(err.Error(), "another machine") {
		t.Errorf("figures of two machines were mixed: %v", err)
	}
}

func TestOnlyPartsThatThereAreCanBeAskedFor(t *testing.T) {
	w := &work{}
	if got, err := w.named("start, heads"); err != nil || len(got) != 2 || !got["start"] || !got["heads"] {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := w.named("starts"); err == nil || !strings.Contains(err.Error(), `there is no part "starts"; they are sizes, start,`) {
		t.Errorf("%v", err)
	}
}

func TestWhatGoTestPrintsIsRead(t *testing.T) {
	got := parseBench([]byte(`goos: linux
BenchmarkStart-2   	      50	         0 ns/op	         8.21 median-ms	        21.0 peak-MB
BenchmarkStore/Merge/lessons=1000/heads=16-2 	       5	 12000000 ns/op
BenchmarkStore/Recall/lessons=1000-2         	       5	  1500000 ns/op
BenchmarkStore/Recall/lessons=10000-2        	       5	  6000000 ns/op
    bench_test.go:12: Benchmark of no number
PASS
`))
	if m := got["BenchmarkStart"]; m["median-ms"] != 8.21 || m["peak-MB"] != 21 {
		t.Errorf("start: %v", m)
	}
	if len(got) != 4 {
		t.Errorf("%d benchmarks: %v", len(got), got)
	}
	line := got.growth("BenchmarkStore/Recall/lessons=", "ns/op", nanoseconds)
	if len(line) != 2 || line[0] != (point{1000, 1.5}) || line[1] != (point{10_000, 6}) {
		t.Errorf("growth %v", line)
	}
}

func TestCallsAreReadFromTheTestThatHoldsThem(t *testing.T) {
	got := callsOf([]byte(`=== RUN   TestCallsOfARun
=== RUN   TestCallsOfARun/plain
    action_budget_test.go:80: 12 calls to the API of at most 14, 3 deep of at most 6
=== RUN   TestCallsOfARun/with_findings
    action_budget_test.go:80: 17 calls to the API of at most 18, 5 deep of at most 6
`))
	if got["plain"] != [2]float64{12, 3} || got["with_findings"] != [2]float64{17, 5} || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// sample has a figure within, one over, one of nothing allowed, and one that
// was not measured.
func sample() *report {
	r := newReport()
	r.Machine = machine{CPU: "a processor", Cores: 2, MemoryGiB: 24, System: "linux/amd64", Go: "go1.26"}
	r.Figures = map[string]reading{"start": {8, 7, 16}, "plain": {250, 220, 0}, "casual calls": {}}
	r.Peers = map[string]pair{"patch": {Ours: 3, Theirs: 6, Version: "2.47"}, "start": {Ours: 8, Missing: "it could not be built here"}}
	return r
}

func TestATableSaysWhatIsOverAndWhatIsMissing(t *testing.T) {
	defer func(before map[string]string) { reasons = before }(maps.Clone(reasons))
	reasons["plain"], reasons["review 100k memory"] = "Because of this.", "Because of this."
	r := sample()
	r.Figures["review 100k memory"] = reading{Now: 400}
	page := r.page()
	for _, want := range []string{
		"| process start to `version` (median of 50) | 10 ms | 8 ms | 7 ms | 0.80 | 16 ms |",
		"| the whole action: 100 lessons, 20 files, nothing found | 200 ms | 250 ms | 220 ms | 1.25 |  |",
		"| its calls to the API | 0 | 0 |  | 0.00 |  |",
		"| binary, stripped | 24 MB | not measured |  |  |  |",
		"- **the whole action: 100 lessons, 20 files, nothing found**: 250 ms of 200 ms; **the whole action, a review at 100,000 lessons, peak memory**: 400 MB of 300 MB. Because of this.",
		"| a patch of 1,000 files read, as a process | 3 ms | 6 ms | 0.50 | `git apply --stat` (2.47) |",
		"| process start to `version` | 8 ms | it could not be built here |  | `reviewdog -version` |",
		"a processor, 2 cores and 24 GiB of memory",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "Every budget is met") {
		t.Error("the page says that every budget is met")
	}
	within := newReport()
	if !strings.Contains(within.page(), "Every budget is met") {
		t.Error("a report with nothing over its budget does not say so")
	}
}

func TestABusyMachineIsJudgedByItsProcessor(t *testing.T) {
	r := sample()
	r.Machine.Load = 3
	r.Figures["plain"] = reading{Now: 400, CPU: 100}
	page := r.page()
	if !strings.Contains(page, "| 200 ms | 400 ms | 100 ms | 0.50 |") || strings.Contains(page, "Over budget") || !strings.Contains(page, "3.0 processes of others wanted a core") {
		t.Errorf("the page says\n%s", page)
	}
}

func TestThePageSaysWhatCodeItIsOf(t *testing.T) {
	r := sample()
	if page := r.page(); !strings.Contains(page, "They are of code that was not noted.") {
		t.Errorf("the page says\n%s", page)
	}
	for _, p := range (&work{}).parts() {
		r.Parts[p.name] = code{Commit: "0123456789", Day: "2026-11-30"}
	}
	if page := r.page(); !strings.Contains(page, "They are of `0123456789`, on 2026-11-30.") {
		t.Errorf("the page says\n%s", page)
	}
	r.Parts["recall"], r.Parts["heads"] = code{Commit: "abcdefabcd", Changes: true, Day: "2026-12-01"}, code{}
	want := `They are, by the parts that %[1]sbench -only%[1]s takes,
of %[1]s0123456789%[1]s, on 2026-11-30: sizes, start, action, calls, secrets, patch, files, fts5, merge, vault, lessons, gitleaks, by-hand, reviewdog, git-apply;
of %[1]sabcdefabcd%[1]s with changes, on 2026-12-01: recall;
of code that was not noted: heads.`
	if page := r.page(); !strings.Contains(page, fmt.Sprintf(want, "`")) {
		t.Errorf("the page says\n%s", page)
	}
}

func TestTheCodeHereIsACommitAndWhatChangedSince(t *testing.T) {
	t.Chdir(t.TempDir())
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-c", "user.name=mara", "-c", "user.email=mara@example.org"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if c := codeHere(t.Context()); c.Commit != "" || c.String() != "code that was not noted" {
		t.Errorf("outside of a repository: %+v", c)
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "First")
	if err := os.Mkdir("docs", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name, file string
		changes    bool
	}{{"the page of the part before is no change", "docs/benchmarks.md", false}, {"any other file is", "new.go", true}} {
		if err := os.WriteFile(step.file, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if c := codeHere(t.Context()); c.Commit != git("rev-parse", "--short=10", "HEAD") || c.Changes != step.changes || c.Day == "" {
			t.Errorf("%s: %+v", step.name, c)
		}
	}
}

func TestTheLastRunStandsBesideThisOne(t *testing.T) {
	now, last := newReport(), newReport()
	now.Figures["start"], last.Figures["start"] = reading{Now: 9}, reading{Now: 8, Last: 7}
	now.remember(last)
	if got := now.Figures["start"]; got != (reading{Now: 9, Last: 8}) {
		t.Errorf("%+v", got)
	}
}

func TestAPlotIsAPictureWithEveryLine(t *testing.T) {
	got := plot("Growth & more", "lessons", "ms", []line{
		{"load", []point{{1000, 6}, {10_000, 60}, {100_000, 450}}}, {"recall", []point{{1000, 1}, {100_000, 450}}}, {"nothing", nil},
	})
	in := xml.NewDecoder(strings.NewReader(got))
	paths := 0
	for {
		token, err := in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" {
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Value, "l s") {
					paths++
				}
			}
		}
	}
	if paths != 2 {
		t.Errorf("%d lines, want 2", paths)
	}
	for _, want := range []string{"Growth &amp; more", ">load, 450 ms<", ">recall, 450 ms<", ">100,000<", ">1 s<", "prefers-color-scheme: dark"} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
		t.Error("a place in the picture is no number")
	}
}

func TestAPlotOfNothingIsNoError(t *testing.T) {
	if got := plot("Nothing", "files", "calls", []line{{"none", nil}}); strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
		t.Errorf("%s", got)
	}
}
