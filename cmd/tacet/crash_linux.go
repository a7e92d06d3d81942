package main

import (
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// overrideWrite is the runtime's own hook for what it writes.
//
//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite func(fd uintptr, p unsafe.Pointer, n int32) int32

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
	overrideWrite = writeOfRuntime
}

// writeOfRuntime runs wherever the runtime is when it writes: without a stack
// that grows, without memory.
//
//go:nosplit
//go:norace
func writeOfRuntime(fd uintptr, p unsafe.Pointer, n int32) int32 {
	if fd != 2 {
		done, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(p), uintptr(n))
		if errno != 0 {
			return -int32(errno)
		}
		return int32(done)
	}
	for i := int32(0); i < n && saidSize < len(said); i++ {
		said[saidSize] = *(*byte)(unsafe.Add(p, i))
		saidSize++
	}
	if reason, ok := whyEnding(said[:saidSize]); ok {
		line := &lastWords.Load()[reason][stage.Load()]
		syscall.RawSyscall(syscall.SYS_WRITE, speaksTo, uintptr(unsafe.Pointer(&line.text[0])), uintptr(len(line.text)))
		for {
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(line.code), 0, 0)
		}
	}
	return n
}
