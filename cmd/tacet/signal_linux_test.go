package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/test/torture"
)

// TestSlowSignalsWithManyLetters: what reads an order of 9 million cells, or a plan of 64 million, ends soon
// after a signal, wherever it is, and leaves nothing. Time is that of the
// processor, so that a busy machine changes nothing.
func TestSlowSignalsWithManyLetters(t *testing.T) {
	const letters, soon = 3000, time.Second
	at := []time.Duration{200 * time.Millisecond, 500 * time.Millisecond}
	if torture.Long() {
		at = nil
		for d := 100 * time.Millisecond; d < 12*time.Second; d += 150 * time.Millisecond {
			at = append(at, d)
		}
	}
	input := writeFile(t, filepath.Join(t.TempDir(), "in"), numbers(t, 5*letters, letters))
	given := []string{"--input", input, "--column", "n", "--utility", "numeric"}
	made := t.TempDir()
	release := []string{"--input", writeFile(t, filepath.Join(t.TempDir(), "codes"), codes(t, 100_000, 8000)), "--output",
		filepath.Join(made, "out")}
	tacet(t, slices.Concat([]string{"run", "--column", "code", "--utility", "prefix", "--epsilon", "3",
		"--allow", "sorted", "--report", filepath.Join(made, "report")}, release)...).want(t, 0)
	parts := 6
	for name, args := range map[string][]string{
		"design": slices.Concat(given, []string{"--floor-by", "value", "--epsilon", "3", "--design", "safe",
			"--write-plan", "plan.json"}),
		"frontier": slices.Concat(given, []string{"--html", "page.html"}),
		"values":   slices.Concat(given, []string{"--floor-by", "value", "--html", "page.html"}),
		"run": slices.Concat(given, []string{"--floor-by", "value", "--epsilon", "3", "--design", "safe",
			"--audit", "off", "--drop", "k", "--output", "out", "--report", "report"}),
		"verify": slices.Concat([]string{"--report", filepath.Join(made, "report", "report.json")}, release),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "values" {
				args = append([]string{"frontier"}, args...)
			} else {
				args = append([]string{name}, args...)
			}
			ended := 0
			parts--
			for i := range torture.Within(t, len(at), parts) {
				after := at[i]
				dir := t.TempDir()
				var stderr bytes.Buffer
				cmd := exec.Command("tacet", args...)
				cmd.Dir, cmd.Stderr = dir, &stderr
				must(t, cmd.Start())
				s := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}[i%2]
				used := worked(t, cmd.Process.Pid, after)
				cmd.Process.Signal(s)
				cmd.Wait()
				used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - used
				if cmd.ProcessState.ExitCode() == 0 && ended > 0 { // it was at its end
					break
				}
				ended++
				code := cmd.ProcessState.ExitCode()
				if code != 128+int(s) || lines(progressLine.ReplaceAllString(stderr.String(), "")) != 1 ||
					!strings.Contains(stderr.String(), "interrupted") {
					t.Errorf("%v after %v: exit code %d: %s", s, after, code, stderr.Bytes())
				}
				if used > soon {
					t.Errorf("%v after %v: worked on for %v", s, after, used)
				}
				if is := present(t, dir); len(is) > 0 {
					t.Errorf("%v after %v: left %d files", s, after, len(is))
				}
			}
			t.Logf("torture: %d signals", ended)
			if ended == 0 {
				t.Error("control: no run was interrupted")
			}
		})
	}
}

// worked waits until a process has worked for so long, or has ended, and tells
// for how long it has.
func worked(t *testing.T, pid int, long time.Duration) (used time.Duration) {
	t.Helper()
	for ; used < long; time.Sleep(2 * time.Millisecond) {
		stat := readFile(t, fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(stat), ") ")
		field := strings.Fields(rest)
		if field[0] == "Z" {
			return used
		}
		used = 0
		for _, f := range field[11:13] {
			ticks, err := strconv.Atoi(f)
			must(t, err)
			used += time.Duration(ticks) * time.Second / 100
		}
	}
	return used
}
