package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A writing is a system call that changes what is on disk: its name, and which
// argument is the file's descriptor or name.
type writing struct {
	name string
	arg  int
	path bool
}

var writings = map[uint64]writing{
	syscall.SYS_WRITE: {"write", 0, false}, syscall.SYS_PWRITE64: {"write", 0, false}, syscall.SYS_WRITEV: {"write", 0,
		false}, syscall.SYS_PWRITEV: {"write", 0, false},
	syscall.SYS_FSYNC: {"sync", 0, false}, syscall.SYS_FDATASYNC: {"sync", 0, false}, syscall.SYS_FTRUNCATE: {"truncate",
		0, false},
	syscall.SYS_FALLOCATE: {"allocate", 0, false}, syscall.SYS_FCHMOD: {"change mode of", 0, false},
	sysCopyFileRange:   {"copy to", 2, false},
	syscall.SYS_OPENAT: {"create", 1, true}, syscall.SYS_MKDIR: {"make", 0, true}, syscall.SYS_MKDIRAT: {"make", 1, true},
	syscall.SYS_UNLINK: {"remove", 0, true}, syscall.SYS_UNLINKAT: {"remove", 1, true}, syscall.SYS_RMDIR: {"remove", 0,
		true},
	syscall.SYS_RENAME: {"rename to", 1, true}, syscall.SYS_RENAMEAT: {"rename to", 3, true},
	sysRenameAt2:     {"rename to", 3, true},
	syscall.SYS_LINK: {"link to", 1, true}, syscall.SYS_LINKAT: {"link to", 3, true},
	syscall.SYS_FLOCK: {"lock", 0, false},
}

const (
	sysRenameAt2     = 316
	sysCopyFileRange = 326
	waitOwnThread    = 0x20000000 // __WNOTHREAD: nobody else's children
	killWithTracer   = 0x100000   // PTRACE_O_EXITKILL
	systemCall       = syscall.SIGTRAP | 0x80
)

// stepped runs a command and tells what it writes below its folder, one entry
// for each system call, in order; it is killed before number kill of those that contain
// a text, from 1 on.
func stepped(t *testing.T, cmd *exec.Cmd, text string, kill int) (did []string, killed bool) {
	t.Helper()
	met := 0
	status := traced(t, cmd, func(thread, pid int) syscall.Errno {
		if what := doing(thread, pid, cmd.Dir); what != "" {
			if did = append(did, what); strings.Contains(what, text) {
				met++
			}
			if met == kill {
				cmd.Process.Kill()
			}
		}
		return 0
	})
	return did, status.Signaled()
}

// traced runs a command and calls see before each of its system calls. Where
// see gives an error, the call is not made and fails with it.
func traced(t *testing.T, cmd *exec.Cmd, see func(thread, pid int) syscall.Errno) syscall.WaitStatus {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	must(t, cmd.Start())
	defer cmd.Wait() // frees what the command holds; the process is gone
	pid := cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		t.Fatal(err)
	}
	must(t, syscall.PtraceSetOptions(pid,
		syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACESYSGOOD|killWithTracer))
	failing := map[int]syscall.Errno{} // by thread
	for at := pid; ; {
		if !status.Exited() && !status.Signaled() {
			pass := 0
			switch s := status.StopSignal(); {
			case s == systemCall:
				var r syscall.PtraceRegs
				known := syscall.PtraceGetRegs(at, &r) == nil
				switch number, fails := failing[at]; {
				case fails:
					delete(failing, at)
					if r.Rax = uint64(-int64(number % nothing)); known {
						syscall.PtraceSetRegs(at, &r)
					}
				case known && int64(r.Rax) == -int64(syscall.ENOSYS): // else it comes back from it
					switch number := see(at, pid); number {
					case 0:
					case half:
						r.Rdx = (r.Rdx + 1) / 2
						syscall.PtraceSetRegs(at, &r)
					default:
						failing[at], r.Orig_rax = number, ^uint64(0) // no such call
						syscall.PtraceSetRegs(at, &r)
					}
				}
			case s != syscall.SIGTRAP && s != syscall.SIGSTOP: // those are the tracer's own
				pass = int(s)
			}
			if err := syscall.PtraceSyscall(at, pass); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatal(err)
			}
		} else if at == pid {
			return status
		}
		var err error
		if at, err = syscall.Wait4(-1, &status, syscall.WALL|waitOwnThread, nil); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	half    syscall.Errno = 1 << 16 // no error: of what is written only the first half is
	nothing syscall.Errno = 1 << 17 // no error: the call is not made, and ends well
)

var injections = []syscall.Errno{syscall.ENOSPC, syscall.EMFILE, syscall.EIO, syscall.EACCES, syscall.EINTR, half}

// injected is the error of turn i, at what is done.
func injected(i int, what string) syscall.Errno {
	e := injections[i%len(injections)]
	if e == half && !strings.HasPrefix(what, "write ") {
		return syscall.EINTR
	}
	return e
}

// doing names what a thread is about to write below a folder; "" for nothing.
func doing(thread, pid int, dir string) string {
	var r syscall.PtraceRegs
	if syscall.PtraceGetRegs(thread, &r) != nil {
		return ""
	}
	w, ok := writings[r.Orig_rax]
	if !ok || r.Orig_rax == syscall.SYS_OPENAT && r.Rdx&syscall.O_CREAT == 0 {
		return ""
	}
	arg := [...]uint64{r.Rdi, r.Rsi, r.Rdx, r.R10}[w.arg]
	file := ""
	if w.path {
		file = textAt(thread, uintptr(arg))
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
	} else if file, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int32(arg))); file == "" {
		return ""
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || strings.HasPrefix(rel, "..") {
		return ""
	}
	return w.name + " " + drawnName.ReplaceAllString(rel, "$1")
}

// drawnName is what differs from run to run in the names of temporaries.
var drawnName = regexp.MustCompile(`(\.tacet-(?:lock-)?)[0-9a-zA-Z-]*`)

// textAt reads a string of the traced process.
func textAt(thread int, at uintptr) string {
	var text []byte
	for word := make([]byte, 8); ; at += 8 {
		if _, err := syscall.PtracePeekData(thread, at, word); err != nil {
			return string(text)
		}
		for _, b := range word {
			if b == 0 {
				return string(text)
			}
			text = append(text, b)
		}
	}
}
