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
	must(t, cmd.Start())
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
	flightsIn(t, "../../testdata/tables/flights.parquet")
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

// TestSlowMemory is TestMemory of 3,000,000 rows, where the large file is at hand.
func TestSlowMemory(t *testing.T) {
	if _, err := os.Stat(largeFlights); err != nil || highWater(os.Getpid()) == 0 {
		t.Log("the large file is not at hand, or this system does not tell what a process takes")
		return
	}
	flightsIn(t, largeFlights)
}

// largeFlights are 3,000,000 rows, which not every machine has.
const largeFlights = "../../../shared/data/flights-3m.parquet"

// flightsIn privatizes the origins of flights, with every audit within its memory.
func flightsIn(t *testing.T, path string) {
	t.Helper()
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

// TestInspectMemory: looking at 3,000,000 rows takes at most 36 MiB more than a program
// that does nothing, which is 26 MiB without the tests, and so stays below 64 MiB.
func TestInspectMemory(t *testing.T) {
	if _, err := os.Stat(largeFlights); err != nil || highWater(os.Getpid()) == 0 {
		t.Log("the large file is not at hand, or this system does not tell what a process takes")
		return
	}
	nothing, took := peak(t, 0, "version"), peak(t, 0, "inspect", "--input", largeFlights)
	t.Logf("%d MiB, and %d MiB for nothing", took>>20, nothing>>20)
	if nothing == 0 || took > nothing+36<<20 {
		t.Errorf("took %d MiB, want at most 36 above the %d for nothing", took>>20, nothing>>20)
	}
}

// written makes a file by a program of Python, which gets its path. Without the libraries
// the test ends here, with TACET_PYTHON=required it fails.
func written(t *testing.T, name, program string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	out, err := exec.Command("python3", "-c", program, path).CombinedOutput()
	if err != nil && os.Getenv("TACET_PYTHON") == "required" {
		t.Fatalf("%v: %s", err, out)
	}
	if err != nil {
		t.Skip("no python3 with duckdb and pyarrow")
	}
	return path
}

// wideMemory is what a wide file of numbers takes at the most, the two largest pages aside.
const wideMemory = 104 << 20

// TestSlowWideMemory: what is judged is read column by column. A file of one row group, whose
// pages have all its rows, takes no more memory with many columns than with few.
func TestSlowWideMemory(t *testing.T) {
	const rows, page = 200_000, 8 * 200_000
	for _, columns := range []int{10, 100} {
		path := written(t, "in.parquet", fmt.Sprintf(`
import duckdb, sys
cells = ["(hash(i + %%d) %%%% %%s)::bigint as c%%d" %% (1000003 * k, ["1000000007", "1000"][k %% 2], k) for k in range(%d)]
duckdb.execute("set threads = 1")
duckdb.execute("copy (select chr(65 + (hash(i) %%%% 16)::int) as letter, %%s from range(%d) t(i)) to '%%s' "
    "(format parquet, row_group_size 1000000)" %% (", ".join(cells), sys.argv[1]))`, columns, rows))
		dir := t.TempDir()
		took := peak(t, 0, "run", "--threads", "2", "--input", path, "--column", "letter", "--utility", "any", "--max-factor",
			"6", "--output", filepath.Join(dir, "out.parquet"), "--report", filepath.Join(dir, "report"))
		t.Logf("%d columns: %d MiB", columns, took>>20)
		if took == 0 || took > wideMemory+2*page {
			t.Errorf("%d columns took %d MiB, want at most %d", columns, took>>20, (wideMemory+2*page)>>20)
		}
	}
}

// TestSlowManyColumns: what 5,000 kept columns take grows with their number, not with its
// square.
func TestSlowManyColumns(t *testing.T) {
	for _, format := range []string{"parquet", "arrow"} {
		path := written(t, "in."+format, `
import pyarrow as pa, pyarrow.feather, pyarrow.parquet, random, sys
random.seed(1)
letters = [chr(65 + i % 8) for i in range(100)]
table = pa.table({"letter": letters, **{"c%d" % k: random.choices(range(97), k=100) for k in range(5000)}})
if sys.argv[1].endswith("parquet"):
    pa.parquet.write_table(table, sys.argv[1])
else:
    pa.feather.write_feather(table, sys.argv[1], compression="uncompressed")`)
		dir := t.TempDir()
		_, cpu := spent(t, 0, "run", "--input", path, "--column", "letter", "--utility", "any", "--max-factor", "6",
			"--audit",
			"off", "--output", filepath.Join(dir, "out."+format), "--report", filepath.Join(dir, "report"))
		t.Logf("5,000 columns, %s: %v", format, cpu)
		if cpu > 3*time.Second {
			t.Errorf("5,000 columns, %s: %v, want at most 3 s", format, cpu)
		}
	}
}
