package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// report is everything that one run of bench found. The page and the plots
// are made of it alone.
type report struct {
	Machine machine `json:"machine"`
	Seconds int     `json:"seconds"` // that the run took; 0: its parts were measured by several
	// Parts says what code each part was measured with, by its name.
	Parts   map[string]code    `json:"parts"`
	Figures map[string]reading `json:"figures"` // by id
	Peers   map[string]pair    `json:"peers"`   // by id
	Growth  map[string][]point `json:"growth"`  // by the id of a line
	// Failed says what each part said that could not be measured.
	Failed map[string]string `json:"failed,omitempty"`
	Ran    []string          `json:"-"` // the parts that this run tried
}

// reading is one figure by the clock, the processor time of the same, and what
// was judged in the run before; 0: none.
type reading struct {
	Now  float64 `json:"now"`
	CPU  float64 `json:"cpu,omitempty"`
	Last float64 `json:"last,omitempty"`
}

// judged is what is held against a budget: the time by the clock, or on a busy
// machine the processor time, since the rest was waiting for others.
func (m machine) judged(r reading) float64 {
	if m.busy() && r.CPU > 0 {
		return r.CPU
	}
	return r.Now
}

// busy says whether others used the machine when bench began.
func (m machine) busy() bool { return m.Load > float64(m.Cores)/2 }

// pair is one piece of work done by us and by another tool.
type pair struct {
	Ours   float64 `json:"ours"`
	Theirs float64 `json:"theirs,omitempty"`
	// Missing says why the other could not be had.
	Missing string `json:"missing,omitempty"`
	Version string `json:"version,omitempty"` // of the other
}

// point is a size and what it cost.
type point struct {
	Size float64 `json:"size"`
	Cost float64 `json:"cost"`
}

// machine is where the figures are from.
type machine struct {
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	MemoryGiB int    `json:"memory_gib"`
	System    string `json:"system"`
	Go        string `json:"go"`
	// Load is how many processes of others wanted a core when bench began.
	Load float64 `json:"load"`
}

func newReport() *report {
	return &report{Parts: map[string]code{}, Figures: map[string]reading{}, Peers: map[string]pair{}, Growth: map[string][]point{}, Failed: map[string]string{}}
}

// remember puts what the last run had beside each figure.
func (r *report) remember(last *report) {
	for id, f := range r.Figures {
		f.Last = last.Machine.judged(last.Figures[id])
		r.Figures[id] = f
	}
}

// keep takes from the last run what this one was not asked to measure. Both
// must be from one machine, and judged in one way, or a table would mix them.
func (r *report) keep(last *report) error {
	a, b := r.Machine, last.Machine
	if a.busy() != b.busy() || a.CPU != b.CPU || a.Cores != b.Cores || a.System != b.System || a.Go != b.Go {
		return errors.New("the committed figures are from another machine, another Go, or another load; measure every part")
	}
	for id, f := range last.Figures {
		if _, ok := r.Figures[id]; !ok {
			r.Figures[id] = f
		}
	}
	for id, p := range last.Peers {
		if _, ok := r.Peers[id]; !ok {
			r.Peers[id] = p
		}
	}
	for id, points := range last.Growth {
		if _, ok := r.Growth[id]; !ok {
			r.Growth[id] = points
		}
	}
	for name, c := range last.Parts {
		if _, ok := r.Parts[name]; !ok {
			r.Parts[name] = c
		}
	}
	for name, why := range last.Failed {
		if !slices.Contains(r.Ran, name) {
			r.Failed[name] = why
		}
	}
	r.Machine, r.Seconds = b, 0 // no run measured all of it
	return nil
}

func readReport(path string) (*report, error) {
	r := newReport()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil // the first run here
	}
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(data, r)
}

func (r *report) write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func thisMachine() machine {
	m := machine{CPU: procField("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if m.CPU == "" {
		m.CPU = "a processor that does not say its name"
	}
	kib, _, _ := strings.Cut(procField("/proc/meminfo", "MemTotal"), " ")
	if n, err := strconv.Atoi(kib); err == nil {
		m.MemoryGiB = (n + 1<<19) >> 20
	}
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		first, _, _ := strings.Cut(string(data), " ")
		m.Load, _ = strconv.ParseFloat(first, 64) // 0: not told
	}
	return m
}

// procField is the first value under a name in a file of "name: value" lines.
func procField(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "" // another system than Linux
	}
	for line := range strings.Lines(string(data)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
