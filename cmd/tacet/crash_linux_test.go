package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/test/torture"
)

// TestNoCrashDump: a run that the system or a signal ends says why in one line,
// has a code that is documented, publishes all or nothing, and prints nothing of
// its own memory.
func TestNoCrashDump(t *testing.T) {
	// The tests' own binary opens files and takes memory before it is tacet.
	command, limits := "tacet", []string{"-n 4", "-n 7", "-n 9", "-n 10", "-n 13", "-n 17", "-n 21", "-n 25", "-d 65536",
		"-v 2200000", "-v 2600000"}
	if torture.Long() {
		command = filepath.Join(t.TempDir(), "tacet")
		build := exec.Command("go", "build", "-o", command, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for n := 3; n < 32; n++ {
			limits = append(limits, fmt.Sprint("-n ", n))
		}
		for v := 1_400_000; v <= 2_000_000; v += 20_000 {
			limits = append(limits, fmt.Sprint("-v ", v))
		}
	}
	for _, limit := range limits {
		dir := t.TempDir()
		args := append([]string{"-c", fmt.Sprintf(`ulimit %s; exec "$0" "$@"`, limit), command},
			flightsArgs(t, filepath.Join(dir, "out"), filepath.Join(dir, "report"), "--audit", "off")...)
		done := finish(t, exec.Command("sh", args...))
		if done.code == 0 && len(present(t, dir)) == len(released) ||
			done.code == 6 && lines(done.stderr) == 1 && strings.Contains(done.stderr, "check the release with tacet verify") {
			continue
		}
		if done.code != 5 || lines(done.stderr) != 1 || !strings.HasPrefix(done.stderr, "tacet: ") ||
			!strings.Contains(done.stderr, "hint: raise the limit") {
			t.Errorf("ulimit %s: exit code %d: %.300s", limit, done.code, done.stderr)
		}
		for name := range present(t, dir) {
			if !strings.Contains(name, ".tacet-lock-") {
				t.Errorf("ulimit %s: %s was left", limit, name)
			}
		}
	}
}

// TestEarlyQuit: a signal while packages are made ready ends the process in one line, or
// without one before there is a handler.
func TestEarlyQuit(t *testing.T) {
	for after := time.Duration(0); after < 30*time.Millisecond; after += 3 * time.Millisecond {
		var stderr bytes.Buffer
		cmd := exec.Command("tacet", "version")
		cmd.Stderr = &stderr
		must(t, cmd.Start())
		time.Sleep(after)
		cmd.Process.Signal(syscall.SIGQUIT)
		cmd.Wait()
		if lines(stderr.String()) > 1 {
			t.Errorf("after %v: %.200s", after, stderr.String())
		}
	}
}

// TestSignalsOfErrors: signals that stand for a bug end a run with one line.
func TestSignalsOfErrors(t *testing.T) {
	for s, code := range map[syscall.Signal]int{syscall.SIGQUIT: 131, syscall.SIGABRT: 134, syscall.SIGSEGV: 1,
		syscall.SIGBUS: 1, syscall.SIGILL: 1} {
		var stderr bytes.Buffer
		cmd := exec.Command("tacet", "frontier", "--input", "../../testdata/tables/flights.parquet", "--column", "origin",
			"--utility", "positions:../../testdata/tables/airports.csv")
		cmd.Stderr = &stderr
		must(t, cmd.Start())
		untilOpen(t, cmd.Process.Pid, "flights.parquet")
		cmd.Process.Signal(s)
		cmd.Wait()
		said := progressLine.ReplaceAllString(stderr.String(), "")
		if is := cmd.ProcessState.ExitCode(); is != code || lines(said) != 1 ||
			!strings.Contains(said, "nothing was published") {
			t.Errorf("%v: exit code %d, want %d: %.300s", s, is, code, said)
		}
	}
}

// untilOpen waits until a process has a file of this name open, or has ended: then
// it is past its start-up, whatever the machine.
func untilOpen(t *testing.T, pid int, name string) {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		list, err := os.ReadDir(folder)
		if err != nil {
			return
		}
		for _, e := range list {
			if file, _ := os.Readlink(filepath.Join(folder, e.Name())); filepath.Base(file) == name {
				return
			}
		}
	}
	t.Errorf("process %d never opened %s", pid, name)
}

// TestStrangeNames: what a terminal would act on is shown as escapes, in
// messages, logs and summaries.
func TestStrangeNames(t *testing.T) {
	const odd = "x\x1b]0;owned\a\xff\u202e"
	dir := t.TempDir()
	input := writeFile(t, filepath.Join(dir, "in"), twice(t, "parquet", "n", odd))
	for _, c := range []struct {
		code int
		args []string
	}{
		{3, []string{"--input", input, "--column", "missing"}},
		{3, []string{"--input", input, "--column", "missing", "--log-format", "json"}},
		{3, []string{"--input", filepath.Join(dir, odd), "--column", "n"}},
		{0, []string{"--input", input, "--column", "n"}},
		{0, []string{"--input", input, "--column", odd}},
	} {
		done := tacet(t, append(append([]string{"run"}, c.args...), "--utility", "numeric", "--epsilon", "1.2", "--design",
			"safe", "--allow", "unchanged", "--audit", "off", "--overwrite",
			"--output", filepath.Join(dir, "o"+odd), "--report", filepath.Join(dir, "r"+odd))...)
		if done.code != c.code {
			t.Errorf("%q: exit code %d: %q", c.args, done.code, done.stderr)
		}
		for _, text := range []string{done.stdout, done.stderr} {
			if strings.ContainsAny(text, "\x1b\a\xff\u202e") || strings.Contains(text, "\xff") {
				t.Errorf("%q: raw: %q", c.args, text)
			}
		}
	}
}
