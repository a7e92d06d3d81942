package main

import (
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// The runtime ends a process by itself where it gets no memory, no thread or no
// descriptor, at a signal of an error, and at a panic that nobody recovers. It then
// prints what it was doing, whatever is asked of it, and ends with the code of a wrong
// flag. Here one line is printed in place of its words, and the code is one of exitCodes.

// overrideWrite is the runtime's own hook for what it writes. The linker sets it, so that it
// is there before the runtime itself is, and no package is made ready without it.
//
//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite = writeOfRuntime

// quietCrashes leaves alone what the runtime traces because GODEBUG asks for it.
func quietCrashes() {
	if strings.Contains(os.Getenv("GODEBUG"), "trace") {
		showCrashes()
	}
}

// showCrashes has the runtime print what it prints.
func showCrashes() { overrideWrite = nil }

// traces says that the runtime began with a trace of packages that are made ready, or of
// collections, before quietCrashes.
var traces bool

// writeOfRuntime runs wherever the runtime is when it writes: without a stack that grows,
// without memory. The first of its words says why it ends the process.
//
//go:nosplit
//go:norace
func writeOfRuntime(fd uintptr, p unsafe.Pointer, n int32) int32 {
	first := byte(0)
	if n > 0 {
		first = *(*byte)(p)
	}
	if traces = traces || first == 'i' || first == 'g'; traces || fd != 2 {
		done, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(p), uintptr(n))
		if errno != 0 {
			return -int32(errno)
		}
		return int32(done)
	}
	line := &lastLines[refused][stage.Load()]
	if first == 'p' || first == 'S' { // a panic, or the name of a signal
		line = &lastLines[mistaken][stage.Load()]
	}
	text, long := unsafe.Pointer(unsafe.StringData(line.text)), uintptr(len(line.text))
	syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(text), long)
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(line.code), 0, 0)
	}
}

// Reasons for which the runtime ends the process.
const (
	refused  = iota // by the system, which gives no memory, thread or descriptor
	mistaken        // a bug, or a signal that stands for one
	reasons
)

const (
	wasRefused = "tacet: the system refused memory, a thread or an open file that the run needs"
	internal   = "tacet: internal error"
	nothingOut = "; nothing was published; hint: "
	mayBeOut   = " while files were put in place; the output may be published and its report incomplete; hint: check " +
		"the release with tacet verify; docs/files.md says how to go on\n"
	allOut = "; the release is published and complete; hint: do not run again: a second draw would leak more; the " +
		"release is in the output and the report folder\n"
)

// lastLines are there before they are needed: then there may be no memory.
var lastLines = [reasons][stages]struct {
	text string
	code int
}{
	refused: {{wasRefused + nothingOut + "raise the limits (ulimit -v, -d, -u, -n), free memory, or give fewer " +
		"--threads\n", 5}, {wasRefused + mayBeOut, 6}, {wasRefused + allOut, 6}},
	mistaken: {{internal + nothingOut + "please report what you did, without the data\n", 1}, {internal + mayBeOut, 6},
		{internal + allOut, 6}},
}
