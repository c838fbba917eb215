package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) == 3 && os.Args[1] == parseArg {
		exitOn(parsePatch(os.Args[2]))
		return
	}
	docs := flag.String("docs", "docs", "`folder` that the page, the plots and the figures are written to")
	dry := flag.Bool("n", false, "print the table and write nothing")
	only := flag.String("only", "", "measure these `parts` alone, as the progress names them with commas between; what was committed stands for the others")
	stores := flag.String("stores", kept(), "`folder` that keeps the filled stores for the next run")
	flag.Parse()
	exitOn(run(ctx, *docs, *dry, *only, *stores))
}

// kept is where filled stores wait for the next run, unless it is told another
// folder; "": nowhere.
func kept() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "familiar-bench")
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures, from the top folder of the repository. What was measured is
// written even where a part failed; then it answers with an error.
func run(ctx context.Context, docs string, dry bool, only, stores string) error {
	begun := time.Now()
	dir, err := os.MkdirTemp("", "familiar-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system's folder is emptied anyway
	last, err := readReport(filepath.Join(docs, "benchmarks.json"))
	if err != nil {
		return err
	}
	w := &work{ctx: ctx, dir: dir, keep: stores, say: os.Stderr, here: thisMachine()}
	asked, err := w.named(only)
	if err != nil {
		return err
	}
	now := w.measure(asked)
	failed := slices.Sorted(maps.Keys(now.Failed))
	now.remember(last)
	now.Machine, now.Seconds = w.here, int(time.Since(begun).Seconds())
	if len(asked) > 0 {
		if err := now.keep(last); err != nil && !dry {
			return errors.Join(err, writeTable(now))
		}
	}
	if err := writeTable(now); err != nil {
		return err
	}
	if !dry {
		if err := now.publish(docs); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("not measured: %s", strings.Join(failed, ", "))
	}
	return nil
}

func writeTable(r *report) error {
	_, err := io.WriteString(os.Stdout, r.terminal())
	return err
}

// publish writes the figures, the page and the plots.
func (r *report) publish(docs string) error {
	if err := r.write(filepath.Join(docs, "benchmarks.json")); err != nil {
		return err
	}
	for name, text := range r.pages() {
		if err := os.WriteFile(filepath.Join(docs, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// named are the parts of a list with commas; none: all.
func (w *work) named(only string) (map[string]bool, error) {
	var names []string
	for _, p := range w.parts() {
		names = append(names, p.name)
	}
	out := map[string]bool{}
	for name := range strings.SplitSeq(only, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("there is no part %q; they are %s", name, strings.Join(names, ", "))
		}
		out[name] = true
	}
	return out, nil
}
