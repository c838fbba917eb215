// Command familiar is the command line.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/familiarhq/familiar/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	env, err := cli.System()
	if err != nil {
		fmt.Fprintln(os.Stderr, "familiar:", err)
		os.Exit(cli.ExitFailed)
	}
	code := cli.Run(ctx, env, os.Args[1:])
	stop()
	os.Exit(code)
}
