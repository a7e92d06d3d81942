package request

import (
	"runtime"
	"sync/atomic"
)

// Pace is how work goes on: on how many goroutines, and who is told of its
// progress.
type Pace struct {
	Threads  int                                   // 0: one per processor
	Progress func(phase string, done, total int64) // called from several goroutines; may be nil
}

// Pace is that of the options.
func (o *Options) Pace() Pace { return Pace{o.Threads, o.Progress} }

// Workers is how many goroutines work at once.
func (p Pace) Workers() int {
	if p.Threads > 0 {
		return p.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// Tell calls Progress, where there is one.
func (p Pace) Tell(phase string, done, total int64) {
	if p.Progress != nil {
		p.Progress(phase, done, total)
	}
}

// Meter starts a phase of total records.
func (p Pace) Meter(phase string, total int64) *Meter {
	p.Tell(phase, 0, total)
	return &Meter{pace: p, phase: phase, total: total}
}

// A Meter adds up records for the progress callback, from many goroutines.
type Meter struct {
	pace  Pace
	phase string
	total int64
	done  atomic.Int64
}

// Add counts n records more; a nil meter tells nobody.
func (m *Meter) Add(n int) {
	if m != nil {
		m.pace.Tell(m.phase, m.done.Add(int64(n)), m.total)
	}
}
