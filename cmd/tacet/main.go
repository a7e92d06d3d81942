// Command tacet privatizes a categorical column of a Parquet or Arrow file
// and proves what the written file leaks.
package main

import (
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	// A crash must not leave cell values behind: no core, no traces of memory.
	debug.SetTraceback("none")
	quietCrashes()
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a write fails: what is published is told of by the exit code
	if os.Getenv("GOGC") == "" {
		collectLater()
	}
	os.Exit(run(os.Args, shown(os.Stdout), os.Stderr))
}

var (
	ballast []byte       // memory that is never touched and counts as live
	growth  atomic.Int32 // of the heap of a long run, in percent
)

// collectLater has a run that ends within a tenth of a second collect nothing below
// 24 MiB, the ballast included. The heap of a longer one grows by a third, if its command
// does not want otherwise, which saves a quarter of the peak of large runs.
func collectLater() {
	growth.Store(33)
	debug.SetGCPercent(600) // of 4 MiB, until a first collection
	ballast = make([]byte, 8<<20)
	time.AfterFunc(100*time.Millisecond, func() { debug.SetGCPercent(int(growth.Load())) })
}
