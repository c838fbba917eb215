// Command action is the entry of the container action.
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
	code := cli.RunAction(ctx, env, os.Environ())
	stop()
	os.Exit(code)
}
