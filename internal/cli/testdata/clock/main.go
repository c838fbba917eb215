// Command clock is the container's entry on a machine whose clock stands where
// FAMILIAR_NOW says (RFC 3339). The soak runs it in place of cmd/action, so
// that each run can have a clock of its own.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/familiarhq/familiar/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	env, err := cli.System()
	if err == nil {
		env.Now, err = time.Parse(time.RFC3339, os.Getenv("FAMILIAR_NOW"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "familiar:", err)
		os.Exit(cli.ExitFailed)
	}
	code := cli.RunAction(ctx, env, os.Environ())
	stop()
	os.Exit(code)
}
