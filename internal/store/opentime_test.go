package store

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

func TestTheTimeToOpenIsTheProcessorsAndNotTheClocks(t *testing.T) {
	var used atomic.Int64
	used.Store(int64(time.Hour)) // what came before does not count
	asked := make(chan struct{})
	ctx, cancel := withOpenTime(t.Context(), openTime, time.Microsecond, func() time.Duration {
		select {
		case asked <- struct{}{}:
		default:
		}
		return time.Duration(used.Load())
	})
	defer cancel()
	for range 3 {
		<-asked // the clock goes on, and nothing is used
	}
	used.Add(int64(openTime))
	for range 3 {
		<-asked
	}
	if ctx.Err() != nil {
		t.Fatalf("after as much as is allowed: %v", context.Cause(ctx))
	}
	used.Add(1)
	<-ctx.Done()
	if err := broken(ctx, "a file", ctx.Err()); !errors.Is(context.Cause(ctx), context.DeadlineExceeded) || KindOf(err) != TooSlow {
		t.Errorf("it ends with %v, so a file is refused with %v", context.Cause(ctx), err)
	}
}

func TestAnOpeningThatEndsInTimeIsNotTooSlow(t *testing.T) {
	ctx, cancel := withOpenTime(t.Context(), openTime, time.Hour, processTime)
	cancel()
	if err := broken(ctx, "a file", ctx.Err()); KindOf(err) != Unusable {
		t.Errorf("one that was cancelled is %v", err)
	}
}

func TestTheProcessorTimeOfThisProcessGrows(t *testing.T) {
	began := processTime()
	for range 1 << 20 {
		if processTime() > began {
			return
		}
	}
	t.Error("it stands still")
}
