package main

import (
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// overrideWrite is the runtime's own hook for what it writes. The linker sets it, so that it
// is there before the runtime itself is, and no package is made ready without it.
//
//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite = writeOfRuntime

// The runtime's words so far. It writes them one after the other: a lock of its
// own is held meanwhile.
var (
	said     [mostSaid]byte
	saidSize int
	speaksTo uintptr = 2
)

// quietCrashes takes the words from the runtime; what it traces because GODEBUG
// asks for it is left alone. What libraries in C write, as the one that starts
// threads does, goes nowhere: standard error is another descriptor from here on.
func quietCrashes() {
	if strings.Contains(os.Getenv("GODEBUG"), "trace") {
		showCrashes()
		return
	}
	lastWords.Store(newLastLines(earlyFormat(os.Args)))
	if fd, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3); err == nil {
		if null, err := unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil && unix.Dup3(null, 2, 0) == nil {
			unix.Close(null)
			speaksTo = uintptr(fd)
			os.Stderr = os.NewFile(uintptr(fd), os.Stderr.Name())
		} else {
			unix.Close(fd)
		}
	}
}

// writeOfRuntime runs wherever the runtime is when it writes: without a stack
// that grows, without memory.
//
//go:nosplit
//go:norace
func writeOfRuntime(fd uintptr, p unsafe.Pointer, n int32) int32 {
	for i := int32(0); fd == 2 && i < n && saidSize < len(said); i++ {
		said[saidSize] = *(*byte)(unsafe.Add(p, i))
		saidSize++
	}
	// GODEBUG may ask for traces of what is before main.
	if fd != 2 || find(said[:saidSize], "init ") == 0 || find(said[:saidSize], "gc ") == 0 {
		done, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(p), uintptr(n))
		if errno != 0 {
			return -int32(errno)
		}
		return int32(done)
	}
	if reason, ok := whyEnding(said[:saidSize]); ok {
		text, code := unsafe.Pointer(unsafe.StringData(firstWords[reason].text)), firstWords[reason].code
		long := len(firstWords[reason].text)
		if made := lastWords.Load(); made != nil {
			line := &made[reason][stage.Load()]
			text, long, code = unsafe.Pointer(&line.text[0]), len(line.text), line.code
		}
		syscall.RawSyscall(syscall.SYS_WRITE, speaksTo, uintptr(text), uintptr(long))
		for {
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(code), 0, 0)
		}
	}
	return n
}

// showCrashes has the runtime print what it prints.
func showCrashes() { overrideWrite = nil }
