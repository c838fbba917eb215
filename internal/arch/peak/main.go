package main

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"
)

// cost is what one process took.
type cost struct {
	MS     float64 `json:"ms"`
	CPUMS  float64 `json:"cpu_ms"`
	PeakMB float64 `json:"peak_mb"`
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: peak FILE PROGRAM [ARGUMENT...]")
		os.Exit(2)
	}
	status, err := run(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "peak:", err)
		os.Exit(2)
	}
	os.Exit(status)
}

// run starts the program, whose path is whole, and returns its exit status.
func run(file string, argv []string) (int, error) {
	begun := time.Now()
	process, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return 0, err
	}
	state, err := process.Wait()
	took := time.Since(begun)
	if err != nil {
		return 0, err
	}
	c := cost{MS: milliseconds(took), CPUMS: milliseconds(state.UserTime() + state.SystemTime())}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		c.PeakMB = float64(usage.Maxrss) * 1024 / 1e6
	}
	data, err := json.Marshal(c)
	if err != nil {
		return 0, err
	}
	return state.ExitCode(), os.WriteFile(file, data, 0o600)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
