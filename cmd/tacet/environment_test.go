package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// flightsArgs are the flags of the main job on the committed file.
func flightsArgs(t *testing.T, output, report string, more ...string) []string {
	t.Helper()
	tables, err := filepath.Abs("../../testdata/tables")
	must(t, err)
	return append([]string{"run", "--input", tables + "/flights.parquet", "--column", "origin", "--utility", "positions:" +
		tables + "/airports.csv",
		"--epsilon", "4.1", "--design", "safe", "--drop", "destination,distance", "--output", output, "--report", report},
		more...)
}

// before puts files of an earlier run where the next one shall write.
func before(t *testing.T, output, report string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(report, "public"), 0o777))
	writeFile(t, output, []byte("an earlier output"))
	for _, name := range released[1:] {
		writeFile(t, filepath.Join(report, strings.TrimPrefix(name, "report/")), []byte("an earlier "+name))
	}
}

// mount puts a file system of its own at a new folder; false where that needs
// rights that this process does not have.
func mount(t *testing.T, size string) (dir string, ok bool) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		return dir, false
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir, true
}

// TestSlowFileSizeLimit is a disk that ends at every size from none to nearly
// enough: nothing of the run stays, everything else does.
func TestSlowFileSizeLimit(t *testing.T) {
	for _, blocks := range []int{0, 1, 100, 700} { // of 512 or 1024 bytes
		dir := t.TempDir()
		output, report := filepath.Join(dir, "out"), filepath.Join(dir, "report")
		before(t, output, report)
		was := snapshot(t, dir)
		args := append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, blocks), "tacet"},
			flightsArgs(t, output, report, "--overwrite")...)
		done := finish(t, exec.Command("sh", args...))
		if done.want(t, 5); !strings.Contains(done.stderr, "; hint: ") {
			t.Error(done.stderr)
		}
		unchanged(t, dir, was)
	}
}

// TestUnwritable: folders in which nothing can be made.
func TestUnwritable(t *testing.T) {
	locked, ok := mount(t, "4m")
	if ok {
		before(t, filepath.Join(locked, "out"), filepath.Join(locked, "report"))
		must(t, unix.Mount("", locked, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	} else if err := os.Chmod(locked, 0o555); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	was, wasLocked := snapshot(t, dir), snapshot(t, locked)
	for _, c := range [][2]string{
		{filepath.Join(locked, "out"), filepath.Join(dir, "report")},
		{filepath.Join(dir, "out"), filepath.Join(locked, "report")},
		{filepath.Join(dir, "out"), filepath.Join(locked, "new", "report")},
	} {
		done := tacet(t, flightsArgs(t, c[0], c[1], "--overwrite")...)
		done.want(t, 5)
		if !strings.Contains(done.stderr, "; hint: ") {
			t.Errorf("no hint: %s", done.stderr)
		}
		unchanged(t, dir, was)
		unchanged(t, locked, wasLocked)
	}
}
