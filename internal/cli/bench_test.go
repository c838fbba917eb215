package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/arch/benchtest"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/vault"
)

// storesID is the repository of the stores that the benchmarks of
// internal/store fill.
const storesID = 7001

// processes collects what whole processes cost; each benchmark reports the
// median by the clock, the processor time and the greatest memory of one.
type processes struct {
	peak string // the program that starts and measures them
	file string // what it says of the last one
	all  []processCost
}

// processCost is what internal/arch/peak writes.
type processCost struct {
	MS     float64 `json:"ms"`
	CPUMS  float64 `json:"cpu_ms"`
	PeakMB float64 `json:"peak_mb"`
}

func newProcesses(b testing.TB) *processes {
	b.Helper()
	peak := filepath.Join(filepath.Dir(binary), "peak") // beside the others, made once
	if _, err := os.Stat(peak); err != nil {
		build := exec.Command("go", "build", "-o", peak, "../arch/peak")
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	return &processes{peak: peak, file: filepath.Join(b.TempDir(), "cost.json")}
}

// through is the same command, measured.
func (p *processes) through(cmd *exec.Cmd) *exec.Cmd {
	out := exec.Command(p.peak, append([]string{p.file}, cmd.Args...)...)
	out.Dir, out.Env = cmd.Dir, cmd.Env
	return out
}

// note reads what the last process cost.
func (p *processes) note(b testing.TB) {
	b.Helper()
	data, err := os.ReadFile(p.file)
	var c processCost
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		b.Fatal(err)
	}
	p.all = append(p.all, c)
}

func (p *processes) report(b *testing.B) {
	slices.SortFunc(p.all, func(a, b processCost) int { return cmp.Compare(a.MS, b.MS) })
	cpu, peak := 0.0, 0.0
	for _, c := range p.all {
		cpu, peak = cpu+c.CPUMS, max(peak, c.PeakMB)
	}
	b.ReportMetric(p.all[len(p.all)/2].MS, "median-ms")
	b.ReportMetric(cpu/float64(len(p.all)), "cpu-ms/op")
	b.ReportMetric(peak, "peak-MB")
	b.ReportMetric(0, "ns/op") // with what the stand-in costs; it says nothing of the process
}

// measure runs a benchmark of whole processes that a runner starts.
func measure(b *testing.B, r *runner, once func() stepResult, want map[string]string) {
	p := newProcesses(b)
	r.through = p.through
	calls := 0
	for b.Loop() {
		r.server.ResetLog()
		got := once()
		p.note(b)
		calls = r.server.Calls()
		for name, value := range want {
			if got.status != 0 || got.outputs[name] != value {
				b.Fatalf("exit %d, outputs %v, want %s %s\n%s", got.status, got.outputs, name, value, got.log)
			}
		}
	}
	p.report(b)
	b.ReportMetric(float64(calls), "calls")
}

// BenchmarkStart is a process that does nothing but say its version.
func BenchmarkStart(b *testing.B) {
	p := newProcesses(b)
	for b.Loop() {
		if err := p.through(exec.Command(binary, "version")).Run(); err != nil {
			b.Fatal(err)
		}
		p.note(b)
	}
	p.report(b)
}

// BenchmarkAction is the whole action, over a stand-in that answers at once:
// a casual comment, and pull requests of twenty files with a hundred lessons
// in the memory.
func BenchmarkAction(b *testing.B) {
	b.Run("casual comment", func(b *testing.B) {
		r := newRunner(b)
		issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
		event := r.commentPayload(issue, "mara", "Looks good to me, thank you!")
		measure(b, r, func() stepResult { return r.run("issue_comment", "mara", event, nil) }, map[string]string{"outcome": "nothing_to_do"})
		if n := r.server.Calls(); n != 0 {
			b.Fatalf("%d calls for a comment that nobody needs an answer to", n)
		}
	})
	for _, c := range []struct {
		name, paths, findings string
		conflicts             int
	}{
		{"plain", "web/**", "0", 0},
		{"with findings", "web/**", "3", 3},
		{"one that stores", "services/**", "3", 3},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := taughtLedger(b, c.paths)
			measure(b, r, func() stepResult {
				return r.opened(r.pull("mara", twentyFiles(c.conflicts)), "mara")
			}, map[string]string{"findings": c.findings, "outcome": "reviewed"})
		})
	}
}

