package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// line is one event of `go test -json`.
type line struct {
	Action, Package, Test, Output string
	FailedBuild                   string
}

// tally is what a whole run came to.
type tally struct {
	passed, failed, skipped int
	complaints              []string
	builds                  map[string]bool
}

func main() {
	last := flag.Bool("last", false, "print the closing line only")
	flag.Parse()
	t, err := count(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(2)
	}
	if !*last {
		for _, c := range t.complaints {
			fmt.Println(c)
		}
	}
	fmt.Printf("%d passed, %d failed\n", t.passed, t.failed)
	if t.failed > 0 || t.skipped > 0 || t.passed == 0 {
		os.Exit(1)
	}
}

func count(r io.Reader) (tally, error) {
	t := tally{builds: map[string]bool{}}
	outputs := map[string][]string{}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return t, fmt.Errorf("line is not from go test -json: %q", in.Text())
		}
		id := l.Package + " " + l.Test
		switch l.Action {
		case "output", "build-output":
			outputs[id] = append(outputs[id], l.Output)
		case "pass":
			if l.Test != "" {
				t.passed++
			}
		case "skip":
			if l.Test != "" {
				t.skipped++
				t.complaints = append(t.complaints, "SKIPPED, which a required test may not: "+id)
			}
		case "fail":
			t.fail(l, outputs[id])
		}
	}
	return t, in.Err()
}

// fail counts a failed test, and a package that failed without one (it did
// not build, or it panicked between tests).
func (t *tally) fail(l line, output []string) {
	t.failed++
	if l.Test == "" && slices.ContainsFunc(t.complaints, func(c string) bool { return strings.HasPrefix(c, "FAILED "+l.Package+" ") }) {
		t.failed-- // already counted by its test
		return
	}
	t.complaints = append(t.complaints, "FAILED "+l.Package+" "+l.Test+"\n"+strings.Join(output, ""))
}
