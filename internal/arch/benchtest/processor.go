package benchtest

import (
	"syscall"
	"testing"
	"time"
)

// Processor adds up the processor time of operations.
type Processor struct{ used time.Duration }

// Count runs one operation and counts what this process used meanwhile.
func (p *Processor) Count(b *testing.B, operation func()) {
	before := used(b)
	operation()
	p.used += used(b) - before
}

// Report says the processor time of one operation, as cpu-ms/op.
func (p *Processor) Report(b *testing.B) {
	b.ReportMetric(float64(p.used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

func used(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