// BenchmarkFiles is the whole action over changes of more and more files.
func BenchmarkFiles(b *testing.B) {
	for _, n := range benchtest.Sizes(10, 100, 1000, 3000) {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			r := newRunner(b)
			files := map[string]string{}
			for i := range n {
				files[fmt.Sprintf("services/s%d/handler%d.go", i%50, i)] = fmt.Sprintf("package services\n\nfunc handler%d() int {\n\treturn %d\n}\n", i, i)
			}
			p := r.pull("mara", files)
			measure(b, r, func() stepResult { return r.opened(p, "mara") }, map[string]string{"findings": "0"})
		})
	}
}

// BenchmarkLessons is the whole action over memories of more and more lessons:
// a command that stores one more, which loads, recalls nothing and saves, and
// a review that recalls. It needs the stores that internal/store fills.
func BenchmarkLessons(b *testing.B) {
	if *benchtest.Seeds == "" {
		return
	}
	for _, n := range benchtest.Sizes(1000, 10_000, 100_000) {
		path := filepath.Join(*benchtest.Seeds, fmt.Sprintf("seeded-%d.db", n))
		b.Run(fmt.Sprintf("Review/lessons=%d", n), func(b *testing.B) {
			r := remembering(b, path)
			measure(b, r, func() stepResult { return r.opened(r.pull("mara", twentyFiles(0)), "mara") }, map[string]string{"memory-enabled": "true"})
		})
		b.Run(fmt.Sprintf("Remember/lessons=%d", n), func(b *testing.B) {
			r := remembering(b, path)
			issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
			i := 0
			measure(b, r, func() stepResult {
				i++
				return r.comment(issue, "mara", fmt.Sprintf("@familiar remember that release %d was cut by hand", i))
			}, map[string]string{"outcome": "commands_applied"})
		})
	}
}

// remembering is a repository whose memory is the store at path, in one
// container that an earlier run sealed.
func remembering(b *testing.B, path string) *runner {
	b.Helper()
	r := newRunnerOf(b, storesID)
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	keys, err := vault.ParseKeys(r.key)
	if err != nil {
		b.Fatal(err)
	}
	r.next++
	r.server.AddRun(githubtest.Run{
		Repo: r.repo, ID: r.next, Attempt: 1, Name: "familiar", Path: workflow, Event: "issue_comment", HeadBranch: "main",
		HeadSHA: r.server.Head(r.repo, "main"), Status: "completed", Actor: "mara", CreatedAt: r.server.Now(),
	})
	zip, _, err := vault.Seal(vault.SealInput{Keys: keys, SQLite: data, Manifest: vault.Manifest{
		RepositoryID: storesID, Repository: r.repo, StoreID: storeID(b, path), Generation: 1, ToolVersion: "familiar/dev", CreatedAt: r.server.Now(),
		WorkflowPath: workflow, Event: "issue_comment", RunID: r.next, RunAttempt: 1,
	}})
	if err != nil {
		b.Fatal(err)
	}
	r.server.AddArtifact(githubtest.Artifact{Repo: r.repo, Name: fmt.Sprintf("familiar-memory-%d", storesID), Run: r.next, Data: zip})
	return r
}

// storeID asks the standard tool for the store's own id.
func storeID(b *testing.B, path string) string {
	b.Helper()
	out, err := exec.Command("sqlite3", "-readonly", path, "SELECT store_id FROM store").Output()
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
