package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProgressWithoutSize: a terminal that was not told its size, as of
// scripts and containers, shows numbers and not empty lines.
func TestProgressWithoutSize(t *testing.T) {
	master, terminal := newTerminal(t)
	k := newKilling(t, parquetGoCanary(t, false, 1000, 500), false)
	cmd := inFolder(k.folder(t), k.args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, cmd.Start())
	terminal.Close()
	shown, _ := io.ReadAll(master) // until the process is gone, which reads as an error
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, shown)
	}
	for _, want := range []string{"counting", "drawing", "/ 1000 rows"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("no %q in %q", want, shown)
		}
	}
}

// newTerminal is a pseudo-terminal whose size is not set.
func newTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { master.Close() })
	must(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must(t, err)
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	return master, terminal
}
