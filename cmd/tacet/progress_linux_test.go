package main

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProgressWithoutSize: a terminal that was not told its size, as of
// scripts and containers, shows numbers and not empty lines.
func TestProgressWithoutSize(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	u := &ui{err: terminal}
	u.show("counting", 0, 1234567)
	u.finish()
	shown := make([]byte, 4096)
	k, err := master.Read(shown)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(shown[:k], []byte("/ 1234567 rows")) {
		t.Errorf("shown: %q", shown[:k])
	}
}
