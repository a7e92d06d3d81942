package pipeline

import (
	"runtime"
	"sync/atomic"
)

// A meter adds up records for the progress callback, from many goroutines.
type meter struct {
	o     *Options
	phase string
	total int64
	done  atomic.Int64
}

func newMeter(o *Options, phase string, total int64) *meter {
	o.progress(phase, 0, total)
	return &meter{o: o, phase: phase, total: total}
}

func (m *meter) add(n int) { m.o.progress(m.phase, m.done.Add(int64(n)), m.total) }

func threads(o *Options) int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}
