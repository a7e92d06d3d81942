package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A finished process of tacet.
type finished struct {
	code           int
	stdout, stderr string
}

// tacet runs the command in a process of its own.
func tacet(t *testing.T, args ...string) finished {
	t.Helper()
	return finish(t, exec.Command("tacet", args...))
}

func finish(t *testing.T, cmd *exec.Cmd) finished {
	t.Helper()
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	var exit *exec.ExitError
	if e := cmd.Run(); e != nil && !errors.As(e, &exit) {
		t.Fatal(e)
	}
	return finished{cmd.ProcessState.ExitCode(), out.String(), err.String()}
}

var progressLine = regexp.MustCompile(`(?m)^tacet: [a-z ]+: \d+ of \d+ (rows|searches|steps|designs)\n`)

// want fails unless the process ended with this code, and with exactly one
// line for people where that is not 0. Lines of progress, which a slow machine
// sees every ten seconds, do not count.
func (f finished) want(t *testing.T, code int) {
	t.Helper()
	f.stderr = progressLine.ReplaceAllString(f.stderr, "")
	if f.code != code {
		t.Fatalf("exit code %d, want %d:\n%s", f.code, code, f.stderr)
	}
	if code == 0 && f.stderr != "" || code != 0 && (lines(f.stderr) != 1 || !strings.HasPrefix(f.stderr, "tacet: ")) {
		t.Fatalf("standard error of exit code %d:\n%s", code, f.stderr)
	}
}

// snapshot is every file below dir by its name, with its mode.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		st, err := e.Info()
		files[strings.TrimPrefix(path, dir)] = st.Mode().String() + "\n" + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// unchanged fails unless dir holds what it held.
func unchanged(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	after := snapshot(t, dir)
	for name, data := range before {
		if after[name] != data {
			t.Errorf("%s is not what it was", name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			t.Errorf("%s was left behind", name)
		}
	}
}

func writeFile(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
