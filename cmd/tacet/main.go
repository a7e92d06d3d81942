// Command tacet privatizes a categorical column of a Parquet or Arrow file
// and proves what the written file leaks.
package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

func main() {
	// A crash must not leave cell values behind: no core, no traces of memory.
	debug.SetTraceback("none")
	quietCrashes()
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	// Memory that is never touched counts as live: small runs collect seldom,
	// and large ones at half the growth, which saves a fifth of their peak.
	ballast := make([]byte, 8<<20)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	code := run(os.Args, shown(os.Stdout), os.Stderr)
	runtime.KeepAlive(ballast)
	os.Exit(code)
}
