package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mostMemory is the promise: the peak of a run, whatever its number of rows.
const mostMemory = 128 << 20

// auditMemory is what judging the kept columns may take on top.
const auditMemory = 256 << 20

// peak runs tacet, wants this exit code, and is the most memory it had resident. The kernel's own
// figure at the end of a child counts what its parent had when it forked, so
// the mark of the running process is read until it ends.
func peak(t *testing.T, code int, args ...string) int64 {
	t.Helper()
	most, _ := spent(t, code, args...)
	return most
}

// spent is peak with the time of the processor.
func spent(t *testing.T, code int, args ...string) (most int64, cpu time.Duration) {
	t.Helper()
	cmd := exec.Command("tacet", args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOGC=") }) // of the tests
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case <-ended:
			if cmd.ProcessState.ExitCode() != code {
				t.Fatalf("%v: %s", cmd.ProcessState, stderr.String())
			}
			return most, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		case <-time.After(time.Millisecond):
			most = max(most, highWater(cmd.Process.Pid))
		}
	}
}

// highWater is VmHWM in bytes, 0 where it is not told.
func highWater(pid int) int64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}

// TestMemory: the main job stays below mostMemory, and ten times the rows in
// row groups of the same size do not need more, but for the footer.
func TestMemory(t *testing.T) {
	if highWater(os.Getpid()) == 0 {
		t.Log("this system does not tell what a process takes")
		return
	}
	for _, path := range []string{"../../testdata/tables/flights.parquet", "../../../shared/data/flights-3m.parquet"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		for audit, most := range map[string]int64{"off": mostMemory, "sample": mostMemory + auditMemory} {
			dir := t.TempDir()
			took := peak(t, 0, "run", "--audit", audit, "--input", path, "--column", "origin", "--utility",
				"positions:../../testdata/tables/airports.csv",
				"--epsilon", "4.1", "--design", "safe", "--drop", "destination,distance", "--output", filepath.Join(dir, "out"),
				"--report", filepath.Join(dir, "report"))
			t.Logf("%s, audit %s: %d MiB", path, audit, took>>20)
			if took == 0 || took > most {
				t.Errorf("%s, audit %s, took %d MiB, want at most %d", path, audit, took>>20, most>>20)
			}
		}
	}
	var took [2]int64
	for i, rows := range []int{40_000, 400_000} {
		dir, given := t.TempDir(), t.TempDir()
		c := parquetGoCanary(t, false, rows, 20_000)
		input := writeFile(t, filepath.Join(given, "in"), c.file)
		took[i] = peak(t, 0, runArgs(dir, input, spec(t, given, c), "--null", "public", "--threads", "2", "--audit",
			"off")...)
	}
	t.Logf("%d MiB for 40,000 rows, %d MiB for 400,000", took[0]>>20, took[1]>>20)
	if took[1] > took[0]+24<<20 {
		t.Errorf("%d MiB for 40,000 rows, %d MiB for 400,000", took[0]>>20, took[1]>>20)
	}
}

// TestInspectMemory: looking at 3,000,000 rows takes at most 36 MiB more than a program
// that does nothing, which is 26 MiB without the tests, and so stays below 64 MiB.
func TestInspectMemory(t *testing.T) {
	path := "../../../shared/data/flights-3m.parquet"
	if _, err := os.Stat(path); err != nil || highWater(os.Getpid()) == 0 {
		t.Log("the large file is not at hand, or this system does not tell what a process takes")
		return
	}
	nothing, took := peak(t, 0, "version"), peak(t, 0, "inspect", "--input", path)
	t.Logf("%d MiB, and %d MiB for nothing", took>>20, nothing>>20)
	if nothing == 0 || took > nothing+36<<20 {
		t.Errorf("took %d MiB, want at most 36 above the %d for nothing", took>>20, nothing>>20)
	}
}
