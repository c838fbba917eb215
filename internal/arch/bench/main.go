package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
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
	flag.Parse()
	exitOn(run(ctx, *docs, *dry))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures, from the top folder of the repository.
func run(ctx context.Context, docs string, dry bool) error {
	begun := time.Now()
	dir, err := os.MkdirTemp("", "familiar-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system's folder is emptied anyway
	file := filepath.Join(docs, "benchmarks.json")
	last, err := readReport(file)
	if err != nil {
		return err
	}
	here := thisMachine()
	w := &work{ctx: ctx, dir: dir, say: os.Stderr, here: here}
	now, err := w.measure()
	if err != nil {
		return err
	}
	now.remember(last)
	now.Machine, now.Seconds = here, int(time.Since(begun).Seconds())
	if _, err := io.WriteString(os.Stdout, now.terminal()); err != nil {
		return err
	}
	if dry {
		return nil
	}
	if err := now.write(file); err != nil {
		return err
	}
	for name, text := range now.pages() {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
