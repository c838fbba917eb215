package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// spent is what whole processes cost: the median by the clock (on a busy
// machine, of the processor's time), and the most memory that one of them held.
type spent struct {
	MS     float64 `json:"ms"`
	CPUMS  float64 `json:"cpu_ms"`
	PeakMB float64 `json:"peak_mb"`
}

// again runs commands one after the other, n times, and adds up what the
// commands of one time took. prepare may be nil; its time does not count.
func (w *work) again(n int, prepare func() error, commands ...*exec.Cmd) (spent, error) {
	var walls []float64
	peak := 0.0
	for range n {
		if prepare != nil {
			if err := prepare(); err != nil {
				return spent{}, err
			}
		}
		total := 0.0
		for _, c := range commands {
			one, err := w.once(c)
			if err != nil {
				return spent{}, err
			}
			total, peak = total+one.MS, max(peak, one.PeakMB)
		}
		walls = append(walls, total)
	}
	slices.Sort(walls)
	return spent{MS: walls[n/2], PeakMB: peak}, nil
}

// once runs a copy of a command through internal/arch/peak.
func (w *work) once(model *exec.Cmd) (spent, error) {
	file := filepath.Join(w.dir, "cost.json")
	cmd := exec.CommandContext(w.ctx, filepath.Join(w.dir, "bin", "peak"), append([]string{file, model.Path}, model.Args[1:]...)...)
	cmd.Dir, cmd.Env = model.Dir, model.Env
	var complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &complaints
	if err := cmd.Run(); err != nil {
		return spent{}, fmt.Errorf("%s: %w\n%s", model.Path, err, complaints.Bytes())
	}
	var one spent
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &one)
	}
	if w.here.busy() {
		one.MS = one.CPUMS
	}
	return one, err
}
