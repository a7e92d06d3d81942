package options

import (
	"runtime"
	"sync/atomic"
)

// A Meter adds up records for the progress callback, from many goroutines.
type Meter struct {
	o     *Options
	phase string
	total int64
	done  atomic.Int64
}

// NewMeter starts a phase of total records.
func NewMeter(o *Options, phase string, total int64) *Meter {
	o.Tell(phase, 0, total)
	return &Meter{o: o, phase: phase, total: total}
}

// Add counts n records more.
func (m *Meter) Add(n int) { m.o.Tell(m.phase, m.done.Add(int64(n)), m.total) }

// Threads is how many goroutines work at once.
func Threads(o *Options) int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}
