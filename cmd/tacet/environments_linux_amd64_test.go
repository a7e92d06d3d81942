package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSlowEnvironments: what a run lacks that is nothing to it changes nothing; what it cannot do
// without ends it in one line of the right class, with all or nothing published.
func TestSlowEnvironments(t *testing.T) {
	program := filepath.Join(t.TempDir(), "tacet")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	full, mounted := mount(t, "16k")
	if mounted {
		for i := range 4 {
			os.WriteFile(filepath.Join(full, fmt.Sprint(i)), make([]byte, 16<<10), 0o666)
		}
	}
	for name, c := range map[string]struct {
		before, after string // of the command, for a shell
		code          int
		published     bool
		says          string
	}{
		"no HOME":                      {"env -u HOME", "", 0, true, ""},
		"no time zone":                 {"env -u TZ", "", 0, true, ""},
		"a time zone that is nowhere":  {"env TZ=Nowhere/At_All", "", 0, true, ""},
		"no environment":               {"env -i", "", 0, true, ""},
		"full temporary folder":        {"env TMPDIR=" + full, "", 0, true, ""},
		"temporary folder that is not": {"env TMPDIR=/nowhere", "", 0, true, ""},
		"3 descriptors":                {"ulimit -n 3;", "", 5, false, "limit"},
		"closed standard input":        {"", "<&-", 0, true, ""},
		"closed standard output":       {"", ">&-", 0, true, ""},
		"closed standard error":        {"", "2>&-", 0, true, ""},
		"full standard output":         {"", ">/dev/full", 6, true, "published"},
		"another user":                 {"umask 077; setpriv --reuid=65534 --regid=65534 --clear-groups", "", 0, true, ""},
		"256 MiB of address space":     {"ulimit -v 262144;", "", 5, false, "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "d")
			if err := os.Mkdir(dir, 0o777); err != nil || strings.HasPrefix(name, "another") && os.Chmod(dir, 0o777) != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", append([]string{"-c", c.before + ` "$0" "$@" ` + c.after, program},
				flightsArgs(t, "out", "report")...)...)
			cmd.Dir = dir
			done := finish(t, cmd)
			if files := present(t, dir); done.code != c.code || (len(files) == len(released)) != c.published ||
				!c.published && len(files) > 0 || (c.code == 0) != (done.stderr == "" || lines(done.stderr) == 0) ||
				c.code > 0 && lines(done.stderr) != 1 || !strings.Contains(done.stderr, c.says) {
				t.Errorf("exit code %d, %d files: %.300s", done.code, len(files), done.stderr)
			}
		})
	}
}

// TestSlowClockJumps: a clock that is a century off at every look is nothing to a run.
func TestSlowClockJumps(t *testing.T) {
	dir, looks := t.TempDir(), int64(0)
	for _, args := range [][]string{flightsArgs(t, "out", "report"), {"verify", "--report", "report", "--output", "out"}} {
		cmd := exec.Command("tacet", args...)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		without := false
		status := traced(t, cmd, func(thread, pid int) syscall.Errno {
			var r syscall.PtraceRegs
			if !without { // the runtime asks the system for the time
				without = true
				hideClock(t, pid)
			}
			if syscall.PtraceGetRegs(thread, &r) != nil || r.Orig_rax != syscall.SYS_CLOCK_GETTIME || r.Rdi != 0 {
				return 0
			}
			looks++
			at := binary.LittleEndian.AppendUint64(nil, uint64(1_800_000_000+3_000_000_000*(looks%3-1)))
			syscall.PtracePokeData(thread, uintptr(r.Rsi), binary.LittleEndian.AppendUint64(at, uint64(looks)))
			return nothing
		})
		if status.ExitStatus() != 0 || looks == 0 {
			t.Errorf("%s: exit code %d after %d looks: %s", args[0], status.ExitStatus(), looks, stderr.String())
		}
	}
}

// hideClock has a program that has just begun find no clock in its own memory.
func hideClock(t *testing.T, pid int) {
	t.Helper()
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	must(t, err)
	defer mem.Close()
	maps := readFile(t, fmt.Sprintf("/proc/%d/maps", pid))
	_, auxv, _ := bytes.Cut(readFile(t, fmt.Sprintf("/proc/%d/auxv", pid)), []byte("\x21\x00\x00\x00\x00\x00\x00\x00"))
	for _, line := range strings.Split(string(maps), "\n") {
		var from, to int64
		if fmt.Sscanf(line, "%x-%x", &from, &to); !strings.HasSuffix(line, "[stack]") {
			continue
		}
		stack := make([]byte, to-from)
		mem.ReadAt(stack, from)
		pair := append([]byte{0x21, 0, 0, 0, 0, 0, 0, 0}, auxv[:8]...) // AT_SYSINFO_EHDR and where it is
		if at := bytes.LastIndex(stack, pair); at >= 0 {
			mem.WriteAt([]byte{1}, from+int64(at)) // AT_IGNORE
		}
	}
}
