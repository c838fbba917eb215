package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is the command line as it is built for people, and actionBinary
// the container's entry, made once for all tests of this package; clockBinary
// is the entry with a clock that stands where it is told to.
var binary, actionBinary, clockBinary string

func TestMain(m *testing.M) {
	flag.Parse()
	if worker := flag.Lookup("test.fuzzworker"); worker.Value.String() == "true" {
		os.Exit(m.Run()) // one of several processes that only fuzz
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "familiar-bin-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }() // a leftover in the system's folder harms nobody
		binary, actionBinary, clockBinary = filepath.Join(dir, "familiar"), filepath.Join(dir, "action"), filepath.Join(dir, "clock")
		build := exec.Command("go", "build", "-trimpath", "-o", dir, "../../cmd/...", "./testdata/clock")
		// As a release is built, whatever flags the tests themselves run under.
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "the binary does not build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}
