package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// asProgram has the test binary be the program, so that no second one is linked.
const asProgram = "TACET_BENCH_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestContests holds contests on few rows with the program as it is today: a
// flag or a file that changed its name ends the measurement.
func TestContests(t *testing.T) {
	dir := t.TempDir()
	tacet := filepath.Join(dir, "tacet")
	succeeds(t, "../..", "go", "build", "-o", tacet, "./cmd/tacet")
	succeeds(t, "../..", "env", asProgram+"=1", os.Args[0], "-tacet", tacet, "-cache", dir, "-scale", "0.0005",
		"-rounds", "1", "-only", "snappy-16,two-columns,by-id,arrow")
	if exec.Command("python3", "-c", "import scipy").Run() == nil {
		succeeds(t, ".", "python3", "highs/compare.py", tacet, "10", "1")
	}
}

// succeeds runs a command in a folder. What it builds is built without C, as make builds it.
func succeeds(t *testing.T, folder, name string, arg ...string) {
	t.Helper()
	c := exec.Command(name, arg...)
	c.Dir, c.Env = folder, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(name), arg, err, out)
	}
}
