package store

import (
	"context"
	"syscall"
	"time"
)

// openTime bounds everything between Open and a usable store (page 4.5). It is
// there against files that are made to be slow, so it is counted in processor
// time: a machine that others use is no fault of the file. openWall bounds what
// waits for the disk as well.
const (
	openTime = 10 * time.Second
	openWall = 2 * time.Minute
)

// withOpenTime is ctx until the process has used so much processor time, which
// is looked at ever so often, or the clock says openWall.
func withOpenTime(ctx context.Context, most, every time.Duration, used func() time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithTimeout(ctx, openWall)
	ctx, end := context.WithCancelCause(ctx)
	began := used()
	ticks := time.NewTicker(every)
	go func() {
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				if used()-began > most {
					end(context.DeadlineExceeded)
					return
				}
			}
		}
	}()
	return ctx, func() { end(context.Canceled); stop() }
}

// processTime is the processor time that this process has used.
func processTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0 // the clock alone bounds it then
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
